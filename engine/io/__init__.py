"""Descriptions of image files, and reading and writing of their pixels.

This is the only package that imports OpenEXR and OpenImageIO.
"""

from engine.io.describe import describe
from engine.io.info import ChannelInfo, ImageInfo, LayerInfo, PartInfo
from engine.io.output import FileOutput, open_output
from engine.io.source import FileSource, Image, open_source, read_image

__all__ = [
    "ChannelInfo",
    "FileOutput",
    "FileSource",
    "Image",
    "ImageInfo",
    "LayerInfo",
    "PartInfo",
    "describe",
    "open_output",
    "open_source",
    "read_image",
]
