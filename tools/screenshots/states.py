"""The states of the window that `tools.screenshots` shows: the first ten are what a colourist sees most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QMenu, QTabWidget, QToolTip

from app.actions.layers import LAYER_MENU
from app.model.comparison_target import VersionTarget
from app.panels.look_wall import LutWall
from app.panels.probe.panel import ProbePanel
from app.panels.scopes.panel import ScopesPanel
from app.panels.scopes.scope_settings import panes_of
from app.services.export_options import ExportOrder
from app.shell.empty_state import SAMPLE
from app.shell.palette import Palette
from engine import Layer, ops
from engine.kernel.op import Table
from tools.screenshots.canvas_states import CANVAS_STATES
from tools.screenshots.colour_states import (
    rules,
    space_by_rule,
    space_given,
    unknown_space,
    unknown_space_more,
    xyz_primaries,
)
from tools.screenshots.export_states import STATES as EXPORT_STATES
from tools.screenshots.files import looks, many_layers
from tools.screenshots.key_states import STATES as KEY_STATES
from tools.screenshots.layer_states import LAYER_STATES
from tools.screenshots.match_states import MATCH_STATES
from tools.screenshots.matte_states import STATES as MATTE_STATES
from tools.screenshots.movie_states import STATES as MOVIE_STATES
from tools.screenshots.plain_states import (
    about,
    clean,
    colour,
    empty,
    exports_empty,
    first_again,
    first_small,
    full_and_clean,
    full_screen,
    history_empty,
    image_menu,
    looks_empty,
    pixels,
    scopes_empty,
    tabs,
    timeline_empty,
    versions_empty,
    wheels_none,
    wheels_panel,
    wheels_tone,
)
from tools.screenshots.scope_states import SCOPE_STATES
from tools.screenshots.stack_states import STATES as STACK_STATES
from tools.screenshots.still_states import STILL_STATES
from tools.screenshots.track_states import STATES as TRACK_STATES
from tools.screenshots.viewer_states import STATES as VIEWER_STATES
from tools.screenshots.window import Shown

CURVE = Table([(0.0, 0.0, 0.0), (0.25, 0.19, 0.0), (0.55, 0.58, 0.0), (1.0, 1.0, 0.0)])
BALANCE = ops.Cdl(slope=(1.03, 1.0, 0.98), offset=(-0.006, 0.0, 0.008), power=(1.02, 1.02, 1.04), saturation=1.1)


def wheels(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, ops.Exposure(0.35), BALANCE)
    panel = shown.panel("scopes", ScopesPanel)
    shown.until(lambda: panel.reading is not None and panel.reading.width > 400)


def curves(shown: Shown) -> None:
    shown.open(SAMPLE)
    straight = ops.GradingRgbCurve.straight()
    grade(shown, ops.Exposure(0.2), straight.replace(master=CURVE))


def hue_curves(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, ops.GradingHueCurve.neutral())


def look_wall(shown: Shown, name: str = "Faded print.cube") -> None:
    folder = looks(shown.folder)
    (folder / "zz broken.cube").write_text("LUT_3D_SIZE 33\n0 0 0\n", encoding="utf-8")
    shown.open(SAMPLE)
    wall = shown.panel("looks", LutWall)
    wall.open_folder(folder)
    shown.until(lambda: wall.model.rowCount() > 0)
    shown.wait()
    shown.until(lambda: all(item.image is not None or item.problem for item in wall.model.items))
    names = [wall.filter.index(row, 0).data() for row in range(wall.filter.rowCount())]
    wall.list.setCurrentIndex(wall.filter.index(names.index(name), 0))
    wall.list.setFocus()


def scopes(shown: Shown) -> None:
    wheels(shown)
    shown.panel("scopes", ScopesPanel).choose(panes=panes_of("parade", "rgb", "vectorscope", "histogram"))
    probe = shown.panel("probe", ProbePanel)
    shown.workspace.set_view(pins=((320, 300), (700, 420)), area=(500, 200, 120, 90))
    shown.until(lambda: len(probe.samples) == 3)


def wipe(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, ops.Exposure(0.4), BALANCE.replace(saturation=1.35))
    shown.workspace.set_view(compare="wipe", wipe_angle=70.0)
    shown.workspace.show_panel("looking")


def false_colour(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.workspace.set_view(overlays=("false colour",))
    shown.workspace.show_panel("looking")


def layers(shown: Shown) -> None:
    """A renderer's image with sixty AOVs, one of them shown, and their menu open."""
    image = many_layers(shown.folder)
    shown.open(image)
    shown.workspace.files.open_image(image, 0, "diffuse_indirect_key_light")
    shown.wait()
    menu = shown.window.menus.menu(LAYER_MENU)
    menu.popup(shown.window.mapToGlobal(QPoint(420, 120)))


