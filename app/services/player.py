"""Steps through and plays image sequences in the window. Frames are decoded ahead, within the memory budget.

Showing a frame replaces the image of the current document; grade, view and zoom stay. Playback follows a clock that
starts when enough frames are decoded; frames that are late are dropped and counted. Then each is computed only once.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.model.achieved_rate import AchievedRate
from app.model.document import Document
from app.model.playback_clock import PlaybackClock
from app.model.preroll import Preroll
from app.model.sequence_clip import Clip, size_of
from app.render.preview import Preview
from app.services.colour_manager import Colour
from app.services.engine_calls import Services
from app.services.files import IMAGE
from app.services.frame_reads import FrameReads, Key
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from app.services.settings import Settings
from engine.core.system import usable_cores
from engine.export.frame_patterns import FrameSource
from engine.export.frame_sources import source_of

if TYPE_CHECKING:
    from app.render.requests import Request

RATE = "playback_rate"
LOOP = "playback_loop"
SHARE = 2
"""The preview's memory budget divided by this is the budget for decoded frames."""
STUCK_SECONDS = 2.0
"""How long playback waits for a frame to reach the screen."""


class Player(QObject):
    """Steps and plays the current document's sequence."""

    changed = Signal()  # the sequence, its in or out point, the decoded frames, or whether it plays
    sequence_open = Signal(bool)  # whether any open image is a frame of a sequence
    moved = Signal(int)  # the timeline points at another frame
    rate_changed = Signal(float)  # the achieved frame rate; 0 when stopped

    def __init__(
        self,
        documents: OpenDocuments,
        colour: Colour,
        preview: Preview,
        services: Services,
        settings: Settings,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._documents, self._preview = documents, preview
        self._settings, self._jobs, self._messages = settings, jobs, messages
        self._clips: WeakKeyDictionary[Document, Clip] = WeakKeyDictionary()
        self._reads = FrameReads(lambda *what: services.read_image(*what), colour, lambda: preview.levels, jobs)
        self._looked_at: Clip | None = None
        self._rate, self.loops = float(settings.get(RATE, 24.0)), bool(settings.get(LOOP, True))
        self._achieved = AchievedRate()
        self._waits_since = 0.0  # when the frame that has yet to reach the screen was set; 0 if there is none
        self._preroll: Preroll | None = None  # before the clock starts
        self._clock = PlaybackClock(self._rate, 0, 0, self.loops)
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        documents.current.switch.once(self._look, documents.current.image_changed)
        documents.closed.connect(self._tell)
        preview.frame.connect(self._reached_screen)

    @property
    def clip(self) -> Clip | None:
        """The sequence of the current document; None if its image is not part of one."""
        return self._clips.get(self._documents.current.document)

    @property
    def has_sequence(self) -> bool:
        """Whether any open image is a frame of a sequence."""
        return any(document in self._clips for document in self._documents.items)

    @property
    def rate(self) -> float:
        """The frame rate of playback, in frames per second: that of a movie, unless another was set for it."""
        return (self.clip.rate if self.clip is not None else 0.0) or self._rate

    @property
    def frame(self) -> int:
        """The frame that the timeline points at; it may not be shown yet."""
        return self.clip.wanted if self.clip is not None else 0

    @property
    def prerolls(self) -> bool:
        """Whether playback waits for its first frames to be decoded."""
        return self.playing and self._preroll is not None

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    @property
    def dropped(self) -> int:
        return self._clock.dropped  # since playback started

    def go(self, frame: int) -> None:
        """Stop playing and show a frame, or the nearest one that exists; the newest call wins."""
        self.stop()
        self._go(frame)

    def step(self, by: int) -> None:
        """Step forward or, if `by` is negative, back; wrap around the in and out points if playback loops."""
        if (clip := self.clip) is not None:
            self.go(clip.stepped(self.frame, by, self.loops))

    def set_in(self, frame: int | None) -> None:
        """Set the in point; None for the first frame."""
        if (clip := self.clip) is not None:
            clip.set_first(frame)
            self._restart()

    def set_out(self, frame: int | None) -> None:
        """Set the out point; None for the last frame."""
        if (clip := self.clip) is not None:
            clip.set_last(frame)
            self._restart()

    def set_rate(self, rate: float) -> None:
        """Set the frame rate, in frames per second: of a movie, or of all sequences of files."""
        if self.clip is not None and self.clip.rate:
            self.clip.rate = rate
        else:
            self._rate = rate
            self._settings.set(RATE, rate)
        self._restart()

    def set_loops(self, loops: bool) -> None:
        """Set whether playback loops."""
        self.loops = loops
        self._settings.set(LOOP, loops)
        self.changed.emit()

    def toggle(self) -> None:
        """Start or stop playing."""
        if self.playing:
            self.stop()
        elif self.clip is not None:
            self._play()

    def stop(self) -> None:
        if self.playing:
            self._timer.stop()
            self._preview.set_playing(False)
            self.rate_changed.emit(0.0)
            self.changed.emit()

    def _play(self) -> None:
        clip = self.clip
        frames = clip.played if clip is not None else []
        if not frames:
            return
        starts = frames if self.loops else frames[:-1]  # at its end it starts over
        at = starts.index(self.frame) if self.frame in starts else 0
        self._waits_since = 0.0
        self._achieved.clear()
        self._preroll = Preroll(self.rate, len(frames) if self.loops else len(frames) - at, usable_cores())
        self._clock = PlaybackClock(self.rate, len(frames), at, self.loops)
        self._timer.start(self._clock.wait_ms(0.0))
        self.changed.emit()

    def _restart(self) -> None:
        if self.playing:
            self._play()
        self.changed.emit()

    def _tick(self) -> None:
        clip = self.clip
        frames = clip.played if clip is not None else []
        if clip is None or not frames:
            self.stop()
            return
        clip.follow(self._documents.current.document.wanted_layer)
        now, clock = time.monotonic(), self._clock
        ready, wanted = self._read_ahead(clip)
        if self._preroll is not None:  # the clock stands still
            if not self._preroll.is_over(ready, wanted, now):
                return
            self._preroll = None
            clock.start(now)
            self._preview.set_playing(True)
        if clock.is_over(now):
            self.go(frames[-1])
            return
        free = not self._waits_since or now - self._waits_since >= STUCK_SECONDS
        if free and (number := clock.next(now, frames, clip.decoded, clip.bad)) is not None:
            self._waits_since = now
            clock.show(number)
            self._show(self._documents.current.document, clip, frames[number % len(frames)])
        if self.playing:
            self._timer.start(clock.wait_ms(now))

    def _reached_screen(self, _image: object, request: Request) -> None:
        self._waits_since = 0.0
        if self.playing and self._preroll is None:
            self._timer.start(1)  # the next frame may be due
            self.rate_changed.emit(min(self._achieved.add(time.monotonic()), self.rate))

    def _go(self, frame: int) -> None:
        clip, document = self.clip, self._documents.current.document
        if clip is None:
            return
        clip.follow(document.wanted_layer)
        clip.wanted = min(clip.frames, key=lambda each: abs(each - frame))
        self.moved.emit(clip.wanted)
        if clip.wanted in clip.decoded:
            self._show(document, clip, clip.wanted)
        else:
            self._read_more()

    def _show(self, document: Document, clip: Clip, frame: int) -> None:
        """Show a decoded frame of a document's clip in the document."""
        clip.wanted = frame
        if clip is self.clip:
            self.moved.emit(frame)
        place = clip.pattern.place(frame)
        if document.place == place:
            self._waits_since = 0.0
            return
        clip.shown = frame
        image, managed = clip.decoded[frame]
        self._jobs.drop(document, IMAGE)  # cancel a pending read of this document's image
        document.set_image(image, place[0], managed)  # if the setup has changed, the spaces are resolved again

    def _read_more(self) -> None:
        """Decode what is needed next: the frame that the timeline points at or, during playback, those ahead."""
        clip = self.clip
        if clip is not None and (self.playing or clip.needs_wanted):
            self._read_ahead(clip) if self.playing else self._read(clip, clip.wanted, clip.at_once)

    def _read_ahead(self, clip: Clip) -> tuple[int, int]:
        """Decode the next frames; return how many of them are ready, one after the other, and how many there are."""
        ahead = self._reads.ahead(clip, self._clock.wanted(time.monotonic()), self._preview.budget // SHARE)
        missing = self._reads.missing(clip, ahead)
        most = clip.at_once if self._clock.starts else clip.at_once_playing
        for frame in missing[:most]:
            self._read(clip, frame, most, ahead)
        return ahead.index(missing[0]) if missing else len(ahead), len(ahead)

    def _read(self, clip: Clip, frame: int, most: int, ahead: list[int] | None = None) -> None:
        key, document = (clip, clip.version, frame), self._documents.current.document
        if self._reads.may_begin(key, most):
            done, failed = partial(self._take, document, key, set(ahead or ())), partial(self._fail, document, key)
            self._reads.begin(document.grade, key, ahead is not None, done, failed)

    def _take(self, document: Document, key: Key, keep: set[int], read: Any) -> None:
        """Add a decoded frame to the clip that requested it, which need not be the current one any more."""
        clip, _, frame = key
        if self._is_asked(document, key):
            if clip.decoded.get(frame) is not read:
                clip.evict(frame, keep, size_of(read), self._preview.budget // SHARE)
            clip.decoded[frame] = read
            current = clip is self.clip
            if frame == clip.wanted and not (current and self.playing):
                self._show(document, clip, frame)
            if current:
                self.changed.emit()
            else:
                clip.decoded.clear()  # keep memory for the current document
        self._read_more()

    def _fail(self, document: Document, key: Key, line: str) -> None:
        clip, _, frame = key
        if self._is_asked(document, key):
            clip.bad.add(frame)
            self._messages.warn(line)
            self.changed.emit()
        self._read_more()

    def _is_asked(self, document: Document, key: Key) -> bool:
        """Return whether a frame that was decoded, or failed, is still requested by its clip."""
        self._reads.end(key)
        clip, version, _ = key
        if document not in self._documents.items or self._clips.get(document) is not clip:
            return False
        clip.follow(document.wanted_layer)
        return version == clip.version

    # -- finding sequences

    def _look(self) -> None:
        """Find the sequence of the image that the current document shows."""
        document, clip = self._documents.current.document, self.clip
        for other in self._clips.values():
            if other is not clip:
                other.decoded.clear()  # keep memory for the current document
        path = document.image_path if document.image is not None else None
        found = source_of(path, document.place[1]) if path is not None else None
        if clip is not None and found is not None and found[0].text == clip.pattern.text and found[1] in clip.frames:
            self._look_at(document, clip, found[1])
            return
        self.stop()
        self._clips.pop(document, None)
        self._looked_at = None
        self.changed.emit()
        if found is None:
            self._tell()
        else:
            self._jobs.run(found[0].on_disk, partial(self._found, document, path, *found), self._tell)

    def _look_at(self, document: Document, clip: Clip, frame: int) -> None:
        """Update the clip when its document shows a frame, which may not be the one that the timeline points at."""
        if frame not in (clip.shown, clip.wanted):  # it was opened as a file
            self.stop()
            clip.wanted = frame
        clip.shown = frame
        known = clip.decoded.get(frame)
        if known is not None and known[0] is not document.image:  # read again, or with another layer
            clip.renew(document.wanted_layer)
        clip.follow(document.wanted_layer)
        if self._looked_at is not clip or frame not in clip.decoded:
            self._looked_at = clip
            clip.decoded[frame] = document.image, document.managed
            self.moved.emit(clip.wanted)
            self.changed.emit()
        self._read_more()

    def _found(self, document: Document, path: Path | None, source: FrameSource, frame: int, frames: list[int]) -> None:
        if document.image is None or document.image_path != path or len(frames) < 2 or frame not in frames:
            self._tell()
            return
        read = document.image, document.managed
        clip = self._clips[document] = Clip.of(source, frames, frame, document.wanted_layer, read)
        if document is self._documents.current.document:
            self._looked_at = clip
            self.moved.emit(frame)
            self.changed.emit()
        self._tell()

    def _tell(self, _closed_or_line: object = None) -> None:
        self.sequence_open.emit(self.has_sequence)
