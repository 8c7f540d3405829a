"""Sessions: all open documents with their grades, histories and views, as one JSON file.

Long texts, such as the tables of LUTs, are stored once in a pool, under the hash of their content; {"pool": HASH}
replaces each use.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from app.model.comparison_target import by_identity
from app.model.document_state import DocumentState, Saved, Step
from app.model.versions import Version, Versions, versions_from_json
from app.model.view_state import ViewState
from app.model.viewport import Viewport
from engine import Grade
from engine.core.atomic import write_text
from engine.core.file_errors import exists
from engine.core.json_files import load_json
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.grade import check_tables

SUFFIX = ".tessera"
VERSION = 1
KEPT_STEPS = 100
"""The number of steps before and after the current one that a session stores for each document."""
FAR = 1e9
"""Numbers of a viewport are smaller than this, in pixels, at any zoom."""
MOST_BYTES_OF_TABLES = 1 << 31
"""The maximum size of the unpacked tables of all documents."""
_LONG = 2048
"""Texts with more characters than this go into the pool."""


@dataclass(frozen=True)
class Session:
    """The documents, the index of the current one, and the IDs of the stills that belong to the session."""

    documents: tuple[DocumentState, ...]
    current: int = 0
    stills: tuple[str, ...] = ()


def to_json(session: Session, keep: Callable[[str, str], None], folder: Path | None = None) -> dict[str, Any]:
    """Return the session without its pool, whose texts go to `keep(hash, text)`.

    Paths are stored as absolute paths, and with a `folder` also relative to it.
    """
    documents = [_document_json(state, folder) for state in session.documents]
    return {
        "tessera": "session",
        "version": VERSION,
        "current": session.current,
        "documents": _pooled(documents, keep),
        "stills": list(session.stills),
    }


def from_json(data: Any, pool: Callable[[str], str], folder: Path | None = None) -> Session:
    """Return the session from its JSON form; `pool` returns a text by its hash. GradeError if it is not a session."""
    if not isinstance(data, dict) or data.get("tessera") != "session":
        raise GradeError("this is not a Tessera session")
    if not isinstance(data.get("version"), int) or data["version"] > VERSION:
        raise GradeError(f"the session has version {data.get('version')}, newer than {VERSION}", "update Tessera")
    try:
        saved = _unpooled(data["documents"], pool)
        check_tables(saved, MOST_BYTES_OF_TABLES)
        by_identity(saved)
        stills = tuple(str(id) for id in data.get("stills", ()))
        return Session(tuple(_document_from(each, folder) for each in saved), int(data["current"]), stills)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise GradeError("the session is damaged") from error


def save_session(session: Session, path: Path) -> None:
    """Write a session, whole or not at all; WriteFailed if that fails."""
    pool: dict[str, str] = {}
    data = to_json(session, pool.__setitem__, path.parent)
    write_text(path, json.dumps(data | {"pool": pool}) + "\n")


def load_session(path: Path) -> Session:
    """Read a session from a file; UnreadableFile if that fails."""

    def parse(data: Any) -> Session:
        pool = data.get("pool") if isinstance(data, dict) else None
        return from_json(data, (pool if isinstance(pool, dict) else {}).__getitem__, path.parent)

    return load_json(path, parse, "choose a session that Tessera saved")


def _document_json(state: DocumentState, folder: Path | None) -> dict[str, Any]:
    first = max(0, state.at - KEPT_STEPS)
    return {
        "picture": _path_json(state.image_path, folder),
        "frame": state.frame,
        "part": state.part,
        "layer": state.layer,
        "grade": _path_json(state.saved.path, folder),
        "saved": state.saved.grade.to_json(),
        "files": {str(key): _saved_json(saved, folder) for key, saved in state.files.items()},
        "steps": [step.as_json for step in state.steps[first : state.at + KEPT_STEPS + 1]],
        "at": state.at - first,
        "view": state.view.to_json(),
        "viewport": None if state.viewport is None else _viewport_json(state.viewport),
        "versions": state.versions.to_json(),
        "open": list(state.open_entries),
    }


def _document_from(data: dict[str, Any], folder: Path | None) -> DocumentState:
    steps = tuple(_step_from(step) for step in data["steps"])
    at = int(data["at"])
    if not 0 <= at < len(steps):
        raise IndexError(at)
    alone = {"0": {"path": data["grade"], "grade": data["saved"]}}  # older sessions have one grade file per document
    files = {int(key): _saved_from(saved, folder) for key, saved in data.get("files", alone).items()}
    if not {step.file for step in steps} <= set(files):
        raise KeyError("files")
    return DocumentState(
        _path_from(data["picture"], folder),
        None if data["part"] is None else int(data["part"]),
        None if data["layer"] is None else str(data["layer"]),
        files,
        steps,
        at,
        ViewState.from_json(data["view"]),
        _viewport_from(data["viewport"]),
        Versions.from_json(data["versions"]) if "versions" in data else Versions(),
        tuple(bool(each) for each in data.get("open", ())),
        None if data.get("frame") is None else int(data["frame"]),
    )


def _saved_json(saved: Saved, folder: Path | None) -> dict[str, Any]:
    versions = [version.to_json() for version in saved.versions]
    return {"path": _path_json(saved.path, folder), "grade": saved.grade.to_json(), "versions": versions}


def _saved_from(data: dict[str, Any], folder: Path | None) -> Saved:
    versions = versions_from_json(data.get("versions", []))
    return Saved(_path_from(data["path"], folder), Grade.from_json(data["grade"]), versions)


def _step_from(data: dict[str, Any]) -> Step:
    saved = data.get("changes", [data["change"]] if "change" in data else [])
    changes = [tuple(None if each is None else Version.from_json(each) for each in change) for change in saved]
    pairs = tuple((old, new) for old, new in changes)
    return Step(Grade.from_json(data["grade"]), str(data["text"]), pairs, int(data.get("file", 0)))


def _viewport_json(viewport: Viewport) -> dict[str, Any]:
    """Return the viewport without its display window, which comes from the image."""
    return {name: value for name, value in asdict(viewport).items() if name != "display_window"}


def _viewport_from(data: Any) -> Viewport | None:
    if not isinstance(data, dict) or {*data, "display_window"} != {field.name for field in fields(Viewport)}:
        return None
    numbers = all(isinstance(value, int | float) and abs(value) < FAR for value in data.values())
    return Viewport(**data) if numbers and data["scale"] > 0 else None


def _path_json(path: Path | None, folder: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    whole = path.absolute()
    saved = {"path": str(whole)}
    if folder is not None and whole.anchor == folder.absolute().anchor:
        saved["near"] = Path(os.path.relpath(whole, folder.absolute())).as_posix()
    return saved


def _path_from(data: Any, folder: Path | None) -> Path | None:
    """Return the absolute path, or the one relative to the session's folder if only that exists."""
    if data is None:
        return None
    path = Path(data["path"])
    if folder is not None and "near" in data and not exists(path):
        near = Path(os.path.normpath(folder / data["near"]))
        return near if exists(near) else path
    return path


def _pooled(data: Any, keep: Callable[[str, str], None]) -> Any:
    if isinstance(data, str) and len(data) > _LONG:
        name = hashlib.sha256(data.encode()).hexdigest()[:32]
        keep(name, data)
        return {"pool": name}
    if isinstance(data, dict):
        return {key: _pooled(value, keep) for key, value in data.items()}
    if isinstance(data, list) and any(isinstance(each, str | dict | list) for each in data):
        return [_pooled(each, keep) for each in data]
    return data


def _unpooled(data: Any, pool: Callable[[str], str]) -> Any:
    if isinstance(data, dict):
        if set(data) == {"pool"}:
            return pool(data["pool"])
        return {key: _unpooled(value, pool) for key, value in data.items()}
    if isinstance(data, list):
        return [_unpooled(each, pool) for each in data]
    return data
