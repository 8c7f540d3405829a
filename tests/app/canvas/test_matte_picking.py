"""Picking objects of Cryptomatte on the canvas for mattes."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.canvas.mattes.cryptomatte_tool import CryptomatteTool
from app.model.matte_objects import MOST_NAMES, with_object
from app.services.matte_picks import Asked
from engine import Grade
from engine.errors import GradeError
from engine.io.manifests import Manifest
from engine.io.planes import PickedObject
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.qualifiers import Key3d
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import click, drag, edit, go, source_of
from tests.app.conftest import make_image
from tests.app.hands import ALT, CTRL, SHIFT, Key

HERO, SKY, NAMELESS = (20.0, 50.0), (100.0, 50.0), (170.0, 50.0)
NO_BUTTON = Qt.MouseButton.NoButton


def begin(bench: Bench, source: Any) -> Any:
    """Edit a source and pick for it; return the tool."""
    edit(bench, source)
    bench.canvas.fit()
    bench.workspace.matte_selection.pick(True)
    return next(iter(bench.canvas.tools))


def wait(bench: Bench, qtbot: Any) -> None:
    """Until everything that was picked has arrived."""
    qtbot.waitUntil(lambda: bench.workspace.jobs.active == 0)


def picked(bench: Bench, qtbot: Any, at: tuple[float, float], keys: Any = Qt.KeyboardModifier.NoModifier) -> Any:
    click(qtbot, bench, *at, keys)
    wait(bench, qtbot)
    return source_of(bench)


# -- Cryptomatte


def test_hovering_names_the_object_and_highlights_it(bench: Bench, qtbot: Any, monkeypatch: Any):
    tool = begin(bench, Cryptomatte())
    wanted: list[Any] = []
    monkeypatch.setattr(bench.workspace.preview, "highlight", wanted.append, raising=False)
    go(bench, *HERO, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: tool.lines[:1] == ("hero/body",))
    assert tool.lines[1] == "CryptoObject, covers 75 %"
    matte = Matte(Leaf(Cryptomatte(ids=(100,))))
    assert wanted == [matte]
    red = QImage(64, 108, QImage.Format.Format_ARGB32_Premultiplied)
    red.fill(0)
    for row in range(10, 100):
        for column in range(10, 60):
            red.setPixelColor(column, row, QColor(255, 0, 0, 100))
    tool._show_highlight(red, (0.0, 0.0, 64.0, 108.0), Matte(Leaf(Cryptomatte(ids=(1,)))))
    wait(bench, qtbot)
    assert not tool.highlights, "the answer for another object is dropped"
    tool._show_highlight(red, (0.0, 0.0, 64.0, 108.0), matte)
    tool._want(None)
    wait(bench, qtbot)
    assert not tool.highlights, "an outline that is ready too late is dropped"
    tool._want(matte)
    tool._show_highlight(red, (0.0, 0.0, 64.0, 108.0), matte)
    qtbot.waitUntil(lambda: tool.highlights)
    beside, inside, light, dark = (_color(bench, x, 90.5) for x in (5.5, 35.5, 10.5, 9.5))
    assert beside.lightness() == 128 and inside != beside, "where its region is"
    assert light.lightness() > 140 and dark.lightness() < 60, "a double line, legible on any image"
    for region in ((0.0, 0.0, 96.0, 54.0), (0.0, 0.0, 96.0, 54.0)):
        tool._follow_frame(None, SimpleNamespace(serial=1, view=SimpleNamespace(region=region, width=192)))
    assert wanted == [matte, None, matte, matte], "requested again, once, for another part of the image"
    go(bench, *NAMELESS, buttons=NO_BUTTON)
    hero = tool._found
    qtbot.waitUntil(lambda: tool.lines[:1] == ("00000066",))
    tool._take_look(hero)
    assert tool.lines[0] == "00000066", "the answer for another pixel is dropped"
    go(bench, 20.0, 104.0, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: tool.lines == ("CryptoObject", "no object here"))
    assert wanted[-1] is None
    go(bench, *SKY, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: tool.lines[:1] == ("sky",))
    QApplication.sendEvent(bench.canvas, QEvent(QEvent.Type.Leave))
    assert tool.lines == () and wanted[-1] is None, "the pointer has left"
    go(bench, *HERO, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: tool.lines[:1] == ("hero/body",))
    bench.workspace.matte_selection.pick(False)
    assert not tool.drawn() and tool.lines == () and wanted[-1] is None


def _color(bench: Bench, x: float, y: float) -> Any:
    image = bench.canvas.grab().toImage()
    mapping = bench.workspace.matte_tools.place.mapping
    assert mapping is not None
    left, top = mapping.on_canvas((x, y))
    return image.pixelColor(round(left), round(top))


def test_clicks_add_and_remove_objects_each_as_one_step(bench: Bench, qtbot: Any):
    begin(bench, Cryptomatte())
    assert picked(bench, qtbot, HERO).names == ("hero/body",)
    assert picked(bench, qtbot, SKY).names == ("hero/body", "sky")
    assert picked(bench, qtbot, NAMELESS).ids == (102,), "an object without a name is added by its ID"
    assert picked(bench, qtbot, HERO).names == ("sky",)
    assert picked(bench, qtbot, NAMELESS).ids == ()
    assert bench.document.steps == 5
    assert bench.document.history[1:3] == ["Exposure matte: with hero/body", "Exposure matte: with sky"]
    bench.document.undo()
    assert source_of(bench) == Cryptomatte(names=("sky",), ids=(102,))
    assert bench.workspace.matte_selection.picking, "undo does not end picking"


@pytest.mark.parametrize("keys", [CTRL, ALT])
def test_shift_only_adds_and_ctrl_and_alt_only_remove(bench: Bench, qtbot: Any, keys: Any):
    begin(bench, Cryptomatte(names=("sky",)))
    assert picked(bench, qtbot, SKY, SHIFT).names == ("sky",)
    assert picked(bench, qtbot, HERO, SHIFT).names == ("sky", "hero/body")
    assert picked(bench, qtbot, SKY, keys).names == ("hero/body",)
    assert picked(bench, qtbot, SKY, keys).names == ("hero/body",)
    assert bench.workspace.stage.pins.pins == []


def test_an_object_is_removed_from_a_wildcard(bench: Bench, qtbot: Any):
    begin(bench, Cryptomatte(names=("hero*",)))
    assert picked(bench, qtbot, HERO).names == ("hero/he\\*d",), "what else it selects stays, its asterisk escaped"


def test_fast_clicks_all_count(bench: Bench, qtbot: Any):
    begin(bench, Cryptomatte())
    for at in (HERO, SKY, NAMELESS, SKY):
        click(qtbot, bench, *at)
    wait(bench, qtbot)
    assert source_of(bench) == Cryptomatte(names=("hero/body",), ids=(102,))


def test_another_frame_names_its_own_object(bench: Bench, qtbot: Any, image_file: Any):
    tool = begin(bench, Cryptomatte())
    go(bench, *HERO, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: tool.lines[:1] == ("hero/body",))
    bench.planes.moved = 64  # as in the next frame of a sequence
    tool._follow_frame(None, SimpleNamespace(serial=2, view=SimpleNamespace(region=(0.0, 0.0, 1.0, 1.0), width=192)))
    qtbot.waitUntil(lambda: tool.lines[:1] == ("sky",))


def test_return_picks_the_centre_and_escape_ends(bench: Bench, qtbot: Any):
    tool = begin(bench, Cryptomatte())
    assert isinstance(tool, CryptomatteTool)
    for keys, names in ((None, ("sky",)), (SHIFT, ("sky",)), (CTRL, ()), (CTRL, ()), (SHIFT, ("sky",))):
        qtbot.keyClick(bench.canvas, Key.Key_Return, keys or Qt.KeyboardModifier.NoModifier)
        wait(bench, qtbot)
        assert source_of(bench).names == names
    qtbot.keyClick(bench.canvas, Key.Key_Escape)
    assert not bench.workspace.matte_selection.picking and next(iter(bench.canvas.tools)) is not tool
    before = bench.canvas.viewport
    drag(qtbot, bench, HERO, SKY)
    assert bench.canvas.viewport != before, "the canvas has the mouse again"


def test_another_layer_has_a_source_of_its_own(bench: Bench, qtbot: Any):
    tool = begin(bench, Cryptomatte())
    assert picked(bench, qtbot, HERO).names == ("hero/body",)
    assert bench.workspace.matte_tools.objects._layers() or True  # the first call has them read
    wait(bench, qtbot)
    qtbot.keyClick(bench.canvas, Key.Key_Down)
    assert tool.layer == "CryptoAsset"
    assert picked(bench, qtbot, SKY) == Cryptomatte("CryptoAsset", ("sky",))
    matte = bench.workspace.matte_selection.matte
    assert matte is not None
    both = Leaf(Cryptomatte(names=("hero/body",))), Leaf(Cryptomatte("CryptoAsset", ("sky",)))
    assert matte.root == Branch("union", both) and bench.workspace.matte_selection.picking
    assert picked(bench, qtbot, HERO).names == ("sky", "hero/body"), "it goes on in that layer"
    qtbot.keyClick(bench.canvas, Key.Key_Up)
    picked(bench, qtbot, SKY)
    assert source_of(bench) == Cryptomatte(names=("hero/body", "sky"))
    assert bench.document.steps == 4


def test_another_layer_is_joined_by_a_union_wherever_it_is(bench: Bench, qtbot: Any):
    begin(bench, Ellipse())
    root = Branch("subtraction", (Leaf(Ellipse()), Leaf(Cryptomatte(names=("sky",)))))
    selection = bench.workspace.matte_selection
    selection.set_matte(Matte(root, frame=(192, 108)), "tree")
    selection.select((1,))
    selection.pick(True)
    bench.workspace.matte_tools.objects._layers()
    wait(bench, qtbot)
    qtbot.keyClick(bench.canvas, Key.Key_Up)
    picked(bench, qtbot, HERO)
    assert selection.matte is not None and isinstance(selection.matte.root, Branch)
    joined = Branch("union", (Leaf(Cryptomatte(names=("sky",))), Leaf(Cryptomatte("CryptoAsset", ("hero/body",)))))
    assert selection.matte.root.nodes == (Leaf(Ellipse()), joined) and selection.node == (1, 1)


def test_a_layer_that_is_missing_is_said_beside_the_pointer_and_on_a_click(bench: Bench, qtbot: Any):
    tool = begin(bench, Cryptomatte("CryptoMaterial"))
    go(bench, *HERO, buttons=NO_BUTTON)
    qtbot.waitUntil(lambda: bool(tool.lines))
    assert "has no Cryptomatte layer 'CryptoMaterial'" in tool.lines[0]
    warned: list[str] = []
    bench.workspace.messages.warned.connect(lambda message: warned.append(message.text))
    assert picked(bench, qtbot, HERO).names == ()
    assert len(warned) == 1 and "CryptoMaterial" in warned[0]


def test_late_answers_for_another_entry_or_image_are_dropped(bench: Bench, qtbot: Any):
    begin(bench, Cryptomatte())
    click(qtbot, bench, *HERO)
    bench.workspace.matte_selection.pick(False)
    wait(bench, qtbot)
    assert source_of(bench).names == () and bench.document.steps == 0


def test_late_answers_for_another_image_are_dropped(bench: Bench, qtbot: Any, image_file: Any):
    for source in (Cryptomatte(), Key3d()):
        begin(bench, source)
        click(qtbot, bench, *HERO)
        bench.document.set_image(make_image(image_file), image_file)
        wait(bench, qtbot)
        assert source_of(bench) == source and bench.document.steps == 0


# -- qualifiers


def test_without_an_image_nothing_is_picked(bench: Bench, qtbot: Any):
    begin(bench, Key3d())
    bench.document.set_image(None, None)
    qtbot.keyClick(bench.canvas, Key.Key_Return)
    wait(bench, qtbot)
    assert bench.document.steps == 0


def test_grade_without_matte_has_nothing_to_pick_for(bench: Bench):
    edit(bench, None)
    tools = list(bench.canvas.tools)
    bench.workspace.matte_selection.pick(True)
    assert list(bench.canvas.tools) == tools and isinstance(bench.document.grade, Grade)


def test_a_wildcard_with_many_names_is_kept(bench: Bench):
    names = tuple(f"tree{n}" for n in range(MOST_NAMES + 5))
    manifest = Manifest(names, np.arange(len(names), dtype=np.uint32))
    first = PickedObject(0, (names[0],), 1.0)
    with pytest.raises(GradeError, match="wildcards that select fewer"):
        with_object(Cryptomatte(names=("tree*",)), first, manifest)
    fewer = with_object(Cryptomatte(names=("tree1?",)), PickedObject(11, (names[11],), 1.0), manifest)
    assert len(fewer.names) == 9


def test_another_document_begins_with_its_own_layer_and_path(bench: Bench, image_file: Path):
    workspace, first = bench.workspace, bench.document
    edit(bench, Cryptomatte("CryptoObject"))
    workspace.matte_selection.pick(True)
    second = workspace.open_documents.new()
    second.set_image(make_image(image_file), image_file)
    edit(bench, Cryptomatte("CryptoAsset"))
    workspace.matte_selection.pick(True)
    assert workspace.matte_tools.objects.layer == "CryptoAsset"
    workspace.open_documents.show(first)
    assert workspace.matte_selection.picking and workspace.matte_tools.objects.layer == "CryptoObject"


def test_two_strokes_after_filters_are_both_taken(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    picks = bench.workspace.matte_tools.strokes._picks
    asked, taken = list[Any](), list[str]()
    monkeypatch.setattr(bench.workspace.preview, "colours", lambda pixels, _: asked.append(pixels))
    image = bench.document.image
    for name, pixels in (("a", ((1, 1), (2, 2))), ("b", ((3, 3), (4, 4)))):
        picks._asked.append(Asked(image, pixels, (), False, lambda _, name=name: taken.append(name)))  # type: ignore[misc]
        picks._ask()
    assert asked == [((1, 1), (2, 2))] * 2, "the second one waits"
    bench.workspace.preview.coloured.emit(asked[0], np.zeros((2, 4), np.float32))
    assert asked[-1] == ((3, 3), (4, 4))
    bench.workspace.preview.coloured.emit(asked[-1], np.zeros((2, 4), np.float32))
    assert taken == ["a", "b"]


def test_what_a_source_selects_is_found_out_on_a_thread(bench: Bench, qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    tool = begin(bench, Cryptomatte("CryptoObject", names=("hero*",)))
    threads, selected = set[int](), Manifest.selected
    real = threading.get_ident

    def noted(*what: Any) -> Any:
        threads.add(real())
        return selected(*what)

    monkeypatch.setattr(Manifest, "selected", noted)
    for x in (20.0, 30.0, 40.0):
        go(bench, x, 50.0, buttons=NO_BUTTON)
        wait(bench, qtbot)
    assert tool.lines[1].endswith("in the matte")
    assert threads and real() not in threads
