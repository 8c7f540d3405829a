"""Reads and writes the window's files: images, grades, LUTs, CDLs and sessions. The work runs on the jobs' threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.file_kinds import CDL_SUFFIXES, CONFIG_SUFFIXES, LOOK_SUFFIXES
from app.model.grade_rows import index_of, inserted, removed, rows_of
from app.model.session import SUFFIX, Session, load_session
from app.services.colour_manager import Colour
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from app.services.open_session import OpenSession
from app.services.read_image import ReadImage, read_image
from app.services.saving import Saving, Then
from app.services.settings import Settings
from engine import FileLook, Grade, ops
from engine.core.file_errors import exists
from engine.errors import TesseraError
from engine.grade.colour_settings import Viewing
from engine.grade.grade import bare
from engine.kernel.op import Op

if TYPE_CHECKING:
    from app.model.grade_file import GradeFile
    from engine.luts.look_files import LookReport

IMAGE = "image"
"""The key of the jobs that read a document's image."""


class Files(QObject):
    """Opens and saves files. Errors appear in the message bar, one line each.

    A request belongs to the document that is current when it is made. Files for the grade of a document take effect in
    the order of the requests, after its image; closing the document cancels them.
    """

    opened = Signal(object)  # the path of an image or session that was opened or saved
    refused = Signal()  # a request failed: controls should show the current state again
    changed_on_disk = Signal(object, object)  # a file that was not saved, and a call that saves it anyway
    looks_read = Signal(object)  # a list of FileLook that were read and added to a grade
    entry_added = Signal(object, int)  # a document, and the index of the entry of its grade that holds a file
    correction_wanted = Signal(object, object, list)  # a document, a CDL file, and the names of its corrections

    def __init__(
        self,
        documents: OpenDocuments,
        session: OpenSession,
        colour: Colour,
        services: Services,
        settings: Settings,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._documents, self._session, self._colour = documents, session, colour
        self._services, self._settings, self._jobs, self._messages = services, settings, jobs, messages
        self._saving = Saving(session, jobs, messages, self)
        self._saving.changed_on_disk.connect(self.changed_on_disk)
        self._saving.session_saved.connect(self.opened)
        documents.image_wanted.connect(self.read_wanted)

    @property
    def _document(self) -> Document:
        return self._documents.current.document

    def open_image(self, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read an image and show it: in the document that has it open, an empty current document, or a new one.

        If the current document shows this file, as when `part` or `layer` changes, it is read again in place. The
        newest call for a document wins.
        """
        path, document = path.absolute(), self._document
        if document.image_path is not None and document.image_path != path:
            open_one = next((each for each in self._documents.items if each.image_path == path), None)
            document = open_one or self._documents.new()
            self._documents.show(document)
        document.update(image_path=path, frame=document.place[1] if document.image_path == path else None)
        document.title_changed.emit()
        self.read_into(document, path, part, layer)

    def open_layer(self, part: int, layer: str | None = None) -> None:
        """Show another part or layer of the file in the current document."""
        if self._document.image_path is not None:
            self.open_image(self._document.image_path, part, layer)

    def open_images(self, paths: Sequence[Path]) -> None:
        """Open each image in a document of its own and show the last; the others are read when first shown."""
        paths = [path.absolute() for path in paths]
        open_ones = {document.image_path for document in self._documents.items}
        self._documents.add([path for path in dict.fromkeys(paths[:-1]) if path not in open_ones])
        for path in paths[-1:]:
            self.open_image(path)

    def open_any(self, path: Path) -> None:
        """Open an image or a session, depending on the suffix."""
        open_file = self.open_session if path.suffix.lower() == SUFFIX else self.open_image
        open_file(path)

    def read_into(self, document: Document, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read an image into a document, replacing its image: of a movie, the frame that the document shows."""
        document.update(part=part, layer=layer)
        document.unreadable = False
        setup = self._colour.setup_for(document.grade)
        self._jobs.latest(
            document,
            IMAGE,
            partial(
                read_image, self._services, path, part, layer, setup, self._colour.assumed(path), document.place[1]
            ),
            partial(self._show_image, document, path),
            partial(self._image_failed, document),
            status=f"Reading {path.name}…",
        )

    def read_wanted(self, document: Document) -> None:
        """Read the image of a document if it has not been read yet."""
        asked = document.unreadable or self._jobs.waits(document, IMAGE)
        if document.image is None and document.image_path is not None and not asked:
            self.read_into(document, document.image_path, document.part, document.layer)

    def drop(self, paths: Sequence[Path]) -> None:
        """Open dropped files by their suffixes. Grades, LUTs and CDLs apply to the last of the images."""
        looks = [path for path in paths if path.suffix.lower() in LOOK_SUFFIXES]
        others = (*CDL_SUFFIXES, *CONFIG_SUFFIXES, *LOOK_SUFFIXES, SUFFIX, ".json")
        self.open_images([path for path in paths if path.suffix.lower() not in others])
        for path in [path for path in paths if path.suffix.lower() == ".json"][:1]:
            self.open_grade(path)
        for path in paths:
            suffix = path.suffix.lower()
            if suffix in CDL_SUFFIXES:
                self.import_cdl(path)
            elif suffix in CONFIG_SUFFIXES:
                self._colour.choose_config(str(path))
            elif suffix == SUFFIX:
                self.open_session(path)
        if looks:
            self.add_looks(looks)

    # -- grades

    def open_grade(self, path: Path, document: Document | None = None) -> None:
        """Open a grade file, or the grade in an exported EXR, in `document`, by default the current one."""
        document = document or self._document
        self._bring(document, partial(self._services.load_grade, path), partial(self._open_grade, document, path), path)

    def save_grade(self, path: Path, then: Then = None, document: Document | None = None, force: bool = False) -> None:
        """Save the grade and versions of a document; `then` is called if that succeeds.

        Without `force`, a file is replaced only if it holds what the document last opened or saved there.
        """
        self._saving.save_document(path.absolute(), document or self._document, then, force)

    def add_looks(self, paths: Sequence[Path], document: Document | None = None) -> None:
        """Append LUT, CDL or CLF files to a grade, in this order and as one step."""
        document = document or self._document
        self._bring(document, partial(self._read_looks, paths), partial(self._add_looks, document, paths), *paths)

    def set_interpolation(self, index: int, interpolation: str) -> None:
        """Read the LUT at `index` of the grade again, with another interpolation."""
        document = self._document
        look = bare(document.entries[index])
        if isinstance(look, FileLook):
            self._jobs.latest(
                document,
                ("interpolation", index, id(look)),
                partial(self._services.look_from_file, look.path, interpolation),
                partial(self._replace_look, document, index, look),
                self._refuse,
            )

    def import_cdl(self, path: Path, document: Document | None = None) -> None:
        """Put the values of a CDL file into a grade's CDL; emit `correction_wanted` if the file has several."""
        document = document or self._document
        self._bring(document, partial(self._read_cdl, path), partial(self._take_cdl, document, path), path)

    def import_correction(self, document: Document, path: Path, index: int) -> None:
        """Put one correction of a CDL file into a grade's CDL; `index` is its position in the file."""
        work = partial(self._services.ops_from_cdl, path, str(index))
        self._bring(document, work, partial(self._take_ops, document, path), path)

    def export_look(
        self,
        path: Path,
        domain: tuple[float, float] | None = None,
        viewing: Viewing | None = None,
        document: Document | None = None,
        grade: Grade | None = None,
        force: bool = True,
    ) -> None:
        """Write a grade as a LUT or CDL file. A LUT covers `domain`, and includes the view of `viewing` if given.

        The grade is that of `document`, by default the current one, unless `grade` is given. Without `force`, an
        existing file is not replaced.
        """
        document = document or self._document
        grade = grade or document.grade_at_frame.settled
        setup = self._colour.export_setup(document, grade)
        metadata = document.image.part.metadata if document.image is not None else {}
        what = (grade, path, setup, document.image_path, metadata, domain, viewing, force)
        done, status = partial(self._look_written, path), f"Writing {path.name}…"
        self._jobs.write(
            path.absolute(), partial(self._services.write_look, *what), done, self._messages.warn, status=status
        )

    # -- sessions

    def open_session(self, path: Path, missing: str = "") -> None:
        """Open the documents of a session beside the open ones; `missing` is the message if the file does not exist.

        In an empty window the file becomes the path of the open session, unless Tessera writes it automatically.
        """

        def work() -> Session:
            if missing and not exists(path):
                raise TesseraError(missing)
            return load_session(path)

        self._jobs.in_turn(self, work, partial(self._show_session, path), self._messages.warn, f"Reading {path.name}…")

    def save_session(self, path: Path, then: Then = None, force: bool = False) -> None:
        """Save all documents as a session; `then` is called if that succeeds. `force` is that of `save_grade`."""
        path = path.absolute()
        if self._settings.keeps(path):
            self._messages.warn(f"{path.name} is written by Tessera itself; choose another name")
        else:
            self._saving.save_session(path, then, force)

    def _bring(self, document: Document, work: Callable[[], Any], done: Callable[[Any], None], *paths: Path) -> None:
        """Read files for the grade of a document, in the order of the requests."""
        status = f"Reading {', '.join(path.name for path in paths)}…"
        self._jobs.in_turn(document, work, done, self._messages.warn, status)

    def _show_image(self, document: Document, path: Path, read: ReadImage) -> None:
        image, grade = read.image, read.grade
        document.set_image(image, path, read.managed, read.setup)
        self._colour.report_problem(document, read.problem)
        self.opened.emit(path)
        if image.damage:
            self._messages.warn(image.damage)
        if grade is not None and grade.effective:
            self._messages.offer(
                f"{path.name} was exported with a grade, which its pixels already contain.",
                "Use this grade",
                partial(self._take_grade, document, grade, path),
            )

    def _take_grade(self, document: Document, grade: Grade, path: Path) -> None:
        """Replace the grade of a document by the one recorded in its image."""
        if document in self._documents.items:
            document.edit(grade, f"grade of {path.name}")

    def _image_failed(self, document: Document, line: str) -> None:
        if document.image is not None:
            document.update(part=document.image.part.index, layer=document.image.layer.name)
        elif document.untouched and not document.restored:  # it was empty before: make it so again
            document.update(image_path=None)
            if len(self._documents.items) > 1:
                self._documents.close(document)
            else:
                document.title_changed.emit()
        else:
            document.unreadable = True
        self._refuse(line)

    def _open_grade(self, document: Document, path: Path, file: GradeFile) -> None:
        kept = None if path.suffix.lower() == ".exr" else path.absolute()
        document.open_grade(file.grade, kept, file.versions, f"opening of {path.name}")

    def _read_looks(self, paths: Sequence[Path]) -> list[FileLook | str]:
        """Return a FileLook for each path, or the error line if it can't be read."""
        found: list[FileLook | str] = []
        for path in paths:
            try:
                found.append(self._services.look_from_file(str(path.absolute())))
            except TesseraError as error:
                found.append(str(error))
        return found

    def _add_looks(self, document: Document, paths: Sequence[Path], found: list[FileLook | str]) -> None:
        looks = [look for look in found if isinstance(look, FileLook)]
        names = ", ".join(path.name for path in paths)
        document.edit(document.grade.with_entries((*document.grade.entries, *looks)), f"adding {names}")
        self.looks_read.emit(looks)
        if looks:
            self.entry_added.emit(document, len(document.entries) - 1)
        for line in found:
            if isinstance(line, str):
                self._messages.warn(line)

    def _replace_look(self, document: Document, index: int, old: FileLook, new: FileLook) -> None:
        copies = (at for at, entry in enumerate(document.entries) if bare(entry) is old)  # they share the LUT
        at = min(copies, key=lambda at: abs(at - index), default=-1)  # it may have been moved meanwhile
        if at >= 0:
            document.edit_entry(at, new, f"interpolation of {Path(new.path).name}")
            self.looks_read.emit([new])
        else:
            self.refused.emit()  # the entry was replaced meanwhile: refresh its control

    def _read_cdl(self, path: Path) -> list[str] | tuple[Op, ...]:
        """Return the names of the corrections in a file if there are several, else the ops of the only one."""
        found = self._services.list_cdl_ids(path)
        if len(found) > 1:
            return [f"{n + 1}: {entry['id'] or 'no id'}" for n, entry in enumerate(found)]
        return tuple(self._services.ops_from_cdl(path, None))

    def _take_cdl(self, document: Document, path: Path, read: list[str] | tuple[Op, ...]) -> None:
        if isinstance(read, list):
            self.correction_wanted.emit(document, path, read)
        else:
            self._take_ops(document, path, read)

    def _take_ops(self, document: Document, path: Path, read: Iterable[Op]) -> None:
        """Replace the grade's first CDL by the ops of a file; a file without effect resets it."""
        found = tuple(read) or (ops.Cdl(),)
        rows = rows_of(document.grade)
        place = next((row.path for row in rows if isinstance(bare(row.entry), ops.Cdl)), None)
        grade = document.grade if place is None else removed(document.grade, place)
        place = place or (len(grade.entries),)
        document.edit(inserted(grade, place, found), f"import of {path.name}")
        self.entry_added.emit(document, index_of(document.grade, place))

    def _look_written(self, path: Path, report: LookReport) -> None:
        baked = report.baked
        self._messages.note(f"Wrote {path.name}: {baked.error if baked else report.text}")
        if baked is not None and baked.doubtful:
            self._messages.warn(f"{path.name}: {report.text}")

    def _show_session(self, path: Path, session: Session) -> None:
        alone = not self._documents.used
        self._documents.open_session(session)
        if self._settings.keeps(path):
            return
        if alone and session.documents:
            self._session.take(path.absolute(), session)
        self.opened.emit(path)

    def _refuse(self, line: str) -> None:
        self._messages.warn(line)
        self.refused.emit()
