"""What a killed process left on disk, compared with its journal."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from app.services.autosave import LAST, SESSION, crashed
from tools.soak.disk import expected, expected_session, grade_of, session_from, session_of
from tools.soak.journal import Journal, State
from tools.soak.rig import FOLDERS
from tools.soak.use import Different
from tools.soak.windows import Stored, World

ALLOWED = 5.0
"""Seconds of work that a kill may cost."""
Session = tuple[list[Any], int]


def sessions(journal: Journal, config: Path, killed: float) -> list[Stored]:
    """The sessions that the next window recovers, in its order; Different if they are not what the journal says."""
    found = [_parsed(each.folder) for each in crashed(config)]
    found = [each for each in found if each["documents"]]
    windows = [_candidates(journal, window, killed, found) for window in range(2)]
    for choice in itertools.product(*windows):
        held = [session for part in choice for session in part]
        if (order := _in_order(held, found)) is not None:
            world = journal.states[-1].world
            return [world.stored("session", each) for each in order]
    raise Different(f"recovery: no state of the journal holds {found!r}")


def _parsed(folder: Path) -> dict[str, Any]:
    """A session of the recovery, read without the product."""
    pool = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
    return session_from(json.loads((folder / SESSION).read_text(encoding="utf-8")), pool)


def _candidates(journal: Journal, window: int, killed: float, found: list[dict[str, Any]]) -> list[list[Session]]:
    """What the recovery may hold of a window, the newest first; only what is among the sessions found."""
    states = [journal.states[at] for at in reversed(journal.before_kill(window, killed, ALLOWED))]
    held = [_held(state, window) for state in states]
    if journal.begun is not None and (journal.begun.action, journal.begun.window) == ("close_window", window):
        held.append([])
    return [each for each in held if all(expected_session(*session) in found for session in each)]


def _held(state: State, window: int) -> list[Session]:
    """The sessions that stand for a window: its own, or those that it is about to recover."""
    if not state.windows:
        return [stored.held for stored in state.crashed] if window == 0 else []
    kept = state.windows[window].kept()
    return [kept] if kept[0] else []


def _in_order(held: list[Session], found: list[dict[str, Any]]) -> list[Session] | None:
    """The sessions in the order in which they were found; None if they are not the same."""
    rest, order = list(held), list[Session]()
    for each in found:
        at = next((n for n, session in enumerate(rest) if expected_session(*session) == each), None)
        if at is None:
            return None
        order.append(rest.pop(at))
    return None if rest else order


# -- files


def settle_files(journal: Journal, folder: Path) -> World:
    """The world of the last state, with what the action that was cut short had written; Different if it is neither."""
    world = journal.states[-1].world
    for place in FOLDERS:
        for path in sorted((folder / place).iterdir()):
            if path.name.startswith("."):
                path.unlink()  # a temporary file
            elif path.suffix in (".json", ".tessera"):
                _settle(journal, world, path)
    missing = [path for path in world.of_kind("grade", "session") if not Path(path).exists()]
    if missing:
        raise Different(f"files: missing {missing}")
    _settle_last(journal, world, folder / "config" / LAST)
    world.clipboard = None
    return world


def _settle(journal: Journal, world: World, path: Path) -> None:
    """A grade or session file."""
    stored, text = world.disk.get(str(path)), path.read_text(encoding="utf-8")
    found = grade_of(text) if path.suffix == ".json" else session_of(text)
    if stored is not None and expected(stored) == found:
        return
    if journal.begun is None:
        raise Different(f"{path.name}: has changed between two actions")
    windows = journal.states[-1].windows
    if path.suffix == ".json":
        held = [(document.grade, document.named) for window in windows for document in window.documents]
        if found not in held and journal.begun.action != "other_grade":
            raise Different(f"{path.name}: holds {found!r}, which no document held")
        world.write(str(path), "grade", found)
        return
    session = next((kept for kept in (window.kept() for window in windows) if expected_session(*kept) == found), None)
    if session is None:
        raise Different(f"{path.name}: holds {found!r}, which no window held")
    world.write(str(path), "session", session)


def _settle_last(journal: Journal, world: World, path: Path) -> None:
    """The session of the window that was closed last."""
    found = session_of(path.read_text(encoding="utf-8")) if path.exists() else None
    last = expected(world.last) if world.last is not None else None
    if found == last:
        return
    begun, windows = journal.begun, journal.states[-1].windows
    kept = expected_session(*windows[begun.window].kept()) if begun is not None else None
    if begun is None or begun.action != "close_window" or _unasked(kept) != _unasked(found):
        raise Different(f"{path.name}: holds {found!r} instead of {last!r}, in {begun} of a window with {kept!r}")
    path.unlink()  # how the questions at closing were answered is not known
    world.last = None


def _unasked(session: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    """The documents of a session without what the questions at closing change: which is shown, and what is saved."""
    if session is None:
        return None
    return [{name: value for name, value in each.items() if name != "file"} for each in session["documents"]]
