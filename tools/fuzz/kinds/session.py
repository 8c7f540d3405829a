"""Sessions of the window: as they are saved, and as they are found again after a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from app import autosave
from app.document import Document, DocumentState
from app.session import load_session, save_session
from tools.fuzz.kind import Harm, Kind, Operation, Seed, Task
from tools.fuzz.mutations import tree
from tools.fuzz.samples.grades import LAYERED, PLAIN, TABLE

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
DOCUMENT = {
    "picture": {"path": "/no/such/shot.1001.exr", "near": "shot.1001.exr"},
    "part": 0,
    "layer": "",
    "grade": {"path": "/no/such/grade.json"},
    "saved": PLAIN,
    "steps": [{"text": "", "grade": PLAIN}, {"text": "exposure", "grade": LAYERED}],
    "at": 1,
    "view": VIEW,
    "viewport": None,
    "versions": {"marks": ["one", ""], "items": [{"name": "one", "number": 1, "grade": PLAIN, "still": "iVBORw0K"}]},
}
SESSION = {"tessera": "session", "version": 1, "current": 0, "documents": [DOCUMENT], "pool": {}}
POOLED = {"entries": [TABLE | {"curve": {"shape": [9, 3], "float32": {"pool": "0123"}}}]}


def seeds() -> Iterable[Seed]:
    change = [None, DOCUMENT["versions"]["items"][0]]  # type: ignore[index]
    changed = DOCUMENT | {"steps": [DOCUMENT["steps"][0], DOCUMENT["steps"][1] | {"change": change}]}  # type: ignore[index,operator]
    text = TABLE["curve"]["float32"]
    pooled = SESSION | {"documents": [DOCUMENT | {"saved": PLAIN | POOLED}, changed], "pool": {"0123": text}}
    empty = SESSION | {"documents": []}
    found = (("plain", SESSION), ("pooled", pooled), ("empty", empty))
    return [Seed(name, ".tessera", json.dumps(data).encode()) for name, data in found]


def load(task: Task) -> None:
    """Load it; written and read again it is the same."""
    found = load_session(task.path)
    target = task.target(".tessera")
    save_session(found, target)
    if [*map(_kept, load_session(target).documents)] != [*map(_kept, found.documents)]:
        raise Harm("a session differs when it is written and read")


def _kept(state: DocumentState) -> DocumentState:
    """What stays the same wherever a session is written to: all but its paths, which become absolute."""
    return replace(state, picture_path=None, grade_path=None)


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
    if task.chance.often(0.3):
        (folder / autosave.RECOVERED).write_bytes(task.data)
    for found in autosave.crashed(task.out):
        for state in found.session.documents:
            Document().restore(state)


OPERATIONS = (Operation("load", load, 3.0), Operation("restore", restore, 1.0), Operation("recover", recover, 1.0))
KINDS = (Kind("session", seeds, tree.ALL, OPERATIONS, weight=2.5, suffixes=(".tessera",)),)
