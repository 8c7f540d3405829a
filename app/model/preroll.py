"""When enough frames are decoded for playback to begin."""

from __future__ import annotations

LEAST_SECONDS = 0.5
"""Playback begins with frames for at least this time."""
MOST_SECONDS = 4.0
"""Playback begins after this time with what there is: where frames are decoded too slowly, some will be dropped."""
SHARE = 0.5
"""The assumed rate of decoding during playback, as a share of the rate before it: frames are computed as well."""


class Preroll:
    """Measures how fast frames are decoded before playback begins, and tells when enough are there.

    With `rate` frames per second played and fewer decoded, the frames ahead become fewer and fewer. Playback begins
    when they last until all `count` frames have been decoded.
    """

    def __init__(self, rate: float, count: int) -> None:
        self._rate, self._count = rate, count
        self._first: tuple[float, int] | None = None  # the first time, and the frames decoded then

    def is_over(self, decoded: int, wanted: int, now: float) -> bool:
        """Return whether playback can begin; `decoded` of the `wanted` next frames are there at the time `now`."""
        if self._first is None:
            self._first = now, decoded
        seconds, gained = now - self._first[0], decoded - self._first[1]
        if decoded >= wanted or seconds >= MOST_SECONDS:
            return True
        if gained < 2 or seconds <= 0.0:
            return False  # the rate is not known yet
        short = self._count * (1.0 - SHARE * gained / seconds / self._rate)
        return decoded >= max(short, LEAST_SECONDS * self._rate)
