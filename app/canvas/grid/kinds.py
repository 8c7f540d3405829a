"""The kinds of compare grids: open images, stills, layers, versions, and LUTs of the wall's folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.canvas.grid.cells import NOW, Content, Kind, Source, with_look
from app.model.file_kinds import CDL_SUFFIXES, LOOK_SUFFIXES
from app.model.key_edits import grade_at
from app.model.still import Still
from app.services.comparing import Others
from app.services.jobs import Jobs
from app.services.sheet_images import SheetItem
from app.services.shown_data import shown_data
from app.services.side_images import SideImages, Wanted
from app.services.stills import Stills
from engine import FileLook, Grade
from engine.core.file_watch import files_in
from engine.errors import TesseraError

SUFFIXES = frozenset((*LOOK_SUFFIXES, *CDL_SUFFIXES))
USER = "grid"
"""The name under which images are read for grids."""
READING = "Reading…"
Listed = Callable[[], list[Source]]
Shown = Callable[[Source], Content]
Want = Callable[[list[Source]], None]
Use = Callable[[Any], None]
Looks = dict[str, FileLook | str]
"""LUT and CDL files by their paths; a line for one that can't be read."""


class GridKinds(QObject):
    """Lists what there is of each kind, and has read what is shown."""

    changed = Signal()  # a list, or what a source shows

    def __init__(
        self,
        others: Callable[[], Others],
        stills: Stills,
        images: SideImages,
        wanted: Callable[[Still], Wanted],
        settled: Callable[[Any], bool],
        image_wanted: Callable[[Any], None],
        look_folder: Callable[[], Path | None],
        look_from_file: Callable[[str], FileLook],
        jobs: Jobs,
        parent: QObject,
    ) -> None:
        """`wanted` says how a still is read, `settled` whether the spaces of a document are known, `image_wanted` has
        the image of a document read. `look_folder` returns the folder of LUTs, if there is one."""
        super().__init__(parent)
        self._others, self._stills, self._images, self._wanted = others, stills, images, wanted
        self._settled, self._image_wanted = settled, image_wanted
        self._look_folder, self._look_from_file, self._jobs = look_folder, look_from_file, jobs
        self._paths: list[str] = []
        self._looks: Looks = {}
        for signal in (stills.changed, stills.selection_changed, images.read):
            signal.connect(self.changed)

    def all(self, take: Mapping[str, Use], choose: Mapping[str, Use]) -> tuple[Kind, ...]:
        """Return the kinds. `take` has for each of them what opens a cell, by the key of its source; `choose`, for
        some, what a click on it makes current."""

        def kind(name: str, label: str, empty: str, listed: Listed, content: Shown, want: Want = _nothing) -> Kind:
            chosen = choose.get(name, _leave)
            uses = (lambda source: take[name](source.key)), (lambda source: chosen(source.key))
            return Kind(name, label, listed, content, *uses, want, empty)

        looks = "Choose a folder of LUTs in the LUT wall (Ctrl+4)."
        return (
            kind("images", "Images", "Open images to compare them.", self._open_images, self._images_content),
            kind(
                "stills",
                "Stills",
                "Grab stills (S) to compare them.",
                self._listed_stills,
                self._stills_content,
                self._want_stills,
            ),
            kind(
                "layers", "Layers", "This image has one layer.", self._layers, self._layers_content, self._want_layers
            ),
            kind(
                "versions",
                "Versions",
                "Keep versions of the grade (Ctrl+K) to compare them.",
                self._versions,
                self._versions_content,
            ),
            kind("looks", "LUTs", looks, self._listed_looks, self._looks_content, self._want_looks),
        )

    def items(self, name: str) -> list[SheetItem]:
        """Return what a contact sheet of a kind holds: stills, images, layers or versions."""
        document = self._others().shown
        if name == "stills":
            stills = [self._stills.find(source.key) for source in self._listed_stills() if source.key is not None]
            return [SheetItem(s.name, s.about, s.note, self._wanted(s), Grade()) for s in stills if s is not None]
        if name == "layers":
            grade = document.grade_at_frame
            return [SheetItem(s.label, s.tip, "", self._layer(s), grade) for s in self._layers()]
        if name == "versions" and document.image_path is not None:
            versions = [(v.name, grade_at(v.grade, document.frame)[0]) for v in document.versions.items]
            return [SheetItem(label, document.name, "", self._file(document), grade) for label, grade in versions]
        open_ones = [each for each in self._others().documents if each.image_path is not None]
        return [
            SheetItem(each.name, str(each.image_path), "", self._file(each), each.grade_at_frame) for each in open_ones
        ]

    @staticmethod
    def _file(document: Any) -> Wanted:
        """Return how the image of a document is read again."""
        how = document.image_path, document.setup, document.managed.assumed, document.part, document.layer
        return Wanted(*how, frame=document.state.frame)

    def rest(self) -> None:
        """Release what was read."""
        self._images.want(USER, ())
        self._paths, self._looks = [], {}

    # -- images and versions

    def _open_images(self) -> list[Source]:
        open_ones = [each for each in self._others().documents if each.image_path is not None]
        return [Source("images", each.id, each.name, str(each.image_path)) for each in open_ones]

    def _images_content(self, source: Source) -> Content:
        document = next((each for each in self._others().documents if each.id == source.key), None)
        if document is None:
            return Content()
        if document.image is None:
            self._image_wanted(document)
            return Content(note=f"{document.name} can't be read" if document.unreadable else READING)
        if not self._settled(document):
            return Content(note=READING)
        return Content(document.image, document.grade_at_frame, document.managed, shown_data(document.image))

    def _now(self, kind: str) -> Source:
        return Source(kind, None, NOW, "The current image with its current grade")

    def _now_content(self, grade: Grade | None = None) -> Content:
        """Return the current image, with a grade that is its own by default."""
        document = self._others().shown
        if document.image is None or not self._settled(document):
            return Content(note=READING)
        shown = document.grade_at_frame if grade is None else grade_at(grade, document.frame)[0]
        return Content(document.image, shown, document.managed)

    def _versions(self) -> list[Source]:
        versions = self._others().shown.versions.items
        found = [Source("versions", each.number, each.name, "A version of the grade") for each in versions]
        return [self._now("versions"), *found] if found else []

    def _versions_content(self, source: Source) -> Content:
        document = self._others().shown
        found = next((each.grade for each in document.versions.items if each.number == source.key), None)
        return self._now_content(found)

    # -- stills

    def _listed_stills(self) -> list[Source]:
        """The selected stills if there are several, else those of the session, else all."""
        self._stills.watch()
        chosen = [still for id in self._stills.selected if (still := self._stills.find(id)) is not None]
        stills = chosen if len(chosen) > 1 else self._stills.of_session or self._stills.items
        found = [Source("stills", still.id, still.name, still.about) for still in stills]
        return [self._now("stills"), *found] if found else []

    def _stills_content(self, source: Source) -> Content:
        still = self._stills.find(source.key) if source.key is not None else None
        if still is None:
            return self._now_content()
        return self._read(self._wanted(still), Grade())

    def _want_stills(self, sources: list[Source]) -> None:
        stills = [self._stills.find(source.key) for source in sources if source.key is not None]
        self._images.want(USER, [self._wanted(still) for still in stills if still is not None])

    def _read(self, wanted: Wanted, grade: Grade) -> Content:
        found = self._images.get(wanted)
        if found is None:
            return Content(note="This can't be read" if self._images.is_refused(wanted) else READING)
        return Content(found.image, grade, found.managed, shown_data(found.image))

    # -- layers

    def _layers(self) -> list[Source]:
        image = self._others().shown.image
        if image is None:
            return []
        found = [
            Source(
                "layers", (part.index, layer.name), layer.name or part.name or "Main layer", ", ".join(layer.channels)
            )
            for part in image.info.parts
            for layer in (*part.layers, *part.vectors)
        ]
        return found if len(found) > 1 else []

    def _layer(self, source: Source) -> Wanted:
        document = self._others().shown
        part, layer = source.key
        return Wanted(
            document.image_path or Path(),
            document.setup,
            document.managed.assumed,
            part,
            layer,
            document.image.info.stamp,
            document.image.info.frame,
        )

    def _layers_content(self, source: Source) -> Content:
        document = self._others().shown
        image = document.image
        if source.key == (image.part.index, image.layer.name):
            return Content(image, document.grade_at_frame, document.managed, shown_data(image))
        return self._read(self._layer(source), document.grade_at_frame)

    def _want_layers(self, sources: list[Source]) -> None:
        image = self._others().shown.image
        shown = None if image is None else (image.part.index, image.layer.name)
        self._images.want(USER, [self._layer(source) for source in sources if source.key != shown])

    # -- LUTs

    def _listed_looks(self) -> list[Source]:
        folder = self._look_folder()
        if folder is not None and not self._paths and not self._jobs.waits(self, "folder"):
            work = partial(_listed, folder)
            self._jobs.latest(self, "folder", work, self._take_paths, _ignore)
        found = [Source("looks", path, Path(path).name, path) for path in self._paths]
        return [self._now("looks"), *found] if found else []

    def _take_paths(self, paths: list[str]) -> None:
        self._paths = paths
        if paths:
            self.changed.emit()

    def _want_looks(self, sources: list[Source]) -> None:
        missing = [source.key for source in sources if source.key is not None and source.key not in self._looks]
        if missing:
            work = partial(_read_looks, self._look_from_file, missing)
            self._jobs.latest(self, "looks", work, self._take_looks, _ignore, about=tuple(missing))

    def _take_looks(self, looks: Looks) -> None:
        self._looks |= looks
        self.changed.emit()

    def _looks_content(self, source: Source) -> Content:
        look = self._looks.get(source.key) if source.key is not None else None
        if isinstance(look, str):
            return Content(note=look)
        if source.key is not None and look is None:
            return Content(note=READING)
        grade = self._others().shown.grade_at_frame
        return self._now_content(grade if look is None else with_look(grade, look))

    def look(self, path: str) -> FileLook | None:
        """Return a LUT that was read for a cell."""
        found = self._looks.get(path)
        return found if isinstance(found, FileLook) else None


def _listed(folder: Path) -> list[str]:
    try:
        return [str(path) for path in files_in(folder, SUFFIXES)]
    except OSError:
        return []


def _read_looks(read: Callable[[str], FileLook], paths: list[str]) -> Looks:
    found: Looks = {}
    for path in paths:
        try:
            found[path] = read(path)
        except TesseraError as error:
            found[path] = str(error)
    return found


def _nothing(_sources: list[Source]) -> None:
    """Read nothing: it is there already, or is read elsewhere."""


def _leave(_key: object) -> None:
    """Make nothing else current."""


def _ignore(_line: str) -> None:
    """Leave a folder without files."""
