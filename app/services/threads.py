"""How the threads of the window's process share the interpreter and the cores."""

from __future__ import annotations

import os
import sys

SWITCH_SECONDS = 0.0005
"""Python's thread switch interval. A repaint enters the interpreter many times and must not wait long each time; nor
must the thread that reads the image while modules are imported."""
SPINNING = "OPENBLAS_THREAD_TIMEOUT"
"""How long the idle threads of NumPy's BLAS spin before they sleep: 2 to the power of this, in processor cycles."""
LEAST_SPINNING = "4"


def prepare_threads() -> None:
    """Prepare the process for threads; call this before the first one starts and before NumPy is imported.

    By default the threads of the BLAS spin for 2^26 cycles from the import of NumPy, on cores that the start needs.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    os.environ.setdefault(SPINNING, LEAST_SPINNING)
