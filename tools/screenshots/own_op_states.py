"""States with the user's own ops, missing ops and looks: preferences, the question about a file, cards, the search."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QDialog, QTabWidget

from app.model.looks import looks
from app.shell.empty_state import SAMPLE
from app.shell.own_ops_page import OwnOpsPage
from engine import ops
from engine.grade.grade import Grade
from engine.grade.own_permissions import FOLDER
from engine.grade.own_template import write_template
from engine.kernel.op import REGISTRY
from tools.screenshots.window import Shown

_UNKNOWN = {"op": "LaterGlow", "radius": 12.0, "amount": 0.3}
_ANOTHER = {"op": "own:SoftContrast", "own": {"file": "soft_contrast.py", "sha256": "0" * 64}, "contrast": 1.4}


def own_ops_off(shown: Shown) -> None:
    """The page as it is at first, with two files in the folder."""
    _folder(shown)
    _page(shown)


def own_ops_page(shown: Shown) -> None:
    """One file is allowed, one has changed since, one is not allowed, and one is bad."""
    folder = _folder(shown)
    (folder / "broken.py").write_text("from engine.kernel.op import ColorOp\n\nclass Broken(ColorOp)\n")
    _allow(shown, "soft_contrast.py", "broken.py", "glow.py")
    (folder / "glow.py").write_text((folder / "glow.py").read_text() + "# changed\n")
    write_template("BleachBypass", folder)
    shown.wait()
    _page(shown)


def own_ops_allow(shown: Shown) -> None:
    """The question about a file."""
    _folder(shown)
    shown.workspace.own_ops.switch(True)
    page = _page(shown)
    page.allow.click()
    shown.spin(0.1)


def own_op_card(shown: Shown) -> None:
    """An own op in a grade, like any other."""
    _folder(shown)
    _allow(shown, "soft_contrast.py")
    shown.grade(ops.Exposure(0.35), REGISTRY["own:SoftContrast"](contrast=1.6))


def own_op_menu(shown: Shown) -> None:
    """Own ops in the search for one."""
    own_op_card(shown)
    shown.do("add_operation")
    shown.window.panel.footer.op_menu.search.setText("soft")


def looks_in_menu(shown: Shown) -> None:
    """Looks in the search for operations."""
    shown.open(SAMPLE)
    shown.do("add_operation")
    shown.window.panel.footer.op_menu.search.setText("looks")


def look_added(shown: Shown) -> None:
    """A look in a grade: a group."""
    shown.grade(ops.Exposure(0.35))
    shown.window.panel.add(next(look.preset for look in looks() if look.title == "Teal and orange"))
    shown.wait()


def missing_ops(shown: Shown) -> None:
    """An op of a later version, and one that was made with another file than the one that is allowed."""
    _folder(shown)
    _allow(shown, "soft_contrast.py")
    entries = [_UNKNOWN, _ANOTHER]
    shown.grade(ops.Exposure(0.35), *Grade.from_json({"tessera": "grade", "version": 1, "entries": entries}).entries)
    shown.do("open_all")
    shown.wait()


def _folder(shown: Shown) -> Path:
    """The folder of own ops, with two files."""
    os.environ["TESSERA_DATA"] = str(shown.folder / "data")
    folder = shown.folder / "data" / FOLDER
    for name in ("SoftContrast", "Glow"):
        write_template(name, folder)
    return folder


def _allow(shown: Shown, *names: str) -> None:
    own_ops = shown.workspace.own_ops
    own_ops.switch(True)
    shown.wait()
    for each in own_ops.listed:
        if each.file.name in names:
            own_ops.allow(each.file)
    shown.wait()


def _page(shown: Shown) -> OwnOpsPage:
    shown.open(SAMPLE)
    shown.do("preferences")
    dialog = shown.dialog(QDialog)
    tabs = dialog.findChild(QTabWidget)
    assert tabs is not None
    tabs.setCurrentIndex(tabs.count() - 1)
    page = dialog.findChild(OwnOpsPage)
    assert page is not None
    shown.wait()
    page.list.setCurrentIndex(page.list.model().index(0, 0))
    dialog.move(shown.window.mapToGlobal(shown.window.rect().center()) - dialog.rect().center())
    return page


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each
    for each in (
        own_ops_off,
        own_ops_page,
        own_ops_allow,
        own_op_card,
        own_op_menu,
        missing_ops,
        looks_in_menu,
        look_added,
    )
}
