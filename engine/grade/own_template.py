"""The example that a new file of a user's own ops starts with."""

from __future__ import annotations

import re
from pathlib import Path

from engine.core.atomic import write_text
from engine.errors import TesseraError
from engine.grade.own_ops import SUFFIX

_TEMPLATE = '''\
"""{title}: an op of your own.

A class derived from ColorOp is an op: its fields are the controls of its card, and pixel() is its maths. Tessera
prints kernels for the CPU and for GPUs from it, and saves it with the grade. After a change, allow the file again in
the Preferences, under Own ops.
"""

from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Value, dot, exp2, maximum, pow


class {name}(ColorOp):
    """Change the contrast around a pivot. Scene-linear RGB in and out; negative values become 0."""

    label = "{title}"  # the name in the window

    # "linear" for an op on scene-linear values; "working", the default, is the working space of the grade (ACEScct).
    home = "linear"

    # A slider can be dragged and keyed: default, lowest, highest value. `minimum` is a limit for typed values, too.
    stops: float = slider(0.0, -4.0, 4.0, unit="EV", help="Exposure before the contrast")
    contrast: float = slider(1.0, 0.2, 4.0, minimum=0.01, help="1 leaves the contrast as it is")
    pivot: float = slider(0.18, 0.01, 1.0, minimum=0.001, help="The value that stays as it is")
    balance: tuple[float, float, float] = slider((1.0, 1.0, 1.0), 0.0, 2.0, help="A factor for each channel")

    # A choice is compiled into the kernel: use plain `if`.
    of: str = choice("rgb", "luma", help="What the contrast is of: each channel, or the luma, which keeps hues")

    def pixel(self, px: Pixel) -> Value:
        """Return the new RGB of a pixel, or RGBA. Use the functions of engine.kernel.pixel, and select() for if."""
        rgb = px.rgb * exp2(self.stops) * self.balance
        if self.of == "rgb":
            return pow(maximum(rgb, 0.0) / self.pivot, self.contrast) * self.pivot
        luma = maximum(dot((0.2126, 0.7152, 0.0722), rgb), 1e-6)
        return rgb * (pow(luma / self.pivot, self.contrast) * self.pivot / luma)

    def is_identity(self) -> bool:
        """Return whether the op changes nothing: it is then left out of the kernels."""
        return False
'''
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def write_template(name: str, folder: Path) -> Path:
    """Write an example named `name` into a folder and return its path. Raises TargetExists if there is one already."""
    if not _NAME.fullmatch(name):
        raise TesseraError(
            f"'{name}' is not a valid name for an op", "use letters A-Z, digits and _, such as SoftContrast"
        )
    folder.mkdir(parents=True, exist_ok=True)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).strip()
    title = words[:1].upper() + words[1:].lower()
    path = folder / f"{words.lower().replace(' ', '_')}{SUFFIX}"
    class_name = name[:1].upper() + name[1:]
    write_text(path, _TEMPLATE.format(title=title, name=class_name), force=False)
    return path
