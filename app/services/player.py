"""A sequence in the window: which frame is shown, and playing it. Frames are decoded ahead, within the memory allowed.

A frame is the current document's image with another file; grade, view and zoom stay. Playing keeps to the clock: what
can't be decoded or shown in time is dropped, and counted.
"""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.model.document import Document
from app.model.sequence_clip import Clip, layer_of, size_of
from app.services.files import IMAGE
from engine.export.frame_patterns import FramePattern, pattern_of

if TYPE_CHECKING:
    from app.render.requests import Request
    from app.shell.workspace import Workspace

RATES = (12.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 60.0)
"""Frames per second that are offered."""
RATE = "playback_rate"
LOOP = "playback_loop"
AT_ONCE = 2
"""Frames that are decoded at once."""
SHARE = 2
"""One in so many bytes that an image may take is for frames that are decoded ahead."""
STUCK_SECONDS = 2.0
"""A frame that has not reached the screen by then is waited for no longer."""


class Player(QObject):
    """Steps and plays the current document's sequence."""

    changed = Signal()  # another sequence or none, its in and out, what is decoded, playing or not
    moved = Signal(int)  # another frame is wanted: the one that the timeline points at
    rate_changed = Signal(str)  # how the rate is kept, for the panel; '' when it does not play

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._clips: WeakKeyDictionary[Document, Clip] = WeakKeyDictionary()
        self._reading: set[tuple[Clip, int, int]] = set()  # clip, its version and frame of what is being decoded
        self._looked_at: Clip | None = None
        self.rate = float(workspace.settings.get(RATE, 24.0))
        self.loops = bool(workspace.settings.get(LOOP, True))
        self.dropped = 0
        self._offered = False  # whether the panel was brought up, which is done once
        self._shown_at: deque[float] = deque(maxlen=24)
        self._waits_since = 0.0  # when the frame that is not on the screen yet was given to it; 0 if there is none
        self._started, self._place, self._last = 0.0, 0, 0
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        workspace.image_changed.connect(self._look)
        workspace.document_changed.connect(self._look)
        workspace.preview.frame.connect(self._reached_screen)

    @property
    def clip(self) -> Clip | None:
        """The current document's sequence; None where its image is none of one."""
        return self._clips.get(self._workspace.document)

    @property
    def frame(self) -> int:
        """The frame that the timeline points at; it may still be on its way."""
        return self.clip.wanted if self.clip is not None else 0

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    # -- moving

    def go(self, frame: int) -> None:
        """Show a frame, the nearest that is there; the newest call wins. Playing stops."""
        self.stop()
        self._go(frame)

    def step(self, by: int) -> None:
        """So many frames on, or back; round the ends of what is played where it loops."""
        clip = self.clip
        if clip is None:
            return
        frames = clip.played or clip.frames
        place = min(range(len(frames)), key=lambda n: abs(frames[n] - self.frame)) + by
        self.go(frames[place % len(frames)] if self.loops else frames[min(max(place, 0), len(frames) - 1)])

    def set_in(self, frame: int | None) -> None:
        """Play from here on; None is the first frame."""
        if (clip := self.clip) is not None:
            clip.first = clip.frames[0] if frame is None else frame
            clip.last = max(clip.last, clip.first)
            self._restart()

    def set_out(self, frame: int | None) -> None:
        """Play up to here; None is the last frame."""
        if (clip := self.clip) is not None:
            clip.last = clip.frames[-1] if frame is None else frame
            clip.first = min(clip.first, clip.last)
            self._restart()

    def set_rate(self, rate: float) -> None:
        """Frames per second."""
        self.rate = rate
        self._workspace.settings.set(RATE, rate)
        self._restart()

    def set_loops(self, loops: bool) -> None:
        """Whether playing begins again at its end."""
        self.loops = loops
        self._workspace.settings.set(LOOP, loops)
        self.changed.emit()

    # -- playing

    def toggle(self) -> None:
        """Play, or stop."""
        if self.playing:
            self.stop()
        elif self.clip is not None:
            self._play()

    def stop(self) -> None:
        if self.playing:
            self._timer.stop()
            self.rate_changed.emit("")
            self.changed.emit()

    def _play(self) -> None:
        clip = self.clip
        assert clip is not None
        frames = clip.played
        if not frames:
            return
        at = frames.index(self.frame) if self.frame in frames else 0
        if at == len(frames) - 1 and not self.loops:
            at = 0
        self.dropped, self._waits_since = 0, 0.0
        self._shown_at.clear()
        self._started, self._place, self._last = time.monotonic() - at / self.rate, at, at
        self._timer.start(max(1, round(1000.0 / self.rate / 2.0)))
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
        clip.follow(self._workspace.document)
        due = int((time.monotonic() - self._started) * self.rate)
        if due >= len(frames) and not self.loops:
            self.stop()
            self._go(frames[-1])
            return
        self._read_ahead(clip, frames, due)
        on_the_way = self._waits_since and time.monotonic() - self._waits_since < STUCK_SECONDS
        if due <= self._last or on_the_way:
            return
        ready = next((n for n in range(due, self._last, -1) if frames[n % len(frames)] in clip.decoded), None)
        if ready is None:
            return
        self.dropped += ready - self._last - 1
        self._last = ready
        self._waits_since = time.monotonic()
        self._show(self._workspace.document, clip, frames[ready % len(frames)])

    def _reached_screen(self, _image: object, request: Request) -> None:
        self._waits_since = 0.0
        if self.playing:
            self._shown_at.append(time.monotonic())
            times = self._shown_at
            if len(times) > 1 and times[-1] > times[0]:
                rate = min((len(times) - 1) / (times[-1] - times[0]), self.rate)
                drops = f", {self.dropped} dropped" if self.dropped else ""
                self.rate_changed.emit(f"{rate:.1f} of {self.rate:g} fps{drops}")

    # -- frames

    def _go(self, frame: int) -> None:
        clip, document = self.clip, self._workspace.document
        if clip is None:
            return
        clip.follow(document)
        clip.wanted = min(clip.frames, key=lambda each: abs(each - frame))
        self.moved.emit(clip.wanted)
        if clip.wanted in clip.decoded:
            self._show(document, clip, clip.wanted)
        else:
            self._read_wanted()

    def _show(self, document: Document, clip: Clip, frame: int) -> None:
        """Give a document the decoded frame of its clip."""
        clip.wanted = frame
        if clip is self.clip:
            self.moved.emit(frame)
        path = clip.pattern.path(frame)
        if document.image_path == path:
            self._waits_since = 0.0
            return
        clip.shown = frame
        image, managed = clip.decoded[frame]
        self._workspace.jobs.drop(document, IMAGE)  # what is still being read for this document is void
        document.set_image(image, path, managed)  # under another setup its spaces are found anew

    def _read_wanted(self) -> None:
        """Decode the frame that the current clip points at, if it is not there and there is a hand free."""
        clip = self.clip
        if clip is not None and clip.lacks_wanted and not self.playing:
            self._read(clip, clip.wanted)

    def _read_ahead(self, clip: Clip, frames: list[int], due: int) -> None:
        """Decode what comes next, until the memory is full of it."""
        room = self._workspace.preview.budget // SHARE
        each = clip.used // max(len(clip.decoded), 1)
        count = min(len(frames), room // each if each else AT_ONCE)
        ahead = [frames[(due + n) % len(frames)] for n in range(count)]
        for frame in ahead:
            if len(self._reading) >= AT_ONCE:
                return
            if frame not in clip.decoded and frame not in clip.bad:
                self._read(clip, frame, ahead)

    def _read(self, clip: Clip, frame: int, keep: list[int] | None = None) -> None:
        key = (clip, clip.version, frame)
        if key in self._reading or len(self._reading) >= AT_ONCE:
            return
        self._reading.add(key)
        workspace, document = self._workspace, self._workspace.document
        path, setup, layer = clip.pattern.path(frame), workspace.colour.setup_for(document.grade), clip.layer

        def work() -> Any:
            image = workspace.services.read_image(path, *layer)
            return image, workspace.colour.find(path, image, setup)

        taken = partial(self._take, document, key, set(keep or ()))
        workspace.jobs.run(work, taken, partial(self._fail, document, key))

    def _take(self, document: Document, key: tuple[Clip, int, int], keep: set[int], read: Any) -> None:
        """A frame is decoded: it goes to the clip that asked for it, whether that is the current one by now or not."""
        clip, _, frame = key
        if self._is_asked(document, key):
            clip.evict(frame, keep, size_of(read), self._workspace.preview.budget // SHARE)
            clip.decoded[frame] = read
            current = clip is self.clip
            if frame == clip.wanted and not (current and self.playing):
                self._show(document, clip, frame)
            if current:
                self.changed.emit()
            else:
                clip.decoded.clear()  # the memory is for what is looked at
        self._read_wanted()

    def _fail(self, document: Document, key: tuple[Clip, int, int], line: str) -> None:
        clip, _, frame = key
        if self._is_asked(document, key):
            clip.bad.add(frame)
            self._workspace.tell(line)
            self.changed.emit()
        self._read_wanted()

    def _is_asked(self, document: Document, key: tuple[Clip, int, int]) -> bool:
        """Whether a frame that has been decoded, or could not be, is still what its clip asked for."""
        self._reading.discard(key)
        clip, version, _ = key
        if document not in self._workspace.documents or self._clips.get(document) is not clip:
            return False
        clip.follow(document)
        return version == clip.version

    # -- what there is

    def _look(self) -> None:
        """The current document shows an image: of the sequence that is known, or of another."""
        document, clip = self._workspace.document, self.clip
        for other in self._clips.values():
            if other is not clip:
                other.decoded.clear()  # the memory is for what is looked at
        path = document.image_path if document.image is not None else None
        found = pattern_of(path) if path is not None else None
        if clip is not None and found is not None and found[0].text == clip.pattern.text and found[1] in clip.frames:
            self._look_at(document, clip, found[1])
            return
        self.stop()
        self._clips.pop(document, None)
        self._looked_at = None
        self.changed.emit()
        if found is not None:
            looked = partial(self._found, document, path, *found)
            self._workspace.jobs.run(found[0].on_disk, looked, lambda line: None)

    def _look_at(self, document: Document, clip: Clip, frame: int) -> None:
        """The current document shows a frame of its clip, perhaps another than the one that is pointed at."""
        if frame not in (clip.shown, clip.wanted):  # somebody opened it
            self.stop()
            clip.wanted = frame
        clip.shown = frame
        known = clip.decoded.get(frame)
        if known is not None and known[0] is not document.image:  # read again, or another layer of it
            clip.renew(document)
        clip.follow(document)
        if self._looked_at is not clip or frame not in clip.decoded:
            self._looked_at = clip
            clip.decoded[frame] = document.image, document.managed
            self.moved.emit(clip.wanted)
            self.changed.emit()
        self._read_wanted()

    def _found(
        self, document: Document, path: Path | None, pattern: FramePattern, frame: int, frames: list[int]
    ) -> None:
        if document.image_path != path or len(frames) < 2 or frame not in frames:
            return
        read = {frame: (document.image, document.managed)}
        clip = Clip(pattern, frames, frames[0], frames[-1], frame, frame, layer_of(document), read)
        self._clips[document] = clip
        if document is self._workspace.document:
            self._looked_at = clip
            self.moved.emit(frame)
            self.changed.emit()
            if not self._offered:
                self._offered = True
                self._workspace.show_panel("timeline")
