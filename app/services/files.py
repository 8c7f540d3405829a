"""What the window reads and writes: images, grades, looks and CDLs. The work is done on the jobs' threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.file_kinds import CDL_SUFFIXES, CONFIG_SUFFIXES, LOOK_SUFFIXES
from app.model.grade_file import GradeFile
from app.model.session import SUFFIX, Session, documents_of, load_session, open_session
from app.services.read_image import ReadImage, read_image
from app.services.saving import save_document, save_open_session
from engine import FileLook, Grade, ops
from engine.errors import TesseraError
from engine.grade.colour_settings import Viewing
from engine.grade.grade import bare
from engine.kernel.op import Op
from engine.luts.look_files import LookReport

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

IMAGE = "image"
"""The key of the jobs that read a document's image."""


class Files(QObject):
    """Opens and saves files. Errors appear in the message bar, one line each.

    A request belongs to the document that is current when it is made. Files for the grade of a document take effect in
    the order of the requests, after its image; closing the document cancels them.
    """

    opened = Signal(object)  # the path of an image or session that was opened or saved
    refused = Signal()  # what a control asked for did not come to be
    changed_on_disk = Signal(object, object)  # a file that was not saved, and a call that saves it all the same
    looks_read = Signal(object)  # a list of FileLook that were read for a grade and are in it
    correction_wanted = Signal(object, object, list)  # a document, a CDL file, and the names of its corrections

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._jobs, self._services = workspace.jobs, workspace.services

    @property
    def _document(self) -> Document:
        return self._workspace.document

    # -- images

    def open_image(self, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read an image into a document of its own, or into the current one if that has none; then show it.

        With `part` or `layer`, or if the current document shows this file, it is read into the current one, where the
        newest call wins.
        """
        path, document = path.absolute(), self._document
        if document.image_path is not None and document.image_path != path:
            open_one = next((each for each in self._workspace.documents if each.image_path == path), None)
            document = open_one or self._workspace.new_document()
            self._workspace.show_document(document)
        document.image_path = path
        document.title_changed.emit()
        self.read_into(document, path, part, layer)

    def open_images(self, paths: Sequence[Path]) -> None:
        """Open each in a document of its own and show the last; the others are read when they are looked at."""
        paths = [path.absolute() for path in paths]
        open_ones = {document.image_path for document in self._workspace.documents}
        self._workspace.add_documents([path for path in dict.fromkeys(paths[:-1]) if path not in open_ones])
        for path in paths[-1:]:
            self.open_image(path)

    def open_any(self, path: Path) -> None:
        """Open an image or a session, by what its name says."""
        if path.suffix.lower() == SUFFIX:
            self.open_session(path)
        else:
            self.open_image(path)

    def read_into(self, document: Document, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read an image into a document, in place of the one that it has."""
        document.part, document.layer, document.unreadable = part, layer, False
        setup = self._workspace.colour.setup_for(document.grade)
        self._jobs.latest(
            document,
            IMAGE,
            partial(read_image, self._services, path, part, layer, setup),
            partial(self._show_image, document, path),
            partial(self._image_failed, document),
            status=f"Reading {path.name}…",
        )

    def drop(self, paths: Sequence[Path]) -> None:
        """Take in what was dropped, each file by what its name says: grades and looks for the last of the images."""
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
                self._workspace.colour.choose_config(str(path))
            elif suffix == SUFFIX:
                self.open_session(path)
        if looks:
            self.add_looks(looks)

    # -- grades

    def open_grade(self, path: Path, document: Document | None = None) -> None:
        """Open a grade file, or the grade in an exported EXR, in a document, by default the current one."""
        document = document or self._document
        self._bring(document, partial(self._services.load_grade, path), partial(self._open_grade, document, path), path)

    def save_grade(
        self,
        path: Path,
        then: Callable[[], None] | None = None,
        document: Document | None = None,
        force: bool = False,
    ) -> None:
        """Save the grade and versions of a document; `then` is called if that succeeds.

        Without `force`, a file that holds something else than the document opened or saved there is not replaced.
        """
        save_document(self._workspace, path.absolute(), document or self._document, then, force)

    def add_looks(self, paths: Sequence[Path], document: Document | None = None) -> None:
        """Add LUT, CDL or CLF files to the end of a grade, in this order and as one step."""
        document = document or self._document
        work, done = partial(self._read_looks, paths), partial(self._add_looks, document, paths)
        self._bring(document, work, done, *paths)

    def set_interpolation(self, index: int, interpolation: str) -> None:
        """Read a look of the grade again, with another interpolation."""
        document = self._document
        look = bare(document.grade.entries[index])
        if isinstance(look, FileLook):
            self._jobs.latest(
                document,
                ("interpolation", id(look)),
                partial(self._services.look_from_file, look.path, interpolation),
                partial(self._replace_look, document, look),
                self._refuse,
            )

    def import_cdl(self, path: Path, document: Document | None = None) -> None:
        """Put a CDL file's values into a grade's CDL; asks which, where the file has several."""
        document = document or self._document
        self._bring(document, partial(self._read_cdl, path), partial(self._take_cdl, document, path), path)

    def import_correction(self, document: Document, path: Path, index: int) -> None:
        """Put one correction of a CDL file into a grade's CDL, by its place in the file."""
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
        """Write a grade as a look file, a LUT over `domain`, with a view behind it where there is a `viewing`.

        It is that of a document, by default the current one, or the `grade` given for it. Without `force` no file that
        exists is replaced.
        """
        document = document or self._document
        grade = grade or document.grade
        setup = self._workspace.colour.setup_for(grade)
        metadata = document.image.part.metadata if document.image is not None else {}
        what = (grade, path, setup, document.image_path, metadata, domain, viewing, force)
        done, status = partial(self._look_written, path), f"Writing {path.name}…"
        self._jobs.write(path.absolute(), partial(self._services.write_look, *what), done, self._fail, status=status)

    # -- sessions

    def open_session(self, path: Path, missing: str = "") -> None:
        """Open the documents of a session beside the open ones; `missing` is the message if there is no such file.

        In an empty window the file becomes the path of the open session, unless Tessera writes it automatically.
        """

        def work() -> Session:
            if missing and not is_there(path):
                raise TesseraError(missing)
            return load_session(path)

        self._jobs.in_turn(self, work, partial(self._show_session, path), self._fail, f"Reading {path.name}…")

    def save_session(self, path: Path, then: Callable[[], None] | None = None, force: bool = False) -> None:
        """Save all documents as a session; `then` is called if that succeeds. `force` is that of `save_grade`."""
        path = path.absolute()
        if self._is_automatic(path):
            self._fail(f"{path.name} is written by Tessera itself; choose another name")
        else:
            save_open_session(self._workspace, path, then, force)

    # -- inside

    def _bring(self, document: Document, work: Callable[[], Any], done: Callable[[Any], None], *paths: Path) -> None:
        """Read files for the grade of a document."""
        status = f"Reading {', '.join(path.name for path in paths)}…"
        self._jobs.in_turn(document, work, done, self._fail, status)

    def _show_image(self, document: Document, path: Path, read: ReadImage) -> None:
        image, grade = read.image, read.grade
        document.set_image(image, path, read.managed, read.setup)
        self._workspace.colour.took_image(document, read.problem)
        self.opened.emit(path)
        if image.damage:
            self._workspace.tell(image.damage)
        if grade is not None and grade.effective:
            self._workspace.offer(
                f"{path.name} was exported with a grade: it is in the pixels already.",
                "Take the grade over",
                partial(self._take_grade, document, grade, path),
            )

    def _take_grade(self, document: Document, grade: Grade, path: Path) -> None:
        """Put the grade that an image tells of in place of the document's."""
        if document in self._workspace.documents:
            document.edit(grade, f"grade of {path.name}")

    def _image_failed(self, document: Document, line: str) -> None:
        if document.image is not None:
            document.part, document.layer = document.image.part.index, document.image.layer.name
        elif document.untouched and not document.restored:  # nothing came of it: it is as empty as it was
            document.image_path = None
            if len(self._workspace.documents) > 1:
                self._workspace.close_document(document)
            else:
                document.title_changed.emit()
        else:
            document.unreadable = True
        self._refuse(line)

    def _open_grade(self, document: Document, path: Path, file: GradeFile) -> None:
        kept = None if path.suffix.lower() == ".exr" else path.absolute()
        document.open_grade(file.grade, kept, file.versions, f"opening of {path.name}")

    def _read_looks(self, paths: Sequence[Path]) -> list[FileLook | str]:
        """A look for each path, or the line that says why there is none."""
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
        for line in found:
            if isinstance(line, str):
                self._workspace.tell(line)

    def _replace_look(self, document: Document, old: FileLook, new: FileLook) -> None:
        entries = document.grade.entries
        at = next((index for index, entry in enumerate(entries) if bare(entry) is old), None)
        if at is not None:
            document.edit_entry(at, new, f"interpolation of {Path(new.path).name}")
            self.looks_read.emit([new])
        else:
            self.refused.emit()  # the look was replaced meanwhile: refresh its control

    def _read_cdl(self, path: Path) -> list[str] | tuple[Op, ...]:
        """The names of the corrections in a file if there are several, else the ops of the only one."""
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
        """The file's CDL takes the place of the grade's first; a file that changes nothing resets it."""
        found = tuple(read) or (ops.Cdl(),)
        entries = document.grade.entries
        at = next((index for index, entry in enumerate(entries) if isinstance(bare(entry), ops.Cdl)), len(entries))
        document.edit(
            document.grade.with_entries((*entries[:at], *found, *entries[at + 1 :])), f"import of {path.name}"
        )

    def _look_written(self, path: Path, report: LookReport) -> None:
        baked = report.baked
        self._workspace.note(f"Wrote {path.name}: {baked.error if baked else report.text}")
        if baked is not None and baked.doubtful:
            self._workspace.tell(f"{path.name}: {report.text}")

    def _show_session(self, path: Path, session: Session) -> None:
        alone = not documents_of(self._workspace)
        open_session(self._workspace, session)
        if self._is_automatic(path):
            return
        if alone and session.documents:
            self._workspace.session.take(path.absolute(), session)
        self.opened.emit(path)

    def _is_automatic(self, path: Path) -> bool:
        """Whether the session at a path is written automatically."""
        folder = self._workspace.settings.folder
        return folder is not None and path.absolute().is_relative_to(folder.absolute())

    def _refuse(self, line: str) -> None:
        self._fail(line)
        self.refused.emit()

    def _fail(self, line: str) -> None:
        self._workspace.tell(line)


def is_there(path: Path) -> bool:
    """Whether there is something of that name; not where the system takes no such name."""
    try:
        return path.exists()
    except OSError:
        return False
