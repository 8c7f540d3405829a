"""Display of images: sources of any size, and the frames that a viewport shows of them.

`engine.viewing.opening` opens files; it is not imported here, since it loads the file readers.
"""

from engine.viewing.frame import Frame
from engine.viewing.frames import FrameMaker
from engine.viewing.levels import Levels, WholeLevels, default_budget, levels_of
from engine.viewing.requests import Region, ViewportRequest, viewport_request

__all__ = [
    "Frame",
    "FrameMaker",
    "Levels",
    "Region",
    "ViewportRequest",
    "WholeLevels",
    "default_budget",
    "levels_of",
    "viewport_request",
]
