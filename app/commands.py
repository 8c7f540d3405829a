"""What the command line does. The engine is imported by the command that needs it, Qt by the window alone."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from engine.errors import Cancelled, GradeError, TargetExists, TesseraError, UnreadableFile

if TYPE_CHECKING:
    from engine.export import ExportPreview
    from engine.grade import Grade

PICTURES = (".exr", ".tif", ".tiff", ".png", ".dpx", ".jpg", ".jpeg", ".hdr")
"""Suffixes that no look has, so that OpenColorIO need not be asked."""


def window(asked: argparse.Namespace) -> None:
    """Open the window, perhaps with a picture."""
    if asked.version:
        from importlib.metadata import version

        print(f"tessera {version('tessera')}")
        return
    picture = Path(asked.picture) if asked.picture is not None else None
    if picture is not None and not picture.exists():
        raise UnreadableFile(picture, "does not exist", "check the name")
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        raise TesseraError("there is no display", "set DISPLAY, or grade with `tessera export`")
    from app import main_window

    code = main_window.run(picture, asked.backend, asked.threads)
    if code:
        raise SystemExit(code)


def export(asked: argparse.Namespace) -> None:
    """Grade and write a picture."""
    with Stop() as stop:
        from app.progress import reporter
        from engine.export import ExportOptions, export_picture, preview_export

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
            force=asked.force,
            only_graded=asked.only_graded,
            crop=asked.crop,
            resize=asked.resize,
            filter=asked.filter,
            storage=asked.storage,
            salvage=asked.salvage,
        )
        if asked.dry_run:
            _show_changes(asked.source, asked.target, preview_export(asked.source, asked.target, grade, options))
            return
        show = reporter(asked.progress or ("bar" if sys.stderr.isatty() else "none"))
        stop.at_once = not grade.effective  # a copy of the bytes asks nobody whether to go on
        try:
            report = export_picture(
                asked.source, asked.target, grade, options, progress=show.progress, cancelled=stop.asked
            )
        finally:
            show.close()
    if asked.report:
        import json

        from engine.grade import write_text

        write_text(Path(asked.report), json.dumps(report.to_json(), indent=1) + "\n")
    show.done(asked.target, report)


def _show_changes(source: str, target: str, preview: ExportPreview) -> None:
    """The header before and after, whole, as a diff."""
    from difflib import unified_diff

    lines = max(len(preview.before), len(preview.after))
    print("\n".join(unified_diff(preview.before, preview.after, source, target, n=lines, lineterm="")) or "no change")
    for note in preview.notes:
        print(f"tessera: {target}: {note}", file=sys.stderr)


def read_look(asked: argparse.Namespace) -> Grade:
    """The grade that the options of `export` spell, in their fixed order."""
    from engine.grade import Grade, load_grade

    entries = list(load_grade(asked.grade).entries) if asked.grade else []
    if asked.exposure is not None:
        from engine.ops import Exposure

        entries.append(Exposure(asked.exposure))
    if asked.cdl or asked.lut:
        from engine.ocio import look_from_file, split_cdl_id

        if asked.cdl:
            path, cdl_id = split_cdl_id(asked.cdl)
            entries.append(look_from_file(path, asked.interpolation, cdl_id, asked.cdl_style))
        entries += [look_from_file(Path(lut), asked.interpolation) for lut in asked.lut]
    return Grade(entries)


class Stop:
    """While it is entered, Ctrl-C and SIGTERM are noted instead of ending the program, for work that ends in order.

    With `at_once` the first one raises Cancelled where the program stands. Later ones never do: they would hit the
    cleaning up.
    """

    def __init__(self) -> None:
        self.at_once = True
        self._signals = 0
        self._before: dict[signal.Signals, Any] = {}

    def asked(self) -> bool:
        """Whether the user wants the work to stop."""
        return self._signals > 0

    def __enter__(self) -> Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self.at_once and self._signals == 1:
            raise Cancelled()


def info(asked: argparse.Namespace) -> None:
    """What is in a file."""
    from app import report_text

    path = Path(asked.file)
    suffix = path.suffix.lower()
    if suffix == ".json":
        from engine.grade import load_grade

        about = report_text.grade_json(path, load_grade(path))
        lines = report_text.grade_lines
    elif suffix not in PICTURES and _is_look(path):
        from engine.ocio import describe_look

        about = describe_look(path)
        if "error" in about:
            raise TesseraError(about["error"])
        lines = report_text.look_lines
    else:
        from engine.io import describe

        about = report_text.picture_json(describe(path))
        lines = report_text.picture_lines
    report_text.show(about, lines, asked.json)


def _is_look(path: Path) -> bool:
    from engine.ocio.files import format_name

    return format_name(path) != "unknown"


def devices(asked: argparse.Namespace) -> None:
    """Every backend, and the one that `auto` takes."""
    from app import report_text
    from engine import detect_backends, select_best_backend

    about = report_text.devices_json(detect_backends(), select_best_backend())
    report_text.show(about, report_text.device_lines, asked.json)


def bake(asked: argparse.Namespace) -> None:
    """A grade, CDL or LUT as a 3D LUT."""
    from engine.bake import bake as bake_cube
    from engine.grade import Grade, load_grade

    target = Path(asked.target)
    if target.suffix.lower() != ".cube":
        raise GradeError(f"{target}: a LUT is written as .cube only", "end its name in .cube")
    if target.exists() and not asked.force:
        raise TargetExists(target)
    if asked.grade.lower().endswith(".json"):
        grade = load_grade(asked.grade)
    else:
        from engine.ocio import look_from_file, split_cdl_id

        path, cdl_id = split_cdl_id(asked.grade)
        grade = Grade([look_from_file(path, cdl_id=cdl_id)])
    with Stop():
        report = bake_cube(grade, target, asked.size, highest=asked.highest)
    print(
        f"{target}: {report.size} entries along each axis, for light of 0..{report.highest:g}; "
        f"error {report.mean_error:.1g} on average, {report.max_error:.1g} at most"
    )
