"""Tracks the selected window of a matte over the frames of a sequence or movie; the result is keys, in one step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.entries import name_of
from app.model.grade_rows import entry_at, matte_of, with_entry
from app.model.matte_edit import node_at, paths
from app.model.sequence_clip import Clip
from app.model.track_options import OPTIONS, TrackedWindow, TrackJob, TrackOptions, can_track
from app.services.activity import Work
from app.services.jobs import Jobs
from app.services.matte_selection import MatteSelection
from app.services.messages import Messages
from app.services.player import Player
from app.services.settings import Settings
from engine import Grade
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.entries import Entry, layer_of
from engine.grade.keys import keys_of, with_matte
from engine.mattes.source import MatteSource
from engine.mattes.tree import Leaf, Matte, nodes

if TYPE_CHECKING:
    from app.services.track_job import Track

WAYS = ("backward", "backward_one", "forward_one", "forward")
"""The ways to track: to the end of the frames that are played, or to the next one."""
SETTING = "track"
"""The settings of what is tracked are `track_position` and so on."""
Reader = Callable[[Grade, Clip], Callable[[int], tuple[Any, Any]]]


@dataclass(eq=False)
class _Run:
    """A track in progress: what is tracked, in what, and how far it is."""

    document: Any  # the Document
    clip: Clip
    entry: Entry
    place: tuple[int, ...]
    window: TrackedWindow
    numbers: list[int]
    since: float
    at: int = 0
    stop: Event = field(default_factory=Event)

    @property
    def title(self) -> str:
        return self.window.source.title()


class WindowTracking(QObject):
    """Tracks one window at a time, on a thread. Its keys go to the entry that the window is part of, wherever it is."""

    changed = Signal()  # whether it tracks, and what it can track
    begun = Signal()

    def __init__(
        self,
        document: Callable[[], Any],
        selection: MatteSelection,
        player: Player,
        reader: Reader,
        create_executor: Callable[[], Any],
        jobs: Jobs,
        settings: Settings,
        messages: Messages,
        parent: QObject,
    ) -> None:
        """`document` returns the current document, `reader` what reads the frames of a clip for a grade, and
        `create_executor` what computes the grade."""
        super().__init__(parent)
        self._document, self._selection, self._player, self._reader = document, selection, player, reader
        self._create_executor, self._jobs, self._settings, self._messages = create_executor, jobs, settings, messages
        self._run: _Run | None = None

    # -- what there is

    @property
    def tracks(self) -> bool:
        """Whether a window is tracked."""
        return self._run is not None

    @property
    def options(self) -> TrackOptions:
        """What is tracked, as it was last chosen."""
        defaults = TrackOptions()
        return TrackOptions(*(bool(self._settings.get(f"{SETTING}_{n}", getattr(defaults, n))) for n in OPTIONS))

    def set_option(self, name: str, on: bool) -> None:
        """Choose whether `position`, `scale` or `rotation` is tracked, or the `graded` image."""
        self._settings.set(f"{SETTING}_{name}", on)
        self.changed.emit()

    @property
    def current_work(self) -> Work | None:
        """What is tracked and how far, for the sign of work in progress."""
        run = self._run
        if run is None:
            return None
        return f"Tracking {run.title}: {run.at} of {len(run.numbers) - 1} frames", run.since

    def can_start(self, way: str) -> bool:
        """Return whether the selected window can be tracked that way now."""
        return not self.tracks and len(self._numbers(way)) > 1 and self.options.any and self._window is not None

    # -- tracking

    def start(self, way: str) -> None:
        """Track the selected window, from the frame that is shown on."""
        window, clip, entry = self._window, self._player.clip, self._entry
        if not self.can_start(way) or window is None or clip is None or entry is None:
            return
        document, place, numbers = self._document(), self._selection.entry, self._numbers(way)
        self._player.stop()
        self._run = run = _Run(document, clip, entry, place, window, numbers, time.monotonic())
        applied = with_entry(document.grade, place, with_matte(entry, None))  # its own edge would stand still
        job = TrackJob(
            window,
            self.options,
            numbers,
            self._selection.frame,
            keys_of(entry),
            self._reader(document.grade, clip),
            applied if self.options.graded else None,
            self._create_executor,
            run.stop,
        )
        self._jobs.run(partial(_track, job, run), partial(self._take, run), partial(self._fail, run), document)
        self.changed.emit()
        self.begun.emit()

    def stop(self) -> None:
        """Stop tracking; the frames so far keep their keys."""
        if self._run is not None:
            self._run.stop.set()

    def forget(self, document: object) -> None:
        """Stop tracking in a document that was closed; nothing is kept."""
        if self._run is not None and self._run.document is document:
            self._run.stop.set()
            self._run = None
            self.changed.emit()

    def _take(self, run: _Run, track: Track) -> None:
        """Set the keys of a track that has ended."""
        self._end(run)
        if track.count:
            why = self._apply(run, track)
            if why:
                self._messages.warn(f"The track of {run.title} is discarded: {why}. Track it again.")
                return
            self._follow(run, track.last)
        if track.warning:
            self._messages.warn(track.warning)
        elif track.note:
            self._messages.note(track.note)

    def _fail(self, run: _Run, line: str) -> None:
        self._end(run)
        self._messages.warn(line)

    def _end(self, run: _Run) -> None:
        if self._run is run:
            self._run = None
            self.changed.emit()

    def _apply(self, run: _Run, track: Track) -> str:
        """Give the window its keys; return '' or why they belong to nothing any more."""
        document = run.document
        if document.place != run.clip.pattern.place(document.frame):
            return "another image was opened in its place"
        index = _index_of(run, document.entries)
        if index is None:
            return "the window was changed or removed meanwhile"
        text = f"{name_of(document.entries[index])} matte: {run.title} tracked to frame {track.last}"
        try:
            document.edit_keys({index: track.curves}, text)
        except GradeError as error:
            return str(error)
        return ""

    def _follow(self, run: _Run, last: int) -> None:
        """Show the last frame, unless another one was chosen meanwhile."""
        if self._player.clip is run.clip and self._player.frame == run.numbers[0] and not self._player.playing:
            self._player.go(last)

    # -- what is selected

    @property
    def _entry(self) -> Entry | None:
        """The entry with the matte, with its keys."""
        place = self._selection.entry
        return entry_at(self._document().grade, place) if place else None

    @property
    def _window(self) -> TrackedWindow | None:
        """The selected window, or the only one, at the frame that is shown; None if there is none."""
        fitted, entry = self._selection.matte, self._selection.entry
        matte = matte_of(entry_at(self._document().grade_at_frame, entry)) if entry else None
        if fitted is None or matte is None:
            return None
        path = self._selection.node if self._selection.node is not None else ()
        node = node_at(matte.root, path)
        if not isinstance(node, Leaf) or not can_track(node.source):
            return None
        width, height = matte.frame if matte.frame != (0, 0) else fitted.frame
        fit = (fitted.frame[0] / width, fitted.frame[1] / height) if width and height else (1.0, 1.0)
        return TrackedWindow(node.source, paths(matte.root).index(path), fit)

    def _numbers(self, way: str) -> list[int]:
        """Return the frames to track that way, from the one that is shown on."""
        clip = self._player.clip
        if clip is None:
            return []
        now = self._document().frame
        frames = clip.played if clip.first <= now <= clip.last else clip.frames
        if way.startswith("forward"):
            found = [frame for frame in frames if frame >= now]
        else:
            found = [frame for frame in reversed(frames) if frame <= now]
        found = found if found[:1] == [now] else []
        return found[:2] if way.endswith("one") else found


def _track(job: TrackJob, run: _Run) -> Track:
    """Track a window, on a thread, where what tracks is imported."""
    from app.services.track_job import tracked

    def progress(count: int) -> None:
        run.at = count

    return tracked(job, progress)


def _index_of(run: _Run, entries: Iterable[Entry]) -> int | None:
    """Return the index of the entry that still has the window as it was: where it was, else the first of them."""
    there = [index for index, entry in enumerate(entries) if _has_window(run, entry)]
    listed = list(entries)
    same = [index for index in there if listed[index] is run.entry]
    return next(iter((*same, *there)), None)


def _has_window(run: _Run, entry: Entry) -> bool:
    before, matte = layer_of(run.entry), layer_of(entry).matte
    if type(layer_of(entry).entry) is not type(before.entry) or matte is None or before.matte is None:
        return False
    if _source_at(matte, run.window.number) != _source_at(before.matte, run.window.number):
        return False
    prefix = run.window.prefix
    was, now = ({p: c for p, c in keys_of(each).items() if p.startswith(prefix)} for each in (run.entry, entry))
    return was == now


def _source_at(matte: Matte, number: int) -> MatteSource | None:
    node = dict(enumerate(nodes(matte.root))).get(number)
    return node.source if isinstance(node, Leaf) else None