def export_queue(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, ops.Exposure(0.35), BALANCE)
    shown.workspace.show_panel("exports")
    export(shown, "sample_graded.exr")
    export(shown, "no such folder/sample_graded.exr")
    queue = shown.workspace.exports
    shown.until(lambda: all(each.over for each in queue.exports))
    export(shown, "a very long name of a shot that a pipeline made up sc010_0040_comp_v012_graded_aces2065-1.exr")
    export(shown, "sample_waits.tif")
    shown.until(lambda: queue.exports[2].done > 0.2 or queue.exports[2].over)


def everything(shown: Shown) -> None:
    """All that can stand side by side, as on a large screen."""
    look_wall(shown)
    grade(shown, ops.Exposure(0.35), BALANCE, ops.Contrast(1.1))
    for name in ("exports", "scopes", "timeline", "probe"):
        shown.workspace.show_panel(name)
    shown.workspace.show_panel("grade")


def grade(shown: Shown, *entries: Any) -> None:
    """Another grade, its cards there."""
    shown.workspace.document.edit(shown.workspace.document.grade.with_entries(entries), "grade")
    shown.until(lambda: shown.window.panel.complete)
    shown.wait()


def export(shown: Shown, name: str) -> None:
    document = shown.workspace.document
    shown.workspace.exports.add(ExportOrder(SAMPLE, shown.folder / name, document.grade))


# -- panels


def many_ops(shown: Shown) -> None:
    """Twelve entries, some switched off, the last card in sight."""
    shown.open(SAMPLE)
    kinds = (ops.Exposure, ops.WhiteBalance, ops.Contrast, ops.Saturation, ops.GradingTone, ops.GradingPrimary)
    entries: list[Any] = [kind() for kind in (*kinds, ops.Blur, ops.AcesGamutCompress, ops.Range, ops.Matrix)]
    entries[1] = Layer(ops.WhiteBalance(5600.0, 10.0), enabled=False)
    entries[3] = Layer(ops.Saturation(1.3), mix=0.5)
    grade(shown, *entries)
    shown.workspace.files.add_looks([*sorted(looks(shown.folder).iterdir())[:2]])
    shown.until(lambda: len(shown.window.panel.cards) == 12 and shown.window.panel.complete)
    shown.wait()


def many_ops_end(shown: Shown) -> None:
    many_ops(shown)
    shown.window.panel.select(11, focus=True)


def tone(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, ops.GradingTone(), ops.GradingPrimary(style="linear"))


def numbers(shown: Shown) -> None:
    """Numbers as wide as they get."""
    shown.open(SAMPLE)
    widest = ops.Cdl(slope=(0.000012, 1234.5678, 1.0), offset=(-65504.0, 0.123456, -0.000001))
    grade(shown, widest, ops.Matrix(), ops.Range(min_in=-65504.0))
    shown.workspace.settings.set("wheels", False)


def versions(shown: Shown) -> None:
    shown.open(SAMPLE)
    for stops in (0.0, 0.5, -0.5):
        grade(shown, ops.Exposure(stops), BALANCE)
        shown.do("keep_version")
    document = shown.workspace.document
    kept = document.versions["Version 2"]
    document.edit_version("Version 2", replace(kept, name="Client's warmer one for the trailer, v012"), "renaming")
    shown.workspace.show_panel("versions")


def history(shown: Shown) -> None:
    versions(shown)
    shown.do("undo")
    shown.do("undo")
    shown.workspace.show_panel("history")


def looks_broken(shown: Shown) -> None:
    look_wall(shown, "zz broken.cube")


# -- the window


def split(shown: Shown) -> None:
    wipe(shown)
    shown.workspace.set_view(compare="split", overlays=("clipped", "zebra", "negative", "nan"))


