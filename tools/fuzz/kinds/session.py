"""Sessions of the window: as they are saved, and as they are found again after a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from app.model.document import Document
from app.model.session import from_json, load_session, save_session, to_json
from app.services import autosave
from tools.fuzz.kind import Harm, Kind, Operation, Seed, Task
from tools.fuzz.mutations import tree
from tools.fuzz.samples.grades import LAYERED, PLAIN, TABLE, Data

VIEW = {
    "exposure": 0.5,
    "gamma": 1.0,
    "channel": "red",
    "display": "",
    "view": "",
    "looks": "",
    "compare": "wipe",
    "backdrop": "checker",
    "overlays": ["nan", "zebra"],
    "against": "",
    "pins": [[1, 2], [3, 4]],
    "area": [0, 0, 4, 4],
}
VERSION = {"name": "one", "number": 1, "grade": PLAIN, "thumbnail": "iVBORw0K"}
STEPS: list[Data] = [{"text": "", "grade": PLAIN}, {"text": "exposure", "grade": LAYERED}]
DOCUMENT: Data = {
    "picture": {"path": "/no/such/shot.1001.exr", "near": "shot.1001.exr"},
    "part": 0,
    "layer": "",
    "grade": {"path": "/no/such/grade.json"},
    "saved": PLAIN,
    "steps": STEPS,
    "at": 1,
    "view": VIEW,
    "viewport": None,
    "versions": {"marks": ["one", ""], "items": [VERSION]},
}
SESSION: Data = {
    "recovered": ["1-2"],
    "tessera": "session",
    "version": 1,
    "current": 0,
    "documents": [DOCUMENT],
    "pool": {},
}


def seeds() -> Iterable[Seed]:
    """By hand, as the first version of the format had it, and the same as it is written now."""
    changed = DOCUMENT | {"steps": [STEPS[0], STEPS[1] | {"change": [None, VERSION]}]}
    curve = TABLE["curve"]
    saved = PLAIN | {"entries": [TABLE | {"curve": curve | {"float32": {"pool": "0123"}}}]}
    pooled = SESSION | {"documents": [DOCUMENT | {"saved": saved}, changed], "pool": {"0123": curve["float32"]}}
    for name, data in (("plain", SESSION), ("pooled", pooled), ("empty", SESSION | {"documents": []})):
        yield Seed(name, ".tessera", json.dumps(data).encode())
        pool: dict[str, str] = {}
        written = to_json(from_json(data, data["pool"].__getitem__), pool.__setitem__)
        yield Seed(f"{name} now", ".tessera", json.dumps(written | {"pool": pool}).encode())


def load(task: Task) -> None:
    """Load it; written and read again it is the same."""
    found = load_session(task.path)
    target = task.target(".tessera")
    save_session(found, target)
    if [*map(_kept, load_session(target).documents)] != [*map(_kept, found.documents)]:
        raise Harm("a session differs when it is written and read")


def _kept(state: Any) -> tuple[Any, ...]:
    """What stays the same wherever a session is written to: all but its paths, which become absolute."""
    return state.part, state.layer, state.steps, state.at, state.view, state.viewport, state.versions


def restore(task: Task) -> None:
    """Open its documents, and go through their histories."""
    for state in load_session(task.path).documents:
        document = Document()
        document.restore(state)
        for step in range(len(document.history)):
            document.go_to(step)
        if document.state.steps != state.steps:
            raise Harm("a document has another history than its session")


def recover(task: Task) -> None:
    """Find it as what a crash left."""
    folder = task.folder("recovery") / "1-1"
    folder.mkdir()
    (folder / autosave.SESSION).write_bytes(task.data)
    for found in autosave.crashed(task.out):
        for state in found.session.documents:
            Document().restore(state)


OPERATIONS = (Operation("load", load, 3.0), Operation("restore", restore, 1.0), Operation("recover", recover, 1.0))
KINDS = (Kind("session", seeds, tree.ALL, OPERATIONS, weight=2.5, suffixes=(".tessera",)),)
