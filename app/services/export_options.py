"""Orders of exports, presets of their options, and the command lines built from them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from app.model.option import Parser
from app.model.option_table import GROUPS, OPTIONS, PAGES, named
from engine import Grade
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.grade.renewal import check_known, own_files_of

if TYPE_CHECKING:
    from app.model.option import Option


Values = Mapping[str, str]
"""Options that differ from their defaults, by name: the text that the command line takes, or 'yes' for a switch."""
YES = "yes"
ATTRIBUTES = "attributes.json"
"""The name of the file with the attributes of an order."""
OWN_OPS = "own-ops"
"""The name of the folder with the files of the user's own ops, as they were when the grade was made with them."""

FIELDS: tuple[Option, ...] = tuple(
    sorted(
        (option for option in OPTIONS if option.field.page),
        key=lambda option: (PAGES.index(option.field.page), not option.field.first),
    )
)
"""The options of the export dialog, page by page."""

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
    """What to export, and how. `existing` is the option of the command line; for a `sequence` it may name frames.

    `attributes` are texts by name for the header of an EXR.
    """

    source: Path
    target: Path
    grade: Grade
    options: Values = field(default_factory=dict)
    existing: str = "fail"
    sequence: bool = False
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def again(self) -> ExportOrder:
        """The order for the rest, after the export failed or was stopped: frames that it has completed are kept."""
        return replace(self, options={**self.options, "resume": YES}) if self.sequence else self


def option_words(values: Values) -> list[str]:
    """Return the command-line arguments for options; texts are passed on as typed."""
    words = []
    for option in FIELDS:
        value = values.get(option.name, "").strip()
        if not value:
            continue
        if option.switch:
            words.append(option.flag)
            continue
        words += [option.word(each.strip()) for each in (value.split(",") if option.repeats else [value])]
    return words


def arguments(order: ExportOrder, grade: Path) -> list[str]:
    """Return the command line of an order, without the interpreter.

    ATTRIBUTES and the folder OWN_OPS lie beside the file of the grade.
    """
    start = ["-m", "app.cli.main", "export", str(order.source), str(order.target), "--grade", str(grade)]
    start += ["--attributes", str(grade.with_name(ATTRIBUTES))] if order.attributes else []
    own = (f"--allow-op={each.sha256}:{grade.parent / OWN_OPS / each.name}" for each in own_files_of(order.grade))
    return [*start, *own, *option_words(order.options), f"--existing={order.existing}", "--progress", "json"]


def check_missing(grade: Grade, values: Values) -> None:
    """Raise GradeError if ops of the grade are missing, unless the export is to go on without them."""
    if "skip-missing" not in values:
        check_known(grade, f"turn on {named('skip-missing').field.label}")


def check(values: Values) -> Namespace:
    """Return the options as the command line parses them; TesseraError with its message if it refuses them."""
    return _checker().parse_args(option_words(values))


@cache
def _checker() -> _Checker:
    checker = _Checker()
    for group in GROUPS:
        checker.add_group(group)
    return checker


class _Checker(Parser):
    """A parser that raises its messages."""

    def error(self, message: str) -> NoReturn:
        raise TesseraError(message.removeprefix("argument --").replace("--", ""), "correct it")
