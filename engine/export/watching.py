"""Watching of growing sequences: yields each frame when its file is complete."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from engine.core.file_watch import state_of
from engine.export.frame_patterns import FramePattern
from engine.export.frames import FrameJob, is_complete

LOOK_SECONDS = 1.0
"""The interval between scans of the folder. A complete file that did not change between two scans is taken."""
NAP_SECONDS = 0.1


def growing(
    source: FramePattern,
    target: FramePattern,
    wanted: Sequence[int] | None,
    idle: float,
    stopped: Callable[[], bool],
) -> Iterator[FrameJob]:
    """Yield a job for each frame as it appears, until all of `wanted` exist or nothing changed for `idle` seconds.

    Also ends soon after `stopped` returns True.
    """
    allowed = None if wanted is None else set(wanted)
    taken, waiting = set[int](), dict[int, tuple[int, int]]()
    last_change = time.monotonic()
    while not stopped() and (allowed is None or allowed - taken):
        for frame in source.on_disk():
            if frame in taken or (allowed is not None and frame not in allowed):
                continue
            state = state_of(source.path(frame))
            if state is None:
                continue
            if waiting.get(frame) != state:
                waiting[frame], last_change = state, time.monotonic()
            elif is_complete(source.path(frame)):
                taken.add(frame)
                last_change = time.monotonic()
                yield FrameJob(frame, source.path(frame), target.path(frame))
        if time.monotonic() - last_change >= idle:
            return
        until = time.monotonic() + LOOK_SECONDS
        while time.monotonic() < until and not stopped():
            time.sleep(NAP_SECONDS)
