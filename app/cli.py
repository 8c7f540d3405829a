"""The command line: `tessera`. What it takes is here; what it does is in `app.commands`, imported when it is asked."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Sequence

FILTERS = ("area", "nearest", "bilinear", "catmull-rom", "lanczos3")
DONE, FAILED, CANCELLED = 0, 1, 130

_UNITS = {"": 1, "b": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
_UNITS |= {f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", 1)}
_UNITS |= {f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)}

WINDOW_HELP = """\
commands:
  tessera export IN OUT     grade a picture and write it
  tessera info FILE         what is in a picture, a LUT, a CDL or a grade
  tessera devices           what can compute here, and what is chosen
  tessera bake GRADE OUT    a grade as a LUT
  tessera COMMAND --help    the options of a command
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 130 cancelled (argparse exits with 2 on misuse)."""
    words = list(sys.argv[1:] if argv is None else argv)
    command = words[0] if words and words[0] in _COMMANDS else ""
    parser = _COMMANDS[command]()
    asked = parser.parse_args(words[1:] if command else words)
    try:
        from app import commands

        getattr(commands, command or "window")(asked)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _said("cancelled", CANCELLED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at exit
        return FAILED
    except Exception as error:  # noqa: BLE001 (the last resort: one line for the user, whatever it is)
        return _failed(error)
    return DONE


def _failed(error: Exception) -> int:
    from engine.errors import Cancelled, TesseraError

    if os.environ.get("TESSERA_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, Cancelled):
        return _said("cancelled", CANCELLED)
    if isinstance(error, TesseraError):
        return _said(str(error), FAILED)
    if isinstance(error, MemoryError):
        return _said("there is not enough memory; close other programs or give --max-memory", FAILED)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return _said(f"unexpected: {what}; run it again with TESSERA_DEBUG=1 and report what it says", FAILED)


def _said(line: str, code: int) -> int:
    """Print one line on standard error, whatever is in it."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in line).split(" "))
    print(f"tessera: {flat}", file=sys.stderr)
    return code


def _window() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tessera",
        description="View and grade scene-linear pictures. Without a command, open the window.",
        epilog=WINDOW_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("picture", nargs="?", metavar="PICTURE", help="the picture to open")
    _add_device(parser)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser


def _export() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tessera export",
        description="Grade a picture and write it. OUT's suffix says the format: .exr .tif .png .dpx .jpg",
    )
    parser.add_argument("source", metavar="IN")
    parser.add_argument("target", metavar="OUT")
    look = parser.add_argument_group("look, applied in this order")
    look.add_argument("--grade", metavar="FILE.json", help="a grade that Tessera saved")
    look.add_argument("--exposure", type=_finite, metavar="EV", help="stops of light; 1 doubles")
    look.add_argument("--cdl", metavar="FILE[#ID]", help="an ASC CDL: .cc, .ccc or .cdl")
    look.add_argument("--cdl-style", choices=("noclamp", "asc"), default="noclamp", help="asc clamps to 0..1")
    look.add_argument("--lut", action="append", default=[], metavar="FILE", help="a LUT; again for more")
    look.add_argument("--interpolation", choices=("file", "linear", "tetrahedral"), default="file", help="of 3D LUTs")
    output = parser.add_argument_group("output")
    output.add_argument("--type", choices=("source", "half", "float"), default="source", help="of graded channels")
    output.add_argument(
        "--compression", metavar="NAME[:LEVEL]", help="such as zip:6, piz, dwaa:45; the source's if not"
    )
    output.add_argument("--storage", metavar="KIND", help="scanline, tiled or tiled:N; the source's if not")
    output.add_argument("--crop", metavar="BOX", help="data, display, or x,y,w,h in the file's coordinates")
    output.add_argument("--resize", type=_sides, metavar="WxH", help="size of what is written, after the crop")
    output.add_argument("--filter", choices=FILTERS, default="lanczos3", help="of --resize; lanczos3 if not")
    _add_device(output)
    output.add_argument("--max-memory", type=_size, metavar="SIZE", help="such as 512MB or 2GiB")
    output.add_argument("--tile", type=_positive, metavar="N", help="side of a tile, or rows of a band")
    output.add_argument("--part", metavar="N|NAME", help="the part of the file to grade")
    output.add_argument(
        "--layer", action="append", default=[], metavar="NAME", help="the layer of the part to grade; again for more"
    )
    output.add_argument("--only-graded", action="store_true", help="leave out whatever is not graded")
    output.add_argument("--salvage", action="store_true", help="write what can be read of a damaged file")
    output.add_argument("--dry-run", action="store_true", help="print the header before and after; write nothing")
    output.add_argument("--force", action="store_true", help="replace OUT if it is there")
    output.add_argument("--progress", choices=("bar", "json", "none"), help="bar on a terminal, else none")
    output.add_argument("--report", metavar="FILE.json", help="write what was used, how long it took, how much memory")
    return parser


def _info() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tessera info",
        description="What is in a picture (parts, channels, windows, metadata), in a LUT or CDL, or in a grade.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="for programs")
    return parser


def _devices() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tessera devices", description="Every backend: whether it can be used, its device and memory."
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    return parser


def _bake() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tessera bake", description="Write a grade as a 3D LUT.")
    parser.add_argument("grade", metavar="GRADE", help="a grade (.json), a CDL or a LUT")
    parser.add_argument("target", metavar="OUT.cube")
    parser.add_argument("--size", type=_positive, default=33, metavar="N", help="entries along each axis; 33 if not")
    parser.add_argument(
        "--highest", type=_light, default=1.0, metavar="LIGHT", help="largest input that it answers; 1 if not"
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there")
    return parser


_COMMANDS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "": _window,
    "export": _export,
    "info": _info,
    "devices": _devices,
    "bake": _bake,
}


def _add_device(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--backend", type=_backend, default="auto", metavar="NAME", help="auto, cpu, wgpu, cuda; see `tessera devices`"
    )
    parser.add_argument("--threads", type=_positive, default=0, metavar="N", help="one per core if not given")


def _backend(text: str) -> str:
    """auto, or the name of a device: cpu, wgpu, cuda, cuda:1, wgpu:intel."""
    if not re.fullmatch(r"auto|cpu|wgpu(:.+)?|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no backend; use auto, cpu, wgpu or cuda")
    return text


def _size(text: str) -> int:
    """Bytes from a number with a unit: 512MB, 2GiB, 1.5G."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in _UNITS or (size := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give one such as 512MB or 2GiB")
    return size


def _sides(text: str) -> tuple[int, int]:
    """Width and height from 1920x1080."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    if not match or min(int(match[1]), int(match[2])) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give one such as 1920x1080")
    return int(match[1]), int(match[2])


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _finite(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def _light(text: str) -> float:
    number = _finite(text)
    if number < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is below 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
