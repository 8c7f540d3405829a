"""What the window reads and writes: pictures, grades, looks and CDLs. The work is done on the jobs' threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.document import Document
from app.grade_file import GradeFile, save_grade_file
from app.session import SUFFIX, Session, load_session, open_session, save_session, session_of
from engine import FileLook, Grade, ops
from engine.bake import UNIT
from engine.colour import ColourSetup, Viewing
from engine.errors import TesseraError
from engine.grade import bare
from engine.looks import LOOK_FORMATS, LookReport
from engine.managed import Managed
from engine.op import Op

if TYPE_CHECKING:
    from app.workspace import Workspace

CDL_SUFFIXES = (".cc", ".ccc", ".cdl")
CONFIG_SUFFIXES = (".ocio", ".ocioz")
LOOK_SUFFIXES = (
    *(".cube", ".clf", ".ctf", ".3dl", ".spi1d", ".spi3d", ".spimtx", ".csp", ".lut", ".vf", ".mga", ".m3d", ".cub"),
    *(".hdl", ".look", ".itx", ".icc", ".icm", ".lut1d", ".3dmesh", ".1dlut"),
)
PICTURE_FILTER = "Pictures (*.exr *.tif *.tiff *.dpx *.png *.jpg *.jpeg *.hdr *.tx);;All files (*)"
LOOK_FILTER = f"LUT and CDL files ({' '.join(f'*{s}' for s in (*LOOK_SUFFIXES, *CDL_SUFFIXES))});;All files (*)"
CDL_FILTER = "ASC CDL (*.cc *.ccc *.cdl)"
SESSION_FILTER = f"Tessera sessions (*{SUFFIX})"
GRADE_FILTER = "Tessera grades (*.json)"
GRADED_FILTER = "Tessera grades and EXRs exported with one (*.json *.exr)"
EXPORTED_LOOKS: dict[str, tuple[float, float] | None] = {
    f"{name} (*{suffix})": None for suffix, name in LOOK_FORMATS.items()
}
EXPORTED_LOOKS |= {"3D LUT over 0 to 1, for programs without shapers (*.cube)": UNIT}
"""Kinds of look files that are written, with the light that a LUT answers where the format does not decide."""


class Files(QObject):
    """Brings files into the current document and out of it; what goes wrong is told in the quiet bar, one line each."""

    busy = Signal(str)  # what is being read, '' when that is over
    opened = Signal(object)  # the path of a picture or session that was opened or saved
    refused = Signal()  # what a control asked for did not come to be
    correction_wanted = Signal(object, list)  # a CDL file, and the names of the corrections in it

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._jobs, self._services = workspace.jobs, workspace.services

    @property
    def _document(self) -> Document:
        return self._workspace.document

    def open_picture(self, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read a picture into a document of its own, or into the current one if that has none; then show it.

        With `part` or `layer`, or if the current document shows this file, it is read into the current one, where the
        newest call wins.
        """
        path, document = path.absolute(), self._document
        if document.picture_path is not None and document.picture_path != path:
            open_one = next((each for each in self._workspace.documents if each.picture_path == path), None)
            document = open_one or self._workspace.new_document()
            self._workspace.show_document(document)
        document.picture_path = path
        document.title_changed.emit()
        self.read_into(document, path, part, layer)

    def open_pictures(self, paths: Sequence[Path]) -> None:
        """Open each in a document of its own and show the last; the others are read when they are looked at."""
        paths = [path.absolute() for path in paths]
        open_ones = {document.picture_path for document in self._workspace.documents}
        self._workspace.add_documents([path for path in dict.fromkeys(paths[:-1]) if path not in open_ones])
        for path in paths[-1:]:
            self.open_picture(path)

    def open_any(self, path: Path) -> None:
        """Open a picture or a session, by what its name says."""
        if path.suffix.lower() == SUFFIX:
            self.open_session(path)
        else:
            self.open_picture(path)

    def read_into(self, document: Document, path: Path, part: int | None = None, layer: str | None = None) -> None:
        """Read a picture into a document, in place of the one that it has."""
        document.reading += 1
        document.part, document.layer = part, layer
        self.busy.emit(f"Reading {path.name}…")
        setup = self._workspace.colour.setup_for(document.grade)
        self._jobs.run(
            partial(self._read_picture, path, part, layer, setup),
            partial(self._show_picture, document, document.reading, path),
            partial(self._picture_failed, document, document.reading),
        )

    def open_grade(self, path: Path) -> None:
        """Put a saved grade, or the one that an exported EXR tells of, in place of the current one."""
        document = self._document
        saved = None if path.suffix.lower() == ".exr" else path
        self._jobs.run(
            partial(self._services.load_grade, path),
            lambda file: self._still(document).open_grade(file.grade, saved, file.versions, f"opening of {path.name}"),
            self._fail,
        )

    def save_grade(self, path: Path, then: Callable[[], None] | None = None) -> None:
        """Write the grade as JSON; `then` is called if that succeeds."""
        document, key = self._document, self._document.file
        file = GradeFile(document.grade, document.versions.items)
        work, done = partial(save_grade_file, file, path), partial(self._saved, document, file, path, key, then)
        self._jobs.write(path, work, done, self._fail)

    def open_session(self, path: Path) -> None:
        """Open the documents of a saved session beside those that are open."""
        self.busy.emit(f"Reading {path.name}…")
        self._jobs.run(partial(load_session, path), partial(self._show_session, path), self._fail)

    def save_session(self, path: Path) -> None:
        """Write what is open to a session file."""
        work = partial(save_session, session_of(self._workspace), path)
        self._jobs.write(path, work, lambda _: self._session_saved(path), self._fail)

    def add_looks(self, paths: Sequence[Path]) -> None:
        """Add LUT, CDL or CLF files to the end of the grade, in this order and as one step."""
        names = ", ".join(path.name for path in paths)
        self.busy.emit(f"Reading {names}…")
        self._jobs.run(partial(self._read_looks, paths), partial(self._add_looks, self._document, names), self._fail)

    def set_interpolation(self, index: int, interpolation: str) -> None:
        """Read a look of the grade again, with another interpolation."""
        document = self._document
        look = bare(document.grade.entries[index])
        if isinstance(look, FileLook):
            self._jobs.run(
                partial(self._services.look_from_file, look.path, interpolation),
                partial(self._replace_look, document, look),
                self._refuse,
            )

    def import_cdl(self, path: Path) -> None:
        """Put a CDL file's values into the grade's CDL; asks which, where the file has several."""
        self._jobs.run(partial(self._services.list_cdl_ids, path), partial(self._choose_correction, path), self._fail)

    def import_correction(self, path: Path, index: int | None) -> None:
        """Put one correction of a CDL file into the grade's CDL, by its place in the file."""
        cdl_id = None if index is None else str(index)
        done = partial(self._take_cdl, self._document, path)
        self._jobs.run(partial(self._services.ops_from_cdl, path, cdl_id), done, self._fail)

    def export_look(
        self, path: Path, domain: tuple[float, float] | None = None, viewing: Viewing | None = None
    ) -> None:
        """Write the grade as a look file, a LUT over `domain`, with a view behind it where there is a `viewing`."""
        document = self._document
        setup = self._workspace.colour.setup_for(document.grade)
        metadata = document.picture.part.metadata if document.picture is not None else {}
        self.busy.emit(f"Writing {path.name}…")
        picture = document.picture_path
        work = partial(self._services.write_look, document.grade, path, setup, picture, metadata, domain, viewing)
        self._jobs.write(path, work, partial(self._look_written, path), self._fail)

    def _look_written(self, path: Path, report: LookReport) -> None:
        baked = report.baked
        self.busy.emit("")
        self._workspace.note(f"Wrote {path.name}: {baked.error if baked else report.text}")
        if baked is not None and baked.doubtful:
            self._workspace.tell(f"{path.name}: {report.text}")

    def drop(self, paths: Sequence[Path]) -> None:
        """Take in what was dropped, each file by what its name says."""
        looks = [path for path in paths if path.suffix.lower() in LOOK_SUFFIXES]
        others = (*CDL_SUFFIXES, *CONFIG_SUFFIXES, *LOOK_SUFFIXES, SUFFIX, ".json")
        self.open_pictures([path for path in paths if path.suffix.lower() not in others])
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

    def _show_picture(
        self, document: Document, serial: int, path: Path, read: tuple[Any, Managed, Grade | None]
    ) -> None:
        if serial == document.reading and document in self._workspace.documents:
            self.busy.emit("")
            picture, document.managed, grade = read
            document.set_picture(picture, path)
            self.opened.emit(path)
            if picture.damage:
                self._workspace.tell(picture.damage)
            if grade is not None and grade.effective:
                self._workspace.offer(
                    f"{path.name} was exported with a grade: it is in the pixels already.",
                    "Take the grade over",
                    partial(self._take_grade, document, grade, path),
                )

    def _take_grade(self, document: Document, grade: Grade, path: Path) -> None:
        """Put the grade that a picture tells of in place of the document's."""
        if document in self._workspace.documents:
            document.edit(grade, f"grade of {path.name}")

    def _read_picture(
        self, path: Path, part: int | None, layer: str | None, setup: ColourSetup
    ) -> tuple[Any, Managed, Grade | None]:
        picture = self._services.read_picture(path, part, layer)
        return picture, self._workspace.colour.find(path, picture, setup), self._services.recorded_grade(picture)

    def _picture_failed(self, document: Document, serial: int, line: str) -> None:
        if serial != document.reading or document not in self._workspace.documents:
            return
        if document.picture is not None:
            document.part, document.layer = document.picture.part.index, document.picture.layer.name
        else:  # nothing came of it: the document is as empty as it was
            if document.untouched:
                document.picture_path = None
            if document.untouched and len(self._workspace.documents) > 1:
                self._workspace.close_document(document)
            else:
                document.title_changed.emit()
        self._refuse(line)

    def _still(self, document: Document) -> Document:
        """The document, or the current one where its picture could not be read and it is gone."""
        return document if document in self._workspace.documents else self._document

    def _read_looks(self, paths: Sequence[Path]) -> list[FileLook | str]:
        """A look for each path, or the line that says why there is none."""
        found: list[FileLook | str] = []
        for path in paths:
            try:
                found.append(self._services.look_from_file(str(path.absolute())))
            except TesseraError as error:
                found.append(str(error))
        return found

    def _add_looks(self, document: Document, names: str, found: list[FileLook | str]) -> None:
        self.busy.emit("")
        looks = [look for look in found if isinstance(look, FileLook)]
        document = self._still(document)
        document.edit(document.grade.with_entries((*document.grade.entries, *looks)), f"adding {names}")
        for line in found:
            if isinstance(line, str):
                self._workspace.tell(line)

    def _replace_look(self, document: Document, old: FileLook, new: FileLook) -> None:
        entries = document.grade.entries
        at = next((index for index, entry in enumerate(entries) if bare(entry) is old), None)
        if at is not None:
            document.edit_entry(at, new, f"interpolation of {Path(new.path).name}")

    def _show_session(self, path: Path, session: Session) -> None:
        self.busy.emit("")
        open_session(self._workspace, session)
        self._workspace.session_path = path
        self.opened.emit(path)

    def _session_saved(self, path: Path) -> None:
        self._workspace.session_path = path
        self._workspace.note(f"Saved {path.name}")
        self.opened.emit(path)

    def _choose_correction(self, path: Path, found: list[dict[str, Any]]) -> None:
        if len(found) > 1:
            names = [f"{n + 1}: {entry['id'] or 'no id'}" for n, entry in enumerate(found)]
            self.correction_wanted.emit(path, names)
        else:
            self.import_correction(path, None)

    def _take_cdl(self, document: Document, path: Path, read: Iterable[Op]) -> None:
        """The file's CDL takes the place of the grade's first; a file that changes nothing resets it."""
        found = tuple(read) or (ops.Cdl(),)
        document = self._still(document)
        entries = document.grade.entries
        at = next((index for index, entry in enumerate(entries) if isinstance(bare(entry), ops.Cdl)), len(entries))
        document.edit(
            document.grade.with_entries((*entries[:at], *found, *entries[at + 1 :])), f"import of {path.name}"
        )

    def _saved(
        self, document: Document, file: GradeFile, path: Path, key: int, then: Callable[[], None] | None, _: None
    ) -> None:
        document.mark_saved(file.grade, path, file.versions, key)
        self._workspace.note(f"Saved {path.name}")
        if then is not None:
            then()

    def _refuse(self, line: str) -> None:
        self._fail(line)
        self.refused.emit()

    def _fail(self, line: str) -> None:
        self.busy.emit("")
        self._workspace.tell(line)


def grade_among(paths: Sequence[Path]) -> Path | None:
    """The first saved grade of some dropped files."""
    return next((path for path in paths if path.suffix.lower() == ".json"), None)


def is_there(path: Path) -> bool:
    """Whether there is something of that name; not where the system takes no such name."""
    try:
        return path.exists()
    except OSError:
        return False
