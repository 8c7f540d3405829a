"""What windows show and files hold, and what the model says of them, as plain values that can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.model.comparison_target import DocumentTarget, VersionTarget
from app.model.document import Document as Shown
from app.model.document_state import DocumentState, Step
from app.model.versions import Version
from app.shell.main_window import MainWindow
from engine import Grade as Graded
from tools.soak.model import SIDES, Document
from tools.soak.rig import rgb_of
from tools.soak.values import Grade, grade_from
from tools.soak.windows import Window


class Reader:
    """Reads grades as the model writes them down; each step of a history once."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[Step, Grade]] = {}

    def step(self, step: Step) -> Grade:
        known = self._steps.get(id(step))
        if known is None or known[0] is not step:
            known = self._steps[id(step)] = step, grade_from(step.as_json["grade"])
        return known[1]

    def state(self, state: DocumentState) -> dict[str, Any]:
        """What a session or the recovery holds of a document."""
        saved = state.saved
        return {
            "image": _text(state.image_path),
            "layer": state.layer or "",
            "grades": [self.step(step) for step in state.steps],
            "at": state.at,
            "versions": [(each.number, each.name, grade(each.grade)) for each in state.versions.items],
            "marks": state.versions.marks,
            "file": (_text(saved.path), grade(saved.grade), _named(saved.versions)),
            "compare": state.view.compare,
        }

    def document(self, document: Shown, shown: list[Shown]) -> dict[str, Any]:
        state = self.state(document.state)
        places = {each.id: at for at, each in enumerate(shown)}
        target = document.view.against
        against: tuple[str, Any] = ("source", None)
        if isinstance(target, VersionTarget):
            against = "version", target.number
        elif isinstance(target, DocumentTarget):
            against = "document", places.get(target.id)
        pixels = document.image.pixels if document.image is not None else None
        more = {
            "against": against,
            "modified": document.modified,
            "pixel": None if pixels is None else tuple(float(value) for value in pixels[0, 0, :3]),
            "unreadable": document.unreadable,
            "settled": document.image is None or document.managed.setup == document.setup,
        }
        return state | more

    def window(self, window: MainWindow) -> dict[str, Any]:
        workspace = window.workspace
        documents = workspace.documents
        session = workspace.session
        return {
            "documents": [self.document(document, documents) for document in documents],
            "current": documents.index(workspace.document),
            "session": (_text(session.path), session.modified),
            "status": workspace.jobs.status,
            **self._interface(window),
        }

    def _interface(self, window: MainWindow) -> dict[str, Any]:
        """What tabs, panels and bars say."""
        workspace = window.workspace
        versions, history, panel = (workspace.panel(name) for name in ("versions", "history", "grade"))
        request = window.preview._last
        compared = request.view.comparison if request is not None else None
        return {
            "tabs": [window.tabs.tabText(at) for at in range(window.tabs.count())],
            "tab": window.tabs.currentIndex(),
            "title modified": window.isWindowModified(),
            "cards": [shape for card in panel.cards for shape in [_shape(card)]],  # type: ignore[attr-defined]
            "rows": [row.name for row in versions.rows],  # type: ignore[attr-defined]
            "history": (history.list.count(), history.list.currentRow()),  # type: ignore[attr-defined]
            "undo, redo": tuple(workspace.actions[name].isEnabled() for name in ("undo", "redo")),
            "frame": None if request is None else grade(request.grade),
            "compared": None if compared is None else grade(compared.grade),
        }


def grade(of: Graded) -> Grade:
    return grade_from(of.to_json())


def _named(versions: tuple[Version, ...]) -> tuple[tuple[str, Grade], ...]:
    return tuple((each.name, grade(each.grade)) for each in versions)


def _shape(card: Any) -> tuple[Any, ...]:
    layer = card.layer
    entry = grade(Graded((layer,))).entries[0]
    return entry.body[:3] if entry.body[0] == "file" else entry.body, layer.enabled, layer.mix, layer.solo


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


# -- the same of the model


def expected_state(document: Document) -> dict[str, Any]:
    file = document.file
    return {
        "image": document.image,
        "layer": document.layer,
        "grades": [step.grade for step in document.steps],
        "at": document.at,
        "versions": [tuple(version) for version in document.versions],
        "marks": document.marks,
        "file": (file.path, file.grade, file.versions),
        "compare": document.compare,
    }


def expected_document(document: Document, window: Window) -> dict[str, Any]:
    kind, which = document.against
    if kind == "document":
        which = window.documents.index(which) if which in window.documents else None
    shown = document.shown
    more = {
        "against": (kind, which),
        "modified": document.modified,
        "pixel": None if shown is None else rgb_of(shown.held[document.shown_layer]),
        "unreadable": document.unreadable,
        "settled": True,
    }
    return expected_state(document) | more


def expected_window(window: Window) -> dict[str, Any]:
    return {
        "documents": [expected_document(document, window) for document in window.documents],
        "current": window.documents.index(window.current),
        "session": (window.session, window.session_modified),
        "status": "",
        **_expected_interface(window),
    }


def _expected_interface(window: Window) -> dict[str, Any]:
    current = window.current
    entries = [*current.grade.entries]
    readable = current.shown is not None
    return {
        "tabs": [name_of(document) + (" *" if not window.holds(document) else "") for document in window.documents],
        "tab": window.documents.index(current),
        "title modified": not window.holds(current) or window.session_modified,
        "cards": [(e.body[:3] if e.body[0] == "file" else e.body, e.enabled, e.mix, e.solo) for e in entries],
        "rows": [version.name for version in current.versions],
        "history": (len(current.steps), current.at),
        "undo, redo": (current.at > 0, current.at + 1 < len(current.steps)),
        "frame": current.grade if readable else None,
        "compared": compared(window) if readable else None,
    }


def compared(window: Window) -> Grade | None:
    """The grade of the other side of a comparison."""
    current = window.current
    kind, which = current.against
    if current.compare not in SIDES:
        return None
    if kind == "version":
        return next((version.grade for version in current.versions if version.number == which), None)
    if kind == "document":
        there = which in window.documents and which.shown is not None
        return which.grade if there else None
    return Grade((), current.grade.colour)


def name_of(document: Document) -> str:
    path = document.image or document.file.path
    return Path(path).name if path else "No image"


# -- differences


def difference(expected: Any, found: Any, where: str = "") -> str:
    """Where two values differ first, and how; '' where they don't."""
    if expected == found:
        return ""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        parts = [(f"{where}.{key}" if where else str(key), expected[key], found[key]) for key in expected]
    elif isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        parts = [(f"{where}[{at}]", *both) for at, both in enumerate(zip(expected, found, strict=False))]
        parts.append((f"{where}.length", len(expected), len(found)))
    else:
        return f"{where}: expected {expected!r}, found {found!r}"
    lines = (difference(one, other, at) for at, one, other in parts)
    return next(filter(None, lines), f"{where}: kinds differ")
