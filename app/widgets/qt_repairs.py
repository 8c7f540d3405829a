"""Workarounds for bugs in PySide6."""

from __future__ import annotations

import ctypes
import sys

import PySide6

_REFERENCES = 1 << 40
"""Extra references; more than any session can lose."""


def keep_constants() -> None:
    """Keep None, True and False from being freed.

    PySide6 6.12.0 releases references that it does not own: one to None in every call that returns nothing and one to
    True in every `Signal.emit`, as `sys.getrefcount` shows; 6.10.2 and 6.11.3 do not. These objects are immortal from
    Python 3.12 on. Earlier versions abort with `none_dealloc` or `bool_dealloc` after some thousand calls, so this
    function adds references that are never released.
    """
    if sys.version_info < (3, 12) and PySide6.__version_info__ >= (6, 12):
        for value in (None, True, False):
            ctypes.c_ssize_t.from_address(id(value)).value += _REFERENCES
