"""States of the viewer: what makes the screen differ from the export, and the labels of comparisons."""

from __future__ import annotations

from app.model.comparison_target import VersionTarget
from app.panels.look_wall import LutWall
from app.shell.empty_state import SAMPLE
from engine import ops
from tools.screenshots.files import looks
from tools.screenshots.window import Shown

GRADE = (ops.Exposure(0.4), ops.Cdl(slope=(1.1, 1.0, 0.9), saturation=1.35))


def chips(shown: Shown) -> None:
    """A LUT is tried, and the view differs in every other way, more than a row of chips holds."""
    lut_tried(shown, "Print 2383 emulation, warm, for the projector of the small stage v03.cube")
    overlays = ("false colour", "nan", "negative", "clipped", "zebra")
    shown.workspace.set_view(compare="wipe", channel="red", exposure=1.0, gamma=1.2, overlays=overlays)


def lut_tried(shown: Shown, name: str = "Copper.cube") -> None:
    """A LUT is tried on the full image, without the wall."""
    folder = looks(shown.folder)
    shown.open(SAMPLE)
    _grade(shown)
    wall = shown.panel("looks", LutWall)
    wall.open_folder(folder)
    shown.until(lambda: wall.model.rowCount() > 0)
    names = [wall.filter.index(row, 0).data() for row in range(wall.filter.rowCount())]
    wall.list.setCurrentIndex(wall.filter.index(names.index(name), 0))
    shown.until(lambda: shown.workspace.stage.previewed_lut is not None)
    shown.do("panel_looks")


def bypassed(shown: Shown) -> None:
    shown.open(SAMPLE)
    _grade(shown)
    shown.do("compare")


def focus_peaking(shown: Shown) -> None:
    """Sharp edges in green, with the panel that has the threshold and the colour."""
    shown.open(SAMPLE)
    _grade(shown)
    shown.workspace.show_panel("looking")
    shown.workspace.set_view(overlays=("focus peaking",), peaking=0.06, peaking_colour="green")


def grade_for_images(shown: Shown) -> None:
    """The dialog that applies a grade to some of the open images."""
    for name in ("sc010_beauty.1001.exr", "sc020_beauty.1001.exr", "sc030_a_rather_long_name_of_an_image_v012.exr"):
        shown.workspace.open_documents.add([shown.folder / name])
    shown.open(SAMPLE)
    _grade(shown)
    shown.do("apply_to_some")


def split_of_versions(shown: Shown) -> None:
    _versions(shown)
    shown.workspace.set_view(compare="split")


def wipe_turned(shown: Shown) -> None:
    _versions(shown)
    shown.workspace.set_view(compare="wipe", wipe_angle=20.0, wipe_x=0.3)


def wipe_near_the_edge(shown: Shown) -> None:
    _versions(shown)
    shown.workspace.set_view(compare="wipe", wipe_x=0.05)


def difference_of_versions(shown: Shown) -> None:
    _versions(shown)
    shown.workspace.set_view(compare="difference")


def accuracy(shown: Shown) -> None:
    shown.open(SAMPLE)
    _grade(shown)
    shown.until(lambda: bool(shown.window.status.accuracy.text()))


def _grade(shown: Shown) -> None:
    document = shown.workspace.document
    document.edit(document.grade.with_entries(GRADE), "grade")
    shown.wait()


def _versions(shown: Shown) -> None:
    """A grade, compared with a version of a long name."""
    shown.open(SAMPLE)
    version = shown.workspace.document.keep_version("Client's cooler one for the trailer, v012, second try")
    _grade(shown)
    shown.workspace.set_view(against=VersionTarget(version.number))


STATES = (
    *(chips, lut_tried, bypassed, split_of_versions, wipe_turned, wipe_near_the_edge, difference_of_versions),
    *(focus_peaking, grade_for_images),
    accuracy,
)