def compared_gone(shown: Shown) -> None:
    """The version that the image was compared with is deleted."""
    wipe(shown)
    document = shown.workspace.document
    version = document.keep_version("Warm")
    shown.workspace.set_view(against=VersionTarget(version.number))
    document.edit_version("Warm", None, "removal of Warm")


def error(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.workspace.files.open_image(shown.folder / "shots" / "sc010_0040_comp_v012.exr")


def offer(shown: Shown) -> None:
    shown.open(SAMPLE)
    line = "sample_graded.exr was exported with a grade, which its pixels already contain."
    shown.workspace.messages.offer(line, "Use this grade", lambda: None)


# -- menus and dialogs


def _menu(title: str) -> Callable[[Shown], None]:
    def state(shown: Shown) -> None:
        shown.open(SAMPLE)
        bar = shown.window.menuBar()
        action = next(each for each in bar.actions() if each.text() == title)
        menu = action.menu()
        assert isinstance(menu, QMenu)
        menu.popup(bar.mapToGlobal(bar.actionGeometry(action).bottomLeft()))

    return state


def _dialog(command: str) -> Callable[[Shown], None]:
    def state(shown: Shown) -> None:
        shown.open(SAMPLE)
        grade(shown, ops.Exposure(0.35), BALANCE)
        shown.do(command)
        shown.spin(0.4)
        centre(shown)

    return state


def _page(command: str, number: int) -> Callable[[Shown], None]:
    """A page of a dialog that has several."""

    def state(shown: Shown) -> None:
        _dialog(command)(shown)
        tabs = shown.dialog(QDialog).findChild(QTabWidget)
        assert tabs is not None
        tabs.setCurrentIndex(number)

    return state


def colour_rules(shown: Shown) -> None:
    rules(shown)
    _page("preferences", 2)(shown)


def palette(shown: Shown) -> None:
    _dialog("palette")(shown)
    shown.dialog(Palette).field.setText("wipe")


def tooltip(shown: Shown) -> None:
    wheels(shown)
    card = shown.window.panel.cards[1]
    QToolTip.showText(card.mapToGlobal(QPoint(0, 30)), card.mix.toolTip())


def op_menu(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.do("add_operation")


def view_menu(shown: Shown) -> None:
    shown.open(SAMPLE)
    picker = shown.window.toolbar.view_picker
    shown.until(lambda: shown.workspace.colour.names is not None)
    picker.click()


def save_first(shown: Shown) -> None:
    shown.open(SAMPLE)
    grade(shown, BALANCE)
    shown.do("close_tab")
    centre(shown)


def centre(shown: Shown) -> None:
    """Where a window manager would put a dialog."""
    shown.spin(0.1)
    over, window = shown.dialog(QDialog), shown.window
    over.move(window.mapToGlobal(window.rect().center()) - over.rect().center())


def _named(*states: Callable[[Shown], None]) -> dict[str, Callable[[Shown], None]]:
    return {state.__name__: state for state in states}


STATES: dict[str, Callable[[Shown], None]] = {
    **_named(empty, wheels, curves, look_wall, scopes, wipe, false_colour, layers, export_queue, everything),
    **_named(wheels_panel, wheels_tone, wheels_none, hue_curves, many_ops, many_ops_end, tone, numbers, versions),
    **_named(history, colour, exports_empty, looks_empty, looks_broken, scopes_empty, versions_empty, history_empty),
    **_named(timeline_empty, first_small, about, image_menu, palette, tooltip, op_menu, view_menu, save_first),
    **_named(first_again, tabs, clean, full_screen, full_and_clean, pixels, split, compared_gone, error, offer),
    **(SCOPE_STATES | STACK_STATES | MATTE_STATES | KEY_STATES | TRACK_STATES | EXPORT_STATES | MOVIE_STATES),
    **{f"menu_{name.strip('&').lower()}": _menu(name) for name in ("&File", "&Edit", "&Grade", "&View", "&Compare")},
    **{f"menu_{name.strip('&').lower()}": _menu(name) for name in ("&Playback", "&Panels", "&Help")},
    **{f"preferences_{number}": _page("preferences", number) for number in range(6)},
    **_named(unknown_space, unknown_space_more, space_given, space_by_rule, xyz_primaries, colour_rules),
    **_named(*VIEWER_STATES, *LAYER_STATES, *CANVAS_STATES, *STILL_STATES, *MATCH_STATES),
    **{name: _dialog(name) for name in ("keys", "export_look")},
}
