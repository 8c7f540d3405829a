"""Menus and steps through the parts, layers and views of an image file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from app.model.document import Document
from app.panels.picker import add_choice
from app.services.files import Files
from app.services.open_documents import OpenDocuments

if TYPE_CHECKING:
    from engine.io.info import PartInfo


def step_layer(document: Document, files: Files, by: int) -> None:
    """Show the next or previous layer of the part; wrap around."""
    part, layer = _current(document)
    names = [each.name for each in part.layers]
    show_layer(document, files, part, names[(names.index(layer) + by) % len(names)])


def step_part(document: Document, files: Files, by: int) -> None:
    """Show the layer of the same name in the next or previous part of the file; wrap around."""
    part, layer = _current(document)
    parts = document.image.info.parts
    show_layer(document, files, parts[(part.index + by) % len(parts)], layer)


def step_view(document: Document, files: Files) -> None:
    """Show the same part and layer in another view, such as the other eye of a stereo image."""
    part, layer = _current(document)
    others = _other_views(document, part)
    if others:
        show_layer(document, files, others[0], layer)


def show_layer(document: Document, files: Files, part: PartInfo, layer: str) -> None:
    """Show a layer of a part, or its first layer if it has none of that name."""
    names = [each.name for each in part.layers]
    path = document.image_path
    if path is not None:
        files.open_image(path, part.index, layer if layer in names else names[0])


def has_layers(document: Document) -> bool:
    """Return whether the part has several layers; for `when`."""
    image = document.image
    return image is not None and len(image.part.layers) > 1


def has_parts(document: Document) -> bool:
    """Return whether the file has several parts; for `when`."""
    image = document.image
    return image is not None and len(image.info.parts) > 1


def has_views(document: Document) -> bool:
    """Return whether the file has another view; for `when`."""
    image = document.image
    return image is not None and bool(_other_views(document, image.part))


class LayerMenu:
    """A menu of the parts of the file and the layers of the current part, filled when it opens."""

    def __init__(self, documents: OpenDocuments, files: Files, menu: QMenu) -> None:
        self._documents, self._files, self._menu = documents, files, menu
        menu.aboutToShow.connect(self._fill)
        documents.image_changed.connect(self._enable)
        self._enable()

    def _enable(self) -> None:
        document = self._documents.current
        self._menu.menuAction().setEnabled(has_layers(document) or has_parts(document))

    def _fill(self) -> None:
        self._menu.clear()
        document = self._documents.current
        image = document.image
        if image is None:
            return
        if has_parts(document):
            for part in image.info.parts:
                text = part.name or f"Part {part.index + 1}"
                tip = f"{text}, {part.width} × {part.height}" + (f", view {part.view}" if part.view else "")
                choose = partial(self._show, part, image.layer.name)
                add_choice(self._menu, text, tip, part is image.part, choose)
            self._menu.addSeparator()
        for layer in image.part.layers:
            tip = ", ".join(layer.channels)
            choose = partial(self._show, image.part, layer.name)
            add_choice(self._menu, layer.name or "Main layer", tip, layer is image.layer, choose)

    def _show(self, part: PartInfo, layer: str) -> None:
        show_layer(self._documents.current, self._files, part, layer)


def _current(document: Document) -> tuple[PartInfo, str]:
    """Return the part and layer that were requested last if they are in this file, else the ones shown."""
    image = document.image
    parts = image.info.parts
    part = parts[document.part] if document.part is not None and document.part < len(parts) else image.part
    names = [layer.name for layer in part.layers]
    if document.layer is not None and document.layer in names:
        return part, document.layer
    return part, str(image.layer.name if part is image.part else names[0])


def _other_views(document: Document, part: PartInfo) -> list[PartInfo]:
    """Return the parts of other views: first the one with the same name apart from the view, then the others."""
    parts = document.image.info.parts
    others = [each for each in (*parts[part.index + 1 :], *parts[: part.index]) if each.view and each.view != part.view]
    return sorted(others if part.view else [], key=lambda each: _bare(each) != _bare(part))


def _bare(part: PartInfo) -> str:
    """Return the name of a part without its view."""
    return str(part.name.replace(part.view, ""))
