"""`tessera export`: grade an image and write it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.commands.colour_options import read_setup, read_viewing
from app.cli.commands.movie import check_no_movie, read_movie, run_movie, show_movie
from app.cli.commands.own_ops import load_own_ops
from app.cli.commands.report import check_report, write_report
from app.cli.commands.sequence import run_sequence, show_first
from app.cli.commands.stop import Stop
from app.model.frame_names import frame_of_movie, is_sequence
from app.model.option import Parser
from app.model.option_table import GROUPS

if TYPE_CHECKING:
    from engine.export.options import ExportPreview
    from engine.grade.grade import Grade


def parser() -> Parser:
    options = Parser(
        prog="tessera export",
        description="Grade an image, or every frame of a sequence, and write it. The suffix of OUT selects the "
        "format: .exr .tif .png .dpx .jpg, or a movie: .mov .mp4 .mkv .webm",
    )
    options.add_argument("source", metavar="IN")
    options.add_argument("target", metavar="OUT")
    for group in GROUPS:
        options.add_group(group)
    return options


def run(asked: argparse.Namespace) -> None:
    """Grade and write an image."""
    with Stop() as stop:
        from app.cli.progress import ImageWording, reporter
        from engine.export.image import export_image, preview_export
        from engine.export.options import ExportOptions
        from engine.movies.codecs import is_movie

        check_report(asked)
        movie = is_movie(asked.target)
        if not movie:
            check_no_movie(asked)
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
            encoder=asked.encoder,
            alpha=asked.alpha,
            skip_missing=asked.skip_missing,
            matte_channels=tuple(asked.matte_channel),
            attributes=read_attributes(asked),
            movie=read_movie(asked),
        )
        if movie:
            (show_movie(asked, grade, options) if asked.dry_run else run_movie(asked, grade, options, stop))
            return
        frames = is_sequence(asked)
        if asked.dry_run:
            single = asked.source, asked.target, frame_of_movie(asked)
            source, target, frame = show_first(asked, options) if frames else single
            preview = preview_export(source, target, grade, options, of_sequence=frames, frame=frame)
            _show_changes(source, target, preview)
            return
        if frames:
            run_sequence(asked, grade, options, stop)
            return
        show = reporter(asked.progress, ImageWording())
        graded = grade.effective or grade.is_animated or options.matte_channels
        stop.at_once = not graded  # a plain copy of the file does not check `cancelled`
        try:
            how: dict[str, Any] = {"frame": frame_of_movie(asked), "progress": show.progress, "cancelled": stop.asked}
            report = export_image(asked.source, asked.target, grade, options, **how)
        finally:
            show.close()
    write_report(asked, report)
    show.done(asked.target, report)


def read_attributes(asked: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    """Return the attributes in the file of --attributes, none without."""
    if not asked.attributes:
        return ()
    from engine.export.attributes import load_attributes

    return load_attributes(asked.attributes)


def _show_changes(source: str, target: str, preview: ExportPreview) -> None:
    """Print a full diff of the header before and after."""
    from difflib import unified_diff

    lines = max(len(preview.before), len(preview.after))
    print("\n".join(unified_diff(preview.before, preview.after, source, target, n=lines, lineterm="")) or "no change")
    for note in [*filter(None, [preview.colour]), *preview.notes]:
        print(f"tessera: {target}: {note}", file=sys.stderr)


def read_look(asked: argparse.Namespace) -> Grade:
    """Return the grade that the options of `export` define, in their fixed order, once the user's own ops are loaded.

    Raises GradeError if ops are missing, unless they are skipped.
    """
    from engine.export.options import WITHOUT
    from engine.grade.grade import Grade
    from engine.grade.renewal import check_known

    load_own_ops(asked.allow_op)

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
    if not asked.skip_missing:
        check_known(start, WITHOUT)
    return start.with_entries(entries)
