"""The options of `tessera export`, in one table: the command line and the export dialog are built from it.

Other commands share some of them. The table loads neither the engine nor Qt, since `tessera --help` reads it.
"""

from __future__ import annotations

from app.model.movie_options import MOVIES
from app.model.option import Field, Group, Option
from app.model.option_values import backend, existing, finite, matte_channel, positive, sides, size, variable
from app.model.sequence_options import SEQUENCES

PAGES = ("Basic", "Movie", "Colour", "Output", "Sequence", "Computing")
"""The groups of fields in the export dialog."""

_OF_GRADE = Field(elsewhere="a part of the grade")
_QUESTION = Field(elsewhere="a question of the dialog")
_AS_GRADE = "Same as the grade"

GRADE = Group(
    "grade, applied in this order",
    (
        Option(
            "grade",
            "a grade saved by Tessera, or an EXR exported by it",
            metavar="FILE",
            field=Field(elsewhere="the grade of the window"),
        ),
        Option(
            "allow-op",
            "allow this run to execute a file of your own ops, Python code that runs with your rights; can be repeated",
            metavar="FILE|HASH|HASH:FILE",
            repeats=True,
            field=Field(elsewhere="the files that the Preferences allow"),
        ),
        Option("exposure", "exposure in stops; 1 doubles", metavar="EV", parse=finite, field=_OF_GRADE),
        Option("cdl", "an ASC CDL: .cc, .ccc or .cdl", metavar="FILE[#ID]", field=_OF_GRADE),
        Option(
            "cdl-style",
            "style of the CDL; asc clamps to 0..1",
            choices=("noclamp", "asc"),
            default="noclamp",
            field=_OF_GRADE,
        ),
        Option("lut", "a LUT; can be repeated", metavar="FILE", repeats=True, field=_OF_GRADE),
        Option(
            "interpolation",
            "interpolation of 3D LUTs",
            choices=("file", "linear", "tetrahedral"),
            default="file",
            field=_OF_GRADE,
        ),
    ),
)

COLOUR = Group(
    "colour",
    (
        Option(
            "config",
            "an OpenColorIO config: .ocio, .ocioz, a folder, a built-in one, or raw; default: $OCIO, or the newest "
            "studio config",
            metavar="NAME",
            default="",
            field=Field("Colour", "Config", tip="OpenColorIO config", default=_AS_GRADE),
        ),
        Option(
            "input",
            "input space; default: detected",
            metavar="SPACE",
            default="",
            field=Field("Colour", "Input space", tip="Colour space of the image", default=_AS_GRADE, known="spaces"),
        ),
        Option(
            "working",
            "space of CDLs and LUTs; default: ACEScct, or the config's log space",
            metavar="SPACE",
            default="",
            field=Field(
                "Colour",
                "Working space",
                tip="Colour space in which CDLs and LUTs work",
                default=_AS_GRADE,
                known="spaces",
            ),
        ),
        Option(
            "output",
            "space of the result; default: the input space",
            metavar="SPACE",
            default="",
            field=Field("Colour", "Output space", tip="Colour space of the output", default=_AS_GRADE, known="spaces"),
        ),
        Option(
            "display",
            "convert the result to this display",
            metavar="NAME",
            field=Field("Colour", "Display", default="None: scene values", known="displays"),
        ),
        Option(
            "view",
            "use this view; default: the display's default view",
            metavar="NAME",
            field=Field("Colour", "View", default="Default of the display", known="views"),
        ),
        Option(
            "looks",
            "looks before the view: A, or A,-B (B inverted), or none; default: the view's looks",
            metavar="NAMES",
            signed=True,
            field=Field("Colour", "Looks", default="Looks of the view", known="looks"),
        ),
        Option(
            "context",
            "a context variable; can be repeated",
            metavar="K=V",
            parse=variable,
            repeats=True,
            field=Field(
                "Colour", "Context", tip="Context variables of the config", default="None", example="SHOT=sc010, SEQ=ab"
            ),
        ),
    ),
    "names, roles, aliases or named transforms of the config; see `tessera colorspaces`",
)

