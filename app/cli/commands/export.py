"""`tessera export`: grade an image and write it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.commands.arguments import Parser, add_device, existing, finite, positive, sides, size
from app.cli.commands.colour_options import add_colour, read_setup, read_viewing
from app.cli.commands.report import check_report, write_report
from app.cli.commands.sequence import add_frames, is_sequence, run_sequence, show_first
from app.cli.commands.stop import Stop

if TYPE_CHECKING:
    from engine.export.options import ExportPreview
    from engine.grade.grade import Grade

FILTERS = ("area", "nearest", "bilinear", "catmull-rom", "lanczos3")


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera export",
        description="Grade an image, or every frame of a sequence, and write it. The suffix of OUT selects the "
        "format: .exr .tif .png .dpx .jpg",
    )
    output = add_export(options)
    output.add_argument("--dry-run", action="store_true", help="print the changes to the header; write nothing")
    there = output.add_mutually_exclusive_group()
    there.add_argument("--force", action="store_true", help="replace OUT if it exists; same as --existing replace")
    there.add_argument(
        "--existing",
        type=existing,
        metavar="WHAT",
        help="what to do with existing files: fail (default) or replace; for a sequence also skip, or the frames to "
        "replace",
    )
    output.add_argument("--progress", choices=("bar", "json", "none"), help="default: bar on a terminal, else none")
    output.add_argument("--report", metavar="FILE.json", help="write a report: settings, duration and memory")
    add_frames(options)
    return options


def add_export(options: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add IN, OUT and all options that decide what is written; return the output group."""
    options.add_argument("source", metavar="IN")
    options.add_argument("target", metavar="OUT")
    look = options.add_argument_group("grade, applied in this order")
    look.add_argument("--grade", metavar="FILE", help="a grade saved by Tessera, or an EXR exported by it")
    look.add_argument("--exposure", type=finite, metavar="EV", help="exposure in stops; 1 doubles")
    look.add_argument("--cdl", metavar="FILE[#ID]", help="an ASC CDL: .cc, .ccc or .cdl")
    look.add_argument(
        "--cdl-style", choices=("noclamp", "asc"), default="noclamp", help="style of the CDL; asc clamps to 0..1"
    )
    look.add_argument("--lut", action="append", default=[], metavar="FILE", help="a LUT; can be repeated")
    look.add_argument(
        "--interpolation", choices=("file", "linear", "tetrahedral"), default="file", help="interpolation of 3D LUTs"
    )
    add_colour(options)
    output = options.add_argument_group("output")
    output.add_argument(
        "--type", choices=("source", "half", "float"), default="source", help="sample type of graded channels"
    )
    output.add_argument(
        "--compression", metavar="NAME[:LEVEL]", help="such as zip:6, piz, dwaa:45; default: same as the source"
    )
    output.add_argument("--storage", metavar="KIND", help="scanline, tiled or tiled:N; default: same as the source")
    output.add_argument("--crop", metavar="BOX", help="data, display, or x,y,w,h in the file's coordinates")
    output.add_argument("--resize", type=sides, metavar="WxH", help="size of the output in pixels, after the crop")
    output.add_argument("--filter", choices=FILTERS, default="lanczos3", help="filter of --resize; default: lanczos3")
    add_device(output)
    output.add_argument("--max-memory", type=size, metavar="SIZE", help="memory budget, such as 512MB or 2GiB")
    output.add_argument("--tile", type=positive, metavar="N", help="side of a tile, or rows of a band")
    output.add_argument("--part", metavar="N|NAME", help="the part of the file to grade")
    output.add_argument(
        "--layer", action="append", default=[], metavar="NAME", help="the layer of the part to grade; can be repeated"
    )
    output.add_argument("--only-graded", action="store_true", help="leave out everything that is not graded")
    output.add_argument("--salvage", action="store_true", help="write the readable parts of a damaged file")
    return output


def run(asked: argparse.Namespace) -> None:
    """Grade and write an image."""
    with Stop() as stop:
        from app.cli.progress import reporter
        from engine.export.image import export_image, preview_export
        from engine.export.options import ExportOptions

        check_report(asked)
        grade = read_look(asked)
        options = ExportOptions(
            type=asked.type,
            compression=asked.compression,
            backend=asked.backend,
            threads=asked.threads,
            max_memory=asked.max_memory,
            tile=asked.tile,
            part=asked.part,
            layer=tuple(asked.layer) or None,
            force=asked.force or asked.existing == "replace",
            only_graded=asked.only_graded,
            crop=asked.crop,
            resize=asked.resize,
            filter=asked.filter,
            storage=asked.storage,
            salvage=asked.salvage,
            colour=read_setup(asked),
            viewing=read_viewing(asked),
        )
        frames = is_sequence(asked)
        if asked.dry_run:
            source, target = show_first(asked, options) if frames else (asked.source, asked.target)
            _show_changes(source, target, preview_export(source, target, grade, options))
            return
        if frames:
            run_sequence(asked, grade, options, stop)
            return
        show = reporter(asked.progress or ("bar" if sys.stderr.isatty() else "none"))
        stop.at_once = not grade.effective  # a plain copy of the file does not check `cancelled`
        try:
            report = export_image(
                asked.source, asked.target, grade, options, progress=show.progress, cancelled=stop.asked
            )
        finally:
            show.close()
    write_report(asked, report)
    show.done(asked.target, report)


def _show_changes(source: str, target: str, preview: ExportPreview) -> None:
    """Print a full diff of the header before and after."""
    from difflib import unified_diff

    lines = max(len(preview.before), len(preview.after))
    print("\n".join(unified_diff(preview.before, preview.after, source, target, n=lines, lineterm="")) or "no change")
    for note in [*filter(None, [preview.colour]), *preview.notes]:
        print(f"tessera: {target}: {note}", file=sys.stderr)


def read_look(asked: argparse.Namespace) -> Grade:
    """Return the grade that the options of `export` define, in their fixed order."""
    from engine.grade.grade import Grade

    start = Grade()
    if asked.grade:
        from engine.export.provenance import grade_from_file

        start = grade_from_file(asked.grade).without_solo()
    entries = list(start.entries)
    if asked.exposure is not None:
        from engine.ops import Exposure

        entries.append(Exposure(asked.exposure))
    if asked.cdl or asked.lut:
        from engine.ocio import look_from_file, split_cdl_id

        if asked.cdl:
            path, cdl_id = split_cdl_id(asked.cdl)
            entries.append(look_from_file(path, asked.interpolation, cdl_id, asked.cdl_style))
        entries += [look_from_file(Path(lut), asked.interpolation) for lut in asked.lut]
    return start.with_entries(entries)
