"""How the layer of the current document is shown if it holds data: its kind, its range, and the line that says so."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.model.data_view import DataView, Range, ShownData, valid_range, view_for, with_view
from app.services.current_document import CurrentDocument
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.view_options import ViewOptions
from engine.export.frame_sources import source_of
from engine.io.info import LayerInfo, PartInfo
from engine.io.views import without_view
from engine.viewing.data_kinds import IMAGE, KINDS, kind_of, sampled_range, shown_kind

SIDE = 160
"""The most columns and rows of pixels that are sampled for a range."""
KEY = "range"
BEYOND = 65504.0
"""Larger values than half floats hold are no light."""


class _Sampled(NamedTuple):
    """What the samples of a layer say: the kind to show it as, the range, and the largest magnitude.

    The range is None until the samples are there. `place` (a file, and the frame of a movie) and `image` are what they
    were taken from.
    """

    kind: str
    range: Range | None
    largest: float
    place: tuple[Path, int | None]
    image: ReferenceType[Any]


class _Named(NamedTuple):
    """A layer, the name that it shares with other views, and the kind that its own says."""

    part: PartInfo | None = None
    layer: LayerInfo | None = None
    name: str = ""
    kind: str = IMAGE


class DataViews(QObject):
    """The data views of the open documents. The sampled range of a sequence is that of the frame shown first, until
    `fit`: otherwise the brightness would jump from frame to frame.
    """

    changed = Signal()  # the kind, the range or the text of the displayed layer

    def __init__(
        self, current: CurrentDocument, view: ViewOptions, services: Services, jobs: Jobs, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._current, self._options, self._services, self._jobs = current, view, services, jobs
        self._sampled: WeakKeyDictionary[QObject, dict[tuple[str, ...], _Sampled]] = WeakKeyDictionary()  # by document
        self._named = _Named()
        current.switch.once(self.changed.emit, current.image_changed, view.changed)

    @property
    def view(self) -> DataView:
        """What was chosen for the displayed layer."""
        return view_for(self._options.state.data_views, self._of_layer.name)

    @property
    def named_kind(self) -> str:
        """The kind that the name of the displayed layer says: IMAGE, or one of KINDS."""
        return self._of_layer.kind

    @property
    def kind(self) -> str:
        """The kind that the displayed layer is shown as."""
        return self.view.kind or self.named_kind

    @property
    def shown(self) -> ShownData | None:
        """How the displayed layer is shown if it holds data, else None."""
        image, view = self._image, self.view
        kind = view.kind or self.named_kind
        if image is None or kind == IMAGE:
            return None
        if KINDS[kind].shown == "ids":
            return ShownData(kind, plain=not _holds_ids(image))
        sampled = self._sample(kind)
        if KINDS[sampled.kind].shown != "range":
            return ShownData(sampled.kind)
        ends = valid_range(view.range) or sampled.range or (0.0, 1.0)
        return ShownData(sampled.kind, (ends[0], ends[1]), view.coloured and self.can_colour)

    @property
    def can_colour(self) -> bool:
        """Whether the displayed layer is one channel of data, so that false colours can show it."""
        image = self._image
        return image is not None and self.kind != IMAGE and image.layer.is_grey and not image.layer.is_vector

    @property
    def text(self) -> str:
        """What the screen shows of a layer of data, such as "Data view: Z 0.1..250"; '' for an image."""
        shown = self.shown
        return shown.describe(self._name) if shown is not None else ""

    @property
    def notice(self) -> str:
        """The text, and what explains a black or a white image: values that are all 0, or beyond any display."""
        if self._image is None:
            return ""
        largest = self._sample(self.kind).largest
        what = f"every sampled value of {self._name} is 0" if largest == 0.0 else ""
        if self.shown is None and largest > BEYOND:
            what = f"values of {self._name} reach {largest:.2g}"
        return "   ".join(part for part in (self.text, what) if part)

    @property
    def views_as_image(self) -> tuple[DataView, ...]:
        """The `data_views` of the view that show the displayed layer as colours."""
        return with_view(self._options.state.data_views, replace(self.view, kind=IMAGE))

    def choose(self, **changes: Any) -> None:
        """Change fields of the DataView of the displayed layer."""
        view = replace(self.view, **changes)
        self._options.set(data_views=with_view(self._options.state.data_views, view))

    def fit(self) -> None:
        """Show the range of the values of the displayed frame."""
        if self._image is not None:
            self._sampled.pop(self._current.document, None)
            self.choose(range=())
            self.changed.emit()
            self._current.frame_wanted.emit()

    @property
    def _name(self) -> str:
        image = self._image
        return str(image.layer.name or image.part.name or "the main layer")

    @property
    def _of_layer(self) -> _Named:
        image = self._image
        if image is None:
            self._named = _Named()
        elif self._named.part is not image.part or self._named.layer is not image.layer:
            layer = image.part, image.layer
            self._named = _Named(*layer, without_view(*layer), kind_of(*layer))
        return self._named

    @property
    def _image(self) -> Any:
        return self._current.document.image

    def _sample(self, kind: str) -> _Sampled:
        """Return the range of the displayed layer. A large image is sampled on a thread, and then shown again."""
        document, image = self._current.document, self._image
        place = _place(image)
        found = source_of(image.info.path, None)
        key = (kind, without_view(image.part, image.layer), found[0].text if found else str(image.info.path))
        ranges = self._sampled.setdefault(document, {})
        known = ranges.get(key)
        if known is not None and (known.image() is image or known.place != place):  # else the file was read again
            return known
        if hasattr(image, "pixels"):
            down, across = (-(-length // SIDE) for length in image.pixels.shape[:2])
            ranges[key] = self._measured(kind, image, image.pixels[::down, ::across])
        else:
            ranges[key] = known._replace(place=place, image=ref(image)) if known else _unknown(kind, image)
            part, layer = image.part.index, image.layer.name
            work = partial(self._services.sample_layers, image.info, part, (layer,), SIDE, SIDE)

            def take(samples: list[Any]) -> None:
                if document.image is image and samples:
                    self._take(document, key, self._measured(kind, image, samples[0]))

            self._jobs.latest(document, KEY, work, take, lambda _line: None)
        return ranges[key]

    def _measured(self, kind: str, image: Any, samples: Any) -> _Sampled:
        values = np.asarray(samples, np.float64)[..., :3]
        finite = values[np.isfinite(values)]
        shown = shown_kind(kind, image.layer.name or image.part.name, values)
        largest = float(np.abs(finite).max()) if finite.size else 0.0
        ends = None if shown == IMAGE else sampled_range(shown, values)
        return _Sampled(shown, ends, largest, _place(image), ref(image))

    def _take(self, document: QObject, key: tuple[str, ...], sampled: _Sampled) -> None:
        self._sampled.setdefault(document, {})[key] = sampled
        if document is self._current.document:
            self.changed.emit()
            self._current.frame_wanted.emit()


def _place(image: Any) -> tuple[Path, int | None]:
    """Return the file of an image, and its frame if that is a movie."""
    return image.info.path, image.info.frame


def _unknown(kind: str, image: Any) -> _Sampled:
    """Return what is assumed until the samples are there."""
    return _Sampled(kind, None, 1.0, _place(image), ref(image))


def _holds_ids(image: Any) -> bool:
    """Return whether the pixels of an image are ID pixels, as those of 32-bit unsigned integers are."""
    return all(image.part.channel(name).type == "uint" for name in image.layer.channels)
