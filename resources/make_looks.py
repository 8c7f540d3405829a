"""Make the looks beside this script, in `looks/`: a grade of each, and a CLF where one can hold it.

    python -m resources.make_looks [DIR]

A grade holds one group with the name of the look. The CLF of a look works in ACEScct, the working space of grades, so
that a LUT of the wall is the same look. Grain, glows and vignettes are not of a CLF: those looks are grades only.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engine import Grade, ops
from engine.color.management import manage
from engine.core.atomic import write_text
from engine.errors import GradeError
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Group
from engine.kernel.op import Op
from engine.luts.look_files import write_look

LOOKS = Path(__file__).resolve().parent / "looks"
CONFIG = "ocio://studio-config-v5.0.0_aces-v2.1_ocio-v2.6"
"""The config of the CLFs, named so that a newer one does not change them."""
GREY = 0.4135884
"""The ACEScct code of mid grey."""
RGB = tuple[float, float, float]


def split(red: float, green: float, blue: float) -> Op:
    """Return a CDL that tints highlights this way and shadows the other way; mid grey stays neutral."""
    shares = red, green, blue
    return ops.Cdl(slope=tuple(1.0 + each for each in shares), offset=tuple(-GREY * each for each in shares))


def tint(red: float, green: float, blue: float) -> Op:
    """Return gains of the channels, in stops."""
    r, g, b = (round(2.0**stops, 6) for stops in (red, green, blue))
    return ops.ChannelMixer(red=(r, 0.0, 0.0), green=(0.0, g, 0.0), blue=(0.0, 0.0, b))


def faded(black: float, white: float = 0.0) -> Op:
    """Return a CDL that lifts blacks and lowers whites, in stops about mid grey at the ends of eight stops."""
    slope = 1.0 - (black + white) / 16.0
    return ops.Cdl(slope=(slope,) * 3, offset=(GREY * (1.0 - slope) + (black - white) / 35.04,) * 3)


def grey(red: float, green: float, blue: float) -> Op:
    """Return black and white with these shares of the channels."""
    return ops.ChannelMixer(monochrome=1.0, grey=(red, green, blue))


def film(contrast: float, toe: float = 0.5, shoulder: float = 0.6) -> Op:
    """Return a contrast with the toe and the shoulder of film."""
    return ops.FilmicContrast(contrast, toe=toe, shoulder=shoulder)


def grain(amount: float, size: float = 1.6) -> Op:
    return ops.Grain(amount, size)


MADE: dict[str, tuple[Op, ...]] = {
    # Prints and negatives
    "Gentle film": (film(1.12), split(0.02, 0.0, -0.018), ops.Saturation(0.94), ops.Halation(0.05), grain(0.05)),
    "Warm print": (ops.Contrast(1.1), split(0.035, 0.006, -0.035), ops.Saturation(1.02)),
    "Faded print": (faded(1.4, 0.5), split(0.02, 0.008, -0.03), ops.Saturation(0.82)),
    "Old negative": (faded(1.0, 0.3), split(0.03, -0.012, -0.035), ops.Saturation(0.78), grain(0.09, 2.2)),
    "Bleach bypass": (ops.Contrast(1.28), ops.Saturation(0.42), tint(-0.02, 0.0, 0.03)),
    "Cross process": (ops.Contrast(1.16), split(0.02, 0.045, -0.09), ops.Saturation(1.06)),
    "Instant film": (
        faded(1.1, 0.4),
        split(0.03, 0.012, -0.045),
        ops.Saturation(0.86),
        ops.Vignette(0.5),
        grain(0.04, 2.0),
    ),
    "Small gauge": (film(1.2), split(0.035, 0.01, -0.04), ops.Halation(0.08, radius=20.0), grain(0.1, 2.2)),
    "Three strip": (
        ops.ChannelMixer(red=(1.12, -0.08, -0.04), green=(-0.06, 1.1, -0.04), blue=(-0.03, -0.09, 1.12), neutrals=1.0),
        ops.Contrast(1.05),
        tint(0.05, 0.0, -0.05),
    ),
    # Places and light
    "Golden hour": (ops.WhiteBalance(8200.0, 3.0), split(0.025, 0.006, -0.02), ops.Saturation(1.06)),
    "Desert": (ops.WhiteBalance(7600.0), ops.Contrast(1.1), split(0.03, 0.012, -0.045), ops.Saturation(0.84)),
    "Arctic": (ops.Exposure(0.15), ops.WhiteBalance(5600.0), split(-0.012, 0.0, 0.016), ops.Saturation(0.76)),
    "Overcast": (ops.WhiteBalance(6000.0), ops.Contrast(0.92), ops.Saturation(0.8)),
    "Dusty summer": (faded(0.8, 0.2), ops.WhiteBalance(7300.0), split(0.012, 0.01, -0.03), ops.Saturation(0.88)),
    "Candlelight": (ops.Exposure(-0.25), ops.WhiteBalance(9200.0, 2.0), ops.Saturation(0.94), ops.Halation(0.06)),
    "Cool night": (ops.Exposure(-0.8), ops.WhiteBalance(4900.0), split(-0.02, 0.0, 0.02), ops.Saturation(0.78)),
    "Day for night": (ops.Exposure(-1.6), ops.WhiteBalance(4300.0), ops.Contrast(1.06), ops.Saturation(0.55)),
    "Moonlight": (ops.Exposure(-0.9), ops.Saturation(0.3), tint(-0.28, 0.0, 0.32), ops.Contrast(1.08)),
    "Neon": (ops.Saturation(1.22), split(-0.025, -0.02, 0.045), ops.Contrast(1.08), ops.Bloom(0.1)),
    # Moods
    "Teal and orange": (split(0.08, 0.004, -0.07), ops.Contrast(1.06), ops.Saturation(1.04)),
    "Steel": (ops.Contrast(1.18), ops.Saturation(0.58), split(-0.016, 0.0, 0.024)),
    "Copper": (ops.Contrast(1.14), ops.Saturation(0.62), split(0.045, 0.004, -0.05), tint(0.05, 0.0, -0.06)),
    "Pastel": (ops.Exposure(0.3), ops.Contrast(0.84), ops.Saturation(0.84), tint(0.04, 0.0, 0.03)),
    "High key": (ops.Exposure(0.65), ops.Contrast(0.9), ops.Saturation(0.94)),
    "Low key": (ops.Exposure(-0.45), ops.Contrast(1.22), ops.Saturation(0.88), ops.Vignette(0.9)),
    # Black and white
    "Silver": (grey(0.3, 0.5, 0.2), ops.Contrast(1.06)),
    "Red filter": (grey(0.72, 0.26, 0.02), ops.Contrast(1.16)),
    "Noir": (grey(0.4, 0.5, 0.1), film(1.4, 0.4, 0.5), ops.Vignette(0.8), grain(0.08, 2.0)),
    "Sepia": (grey(0.34, 0.5, 0.16), faded(0.5), tint(0.34, 0.0, -0.55)),
    "Cyanotype": (grey(0.3, 0.5, 0.2), ops.Contrast(1.1), split(-0.03, 0.0, -0.02), tint(-0.65, -0.05, 0.5)),
}
"""The looks by name. What is of a CLF stands for itself: colour in scene-linear light, or CDLs in ACEScct."""


def look_of(name: str) -> Grade:
    """Return a look as a grade."""
    return Grade([Group(MADE[name], name)])


def file_name(name: str) -> str:
    return name.lower().replace(" ", "_")


def write(name: str, folder: Path) -> list[Path]:
    """Write the files of a look and return their paths."""
    grade = folder / f"{file_name(name)}.json"
    write_text(grade, json.dumps(look_of(name).to_json(), indent=1) + "\n")
    exact = grade.with_suffix(".clf")
    managed = manage(ColourSetup(CONFIG, input="ACEScct", output="ACEScct"))
    try:
        write_look(look_of(name), exact, managed)
    except GradeError:  # grain, glows and the like
        return [grade]
    return [grade, exact]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=LOOKS)
    folder: Path = parser.parse_args().folder
    for name in MADE:
        print(*write(name, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
