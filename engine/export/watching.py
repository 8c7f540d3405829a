"""A sequence that grows: its frames as they come, each when it is written to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from engine.core.file_watch import state_of
from engine.export.frame_patterns import FramePattern
from engine.export.frames import FrameJob, is_complete

LOOK_SECONDS = 1.0
"""From one look at the folder to the next. A file that did not change in between, and is complete, is taken."""
NAP_SECONDS = 0.1


def growing(
    source: FramePattern,
    target: FramePattern,
    wanted: Sequence[int] | None,
    idle: float,
    stopped: Callable[[], bool],
) -> Iterator[FrameJob]:
    """A job for each frame as it comes, until all of `wanted` are there, or nothing new came for `idle` seconds.

    Also ends, soon, when `stopped` says so.
    """
    allowed = None if wanted is None else set(wanted)
    taken, waiting = set[int](), dict[int, tuple[int, int]]()
    news = time.monotonic()
    while not stopped() and (allowed is None or allowed - taken):
        for frame in source.on_disk():
            if frame in taken or (allowed is not None and frame not in allowed):
                continue
            state = state_of(source.path(frame))
            if state is None:
                continue
            if waiting.get(frame) != state:
                waiting[frame], news = state, time.monotonic()
            elif is_complete(source.path(frame)):
                taken.add(frame)
                news = time.monotonic()
                yield FrameJob(frame, source.path(frame), target.path(frame))
        if time.monotonic() - news >= idle:
            return
        until = time.monotonic() + LOOK_SECONDS
        while time.monotonic() < until and not stopped():
            time.sleep(NAP_SECONDS)
