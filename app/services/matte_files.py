"""What the displayed file has for mattes: channels, layers, the names of Cryptomatte objects; and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.services.jobs import Jobs
from engine.core.records import dataclass
from engine.mattes.planes import CoveragePlane, FilePlane, IdPlane, Plane
from engine.mattes.source import MatteSource
from engine.mattes.tree import Matte
from engine.viewing.data_kinds import kind_of

if TYPE_CHECKING:
    from engine.io.info import ImageInfo, LayerInfo, PartInfo
    from engine.io.manifests import Ids, Manifest

OBJECTS, MISSING, UNLISTED, IDS = "cryptomatte objects", "missing planes", "unlisted names", "IDs of the image"
REST_MS = 300
"""How long an image is displayed before its IDs are read: not in playback, as all of the channel is decoded."""
COMPONENTS = 3
NO_FILE = FilePlane("")
"""The plane of an image that is not chosen yet, which is not missing."""
KINDS_READ = {
    "DepthRange": "depth",
    "PositionBox": "position",
    "PositionSphere": "position",
    "NormalFacing": "normals",
    "ObjectIds": "ids",
}
"""The kinds of data that sources read."""


@dataclass(eq=False)
class _Known:
    """What is known of the file of an image, as it was when that was read."""

    image: ReferenceType[Any]
    manifests: Mapping[str, Manifest] | None = None
    missing: dict[Plane, str] = field(default_factory=dict)
    unlisted: dict[tuple[str, str], bool] = field(default_factory=dict)  # by layer and name
    ids: dict[Plane, Ids | None] = field(default_factory=dict)  # by plane of all IDs; None if they can't be read


class MatteFiles(QObject):
    """Follows the displayed image. Manifests, which may be long and in files of their own, are read on threads."""

    changed = Signal()  # another image is displayed, or something was read

    def __init__(
        self,
        image: Callable[[], Any],
        mattes: Callable[[], Iterable[Matte]],
        objects: Callable[[ImageInfo, PartInfo], Mapping[str, Manifest]],
        missing: Callable[[ImageInfo, PartInfo, Sequence[Plane]], Mapping[Plane, str]],
        ids: Callable[[Any, CoveragePlane | IdPlane], Ids],
        jobs: Jobs,
        parent: QObject,
    ) -> None:
        """`image` returns the displayed image or None, `mattes` those of the grade. `objects`, `missing` and `ids` read
        what a file has and lacks, and the IDs of an image, on threads."""
        super().__init__(parent)
        self._image, self._mattes, self._jobs = image, mattes, jobs
        self._objects, self._missing, self._ids = objects, missing, ids
        self._known: _Known | None = None
        self._asked: set[CoveragePlane | IdPlane] = set()  # whose IDs are read once the image rests
        self._resting = QTimer(self, singleShot=True, interval=REST_MS)
        self._resting.timeout.connect(self._read_ids)

    def follow(self) -> None:
        """Follow the displayed image."""
        self.look()
        self.changed.emit()

    def look(self) -> None:
        """Find out which planes of the grade's mattes the displayed file lacks."""
        known, image = self._of_image(), self._image()
        wanted = dict.fromkeys(plane for matte in self._mattes() for plane in matte.planes if plane != NO_FILE)
        if known is None or not set(wanted) - set(known.missing):
            return
        planes = tuple(wanted)
        work = partial(self._missing, image.info, image.part, planes)
        take = partial(self._take_missing, known, planes)
        self._jobs.latest(self, MISSING, work, take, lambda _: None, about=(id(known), planes))

    @property
    def channels(self) -> list[str]:
        """The names of all channels, each once."""
        found = (channel.name for part in self._parts for channel in part.channels)
        return list(dict.fromkeys(found))

    @property
    def vectors(self) -> list[tuple[str, ...]]:
        """The layers of three channels, such as positions and normals, then the colours."""
        vectors = [vector.channels for part in self._parts for vector in part.vectors]
        colours = [layer.channels[:COMPONENTS] for part in self._parts for layer in part.layers if layer.is_colour]
        return list(dict.fromkeys(each for each in (*vectors, *colours) if len(each) == COMPONENTS))

    @property
    def layers(self) -> list[str]:
        """The names of the layers that have a luma; '' is the main one."""
        found = (layer.name for part in self._parts for layer in part.layers if layer.is_colour)
        return list(dict.fromkeys(found))

    @property
    def parts(self) -> list[str]:
        """The names of the parts."""
        return [part.name for part in self._parts if part.name]

    @property
    def object_layers(self) -> list[str]:
        """The names of the Cryptomatte layers; [] until they are read."""
        return list(self._manifests())

    def names(self, layer: str) -> Sequence[str]:
        """Return the names of the objects of a Cryptomatte layer; () until they are read."""
        manifest = self._manifests().get(layer)
        return manifest.names if manifest is not None else ()

    def unlisted(self, layer: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of some names and wildcards that no object of a Cryptomatte layer has, as far as that is known.

        The rest is found out on a thread, as long lists of names take a while.
        """
        manifest, known = self._manifests().get(layer), self._known
        if manifest is None or known is None or not manifest.names:
            return frozenset()
        new = tuple(name for name in names if (layer, name) not in known.unlisted)
        if new:
            take = partial(self._take_unlisted, known, layer, new)
            work = partial(_unlisted, manifest, new)
            self._jobs.latest(self, (UNLISTED, layer, new), work, take, lambda _: None, about=(id(known), new))
        return frozenset(name for name in names if known.unlisted.get((layer, name)))

    def missing(self, matte: Matte) -> list[str]:
        """Return a line for each plane of a matte that the displayed file lacks; [] until that is known."""
        known = self._of_image()
        if known is None:
            return []
        lines = [known.missing.get(plane, "") for plane in matte.planes] + [*map(self._absent_line, matte.planes)]
        return list(dict.fromkeys(line for line in lines if line))

    def absent(self, source: MatteSource) -> frozenset[int]:
        """Return those IDs of a source that no pixel of the displayed file has, as far as that is known.

        The rest is found out on a thread, once the image rests.
        """
        found = frozenset[int]()
        for plane in source.planes:
            there = self._there(plane)
            if there is not None:
                found |= set(_ids_of(plane)) - set(there[np.isin(there, _ids_of(plane))].tolist())
        return found

    def _absent_line(self, plane: Plane) -> str:
        """Return a line about the IDs of a plane that no pixel of the displayed file has; '' if there are none."""
        there = self._there(plane)
        if there is None or not isinstance(plane, CoveragePlane | IdPlane):
            return ""
        from engine.io.absent_objects import absent_line  # what it imports has been loaded to read the IDs

        line = absent_line(plane, there)
        return f"{self._image().info.path.name} {line}" if line else ""

    def _there(self, plane: Plane) -> Ids | None:
        """Return the IDs of the image in the layer or channel of a plane with IDs; None if they are not known."""
        known = self._of_image()
        if known is None or not _ids_of(plane):
            return None
        every = _every_id(plane)
        if every not in known.ids and every not in self._asked:
            self._asked.add(every)
            self._resting.start()
        return known.ids.get(every)

    def _read_ids(self) -> None:
        known, image = self._of_image(), self._image()
        if known is None:
            return
        for plane in self._asked:
            work, take = partial(self._ids, image, plane), partial(self._take_ids, known, plane)
            fail = partial(self._take_no_ids, known, plane)
            self._jobs.latest(self, (IDS, plane), work, take, fail, about=id(known))

    def adapted(self, source: MatteSource) -> MatteSource:
        """Return a new source with the channels or the layer that the displayed file has for it."""
        from engine.mattes.cryptomatte import Cryptomatte

        changes: dict[str, Any] = {}
        wanted = KINDS_READ.get(type(source).__name__, "")
        for part in self._parts if wanted else ():
            for layer in (*part.vectors, *part.layers):
                if kind_of(part, layer) == wanted and not changes:
                    field = "channels" if hasattr(source, "channels") else "channel"
                    changes = self._channels_for(field, layer)
        if isinstance(source, Cryptomatte):
            layers = self.object_layers or self._layers_of_header()
            changes = {"layer": layers[0]} if layers and source.layer not in layers else {}
        return source.replace(**changes) if changes else source

    @staticmethod
    def _channels_for(field: str, layer: LayerInfo) -> dict[str, Any]:
        """Return the field of a source that reads a layer; {} if the layer has too few channels."""
        if field == "channel":
            return {field: layer.channels[0]}
        return {field: layer.channels[:COMPONENTS]} if len(layer.channels) >= COMPONENTS else {}

    def _layers_of_header(self) -> list[str]:
        """Return the names of the Cryptomatte layers without their manifests, which are still being read."""
        from engine.io.cryptomatte import cryptomatte_layers  # no part of the start, which it would delay

        image = self._image()
        return [layer.name for layer in cryptomatte_layers(image.info, image.part)] if image is not None else []

    @property
    def _parts(self) -> Sequence[Any]:
        image = self._image()
        return image.info.parts if image is not None else ()

    def _of_image(self) -> _Known | None:
        """Return what is known of the displayed image; nothing yet of one that was just read."""
        image = self._image()
        if image is None:
            return None
        if self._known is None or self._known.image() is not image:
            self._known = _Known(ref(image))
            self._asked.clear()
            self._resting.stop()
        return self._known

    def _manifests(self) -> Mapping[str, Manifest]:
        known, image = self._of_image(), self._image()
        if known is None:
            return {}
        if known.manifests is None:
            work = partial(self._objects, image.info, image.part)
            self._jobs.latest(self, OBJECTS, work, partial(self._take_objects, known), lambda _: None, about=known)
        return known.manifests or {}

    def _take_objects(self, known: _Known, found: Mapping[str, Manifest]) -> None:
        known.manifests = found
        self.changed.emit()

    def _take_unlisted(self, known: _Known, layer: str, names: Sequence[str], unlisted: frozenset[str]) -> None:
        known.unlisted |= {(layer, name): name in unlisted for name in names}
        self.changed.emit()

    def _take_ids(self, known: _Known, plane: CoveragePlane | IdPlane, ids: Ids | None) -> None:
        self._asked.discard(plane)
        known.ids[plane] = ids
        self.changed.emit()

    def _take_no_ids(self, known: _Known, plane: CoveragePlane | IdPlane, _line: str) -> None:
        self._take_ids(known, plane, None)

    def _take_missing(self, known: _Known, planes: Sequence[Plane], lines: Mapping[Plane, str]) -> None:
        image = known.image()
        if image is not None:
            path = image.info.path
            known.missing |= {each: lines.get(each, "").replace(f"{path}: ", f"{path.name} ", 1) for each in planes}
            self.changed.emit()


def _unlisted(manifest: Manifest, names: Sequence[str]) -> frozenset[str]:
    return frozenset(manifest.selected(names)[1])


def _ids_of(plane: Plane) -> tuple[int, ...]:
    """Return the IDs that a plane is made for."""
    return plane.ids if isinstance(plane, CoveragePlane | IdPlane) else ()


def _every_id(plane: Plane) -> CoveragePlane | IdPlane:
    """Return the plane that stands for all IDs of the layer or channel of a plane."""
    if isinstance(plane, CoveragePlane):
        return replace(plane, names=(), ids=())
    assert isinstance(plane, IdPlane)
    return replace(plane, ids=())
