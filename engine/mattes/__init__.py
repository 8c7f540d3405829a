"""Mattes: which part of the image an entry of a grade changes. All sources by their class names, and the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.mattes.channels import ChannelRange as ChannelRange
    from engine.mattes.channels import DepthRange as DepthRange
    from engine.mattes.channels import LumaRange as LumaRange
    from engine.mattes.channels import NormalFacing as NormalFacing
    from engine.mattes.channels import ObjectIds as ObjectIds
    from engine.mattes.channels import PositionBox as PositionBox
    from engine.mattes.channels import PositionSphere as PositionSphere
    from engine.mattes.cryptomatte import Cryptomatte as Cryptomatte
    from engine.mattes.images import ImageMatte as ImageMatte
    from engine.mattes.qualifiers import HslQualifier as HslQualifier
    from engine.mattes.qualifiers import Key3d as Key3d
    from engine.mattes.source import SOURCES as SOURCES
    from engine.mattes.source import MatteSource as MatteSource
    from engine.mattes.tree import Branch as Branch
    from engine.mattes.tree import Leaf as Leaf
    from engine.mattes.tree import Matte as Matte
    from engine.mattes.windows import Ellipse as Ellipse
    from engine.mattes.windows import LinearGradient as LinearGradient
    from engine.mattes.windows import Path as Path
    from engine.mattes.windows import RadialGradient as RadialGradient
    from engine.mattes.windows import Rectangle as Rectangle

_HOME = {
    "Branch": "tree",
    "ChannelRange": "channels",
    "Cryptomatte": "cryptomatte",
    "DepthRange": "channels",
    "Ellipse": "windows",
    "HslQualifier": "qualifiers",
    "ImageMatte": "images",
    "Key3d": "qualifiers",
    "Leaf": "tree",
    "LinearGradient": "windows",
    "LumaRange": "channels",
    "Matte": "tree",
    "MatteSource": "source",
    "NormalFacing": "channels",
    "ObjectIds": "channels",
    "Path": "windows",
    "PositionBox": "channels",
    "PositionSphere": "channels",
    "RadialGradient": "windows",
    "Rectangle": "windows",
    "SOURCES": "source",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
