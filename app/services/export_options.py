"""The options of `tessera export` that the window offers, in one table, and the command lines built from them."""

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
"""Options that differ from their defaults, by name: the text that the command line takes, or 'yes' for a switch."""
YES = "yes"


@dataclass(frozen=True)
class Option:
    """An option of the command line, and how the dialog shows it.

    `name` is its name without dashes. `choices` are its values with their labels. Without choices it is a text:
    `example` is shown while the field is empty, and `known` names a list that the dialog fills. With `many` it takes
    several values, separated by commas. A `switch` is on or off.
    """

    name: str
    page: str
    label: str
    tip: str
    choices: tuple[tuple[str, str], ...] = ()
    example: str = ""
    known: str = ""
    many: bool = False
    switch: bool = False


_TYPES = (("", "Same as the source"), ("half", "Half, 16 bit"), ("float", "Float, 32 bit"))
_FILTERS = (
    ("", "Lanczos 3"),
    ("area", "Area"),
    ("nearest", "Nearest"),
    ("bilinear", "Bilinear"),
    ("catmull-rom", "Catmull-Rom"),
)
_AS_GRADE = "Same as the grade"
_MISSING = (("", "Fail"), ("skip", "Skip"), ("hold", "Hold the previous frame"), ("black", "Black"))

OPTIONS: tuple[Option, ...] = (
    Option("type", "File", "Sample type", "Sample type of the graded channels; others keep theirs", _TYPES),
    Option(
        "compression",
        "File",
        "Compression",
        "Compression, with a level where the method has one; empty: same as the source",
        example="Same as the source",
        known="compressions",
    ),
    Option(
        "storage",
        "File",
        "Storage",
        "Scanline or tiled; empty: same as the source",
        example="scanline, tiled, tiled:64",
    ),
    Option("only-graded", "File", "Graded channels only", "Leave out channels that are not graded", switch=True),
    Option("part", "Image", "Part", "The part of the file to grade", example="The first part", known="parts"),
    Option(
        "layer",
        "Image",
        "Layers",
        "The layers to grade, separated by commas",
        example="The main layer",
        known="layers",
        many=True,
    ),
    Option("crop", "Image", "Crop", "data, display, or x,y,w,h in pixels of the file", example="None"),
    Option("resize", "Image", "Resize", "Size of the output in pixels, after the crop", example="1920x1080"),
    Option("filter", "Image", "Filter", "The filter used to resize", _FILTERS),
    Option("config", "Colour", "Config", "OpenColorIO config; empty: the grade's", example=_AS_GRADE),
    Option("input", "Colour", "Input space", "Colour space of the image; empty: the grade's", (), _AS_GRADE, "spaces"),
    Option(
        "working",
        "Colour",
        "Working space",
        "Colour space in which CDLs and LUTs work; empty: the grade's",
        (),
        _AS_GRADE,
        "spaces",
    ),
    Option("output", "Colour", "Output space", "Colour space of the output", (), _AS_GRADE, "spaces"),
    Option("display", "Colour", "Display", "Convert to the values of a display", (), "None: scene values", "displays"),
    Option("view", "Colour", "View", "View of the display", (), "The display's default", "views"),
    Option("looks", "Colour", "Looks", "Looks to apply before the view, or none", (), "Looks of the view", "looks"),
    Option("context", "Colour", "Context", "Context variables of the config", example="SHOT=sc010, SEQ=ab", many=True),
    Option("frames", "Sequence", "Frames", "The frames to write; empty: all that exist", example="1001-1100,1150"),
    Option("missing", "Sequence", "Missing frames", "What to do for a frame without a file", _MISSING),
    Option(
        "resume",
        "Sequence",
        "Unfinished frames only",
        "Skip frames that were already completed in the same way",
        switch=True,
    ),
    Option(
        "watch",
        "Sequence",
        "Follow",
        "Follow a growing sequence until no frame arrives for this many seconds",
        example="Seconds",
    ),
    Option("dask", "Sequence", "Farm", "Address of a Dask scheduler, or local:N", example="None"),
    Option("dask-tls", "Sequence", "Farm TLS", "PEM files for the scheduler: CA, certificate, key", example="None"),
    Option("backend", "Computing", "Device", "The device that computes the export", example="auto", known="backends"),
    Option("threads", "Computing", "Threads", "CPU threads; empty: one per core", example="One per core"),
    Option("max-memory", "Computing", "Memory", "The most memory that the export may use", example="512MB, 2GiB"),
    Option("tile", "Computing", "Tile", "Side of a tile, or rows of a band, in pixels", example="Automatic"),
    Option("salvage", "Computing", "Salvage", "Export the readable parts of a damaged file", switch=True),
)

ELSEWHERE = {
    "grade": "the grade of the window",
    "exposure": "a part of the grade",
    "cdl": "a part of the grade",
    "cdl-style": "a part of the grade",
    "lut": "a part of the grade",
    "interpolation": "a part of the grade",
    "dry-run": "the button that shows the header",
    "force": "a question of the dialog",
    "existing": "a question of the dialog",
    "progress": "set by the queue",
    "report": "the log of the queue",
    "help": "the tooltips",
}
"""Options of the command line without a field in the dialog, and what replaces them."""

PRESETS: dict[str, dict[str, str]] = {
    "Same as the source": {},
    "EXR half, ZIP": {"type": "half", "compression": "zip"},
    "EXR half, DWAA 45 (lossy)": {"type": "half", "compression": "dwaa:45"},
    "EXR float, ZIP, graded channels only": {"type": "float", "compression": "zip", "only-graded": YES},
}
COMPRESSIONS = ("none", "rle", "zips", "zip", "zip:9", "piz", "pxr24", "b44", "b44a", "dwaa", "dwaa:45", "dwab")
"""The compressions that the dialog offers; others can be typed."""


@dataclass(frozen=True)
class ExportOrder:
    """What to export, and how. `existing` is the option of the command line; for a `sequence` it may name frames."""

    source: Path
    target: Path
    grade: Grade
    options: Values = field(default_factory=dict)
    existing: str = "fail"
    sequence: bool = False

    @property
    def again(self) -> ExportOrder:
        """The order for the rest, after the export failed or was stopped: frames that it has completed are kept."""
        return replace(self, options={**self.options, "resume": YES}) if self.sequence else self


def option_words(values: Values) -> list[str]:
    """Return the command-line arguments for options; texts are passed on as typed.

    A name and its value are one argument, so that a value may begin with a minus sign.
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
    """Return the command line of an order, without the interpreter."""
    start = ["-m", "app.cli.main", "export", str(order.source), str(order.target), "--grade", str(grade)]
    return [*start, *option_words(order.options), f"--existing={order.existing}", "--progress", "json"]


def check(values: Values) -> argparse.Namespace:
    """Return the options as the command line parses them; TesseraError with its message if it refuses them."""
    parser = command.parser()
    parser.error = _refuse  # type: ignore[method-assign]
    return parser.parse_args(["in", "out", *option_words(values)])


def _refuse(message: str) -> Any:
    raise TesseraError(message.removeprefix("argument --").replace("--", ""), "correct it")
