"""Tessera's engine: images, grades and the executor that runs them. Independent of the user interface.

The names below are public. Each is imported on first use, so that a program loads only what it uses.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine import ops as ops
    from engine.compute.devices import BackendInfo as BackendInfo
    from engine.compute.devices import create_executor as create_executor
    from engine.compute.devices import detect_backends as detect_backends
    from engine.compute.devices import select_best_backend as select_best_backend
    from engine.compute.executor import TiledExecutor as TiledExecutor
    from engine.compute.handles import PlanarImage as PlanarImage
    from engine.compute.plan import estimate_memory as estimate_memory
    from engine.compute.planar import PlanarFormat as PlanarFormat
    from engine.compute.streaming import MemoryOutput as MemoryOutput
    from engine.compute.streaming import MemorySource as MemorySource
    from engine.core.geometry import GpuLimits as GpuLimits
    from engine.core.geometry import ProcessingStrategy as ProcessingStrategy
    from engine.core.geometry import Rect as Rect
    from engine.errors import TesseraError as TesseraError
    from engine.export import ExportOptions as ExportOptions
    from engine.export import export_image as export_image
    from engine.export import export_movie as export_movie
    from engine.export import export_sequence as export_sequence
    from engine.grade import ColourSetup as ColourSetup
    from engine.grade import FileLook as FileLook
    from engine.grade import Grade as Grade
    from engine.grade import Group as Group
    from engine.grade import Layer as Layer
    from engine.grade import Viewing as Viewing
    from engine.grade import load_grade as load_grade
    from engine.grade import save_grade as save_grade

_HOME = {
    "ColourSetup": "grade",
    "Viewing": "grade",
    "BackendInfo": "compute.devices",
    "create_executor": "compute.devices",
    "detect_backends": "compute.devices",
    "select_best_backend": "compute.devices",
    "TesseraError": "errors",
    "TiledExecutor": "compute.executor",
    "FileLook": "grade",
    "Grade": "grade",
    "Group": "grade",
    "Layer": "grade",
    "load_grade": "grade",
    "save_grade": "grade",
    "estimate_memory": "compute.plan",
    "PlanarFormat": "compute.planar",
    "PlanarImage": "compute.handles",
    "ExportOptions": "export",
    "export_image": "export",
    "export_movie": "export",
    "export_sequence": "export",
    "MemoryOutput": "compute.streaming",
    "MemorySource": "compute.streaming",
    "GpuLimits": "core.geometry",
    "ProcessingStrategy": "core.geometry",
    "Rect": "core.geometry",
}

_find = importer(__name__, _HOME)
__all__ = sorted([*_HOME, "ops"])


def __getattr__(name: str) -> Any:
    return importlib.import_module("engine.ops") if name == "ops" else _find(name)
