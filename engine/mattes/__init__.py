"""Mattes: which part of the image an entry of a grade changes. All sources by their class names, and the tree."""

from engine.mattes.channels import (
    ChannelRange,
    DepthRange,
    LumaRange,
    NormalFacing,
    ObjectIds,
    PositionBox,
    PositionSphere,
)
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.images import ImageMatte
from engine.mattes.qualifiers import HslQualifier, Key3d
from engine.mattes.source import SOURCES, MatteSource
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse, LinearGradient, Path, RadialGradient, Rectangle

__all__ = [
    "SOURCES",
    "Branch",
    "ChannelRange",
    "Cryptomatte",
    "DepthRange",
    "Ellipse",
    "HslQualifier",
    "ImageMatte",
    "Key3d",
    "Leaf",
    "LinearGradient",
    "LumaRange",
    "Matte",
    "MatteSource",
    "NormalFacing",
    "ObjectIds",
    "Path",
    "PositionBox",
    "PositionSphere",
    "RadialGradient",
    "Rectangle",
]
