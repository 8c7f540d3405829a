"""Tracking: where a window is in each frame, as position, scale and rotation. It knows no files, only luminance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.tracking.tracker import Motion as Motion
    from engine.tracking.tracker import Reason as Reason
    from engine.tracking.tracker import Region as Region
    from engine.tracking.tracker import Tracked as Tracked
    from engine.tracking.tracker import Tracker as Tracker
    from engine.tracking.tracker import track as track
    from engine.tracking.warp import Freedom as Freedom
    from engine.tracking.windows import can_track as can_track
    from engine.tracking.windows import carried as carried
    from engine.tracking.windows import pivot_of as pivot_of
    from engine.tracking.windows import region_of as region_of

_HOME = {
    "Motion": "tracker",
    "Reason": "tracker",
    "Region": "tracker",
    "Tracked": "tracker",
    "Tracker": "tracker",
    "track": "tracker",
    "Freedom": "warp",
    "can_track": "windows",
    "carried": "windows",
    "pivot_of": "windows",
    "region_of": "windows",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
