"""Menus and steps through the parts, layers and views of an image file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtWidgets import QMenu

from app.model.comparison_target import OTHER_EYE, SOURCE, EyeTarget
from app.model.layer_tree import MAIN, has_layer, layer_holding, layers_of, part_label
from app.model.view_state import ViewState
from app.panels.picker import add_choice
from app.services.comparing import SIDES
from app.services.files import Files
from app.services.other_eye import other_eye
from app.services.view_options import ViewOptions
from engine.io.views import counterpart, view_of, views_of

if TYPE_CHECKING:
    from engine.io.info import LayerInfo, PartInfo


class Displayed(Protocol):
    """What a document displays."""

    image: Any  # as it was opened, or None

    @property
    def part(self) -> int | None:
        """The part that was requested last; None for the main one."""

    @property
    def layer(self) -> str | None:
        """The layer that was requested last; None for the main one."""


def step_layer(document: Displayed, files: Files, by: int) -> None:
    """Show the next or previous layer of the part; wrap around."""
    part, layer = _current(document)
    layers = layers_of(part)
    place = layers.index(layer_holding(part, layer))
    show_layer(files, part, layers[(place + by) % len(layers)].name)


def step_part(document: Displayed, files: Files, by: int) -> None:
    """Show the layer of the same name in the next or previous part of the file; wrap around."""
    part, layer = _current(document)
    parts = document.image.info.parts
    show_layer(files, parts[(part.index + by) % len(parts)], layer)


def step_view(document: Displayed, files: Files) -> None:
    """Show the same layer in the next view that has it, such as the other eye of a stereo image."""
    views = views_of(document.image.info)
    current = _current_layer(document)
    at = views.index(view_of(*current)) if view_of(*current) in views else -1
    found = (counterpart(document.image.info, *current, view) for view in (*views[at + 1 :], *views[: max(at, 0)]))
    for part, layer in (each for each in found if each is not None):
        show_layer(files, part, layer.name)
        return


def show_eye(document: Displayed, view: ViewOptions, files: Files, number: int) -> None:
    """Show the first (0, left) or second (1, right) view of a stereo image alone."""
    if isinstance(view.state.against, EyeTarget):
        view.set(compare="", against=SOURCE)
    part, layer = _current_layer(document)
    eye = views_of(document.image.info)[number]
    found = counterpart(document.image.info, part, layer, eye) if view_of(part, layer) != eye else None
    if found is not None:
        show_layer(files, found[0], found[1].name)


def compare_eyes(view: ViewOptions, mode: str) -> None:
    """Show both eyes of a stereo image in a mode of the comparison; repeat to show the current one alone."""
    if eye_mode(view.state) == mode:
        view.set(compare="", against=SOURCE)
    else:
        view.set(compare=mode, against=OTHER_EYE)


def eye_mode(view: ViewState) -> str:
    """Return the mode of the comparison with the other eye; '' if there is none."""
    return view.compare if isinstance(view.against, EyeTarget) and view.compare in SIDES else ""


def show_layer(files: Files, part: PartInfo, layer: str) -> None:
    """Show a layer or a channel of a part, or its first layer if it has none of that name."""
    files.open_layer(part.index, layer if has_layer(part, layer) else layers_of(part)[0].name)


def has_layers(document: Displayed) -> bool:
    """Return whether the part has several layers; for `when`."""
    image = document.image
    return image is not None and len(layers_of(image.part)) > 1


def has_parts(document: Displayed) -> bool:
    """Return whether the file has several parts; for `when`."""
    image = document.image
    return image is not None and len(image.info.parts) > 1


def has_views(document: Displayed) -> bool:
    """Return whether the layer is there in another view of the file; for `when`."""
    return other_eye(document.image) is not None


class LayerMenu:
    """A menu of the parts of the file and the layers of the current part, filled when it opens."""

    def __init__(self, document: Callable[[], Displayed], files: Files, menu: QMenu) -> None:
        """`document` returns the current document."""
        self._document, self._files, self._menu = document, files, menu
        menu.aboutToShow.connect(self._fill)
        self.follow()

    def follow(self) -> None:
        """Enable the menu if the displayed image has several parts or layers."""
        document = self._document()
        self._menu.menuAction().setEnabled(has_layers(document) or has_parts(document))

    def _fill(self) -> None:
        self._menu.clear()
        document = self._document()
        image = document.image
        if image is None:
            return
        if has_parts(document):
            for part in image.info.parts:
                text = part_label(part)
                tip = f"{text}, {part.width} × {part.height}" + (f", view {part.view}" if part.view else "")
                choose = partial(show_layer, self._files, part, image.layer.name)
                add_choice(self._menu, text, tip, part is image.part, choose)
            self._menu.addSeparator()
        shown = layer_holding(image.part, image.layer.name)
        for layer in layers_of(image.part):
            tip = ", ".join(layer.channels)
            choose = partial(show_layer, self._files, image.part, layer.name)
            add_choice(self._menu, layer.name or MAIN, tip, layer is shown, choose)


def _current(document: Displayed) -> tuple[PartInfo, str]:
    """Return the part and the layer that were requested last if they are in this file, else the ones shown."""
    image = document.image
    parts = image.info.parts
    part = parts[document.part] if document.part is not None and document.part < len(parts) else image.part
    if document.layer is not None and has_layer(part, document.layer):
        return part, document.layer
    return part, str(image.layer.name if part is image.part else layers_of(part)[0].name)


def _current_layer(document: Displayed) -> tuple[PartInfo, LayerInfo]:
    """Return the part and the layer that were requested last."""
    part, layer = _current(document)
    image = document.image
    shown = image.layer if part is image.part and layer == image.layer.name else layer_holding(part, layer)
    return part, shown
