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
    ("PySide6", "QtCore"),
    ("PySide6", "QtGui"),
    ("PySide6", "QtWidgets"),
    ("PyOpenColorIO", "PyOpenColorIO"),
)
"""Packages and their large modules in C++, in the order in which they are imported."""


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
        for folder in (spec and spec.submodule_search_locations) or ():
            names = (Path(folder, name + suffix) for suffix in EXTENSION_SUFFIXES)
            yield from [path for path in names if path.exists()][:1]
