"""Tracking: where a window is in each frame, as position, scale and rotation. It knows no files, only luminance."""

from engine.tracking.tracker import Motion, Reason, Region, Tracked, Tracker, track
from engine.tracking.warp import Freedom
from engine.tracking.windows import can_track, carried, pivot_of, region_of

__all__ = [
    "Freedom",
    "Motion",
    "Reason",
    "Region",
    "Tracked",
    "Tracker",
    "can_track",
    "carried",
    "pivot_of",
    "region_of",
    "track",
]
