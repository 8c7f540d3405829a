"""Runs the commands of tools on a virtual screen where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable


def on_screen(words: Iterable[str], size: str) -> list[str]:
    """Return a command that runs under Xvfb, with a screen of `size` such as 1280x720, if there is no display."""
    has_screen = os.environ.get("DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    if has_screen or not shutil.which("xvfb-run"):
        return [*words]
    return ["xvfb-run", "-a", "-s", f"-screen 0 {size}x24", *words]
