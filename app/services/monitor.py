"""Identifies the display type of the monitor by the colour profile that the system has set for it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

GAMUTS = {
    "srgb_rec709_display": (0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141),
    "srgb_p3d65_display": (0.5151, 0.2412, -0.0011, 0.2919, 0.6922, 0.0419, 0.1572, 0.0666, 0.7841),
    "": (0.6734, 0.2790, -0.0019, 0.1656, 0.6753, 0.0299, 0.1251, 0.0456, 0.7969),
}
"""colorInteropIDs of displays, and the D50 XYZ of their red, green and blue primaries, as in ICC profiles. The last
is BT.2020, which no display of ordinary contrast uses."""
PROPERTY = re.compile(r"_ICC_PROFILE = ([\d, ]+)")


def monitor_id() -> str:
    """Return the colorInteropID of the display nearest to the monitor's profile; '' if there is none."""
    profile = _profile()
    return id_of(profile) if profile else ""


def id_of(profile: bytes) -> str:
    """Return the colorInteropID nearest to an ICC profile; '' if it is not a matrix profile of a display.

    The layout of profiles is in ICC.1:2022, 7.2, 7.3 and 10.31.
    """
    try:
        found = [value for tag in (b"rXYZ", b"gXYZ", b"bXYZ") for value in _xyz(profile, tag)]
    except (struct.error, StopIteration):
        return ""

    def apart(name: str) -> float:
        return math.dist(found, GAMUTS[name])

    return min(GAMUTS, key=apart) if profile[36:40] == b"acsp" else ""


def _xyz(profile: bytes, tag: bytes) -> tuple[float, ...]:
    (count,) = struct.unpack_from(">I", profile, 128)
    entries = (struct.unpack_from(">4sII", profile, 132 + 12 * number) for number in range(count))
    offset = next(offset for name, offset, _ in entries if name == tag)
    return tuple(value / 65536.0 for value in struct.unpack_from(">3i", profile, offset + 8))


def _profile() -> bytes | None:
    """Return the profile of the main monitor, or None."""
    with contextlib.suppress(OSError, AttributeError, ValueError, subprocess.SubprocessError):
        if sys.platform == "win32":
            return _of_windows()
        if sys.platform == "darwin":
            return _of_macos()
        if os.environ.get("DISPLAY") and (tool := shutil.which("xprop")):
            asked = [tool, "-root", "-notype", "_ICC_PROFILE"]
            return of_property(subprocess.run(asked, capture_output=True, text=True, timeout=2, check=False).stdout)
    return None


def of_property(text: str) -> bytes | None:
    """Return the profile in the output of `xprop` for X11's root window, or None."""
    match = PROPERTY.search(text)
    return bytes(int(number) for number in match[1].split(",")) if match else None


def _of_windows() -> bytes | None:
    windows: Any = ctypes.windll  # type: ignore[attr-defined]
    screen = windows.user32.GetDC(0)
    size = ctypes.c_ulong(1024)
    name = ctypes.create_unicode_buffer(size.value)
    found = windows.gdi32.GetICMProfileW(screen, ctypes.byref(size), name)
    windows.user32.ReleaseDC(0, screen)
    return Path(name.value).read_bytes() if found else None


def _of_macos() -> bytes | None:
    graphics = ctypes.CDLL("/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics")
    core = ctypes.CDLL("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation")
    for function in (graphics.CGDisplayCopyColorSpace, graphics.CGColorSpaceCopyICCData, core.CFDataGetBytePtr):
        function.restype = ctypes.c_void_p
    core.CFDataGetLength.restype = ctypes.c_long
    space = ctypes.c_void_p(graphics.CGDisplayCopyColorSpace(graphics.CGMainDisplayID()))
    data = ctypes.c_void_p(graphics.CGColorSpaceCopyICCData(space)) if space else None
    if not data:
        return None
    return ctypes.string_at(core.CFDataGetBytePtr(data), core.CFDataGetLength(data))
