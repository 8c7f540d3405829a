"""What a user expects of windows and of the disk: which documents are open, what files hold, what is asked."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tools.soak.model import SIDES, Document, Work
from tools.soak.values import Content, Entry, Grade, op


class Stored(NamedTuple):
    """A file: its kind, what it holds, and a number that grows with each write.

    `image`: its value by layer; `cube`: its gain; `cdl`: bodies of corrections; `grade`: a Grade and versions;
    `session`: documents and the current one; `broken`: nothing that can be read.
    """

    kind: str
    held: Any
    stamp: int


class World:
    """The disk, and what all windows share: the clipboard and the last session."""

    def __init__(self) -> None:
        self.disk: dict[str, Stored] = {}
        self.last: Stored | None = None
        self.clipboard: Entry | Grade | None = None
        self.now = 0.0
        self._stamp = 0

    def stored(self, kind: str, held: Any) -> Stored:
        self._stamp += 1
        return Stored(kind, held, self._stamp)

    def write(self, path: str, kind: str, held: Any) -> None:
        self.disk[path] = self.stored(kind, held)

    def content(self, path: str) -> Content | None:
        """What a LUT file gives a grade now."""
        found = self.disk.get(path)
        return Content("cube", found.held, found.stamp) if found is not None and found.kind == "cube" else None

    def of_kind(self, *kinds: str) -> list[str]:
        return sorted(path for path, stored in self.disk.items() if stored.kind in kinds)


@dataclass(eq=False)
class Window:
    world: World
    documents: list[Document] = field(default_factory=lambda: [Document()])
    session: str | None = None
    held: list[Work] = field(default_factory=list)
    acted: dict[tuple[str, str], int | None] = field(default_factory=dict)  # of files in use, the states acted upon
    current: Document = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.current = self.documents[0]

    # -- documents

    @property
    def filled(self) -> list[Document]:
        """The documents that a session keeps."""
        return [document for document in self.documents if not document.empty]

    def show(self, document: Document) -> None:
        if document is not self.current:
            self.current.dragging, self.current.merging = False, ""
            self.current = document
            self.look_at(document)

    def look_at(self, document: Document) -> None:
        """The image is read when somebody looks at it, unless that has failed."""
        if document.image is not None and document.shown is None and not document.unreadable:
            document.wants = True

    def new_document(self) -> Document:
        document = Document()
        self.documents.append(document)
        return document

    def open_image(self, path: str, layer: str = "") -> None:
        document = self.current
        if document.image is not None and document.image != path:
            found = next((each for each in self.documents if each.image == path), None)
            document = found or self.new_document()
            self.show(document)
        document.image = path
        self.read_into(document, layer)

    def open_images(self, paths: Iterable[str]) -> None:
        """Each gets a document; the last is shown."""
        *others, last = paths
        there = {document.image for document in self.documents}
        free = [self.current] if self.current.image is None else []
        for path in dict.fromkeys(others):
            if path not in there:
                (free.pop() if free else self.new_document()).image = path
        self.open_image(last)

    def read_into(self, document: Document, layer: str) -> None:
        document.layer, document.wants, document.unreadable = layer, True, False

    def read(self, document: Document) -> None:
        """The answer of a read that was begun, as the file is now."""
        assert document.image is not None
        document.wants = False
        found = self.world.disk.get(document.image)
        if found is not None and found.kind == "image" and document.layer in found.held:
            document.shown, document.shown_layer = found, document.layer
        elif document.shown is not None:
            document.layer = document.shown_layer
        elif document.untouched and not document.restored:
            document.image = None
            if len(self.documents) > 1:
                self.close(document)
        else:
            document.unreadable = True

    def close(self, document: Document) -> None:
        """Without a question."""
        at = self.documents.index(document)
        if len(self.documents) == 1:
            self.new_document()
        if document is self.current:
            self.show(self.documents[at + 1 if at + 1 < len(self.documents) else at - 1])
        self.documents.remove(document)
        if not self.filled:
            self.session, self.held = None, []

    def holds(self, document: Document) -> bool:
        """Whether a file holds what closing a document would lose."""
        return not document.modified or (self.session is not None and document.work in self.held)

    # -- grades

    def open_grade(self, document: Document, path: str) -> None:
        found = self.world.disk.get(path)
        if found is not None and found.kind == "grade":
            grade, versions = found.held
            document.open_grade(without_stamps(grade), tuple((n, without_stamps(g)) for n, g in versions), path)

    def save_grade(self, document: Document, path: str) -> None:
        held = document.grade, document.named
        self.world.write(path, "grade", held)
        document.saved(document.file, path, *held)

    def is_replaced(self, document: Document) -> bool:
        """Whether the grade file of a document holds something else than it knows, which saving would lose."""
        found = self.world.disk.get(document.file.path or "")
        known = (document.file.grade, document.file.versions), (document.grade, document.named)
        return found is not None and found.held not in known

    def add_luts(self, document: Document, paths: Iterable[str]) -> None:
        contents = [(path, content) for path in paths if (content := self.world.content(path)) is not None]
        looks = [Entry(("file", path, "file", content)) for path, content in contents]
        document.set_entries((*document.grade.entries, *looks))

    def import_correction(self, document: Document, body: tuple[Any, ...]) -> None:
        """In the place of the first CDL, else at the end."""
        entries = list(document.grade.entries)
        at = next((n for n, entry in enumerate(entries) if entry.body[0] == "Cdl"), len(entries))
        entries[at : at + 1] = [Entry(op("Cdl", **dict(body[1])))]
        document.set_entries(entries)

    # -- sessions

    @property
    def works(self) -> list[Work]:
        return [document.work for document in self.filled]

    @property
    def session_modified(self) -> bool:
        return self.session is not None and self.held != self.works

    def kept(self) -> tuple[list[Document], int]:
        """What a session of now holds: documents, and which is the current one."""
        filled = self.filled
        return kept(filled), filled.index(self.current) if self.current in filled else 0

    def save_session(self, path: str) -> None:
        self.world.write(path, "session", self.kept())
        self.session, self.held = path, self.works

    def is_session_replaced(self) -> bool:
        """Whether the session file holds something else than the window knows, which saving would lose."""
        found = self.world.disk.get(self.session or "")
        return found is not None and [each.work for each in found.held[0]] not in (self.held, self.works)

    def open_session(self, stored: Stored, path: str | None) -> None:
        """Beside what is open; in an empty window the session is that of the file, unless it is an automatic one."""
        documents, current = stored.held
        made = restored(documents)
        alone, before = not self.filled, self.current
        self.documents += made
        if made:
            self.show(made[min(current, len(made) - 1)])
            if before.empty and not before.wants:
                self.close(before)
        if alone and made and path is not None:
            self.session, self.held = path, [document.work for document in made]

    # -- answers

    def rest(self) -> None:
        """Everything that is on its way arrives, and changes on disk are noticed, until nothing is left to do."""
        while self.read_all() or self.look_at_disk():
            pass

    def read_shown(self) -> None:
        """Everything that is read for the current document arrives."""
        while self.read_all():
            pass

    def read_all(self) -> bool:
        self._look_at_compared()
        wanted = [document for document in self.documents if document.wants]
        for document in wanted:
            if document in self.documents:
                self.read(document)
        return bool(wanted)

    def _look_at_compared(self) -> None:
        """The other side of a comparison is read as well."""
        kind, which = self.current.against
        sides = self.current.compare in SIDES and self.current.shown is not None
        if sides and kind == "document" and which in self.documents:
            self.look_at(which)

    # -- files that change

    def look_at_disk(self) -> bool:
        """Have what changed on disk read again: each state of a file once, and not where it was read already."""
        disk, news = self.world.disk, False
        used = {("image", path) for path, _ in self._in_use()} | {("lut", path) for path, _ in self._luts_in_use()}
        self.acted = {key: state for key, state in self.acted.items() if key in used}
        for path, seen in self._in_use():
            state = disk[path].stamp if path in disk else None
            if state is not None and self._is_news(("image", path), seen, state):
                news = True
                for document in self.documents:
                    if document.image == path and document.shown is not None:
                        self.read_into(document, document.layer)
        for path, seen in self._luts_in_use():
            state = disk[path].stamp if path in disk else None
            if state is not None and self._is_news(("lut", path), seen, state):
                news = True
                self.reload(path)
        return news

    def reload(self, path: str) -> None:
        content = self.world.content(path)
        if content is not None:
            interpolations = {
                body[2]
                for document in self.documents
                for step in document.steps[document.at :]
                for body in luts(step.grade)
                if body[1] == path
            }
            for document in self.documents:
                document.reload(path, content, interpolations)

    def _is_news(self, key: tuple[str, str], seen: int | None, state: int) -> bool:
        if seen == state:
            self.acted[key] = state
        self.acted.setdefault(key, seen or state)
        before, self.acted[key] = self.acted[key], state
        return before != state

    def _in_use(self) -> list[tuple[str, int | None]]:
        shown = [(each.image, each.shown.stamp) for each in self.documents if each.image and each.shown is not None]
        return _oldest(shown)

    def _luts_in_use(self) -> list[tuple[str, int | None]]:
        return _oldest((body[1], body[3].stamp) for document in self.documents for body in luts(document.grade))


def luts(grade: Grade) -> list[tuple[Any, ...]]:
    return [entry.body for entry in grade.entries if entry.body[0] == "file"]


def _oldest(uses: Iterable[tuple[str, int | None]]) -> list[tuple[str, int | None]]:
    found: dict[str, int | None] = {}
    for path, stamp in uses:
        stamps = [each for each in (found.get(path), stamp) if each is not None]
        found[path] = min(stamps, default=None)
    return sorted(found.items())


def kept(documents: list[Document]) -> list[Document]:
    """Documents as a session keeps them; one that is compared with a document outside of it is so with none."""
    twins = copy.deepcopy(documents)
    for twin, document in zip(twins, documents, strict=True):
        twin.trim()
        twin.against = _moved(document, documents, twins)
    return twins


def restored(documents: list[Document]) -> list[Document]:
    """Documents of a session that is opened: LUTs come from it, not from their files."""
    made = kept(documents)
    for document in made:
        document.map_grades(without_stamps)
    return made


def _moved(document: Document, before: list[Document], after: list[Document]) -> tuple[str, Any]:
    kind, which = document.against
    if kind != "document":
        return document.against
    return kind, after[before.index(which)] if which in before else None


def without_stamps(grade: Grade) -> Grade:
    """A grade as it comes from a file, which does not say when its LUTs were read."""
    return grade.with_bodies(lambda body: (*body[:3], replace(body[3], stamp=None)) if body[0] == "file" else body)
