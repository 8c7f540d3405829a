"""Workarounds for bugs and slow parts of PySide6."""

from __future__ import annotations

import builtins
import ctypes
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from app.widgets.qt_enums import create_quickly

STYLE, _OVERRIDE = "Fusion", "QT_STYLE_OVERRIDE"
_REFERENCES = 1 << 40
"""Extra references; more than any session can lose."""
_LONG = 1000
"""Characters of the shortest pattern that is compiled late."""
_UNUSED = ("argparse", "tempfile", "zipfile")
"""Modules that PySide6 imports for work that it does not do here."""


def keep_constants() -> None:
    """Keep None, True and False from being freed.

    PySide6 6.12.0 releases references that it does not own: one to None in every call that returns nothing and one to
    True in every `Signal.emit`, as `sys.getrefcount` shows; 6.10.2 and 6.11.3 do not. These objects are immortal from
    Python 3.12 on. Earlier versions abort with `none_dealloc` or `bool_dealloc` after some thousand calls, so this
    function adds references that are never released.
    """
    import PySide6

    if sys.version_info < (3, 12) and PySide6.__version_info__ >= (6, 12):
        for value in (None, True, False):
            ctypes.c_ssize_t.from_address(id(value)).value += _REFERENCES


def import_plainly() -> None:
    """Take back PySide6's hooks into the import of modules that are not its own, in all threads.

    They serve `from __feature__ import ...`, which Tessera does not use: they run code in every import statement, and
    read the source of every module that is imported, 0.2 ms each, to look for PySide6 there; `linecache` then keeps
    the text. Call this before importing modules of Qt, and before starting threads.
    """
    create_quickly()
    with _patterns_late(), _modules_late():
        import PySide6  # noqa: F401
    feature: Any = sys.modules.get("shibokensupport.feature")  # importing PySide6 has made it, if it has one
    if hasattr(feature, "feature_imported"):
        feature.feature_imported = lambda module: None  # for imports that have begun on other threads
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def choose_style() -> None:
    """Choose Qt's style by the environment, before there is an application.

    `QApplication.setStyle` returns a QStyle, whose 600 constants take a hundredth of the start to make.
    """
    os.environ[_OVERRIDE] = STYLE


def has_style() -> bool:
    """Return whether `choose_style` has been called."""
    return os.environ.get(_OVERRIDE) == STYLE


class _LatePattern:
    """A regular expression that is compiled when one of its methods is called."""

    def __init__(self, *what: Any) -> None:
        self._what = what

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: getattr(re.compile(*self._what), name)(*args, **kwargs)


@contextmanager
def _patterns_late() -> Iterator[None]:
    """Let PySide6 not compile its patterns for nested brackets while it is imported.

    They are for help texts and error messages, and take a twentieth of the time to the first image.
    """
    compile_now = re.compile

    def compile_late(pattern: Any, flags: int = 0) -> Any:
        return (_LatePattern if len(pattern) >= _LONG else compile_now)(pattern, flags)

    re.compile = compile_late
    try:
        yield
    finally:
        re.compile = compile_now


class _LateModule(ModuleType):
    """Stands for a module that is imported when one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


@contextmanager
def _modules_late() -> Iterator[None]:
    """Let PySide6 not load the modules that it imports but does not use; others import them as always."""
    late = [_LateModule(name) for name in _UNUSED if name not in sys.modules]
    sys.modules.update({module.__name__: module for module in late})
    try:
        yield
    finally:
        for module in late:
            if sys.modules.get(module.__name__) is module:
                del sys.modules[module.__name__]
