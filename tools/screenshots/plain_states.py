"""States of the window that depend on no other state: empty panels, tabs and full screen."""

from __future__ import annotations

from app.panels.wheels.panel import WheelsPanel
from app.shell.empty_state import SAMPLE
from engine import ops
from tools.screenshots.files import long_named
from tools.screenshots.window import Shown


def exports_empty(shown: Shown) -> None:
    shown.workspace.show_panel("exports")


def looks_empty(shown: Shown) -> None:
    shown.workspace.show_panel("looks")


def scopes_empty(shown: Shown) -> None:
    shown.workspace.show_panel("scopes")
    shown.workspace.show_panel("probe")


def versions_empty(shown: Shown) -> None:
    shown.workspace.show_panel("versions")


def history_empty(shown: Shown) -> None:
    shown.workspace.show_panel("history")


def timeline_empty(shown: Shown) -> None:
    shown.workspace.show_panel("timeline")
    shown.workspace.show_panel("looking")


def first_again(shown: Shown) -> None:
    """No image, but some recent files."""
    names = ("a", "shot_010_comp_v012.exr", "a very long name of a shot that a pipeline made up sc010_0040_v012.exr")
    shown.workspace.settings.set("recent", [f"/show/plates/{name}" for name in names])


def first_small(shown: Shown) -> None:
    """Recent files on a canvas that panels have left little room."""
    first_again(shown)
    shown.workspace.show_panel("looks")
    shown.workspace.show_panel("timeline")


def about(shown: Shown) -> None:
    """The dialog with version, device and licences."""
    shown.open(SAMPLE)
    shown.do("about")
    shown.spin(0.5)


def image_menu(shown: Shown) -> None:
    """The context menu of the image, by its key."""
    shown.open(SAMPLE)
    shown.window.canvas.setFocus()
    shown.do("context_menu")


def tabs(shown: Shown) -> None:
    shown.open(SAMPLE, *(long_named(shown.folder, number) for number in range(5)))
    shown.workspace.document.add(ops.Saturation(1.2), "saturation")


def clean(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.do("clean")


def full_screen(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.do("full_screen")
    shown.spin(0.5)


def full_and_clean(shown: Shown) -> None:
    full_screen(shown)
    shown.do("clean")


def pixels(shown: Shown) -> None:
    """So near that values are written into the pixels, under the cursor as well."""
    shown.open(SAMPLE)
    shown.window.canvas.zoom_to(110.0 * shown.window.devicePixelRatioF())
    shown.workspace.canvas.hovered.emit((500, 400))


def empty(shown: Shown) -> None:
    """What a new user sees."""


def wheels_panel(shown: Shown) -> None:
    """Four large wheels in a row."""
    shown.open(SAMPLE)
    video = ops.GradingPrimary(
        style="video", lift=(0.01, -0.0123, 0.02, 0.0123), gain=(1.1, 1.0, 0.9, 1.05), saturation=1.1
    )
    _show_wheels(shown, video)


def wheels_tone(shown: Shown) -> None:
    """Large wheels for five ranges of tones, while an entry without wheels is selected."""
    shown.open(SAMPLE)
    _show_wheels(shown, ops.GradingTone(middle=(1.1, 1.0, 0.95, 1.2, 0.4, 0.6)))
    shown.workspace.document.select(0)


def wheels_none(shown: Shown) -> None:
    """No entry has wheels."""
    _show_wheels(shown, ops.Saturation(1.2))


def _show_wheels(shown: Shown, op: ops.GradingPrimary | ops.GradingTone | ops.Saturation) -> None:
    document = shown.workspace.document
    document.edit(document.grade.with_entries((ops.Exposure(0.35), op)), "grade")
    panel = shown.panel("wheels", WheelsPanel)
    shown.until(lambda: panel.complete)


def colour(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.workspace.show_panel("colour")
