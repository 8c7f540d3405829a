"""Display of images: sources of any size, and the frames that a viewport shows of them.

`engine.viewing.opening` opens files; it is not imported here, since it loads the file readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.viewing.frame import Frame as Frame
    from engine.viewing.frames import FrameMaker as FrameMaker
    from engine.viewing.levels import Levels as Levels
    from engine.viewing.levels import WholeLevels as WholeLevels
    from engine.viewing.levels import default_budget as default_budget
    from engine.viewing.levels import levels_of as levels_of
    from engine.viewing.requests import Region as Region
    from engine.viewing.requests import ViewportRequest as ViewportRequest
    from engine.viewing.requests import viewport_request as viewport_request

_HOME = {
    "Frame": "frame",
    "FrameMaker": "frames",
    "Levels": "levels",
    "WholeLevels": "levels",
    "default_budget": "levels",
    "levels_of": "levels",
    "Region": "requests",
    "ViewportRequest": "requests",
    "viewport_request": "requests",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
