"""Copies grades, entries, mattes and keys to the clipboard and back, in the JSON format of saved grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtGui import QGuiApplication

from engine import Grade
from engine.errors import GradeError
from engine.grade.curves import Curve, Key
from engine.grade.grade import Entry
from engine.mattes.tree import Matte

KIND = "clip"
MATTE_VERSION = KEYS_VERSION = 1


def copy_grade(grade: Grade) -> None:
    """Put a whole grade on the clipboard."""
    _put(grade.to_json())


def copy_entry(entry: Entry) -> None:
    """Put one entry on the clipboard."""
    _put({**Grade([entry]).to_json(), KIND: "entry"})


def copy_matte(matte: Matte) -> None:
    """Put a matte on the clipboard."""
    _put({"tessera": "matte", "version": MATTE_VERSION, "matte": matte.to_json()})


def copy_keys(curves: Sequence[Sequence[Key]]) -> None:
    """Put keys on the clipboard: those of each parameter, in order."""
    _put({"tessera": "keys", "version": KEYS_VERSION, "curves": [Curve(keys).to_json() for keys in curves]})


def pasted_keys() -> list[Curve] | None:
    """Return the keys on the clipboard, one curve for each parameter; None without any.

    Raises GradeError if they are damaged or of a later version.
    """
    data = _data()
    if not isinstance(data, dict) or data.get("tessera") != "keys":
        return None
    version, curves = data.get("version"), data.get("curves")
    if not isinstance(version, int) or version > KEYS_VERSION:
        raise GradeError(f"the keys have version {version}, newer than {KEYS_VERSION}", "update Tessera")
    if not isinstance(curves, list) or not curves:
        raise GradeError("the keys on the clipboard are damaged", "copy them again")
    return [Curve.from_json(each) for each in curves]


def pasted() -> tuple[Grade, bool] | Matte | None:
    """Return the grade on the clipboard and whether it is a single entry to be pasted into another, or the matte that
    is there; None without any.

    Raises GradeError if it is damaged or of a later version.
    """
    data = _data()
    kind = data.get("tessera") if isinstance(data, dict) else None
    if data is None or kind == "keys":
        return None
    if kind == "matte":
        return _matte_from(data)
    entry = isinstance(data, dict) and data.pop(KIND, "") == "entry"
    return Grade.from_json(data), entry


def _data() -> Any:
    """Return the JSON data on the clipboard; None if there are none of Tessera's."""
    text = QGuiApplication.clipboard().text()
    if '"tessera"' not in text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise GradeError("the text on the clipboard is not a complete grade", "copy the grade again") from None


def _matte_from(data: dict[str, Any]) -> Matte:
    version = data.get("version")
    if not isinstance(version, int) or version > MATTE_VERSION:
        raise GradeError(f"the matte has version {version}, newer than {MATTE_VERSION}", "update Tessera")
    return Matte.from_json(data.get("matte"))


def _put(data: dict[str, object]) -> None:
    QGuiApplication.clipboard().setText(json.dumps(data, indent=1))
