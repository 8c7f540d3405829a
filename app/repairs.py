"""Repairs of defects in the libraries that the window stands on."""

from __future__ import annotations

import ctypes
import sys

import PySide6

_REFERENCES = 1 << 40
"""More than any session can lose."""


def keep_bools() -> None:
    """Keep True and False from being freed.

    `Signal.emit` of PySide6 6.12.0 releases a reference to True that it does not own: 50 signals without a receiver
    lower `sys.getrefcount(True)` by 50, and the process ends with `bool_dealloc` a few hundred later. 6.10.2 and 6.11.1
    do not. From Python 3.12 on True is immortal, so that only older ones need this: references that nobody gives back.
    """
    if sys.version_info < (3, 12) and PySide6.__version_info__ >= (6, 12):
        for value in (True, False):
            ctypes.c_ssize_t.from_address(id(value)).value += _REFERENCES
