"""Pictures on a screen: sources of any size, and frames of what a viewport shows of them."""

from engine.viewing.frames import Frame, FrameMaker
from engine.viewing.large import LargeLevels
from engine.viewing.levels import Levels, WholeLevels, levels_of
from engine.viewing.opening import LargePicture, default_budget, open_picture
from engine.viewing.shots import Region, Shot, shot_of

__all__ = [
    "Frame",
    "FrameMaker",
    "LargeLevels",
    "LargePicture",
    "Levels",
    "Region",
    "Shot",
    "WholeLevels",
    "default_budget",
    "levels_of",
    "open_picture",
    "shot_of",
]
