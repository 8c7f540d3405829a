"""Descriptions of image files, and reading and writing of their pixels.

This is the only package that imports OpenEXR and OpenImageIO. The names below are public; each is imported on first
use, so that a program that needs only the types of descriptions loads neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.io.description import describe as describe
    from engine.io.info import ChannelInfo as ChannelInfo
    from engine.io.info import ImageInfo as ImageInfo
    from engine.io.info import LayerInfo as LayerInfo
    from engine.io.info import PartInfo as PartInfo
    from engine.io.output import FileOutput as FileOutput
    from engine.io.output import open_output as open_output
    from engine.io.source import FileSource as FileSource
    from engine.io.source import Image as Image
    from engine.io.source import open_source as open_source
    from engine.io.source import read_image as read_image

_HOME = {
    "ChannelInfo": "info",
    "FileOutput": "output",
    "FileSource": "source",
    "Image": "source",
    "ImageInfo": "info",
    "LayerInfo": "info",
    "PartInfo": "info",
    "describe": "description",
    "open_output": "output",
    "open_source": "source",
    "read_image": "source",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
