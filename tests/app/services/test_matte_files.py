"""What the displayed file has for mattes, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.panels.mattes.card_matte import CardMatte
from app.services.engine_calls import Services
from app.services.matte_files import MatteFiles
from app.shell.main_window import MainWindow
from engine import Layer, ops
from engine.errors import UnsupportedFile
from engine.io.info import ChannelInfo
from engine.io.manifests import Manifest
from engine.mattes import (
    Branch,
    ChannelRange,
    Cryptomatte,
    DepthRange,
    Ellipse,
    ImageMatte,
    Leaf,
    Matte,
    ObjectIds,
    PositionBox,
)
from engine.mattes.planes import IdPlane
from tests.app.conftest import end, make_image
from tests.app.fakes import FakeExecutor
from tests.app.hands import Key

MORE = ("depth.Z", "P.X", "P.Y", "P.Z")
NAMES = ("hero", "floor*", "floor_2")


def image_with_data(path: Path, part: int | None = None, layer: str | None = None) -> Any:
    """The image of the other tests, with depth and positions."""
    image = make_image(path, part, layer)
    channels = (*image.part.channels, *(ChannelInfo(name, "float") for name in MORE))
    whole = replace(image.part, channels=channels)
    return replace(image, info=replace(image.info, parts=(whole,)), part=whole)


def ids_there(image: Any, plane: Any) -> Any:
    """IDs of the channel `id` alone."""
    if plane != IdPlane("id", ()):
        raise UnsupportedFile(image.info.path, "has no such IDs", "choose others")
    return np.array([0, 2, 4000000000], np.uint32)


@pytest.fixture
def shown(qtbot: Any, image_file: Path) -> Iterator[MainWindow]:
    """A window that shows an image with data and a Cryptomatte layer."""
    manifest = Manifest(NAMES, np.array([1, 2, 3], np.uint32))
    services = Services(
        read_image=image_with_data,
        create_executor=lambda _name, _threads: FakeExecutor(),
        backends=list,
        cryptomatte_objects=lambda _info, _part: {"CryptoAsset": manifest},
        ids_there=ids_there,
    )
    window = MainWindow(services=services)
    qtbot.addWidget(window)
    window.show()
    window.files.open_image(image_file)
    qtbot.waitUntil(lambda: window.document.image is not None)
    yield window
    end(window)


def files_of(window: MainWindow) -> MatteFiles:
    return window.workspace.matte_editor.files


def with_matte(window: MainWindow, *sources: Any) -> Matte:
    matte = Matte(Branch("union", tuple(map(Leaf, sources))))
    window.document.edit_entry(0, Layer(ops.Exposure(), matte=matte), "matte")
    return matte


def test_the_file_lists_what_sources_can_read(shown: MainWindow):
    files = files_of(shown)
    assert {"R", "A", "diffuse.G", *MORE} <= set(files.channels)
    assert files.vectors == [("P.X", "P.Y", "P.Z"), ("R", "G", "B"), ("diffuse.R", "diffuse.G", "diffuse.B")]
    assert files.layers == ["", "diffuse"] and files.parts == ["p0"]


def test_names_of_objects_are_read_on_a_thread(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    assert files.names("CryptoAsset") == ()
    qtbot.waitUntil(lambda: files.names("CryptoAsset") == NAMES)
    assert files.object_layers == ["CryptoAsset"] and files.names("CryptoObject") == ()


def test_a_new_source_reads_what_the_file_has(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    qtbot.waitUntil(lambda: bool(files.object_layers))
    assert files.adapted(DepthRange()) == DepthRange(channel="depth.Z")
    assert files.adapted(Cryptomatte()) == Cryptomatte(layer="CryptoAsset")
    assert files.adapted(PositionBox()) == PositionBox() and files.adapted(Ellipse()) == Ellipse()


def test_what_the_file_lacks_is_said_once_per_plane(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    matte = with_matte(shown, ChannelRange(channel="spec.R"), ChannelRange(channel="A"), ImageMatte())
    assert files.missing(matte) == [], "not known yet"
    qtbot.waitUntil(lambda: bool(files.missing(matte)))
    (line,) = files.missing(matte)
    assert line.startswith("ramp.exr has no channel 'spec.R'")


def test_the_card_shows_what_is_missing(shown: MainWindow, qtbot: Any):
    with_matte(shown, ChannelRange(channel="spec.R"), Ellipse())
    card = shown.panel.cards[0]
    matte = card.findChild(CardMatte)
    assert isinstance(matte, CardMatte)
    qtbot.waitUntil(lambda: "spec.R" in matte.button.toolTip())
    matte.open(True)
    assert matte.section is not None
    assert [label.whole for label in matte.section.missing] == ["ramp.exr has no channel 'spec.R'"]
    with_matte(shown, Ellipse())
    assert matte.section.missing == [] and "spec.R" not in matte.button.toolTip()


def test_the_search_of_the_card_finds_the_names_of_the_file(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    qtbot.waitUntil(lambda: bool(files.object_layers))
    shown.panel.select(0)
    shown.workspace.matte_editor.add("Cryptomatte")
    matte = shown.panel.cards[0].findChild(CardMatte)
    assert isinstance(matte, CardMatte) and matte.section is not None and matte.section.body is not None
    chips: Any = matte.section.body.editors["names"]
    qtbot.keyClicks(chips.field, "ero")
    qtbot.waitUntil(lambda: chips._model.stringList() == ["hero"])
    chips.field.clear()
    qtbot.keyClicks(chips.field, "floor")
    popup = chips.field.completer().popup()
    qtbot.waitUntil(lambda: len(chips._model.stringList()) == 2)
    qtbot.keyClick(popup, Key.Key_Down)
    qtbot.keyClick(popup, Key.Key_Return)
    assert chips.words == ("floor\\*",), "an asterisk in a name is not a wildcard"


def test_names_that_no_object_has_are_marked(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    qtbot.waitUntil(lambda: bool(files.object_layers))
    shown.panel.select(0)
    shown.workspace.matte_editor.add("Cryptomatte")
    matte = shown.panel.cards[0].findChild(CardMatte)
    assert isinstance(matte, CardMatte) and matte.section is not None and matte.section.body is not None
    chips: Any = matte.section.body.editors["names"]
    for name in ("hero", "zebra", "floor*", "z*"):
        qtbot.keyClicks(chips.field, name)
        qtbot.keyClick(chips.field, Key.Key_Return)
    qtbot.waitUntil(lambda: sum(bool(chip.label.property("failed")) for chip in chips.chips) == 2)
    assert [chip.word for chip in chips.chips if chip.label.property("failed")] == ["zebra", "z*"]
    assert "CryptoAsset" in chips.chips[1].label.toolTip()
    assert files.unlisted("CryptoObject", ("zebra",)) == frozenset(), "there is nothing to choose from"


def test_ids_that_no_pixel_has_are_marked_and_said(shown: MainWindow, qtbot: Any):
    files = files_of(shown)
    shown.panel.select(0)
    shown.workspace.matte_editor.add("ObjectIds")
    matte = shown.panel.cards[0].findChild(CardMatte)
    assert isinstance(matte, CardMatte) and matte.section is not None and matte.section.body is not None
    chips: Any = matte.section.body.editors["ids"]
    for text in ("2", "7", "0xee6b2800", "8"):
        qtbot.keyClicks(chips.field, text)
        qtbot.keyClick(chips.field, Key.Key_Return)
    assert files.absent(ObjectIds(ids=(7,))) == frozenset(), "not known yet"
    qtbot.waitUntil(lambda: sum(bool(chip.label.property("failed")) for chip in chips.chips) == 2)
    assert [chip.word for chip in chips.chips if chip.label.property("failed")] == ["7", "8"]
    assert chips.chips[1].label.toolTip() == "7\nNo pixel of the image has this ID."
    line = "ramp.exr has no IDs 7, 8 in the channel 'id'"
    assert line in [label.whole for label in matte.section.missing]
    assert files.absent(Cryptomatte("CryptoAsset", ("zebra",), ids=(2,))) == frozenset()
    qtbot.waitUntil(lambda: not files._asked)
    assert files.absent(Cryptomatte("CryptoAsset", ("zebra",), ids=(2,))) == frozenset(), "they can't be read"


def test_a_cryptomatte_gets_its_layer_before_the_names_are_read(shown: MainWindow, monkeypatch: pytest.MonkeyPatch):
    files = files_of(shown)
    monkeypatch.setattr(MatteFiles, "object_layers", [])
    layers = (SimpleNamespace(name="CryptoMaterial"),)
    monkeypatch.setattr("engine.io.cryptomatte.cryptomatte_layers", lambda _info, _part: layers)
    assert files.adapted(Cryptomatte()) == Cryptomatte(layer="CryptoMaterial")


def test_a_typed_name_is_added_when_the_focus_goes_elsewhere(shown: MainWindow, qtbot: Any):
    shown.panel.select(0)
    shown.workspace.matte_editor.add("Cryptomatte")
    matte = shown.panel.cards[0].findChild(CardMatte)
    assert isinstance(matte, CardMatte) and matte.section is not None and matte.section.body is not None
    chips: Any = matte.section.body.editors["names"]
    chips.field.setFocus()
    qtbot.keyClicks(chips.field, "zebra")
    shown.panel.cards[0].title.setFocus()
    assert chips.words == ("zebra",)
