"""Loads the shared libraries of Qt without Python's lock, while modules of Python are imported."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = (
    ("OpenEXR", "OpenEXR"),
    ("llvmlite", "binding/libllvmlite"),
    ("PySide6", "QtCore"),
    ("PySide6", "QtGui"),
    ("PySide6", "QtWidgets"),
    ("PyOpenColorIO", "PyOpenColorIO"),
)
"""Packages or modules and their large libraries, in the order in which they are imported."""


def load_ahead() -> None:
    """Begin to load libraries on a thread of its own, which imports no module.

    An import keeps Python's lock while the system maps a library, resolves its symbols and runs its constructors. That
    is a twentieth of the start. The import then finds the library loaded, or waits for it. On Linux only.
    """
    if sys.platform.startswith("linux"):
        paths = list(_paths())
        threading.Thread(target=_load, args=(ctypes.CDLL(None), paths), name="tessera-libraries", daemon=True).start()


def _load(library: ctypes.CDLL, paths: list[Path]) -> None:
    """Load libraries; the import of one that can't be loaded says why."""
    for path in paths:
        library.dlopen(bytes(path), sys.getdlopenflags())


def _paths() -> Iterator[Path]:
    for package, name in LIBRARIES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            names = (Path(spec.origin).parent / f"{name}{suffix}" for suffix in EXTENSION_SUFFIXES)
            yield from [path for path in names if path.exists()][:1]