OUTPUT = Group(
    "output",
    (
        Option(
            "type",
            "sample type of graded channels",
            choices=("source", "half", "float"),
            default="source",
            field=Field(
                "Basic",
                "Sample type",
                tip="Sample type of the graded channels; others keep theirs",
                labels=("Same as the source", "Half, 16 bit", "Float, 32 bit"),
            ),
        ),
        Option(
            "compression",
            "such as zip:6, piz, dwaa:45; default: same as the source",
            metavar="NAME[:LEVEL]",
            field=Field(
                "Basic",
                "Compression",
                tip="Compression, with a level where the method has one",
                default="Same as the source",
                example="zip, zip:6, piz, dwaa:45",
                known="compressions",
            ),
        ),
        Option(
            "storage",
            "scanline, tiled or tiled:N; default: same as the source",
            metavar="KIND",
            field=Field("Output", "Storage", default="Same as the source", example="scanline, tiled, tiled:64"),
        ),
        Option(
            "crop",
            "data, display, or x,y,w,h in the file's coordinates",
            metavar="BOX",
            field=Field(
                "Output",
                "Crop",
                tip="data, display, or x,y,w,h in pixels of the file",
                default="None",
                example="display, or 0,0,1920,1080",
            ),
        ),
        Option(
            "resize",
            "size of the output in pixels, after the crop",
            metavar="WxH",
            parse=sides,
            field=Field("Basic", "Resize", default="None", example="1920x1080"),
        ),
        Option(
            "filter",
            "filter of --resize; default: lanczos3",
            choices=("area", "nearest", "bilinear", "catmull-rom", "lanczos3"),
            default="lanczos3",
            field=Field(
                "Output",
                "Filter",
                tip="The filter used to resize",
                labels=("Area", "Nearest", "Bilinear", "Catmull-Rom", "Lanczos 3"),
            ),
        ),
        Option(
            "backend",
            "auto, cpu, wgpu, cuda, opencl; see `tessera devices`",
            metavar="NAME",
            parse=backend,
            default="auto",
            field=Field(
                "Computing",
                "Device",
                tip="The device that computes the export",
                default="Best available",
                known="backends",
            ),
        ),
        Option(
            "encoder",
            "where EXRs are decoded and encoded: auto is the device if it can (CUDA), see `tessera devices`",
            choices=("auto", "gpu", "cpu"),
            default="auto",
            field=Field("Computing", "Encoder", tip="What encodes EXRs", labels=("Best available", "Device", "CPU")),
        ),
        Option(
            "threads",
            "CPU threads; default: one per core",
            metavar="N",
            parse=positive,
            default=0,
            field=Field("Computing", "Threads", default="One per core"),
        ),
        Option(
            "max-memory",
            "memory budget, such as 512MB or 2GiB",
            metavar="SIZE",
            parse=size,
            field=Field("Computing", "Memory", default="Automatic", example="512MB, 2GiB"),
        ),
        Option(
            "tile",
            "side of a tile, or rows of a band",
            metavar="N",
            parse=positive,
            field=Field("Computing", "Tile", tip="Side of a tile, or rows of a band, in pixels", default="Automatic"),
        ),
        Option(
            "part",
            "the part of the file to grade",
            metavar="N|NAME",
            field=Field("Output", "Part", first=True, default="The first part", known="parts"),
        ),
        Option(
            "layer",
            "the layer of the part to grade; can be repeated",
            metavar="NAME",
            repeats=True,
            field=Field(
                "Output",
                "Layers",
                first=True,
                tip="The layers to grade, separated by commas",
                default="The main layer",
                known="layers",
            ),
        ),
        Option(
            "alpha",
            "grade colours as they are stored, or divided by alpha and multiplied by it again",
            choices=("stored", "unpremultiplied"),
            default="stored",
            field=Field("Output", "Alpha", labels=("Grade as stored", "Grade unpremultiplied")),
        ),
        Option(
            "only-graded",
            "leave out everything that is not graded",
            switch=True,
            field=Field("Output", "Graded channels only"),
        ),
        Option(
            "skip-missing",
            "skip entries whose op is missing, or a channel, object or file of their matte, instead of stopping",
            switch=True,
            field=Field("Output", "Skip missing ops and mattes"),
        ),
        Option(
            "matte-channel",
            "write the matte of an entry of the grade as a channel of the EXR: entries count from 1, those in a group "
            "are 2.1, 2.2; can be repeated",
            metavar="NAME=ENTRY",
            parse=matte_channel,
            repeats=True,
            field=Field(
                "Output",
                "Matte channels",
                tip="Mattes to write as channels of the EXR: a name and the number of the entry in the grade",
                default="None",
                example="person=1, sky=2.1",
            ),
        ),
        Option(
            "attributes",
            "text attributes for the header of the EXR, as a JSON object of texts by name",
            metavar="FILE.json",
            field=Field(elsewhere="the name and the note of a still"),
        ),
        Option("salvage", "write what is readable of a damaged file", switch=True, field=Field("Computing", "Salvage")),
        Option(
            "dry-run",
            "print the changes to the header; write nothing",
            switch=True,
            field=Field(elsewhere="the button that shows the header"),
        ),
        Option(
            "force",
            "replace OUT if it exists; same as --existing replace",
            switch=True,
            exclusive="existing files",
            field=_QUESTION,
        ),
        Option(
            "existing",
            "what to do with existing files: fail (default) or replace; for a sequence also skip, or the frames to "
            "replace",
            metavar="WHAT",
            parse=existing,
            signed=True,
            exclusive="existing files",
            field=_QUESTION,
        ),
        Option(
            "progress",
            "default: bar on a terminal, else none",
            choices=("bar", "json", "none"),
            field=Field(elsewhere="set by the queue"),
        ),
        Option(
            "report",
            "write a report: settings, duration and memory",
            metavar="FILE.json",
            field=Field(elsewhere="the log of the queue"),
        ),
    ),
)

GROUPS = (GRADE, COLOUR, OUTPUT, MOVIES, SEQUENCES)
OPTIONS: tuple[Option, ...] = tuple(option for group in GROUPS for option in group.options)
"""In the order of `tessera export --help`."""
JSON = Option("json", "print JSON", switch=True)
"""An option of the commands that describe something; `tessera export` does not have it."""


def named(name: str) -> Option:
    """Return the option of this name."""
    return next(option for option in OPTIONS if option.name == name)
