"""Reads and writes the window's grade files: a saved grade and its versions.

The versions have a separate key, which other readers of grades, such as the command line, ignore.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.model.versions import Version, versions_from_json
from engine import Grade
from engine.core.atomic import write_text
from engine.core.json_files import load_json
from engine.core.records import dataclass

VERSIONS = "versions"


@dataclass(frozen=True)
class GradeFile:
    """A grade and its versions."""

    grade: Grade
    versions: tuple[Version, ...] = ()


def load_grade_file(path: Path) -> GradeFile:
    """Read a grade file, or the grade in the header of an EXR; UnreadableFile if there is none."""
    if path.suffix.lower() == ".exr":
        from engine.export.provenance import grade_from_file  # loads the readers of images

        return GradeFile(grade_from_file(path))
    return load_json(path, _parsed, "choose a grade that Tessera saved")


def save_grade_file(file: GradeFile, path: Path) -> None:
    """Write a grade and its versions, whole or not at all; WriteFailed if that fails."""
    data = file.grade.to_json()
    if file.versions:
        data[VERSIONS] = [version.to_json() for version in file.versions]
    write_text(path, json.dumps(data, indent=1) + "\n")


def _parsed(data: Any) -> GradeFile:
    return GradeFile(Grade.from_json(data), versions_from_json(data.get(VERSIONS, [])))
