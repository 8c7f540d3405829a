"""The import of NumPy without the docstrings of its compiled functions."""

from __future__ import annotations

import sys
from types import ModuleType

DOCUMENTING = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
"""Modules of NumPy that only add docstrings, half a megabyte of them: a tenth of the time that its import takes."""


def import_plainly() -> None:
    """Import NumPy without what it only documents, which nobody asks for in a window."""
    for name in DOCUMENTING:
        sys.modules.setdefault(name, ModuleType(name))
    import numpy  # noqa: F401
