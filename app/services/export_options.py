"""Every option of `tessera export` that the window offers, in one table, and the command line that they make."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.cli.commands import export as command
from engine import Grade
from engine.errors import TesseraError

Values = Mapping[str, str]
"""Options that are not at their defaults, by name: a text as the command line takes it; 'yes' for a switch."""
YES = "yes"


@dataclass(frozen=True)
class Option:
    """`name` is the command line's, without dashes. `choices` are its words with their labels; where there are none it
    is a text, with `example` shown while it is empty and `known` naming a list that the dialog fills. `many` takes
    several, with commas between them. A `switch` is on or off."""

    name: str
    page: str
    label: str
    tip: str
    choices: tuple[tuple[str, str], ...] = ()
    example: str = ""
    known: str = ""
    many: bool = False
    switch: bool = False


_TYPES = (("", "As the source"), ("half", "Half, 16 bit"), ("float", "Float, 32 bit"))
_COMPRESSIONS = [
    "none",
    "rle",
    "zips",
    "zip",
    "zip:9",
    "piz",
    "pxr24",
    "b44",
    "b44a",
    "dwaa",
    "dwaa:45",
    "dwab",
    "htj2k256",
    "htj2k32",
]
_FILTERS = (
    ("", "Lanczos 3"),
    ("area", "Area"),
    ("nearest", "Nearest"),
    ("bilinear", "Bilinear"),
    ("catmull-rom", "Catmull-Rom"),
)
_MISSING = (("", "Fail"), ("skip", "Leave out"), ("hold", "Hold the one before"), ("black", "Black"))

OPTIONS: tuple[Option, ...] = (
    Option("type", "File", "Sample type", "Sample type of the graded channels; others keep theirs", _TYPES),
    Option(
        "compression",
        "File",
        "Compression",
        "How the file is compressed, with a level where there is one; empty is as the source",
        example="As the source",
        known="compressions",
    ),
    Option("storage", "File", "Storage", "Lines or tiles; empty is as the source", example="scanline, tiled, tiled:64"),
    Option("only-graded", "File", "Graded channels only", "Leave out whatever is not graded", switch=True),
    Option("part", "Image", "Part", "The part of the file that is graded", example="The first", known="parts"),
    Option(
        "layer",
        "Image",
        "Layers",
        "The layers that are graded, with commas between them",
        example="The main one",
        known="layers",
        many=True,
    ),
    Option("crop", "Image", "Crop", "data, display, or x,y,w,h in pixels of the file", example="None"),
    Option("resize", "Image", "Resize", "Size in pixels of what is written, after the crop", example="1920x1080"),
    Option("filter", "Image", "Filter", "The filter of the resize", _FILTERS),
    Option("config", "Colour", "Config", "The OpenColorIO config; empty is the grade's", example="As the grade"),
    Option("input", "Colour", "Input space", "The image's space; empty is the grade's", (), "As the grade", "spaces"),
    Option(
        "working",
        "Colour",
        "Working space",
        "The space of CDLs and LUTs; empty is the grade's",
        (),
        "As the grade",
        "spaces",
    ),
    Option("output", "Colour", "Output space", "The space of the result", (), "As the grade", "spaces"),
    Option("display", "Colour", "Display", "End in the values of a display", (), "None: scene values", "displays"),
    Option("view", "Colour", "View", "Through this view of the display", (), "The display's default", "views"),
    Option("looks", "Colour", "Looks", "Looks before the view: names, or none", (), "Those of the view", "looks"),
    Option("context", "Colour", "Context", "Context variables of the config", example="SHOT=sc010, SEQ=ab", many=True),
    Option(
        "frames", "Sequence", "Frames", "The frames to write; empty is all that are there", example="1001-1100,1150"
    ),
    Option("missing", "Sequence", "Missing frames", "What is done for a frame that has no file", _MISSING),
    Option("resume", "Sequence", "Only what is not done", "Skip frames that are complete and made alike", switch=True),
    Option(
        "watch",
        "Sequence",
        "Follow",
        "Follow it as it grows, until nothing came for so many seconds",
        example="Seconds",
    ),
    Option("dask", "Sequence", "Farm", "Address of a Dask scheduler, or local:N", example="None"),
    Option("dask-tls", "Sequence", "Farm TLS", "PEM files for its scheduler: CA, certificate, key", example="None"),
    Option("backend", "Computing", "Device", "What computes the export", example="auto", known="backends"),
    Option("threads", "Computing", "Threads", "Threads of the CPU; empty is one per core", example="One per core"),
    Option("max-memory", "Computing", "Memory", "What the export may hold in memory", example="512MB, 2GiB"),
    Option("tile", "Computing", "Tile", "Side of a tile, or rows of a band, in pixels", example="As it fits"),
    Option("salvage", "Computing", "Salvage", "Write what can be read of a damaged file", switch=True),
)

ELSEWHERE = {
    "grade": "the grade of the window",
    "exposure": "a part of the grade",
    "cdl": "a part of the grade",
    "cdl-style": "a part of the grade",
    "lut": "a part of the grade",
    "interpolation": "a part of the grade",
    "dry-run": "the button that shows the header",
    "force": "asked by the dialog",
    "existing": "asked by the dialog",
    "progress": "the queue's",
    "report": "the queue's log",
    "help": "the tooltips",
}
"""Options of the command line that the dialog has no field for, and what stands for them."""

PRESETS: dict[str, dict[str, str]] = {
    "As the source": {},
    "EXR half, ZIP": {"type": "half", "compression": "zip"},
    "EXR half, DWAA 45 (lossy)": {"type": "half", "compression": "dwaa:45"},
    "EXR float, ZIP, graded channels only": {"type": "float", "compression": "zip", "only-graded": YES},
}
COMPRESSIONS = ("none", "rle", "zips", "zip", "zip:9", "piz", "pxr24", "b44", "b44a", "dwaa", "dwaa:45", "dwab")
"""Those that are offered; others can be typed."""


@dataclass(frozen=True)
class ExportOrder:
    """What to write, and how. `existing` is that of the command line; of a `sequence` it may name frames."""

    source: Path
    target: Path
    grade: Grade
    options: Values = field(default_factory=dict)
    existing: str = "fail"
    sequence: bool = False

    @property
    def again(self) -> ExportOrder:
        """The order of what is left, after it failed or was stopped: frames that it has made stay."""
        return replace(self, options={**self.options, "resume": YES}) if self.sequence else self


def option_words(values: Values) -> list[str]:
    """The words of a command line for options; texts are as typed.

    A name and its value are one word, so that a value may begin with a minus sign.
    """
    words = []
    for option in OPTIONS:
        value = values.get(option.name, "").strip()
        if not value:
            continue
        if option.switch:
            words.append(f"--{option.name}")
            continue
        words += [f"--{option.name}={each.strip()}" for each in (value.split(",") if option.many else [value])]
    return words


def arguments(order: ExportOrder, grade: Path) -> list[str]:
    """The command line of an order."""
    start = ["-m", "app.cli.main", "export", str(order.source), str(order.target), "--grade", str(grade)]
    return [*start, *option_words(order.options), f"--existing={order.existing}", "--progress", "json"]


def check(values: Values) -> argparse.Namespace:
    """What the command line makes of options; TesseraError with its words where it refuses them."""
    parser = command.parser()
    parser.error = _refuse  # type: ignore[method-assign]
    return parser.parse_args(["in", "out", *option_words(values)])


def _refuse(message: str) -> Any:
    raise TesseraError(message.removeprefix("argument --").replace("--", ""), "correct it")
