"""States of the mattes of entries: the editor of each kind of source, trees, groups, and what a file lacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from app.panels.mattes.card_matte import CardMatte
from app.panels.mattes.section import MatteSection
from engine import Layer, ops
from engine.grade.entries import Group
from engine.mattes import SOURCES, Branch, Cryptomatte, HslQualifier, Leaf, Matte, MatteSource
from tools.screenshots.window import Shown

NAMES = ("hero_body", "hero_cape*", "sc010_set_street_lamp_left_geo_shape_deformed", "dust?")


def source_of(name: str) -> MatteSource:
    """A source that is fitted to the sample; Cryptomatte with some names."""
    source = SOURCES[name].for_frame(1280, 720)
    return source.replace(names=NAMES, ids=(3141592653,)) if isinstance(source, Cryptomatte) else source


def tree() -> Matte:
    """Windows without what a qualifier covers, in nested branches."""
    windows = Branch("union", (Leaf(source_of("Ellipse"), opacity=0.7), Leaf(source_of("Rectangle"), inverted=True)))
    nodes = (windows, Leaf(HslQualifier()), Leaf(source_of("LinearGradient"), enabled=False))
    return Matte(Branch("subtraction", nodes), feather=24.0, grow=-3.0)


def editor(shown: Shown, name: str) -> None:
    """The fields of a source."""
    _show(shown, Matte(Leaf(source_of(name))))


def matte_tree(shown: Shown) -> None:
    """A tree with a selected leaf."""
    _show(shown, tree())
    shown.workspace.matte_editor.select((0, 1))


def matte_branch(shown: Shown) -> None:
    """A tree with a selected branch, and its menu."""
    _show(shown, tree())
    shown.workspace.matte_editor.select((0,))
    section = _section(shown)
    section.more.click()


def matte_sources(shown: Shown) -> None:
    """The menu of sources."""
    shown.grade(ops.Exposure(0.35), ops.Cdl())
    shown.window.panel.select(0)
    _matte(shown, 0).button.click()


def matte_missing(shown: Shown) -> None:
    """What the file lacks for a matte, on the open card and on a folded one."""
    depth = SOURCES["DepthRange"](channel="depth.Z")
    crypto = Cryptomatte(layer="CryptoAsset", names=("hero",))
    matte = Matte(Branch("union", (Leaf(depth), Leaf(crypto))))
    shown.grade(Layer(ops.Exposure(0.5), matte=matte), Layer(ops.Saturation(1.2), matte=matte))
    _open(shown, 0)
    shown.window.panel.cards[1].open(False)
    shown.until(lambda: bool(shown.workspace.matte_editor.files.missing(matte)))


def matte_absent(shown: Shown) -> None:
    """Names that no object has, and IDs that no pixel has."""
    source = Cryptomatte(names=("lantern*", *NAMES[:2]), ids=(7, 3141592653))
    _show(shown, Matte(Leaf(source)))
    shown.until(lambda: len(shown.workspace.matte_editor.files.absent(source)) == 2)
    shown.wait()


def groups(shown: Shown) -> None:
    """Groups in groups, one of them folded, and marked entries."""
    inner = Group((ops.Contrast(1.2), ops.Saturation(1.1)), "Skin tones", mix=0.8)
    folded = Group((ops.Exposure(-0.5), ops.WhiteBalance()), "Background of the second unit", enabled=False)
    outer = Group((ops.Exposure(0.35), inner), "Hero", matte=tree())
    shown.grade(outer, folded, ops.Exposure(0.1), ops.Contrast(1.1))
    panel = shown.window.panel
    for at, card in enumerate(panel.cards):
        card.open(at in (0, 2, 3))
    panel.select(8)
    panel.moves.extend(9)


def _show(shown: Shown, matte: Matte) -> None:
    shown.grade(Layer(ops.Exposure(0.35), matte=matte))
    _open(shown, 0)


def _open(shown: Shown, at: int) -> None:
    shown.window.panel.select(at)
    _matte(shown, at).open(True)
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    shown.spin(0.1)


def _matte(shown: Shown, at: int) -> CardMatte:
    found = shown.window.panel.cards[at].findChild(CardMatte)
    assert isinstance(found, CardMatte)
    return found


def _section(shown: Shown) -> MatteSection:
    section = _matte(shown, 0).section
    assert section is not None
    return section


STATES: dict[str, Callable[[Shown], None]] = {
    **{f"matte_{name.lower()}": partial(editor, name=name) for name in SOURCES},
    **{each.__name__: each for each in (matte_tree, matte_branch, matte_sources, matte_missing, matte_absent, groups)},
}
"""The editor of each source, and the others."""
