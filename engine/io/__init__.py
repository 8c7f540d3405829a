"""What a picture file is, and pixels in and out of it. The only package that imports OpenEXR and OpenImageIO."""

from engine.io.describe import describe
from engine.io.info import ChannelInfo, LayerInfo, PartInfo, PictureInfo
from engine.io.output import FileOutput, open_output
from engine.io.source import FileSource, Picture, open_source, read_picture

__all__ = [
    "ChannelInfo",
    "FileOutput",
    "FileSource",
    "LayerInfo",
    "PartInfo",
    "Picture",
    "PictureInfo",
    "describe",
    "open_output",
    "open_source",
    "read_picture",
]
