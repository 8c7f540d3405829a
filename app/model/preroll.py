"""When enough frames are decoded for playback to begin."""

from __future__ import annotations

LEAST_SECONDS = 0.5
"""Playback begins with frames for at least this time."""
MOST_SECONDS = 4.0
"""Playback of frames that don't all fit into memory begins after this time with what there is: waiting longer would not
keep frames from being dropped, where they are decoded too slowly."""
SHARE, FEW_CORES = 0.5, 4
"""The assumed rate of decoding during playback, as a share of the rate before it: frames are computed as well. It is
0 with fewer than FEW_CORES: decoding would then keep frames from being computed in time."""


class Preroll:
    """Measures how fast frames are decoded before playback begins, and tells when enough are there.

    With `rate` frames per second played and fewer decoded, the frames ahead become fewer and fewer. Playback begins
    when they last until all `count` frames have been decoded, on a machine with this many cores.
    """

    def __init__(self, rate: float, count: int, cores: int) -> None:
        self._rate, self._count = rate, count
        self._share = SHARE if cores >= FEW_CORES else 0.0
        self._first: tuple[float, int] | None = None  # the first time, and the frames decoded then

    def is_over(self, decoded: int, wanted: int, now: float) -> bool:
        """Return whether playback can begin; `decoded` of the `wanted` next frames are there at the time `now`."""
        if self._first is None:
            self._first = now, decoded
        seconds, gained = now - self._first[0], decoded - self._first[1]
        if decoded >= wanted or (wanted < self._count and seconds >= MOST_SECONDS):
            return True
        if gained < 2 or seconds <= 0.0:
            return False  # the rate is not known yet
        short = self._count * (1.0 - self._share * gained / seconds / self._rate)
        return decoded >= max(short, LEAST_SECONDS * self._rate)
