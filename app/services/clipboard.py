"""Copies grades and entries to the clipboard and back, in the JSON format of saved grades."""

from __future__ import annotations

import json

from PySide6.QtGui import QGuiApplication

from engine import Grade
from engine.errors import GradeError
from engine.grade.grade import Entry

KIND = "clip"


def copy_grade(grade: Grade) -> None:
    """Put a whole grade on the clipboard."""
    _put(grade.to_json())


def copy_entry(entry: Entry) -> None:
    """Put one entry on the clipboard."""
    _put({**Grade([entry]).to_json(), KIND: "entry"})


def pasted() -> tuple[Grade, bool] | None:
    """Return the grade on the clipboard and whether it is a single entry to be pasted into another; None without one.

    Raises GradeError if the grade is damaged or of a later version.
    """
    text = QGuiApplication.clipboard().text()
    if '"tessera"' not in text:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise GradeError("the text on the clipboard is not a complete grade", "copy the grade again") from None
    entry = isinstance(data, dict) and data.pop(KIND, "") == "entry"
    return Grade.from_json(data), entry


def _put(data: dict[str, object]) -> None:
    QGuiApplication.clipboard().setText(json.dumps(data, indent=1))
