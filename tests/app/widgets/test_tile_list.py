"""Which tiles of a list are visible."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QSize, QStringListModel
from PySide6.QtWidgets import QStyledItemDelegate

from app.widgets.tile_list import TileList


class Tiles(QStyledItemDelegate):
    def sizeHint(self, option: Any, index: Any) -> QSize:
        return QSize(100, 50)


class Tiled(TileList):
    def empty_text(self) -> str:
        return "Nothing"


@pytest.fixture
def tiles(qtbot: Any) -> TileList:
    """A hundred tiles, three side by side, of which two rows and a half fit."""
    made = Tiled()
    qtbot.addWidget(made)
    made.setItemDelegate(Tiles(made))
    made.setModel(QStringListModel([str(n) for n in range(100)], made))
    made.resize(340, 127)
    return made


def test_visible_rows_are_those_of_tiles_in_the_viewport(tiles: TileList, qtbot: Any) -> None:
    assert not tiles.visible_rows(), "it is hidden"
    tiles.show()
    assert tiles.visible_rows() == range(9)
    tiles.verticalScrollBar().setValue(60)
    assert tiles.visible_rows() == range(3, 12)
    tiles.verticalScrollBar().setValue(tiles.verticalScrollBar().maximum())
    assert tiles.visible_rows() == range(93, 100)
    tiles.model().setStringList([])  # type: ignore[attr-defined]
    assert not tiles.visible_rows()


def test_it_tells_when_others_are_visible(tiles: TileList, qtbot: Any) -> None:
    seen = list[range]()
    tiles.visible_changed.connect(lambda: seen.append(tiles.visible_rows()))
    tiles.show()
    assert seen[-1] == range(9)
    tiles.verticalScrollBar().setValue(60)
    assert seen[-1] == range(3, 12)
    tiles.resize(340, 77)
    assert seen[-1] == range(3, 9)
    tiles.hide()
    assert seen[-1] == range(0)
