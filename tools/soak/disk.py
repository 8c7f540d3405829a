"""The files of a soak: what they hold, parsed here, against what the model says; and that there are no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.soak.model import Document
from tools.soak.observed import difference, expected_state
from tools.soak.values import Grade, grade_from
from tools.soak.windows import Stored, World

State = tuple[int, int, int]


class DiskReader:
    """Compares files with the model's; a file that has not changed since then is not read again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[State, Any]] = {}
        self._bytes: dict[str, bytes] = {}

    def wrote(self, path: str) -> None:
        """A file of the soak's own: it stays as it is now."""
        self._bytes[path] = Path(path).read_bytes()

    def difference(self, world: World, folders: list[Path]) -> str:
        there = {str(path) for folder in folders for path in folder.iterdir()}
        if there != set(world.disk):
            more, less = sorted(there - set(world.disk)), sorted(set(world.disk) - there)
            return f"files: unexpected {more}, missing {less}"
        for path, stored in world.disk.items():
            line = self._file(path, stored)
            if line:
                return line
        return ""

    def _file(self, path: str, stored: Stored) -> str:
        if stored.kind in ("grade", "session"):
            return difference(expected(stored), self._parsed(path, stored.kind), Path(path).name)
        same = path not in self._bytes or self._bytes[path] == Path(path).read_bytes()
        return "" if same else f"{path}: has changed"

    def _parsed(self, path: str, kind: str) -> Any:
        about = Path(path).stat()
        state = about.st_mtime_ns, about.st_size, about.st_ino
        known = self._known.get(path)
        if known is None or known[0] != state:
            read = grade_of if kind == "grade" else session_of
            known = self._known[path] = state, read(Path(path).read_text(encoding="utf-8"))
        return known[1]


def expected(stored: Stored) -> Any:
    if stored.kind == "grade":
        return stored.held
    documents, current = stored.held
    return expected_session(documents, current)


def expected_session(documents: list[Document], current: int) -> dict[str, Any]:
    states = [expected_state(document) for document in documents]
    for state, document in zip(states, documents, strict=True):
        kind, which = document.against
        if kind == "document":
            which = documents.index(which) if which in documents else None
        state["against"] = kind, which
    return {"documents": states, "current": current if documents else 0}


def grade_of(text: str) -> tuple[Grade, tuple[tuple[str, Grade], ...]]:
    """The grade and the versions in a grade file."""
    data = json.loads(text)
    return grade_from(data), _named(data.get("versions", []))


def session_of(text: str) -> dict[str, Any]:
    """The documents in a session file."""
    data = json.loads(text)
    return session_from(data, data["pool"])


def session_from(data: dict[str, Any], pool: dict[str, str]) -> dict[str, Any]:
    """The documents of a session whose long texts are in a pool."""
    return {"documents": [_document(_whole(each, pool)) for each in data["documents"]], "current": data["current"]}


def _document(data: dict[str, Any]) -> dict[str, Any]:
    steps, at = data["steps"], data["at"]
    file = data["files"][str(steps[at]["file"])]
    target = data["view"]["against"] or {}
    against: tuple[str, Any] = ("source", None)
    if "version" in target:
        against = "version", target["version"]
    elif "document" in target:
        against = "document", int(target["document"]) if target["document"] else None
    versions = sorted(data["versions"]["items"], key=lambda item: item["number"])
    return {
        "image": data["picture"] and data["picture"]["path"],
        "layer": data["layer"] or "",
        "grades": [grade_from(step["grade"]) for step in steps],
        "at": at,
        "versions": [(item["number"], item["name"], grade_from(item["grade"])) for item in versions],
        "marks": tuple(data["versions"]["marks"]),
        "file": (file["path"] and file["path"]["path"], grade_from(file["grade"]), _named(file["versions"])),
        "compare": data["view"]["compare"],
        "against": against,
    }


def _named(versions: list[dict[str, Any]]) -> tuple[tuple[str, Grade], ...]:
    return tuple((item["name"], grade_from(item["grade"])) for item in versions)


def _whole(data: Any, pool: dict[str, str]) -> Any:
    if isinstance(data, dict):
        return pool[data["pool"]] if set(data) == {"pool"} else {key: _whole(each, pool) for key, each in data.items()}
    return [_whole(each, pool) for each in data] if isinstance(data, list) else data
