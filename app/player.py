"""A sequence in the window: which frame is shown, and playing it. Frames are decoded ahead, within the memory allowed.

A frame is the current document's picture with another file; grade, view and zoom stay. Playing keeps to the clock: what
can't be decoded or shown in time is dropped, and counted.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.document import Document
from app.files import IMAGE
from engine.sequences import FramePattern, pattern_of

if TYPE_CHECKING:
    from app.requests import Request
    from app.workspace import Workspace

RATES = (12.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 60.0)
"""Frames per second that are offered."""
RATE = "playback_rate"
LOOP = "playback_loop"
AT_ONCE = 2
"""Frames that are decoded at once."""
SHARE = 2
"""One in so many bytes that a picture may take is for frames that are decoded ahead."""
ALONE = 1 << 60
STUCK_SECONDS = 2.0
"""A frame that has not reached the screen by then is waited for no longer."""


@dataclass
class Clip:
    """The sequence of a document: its frames on disk, what of them is played, and those that are decoded."""

    pattern: FramePattern
    frames: list[int]
    first: int
    last: int
    decoded: dict[int, Any] = field(default_factory=dict)
    bad: set[int] = field(default_factory=set)

    @property
    def played(self) -> list[int]:
        """The frames between in and out."""
        return [frame for frame in self.frames if self.first <= frame <= self.last]

    @property
    def used(self) -> int:
        """Bytes of the frames that are decoded."""
        return sum(_size(read) for read in self.decoded.values())


class Player(QObject):
    """Steps and plays the current document's sequence."""

    changed = Signal()  # another sequence or none, its in and out, what is decoded, playing or not
    moved = Signal(int)  # another frame is wanted: the one that the timeline points at
    told = Signal(str)  # how the rate is kept, for the panel; '' when it does not play

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._clips: WeakKeyDictionary[Document, Clip] = WeakKeyDictionary()
        self._reading: dict[tuple[int, int], None] = {}  # serial and frame of what is being decoded
        self._serial = 0
        self.frame = 0
        self.rate = float(workspace.settings.get(RATE, 24.0))
        self.loops = bool(workspace.settings.get(LOOP, True))
        self.dropped = 0
        self._offered = False  # whether the panel was brought up, which is done once
        self._shown_at: deque[float] = deque(maxlen=24)
        self._waits_since = 0.0  # when the frame that is not on the screen yet was given to it; 0 if there is none
        self._started, self._place, self._last = 0.0, 0, 0
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        workspace.picture_changed.connect(self._look)
        workspace.document_changed.connect(self._look)
        workspace.preview.frame.connect(self._reached_screen)

    @property
    def clip(self) -> Clip | None:
        """The current document's sequence; None where its picture is none of one."""
        return self._clips.get(self._workspace.document)

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
            self.told.emit("")
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
        self._show(frames[ready % len(frames)])

    def _reached_screen(self, _image: object, request: Request) -> None:
        self._waits_since = 0.0
        if self.playing:
            self._shown_at.append(time.monotonic())
            times = self._shown_at
            if len(times) > 1 and times[-1] > times[0]:
                rate = min((len(times) - 1) / (times[-1] - times[0]), self.rate)
                drops = f", {self.dropped} dropped" if self.dropped else ""
                self.told.emit(f"{rate:.1f} of {self.rate:g} fps{drops}")

    # -- frames

    def _go(self, frame: int) -> None:
        clip = self.clip
        if clip is None:
            return
        frame = min(clip.frames, key=lambda each: abs(each - frame))
        self.frame = frame
        self.moved.emit(frame)
        if frame in clip.decoded:
            self._show(frame)
        else:
            self._read_wanted(clip)

    def _show(self, frame: int) -> None:
        clip, document = self.clip, self._workspace.document
        if clip is None:
            return
        self.frame = frame
        self.moved.emit(frame)
        path = clip.pattern.path(frame)
        if document.picture_path != path:
            self._workspace.jobs.drop(document, IMAGE)  # what is still being read for this document is void
            picture, managed = clip.decoded[frame]
            document.set_picture(picture, path, managed)  # under another setup its spaces are found anew
        else:
            self._waits_since = 0.0

    def _read_wanted(self, clip: Clip) -> None:
        """Decode the frame that is pointed at, if it is not there and there is a hand free."""
        if self.frame not in clip.decoded and self.frame not in clip.bad:
            self._read(clip, self.frame)

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
        key = (self._serial, frame)
        if key in self._reading or len(self._reading) >= AT_ONCE:
            return
        self._reading[key] = None
        workspace, document = self._workspace, self._workspace.document
        path, setup = clip.pattern.path(frame), workspace.colour.setup_for(document.grade)

        def work() -> Any:
            picture = workspace.services.read_picture(path, document.part, document.layer)
            return picture, workspace.colour.find(path, picture, setup)

        workspace.jobs.run(work, partial(self._take, clip, key, set(keep or ())), partial(self._fail, clip, key))

    def _take(self, clip: Clip, key: tuple[int, int], keep: set[int], read: Any) -> None:
        self._reading.pop(key, None)
        if clip is not self.clip or key[0] != self._serial:
            return
        frame = key[1]
        self._make_room(clip, frame, keep, _size(read))
        clip.decoded[frame] = read
        self.changed.emit()
        if not self.playing:
            if frame == self.frame:
                self._show(frame)
            else:
                self._read_wanted(clip)

    def _fail(self, clip: Clip, key: tuple[int, int], line: str) -> None:
        self._reading.pop(key, None)
        if clip is self.clip and key[0] == self._serial:
            clip.bad.add(key[1])
            self._workspace.tell(line)
            self.changed.emit()
            self._read_wanted(clip)

    def _make_room(self, clip: Clip, frame: int, keep: set[int], size: int) -> None:
        """Let go what is far from here until another frame fits."""
        room = self._workspace.preview.budget // SHARE
        others = sorted((each for each in clip.decoded if each != self.frame), key=lambda each: abs(each - frame))
        others.sort(key=lambda each: each not in keep)
        while others and clip.used + size > room:
            del clip.decoded[others.pop()]

    # -- what there is

    def _look(self) -> None:
        """The current document shows a picture: of the sequence that is known, or of another."""
        document, clip = self._workspace.document, self.clip
        for other in self._clips.values():
            if other is not clip:
                other.decoded.clear()  # the memory is for what is looked at
        path = document.picture_path if document.picture is not None else None
        found = pattern_of(path) if path is not None else None
        if clip is not None and found is not None and found[0].text == clip.pattern.text and found[1] in clip.frames:
            if self.frame != found[1]:
                self.stop()
                self.frame = found[1]
                self.moved.emit(self.frame)
            if found[1] not in clip.decoded:
                clip.decoded[found[1]] = document.picture, document.managed
                self.changed.emit()
            elif clip.decoded[found[1]][0] is not document.picture:  # read again, or another layer of it
                clip.decoded = {found[1]: (document.picture, document.managed)}
                self._serial += 1
                self.changed.emit()
            return
        self.stop()
        self._clips.pop(document, None)
        self._serial += 1
        self.changed.emit()
        if found is not None:
            looked = partial(self._found, document, path, *found)
            self._workspace.jobs.run(found[0].on_disk, looked, lambda line: None)

    def _found(
        self, document: Document, path: Path | None, pattern: FramePattern, frame: int, frames: list[int]
    ) -> None:
        if document.picture_path != path or len(frames) < 2 or frame not in frames:
            return
        clip = Clip(pattern, frames, frames[0], frames[-1], {frame: (document.picture, document.managed)})
        self._clips[document] = clip
        if document is self._workspace.document:
            self.frame = frame
            self.moved.emit(frame)
            self.changed.emit()
            if not self._offered:
                self._offered = True
                self._workspace.show_panel("timeline")


def _size(read: Any) -> int:
    """Bytes of a decoded picture; of a large one, which is decoded where it is looked at, so many that it is alone."""
    picture = read[0]
    return int(picture.pixels.nbytes) if hasattr(picture, "pixels") else ALONE
