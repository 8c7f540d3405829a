"""Tessera's engine: pictures, grades and the executor that runs them. Knows nothing of the window.

The names below are the public ones; each is imported on first use, so that a program pays only for what it calls.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import ops as ops
    from engine.colour import ColourSetup as ColourSetup
    from engine.colour import Viewing as Viewing
    from engine.detect import BackendInfo as BackendInfo
    from engine.detect import create_executor as create_executor
    from engine.detect import detect_backends as detect_backends
    from engine.detect import select_best_backend as select_best_backend
    from engine.errors import TesseraError as TesseraError
    from engine.executor import TiledExecutor as TiledExecutor
    from engine.grade import FileLook as FileLook
    from engine.grade import Grade as Grade
    from engine.grade import Layer as Layer
    from engine.grade import load_grade as load_grade
    from engine.grade import save_grade as save_grade
    from engine.plan import estimate_memory as estimate_memory
    from engine.sequence_export import export_sequence as export_sequence
    from engine.streaming import MemoryOutput as MemoryOutput
    from engine.streaming import MemorySource as MemorySource
    from engine.tiling import GpuLimits as GpuLimits
    from engine.tiling import ProcessingStrategy as ProcessingStrategy
    from engine.tiling import Rect as Rect

_HOME = {
    "ColourSetup": "colour",
    "Viewing": "colour",
    "BackendInfo": "detect",
    "create_executor": "detect",
    "detect_backends": "detect",
    "select_best_backend": "detect",
    "TesseraError": "errors",
    "TiledExecutor": "executor",
    "FileLook": "grade",
    "Grade": "grade",
    "Layer": "grade",
    "load_grade": "grade",
    "save_grade": "grade",
    "estimate_memory": "plan",
    "export_sequence": "sequence_export",
    "MemoryOutput": "streaming",
    "MemorySource": "streaming",
    "GpuLimits": "tiling",
    "ProcessingStrategy": "tiling",
    "Rect": "tiling",
}

__all__ = sorted([*_HOME, "ops"])


def __getattr__(name: str) -> Any:
    if name == "ops":
        return importlib.import_module("engine.ops")
    if name not in _HOME:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    return getattr(importlib.import_module(f"engine.{_HOME[name]}"), name)
