"""Reading JSON files: grades and sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from engine.core.small_files import read_small
from engine.errors import GradeError, UnreadableFile

T = TypeVar("T")
DEEPEST = 50
"""Largest depth of nested lists and objects; grades and sessions have about a dozen levels."""


def load_json(path: str | Path, parse: Callable[[Any], T], do: str) -> T:
    """Read a JSON file and return what `parse` makes of it; `parse` raises GradeError for invalid content.

    Raises UnreadableFile, which names the file; `do` is the advice if the file is not JSON.
    """
    content = read_small(path)
    try:
        data = json.loads(content)
        _check_depth(data)
        return parse(data)
    except GradeError as error:
        raise UnreadableFile(path, error.what, error.do) from error
    except OSError as error:
        raise UnreadableFile(path, error.strerror or "can't be read", "check the name") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(path, "is not JSON", do) from error


def _check_depth(data: Any) -> None:
    """Raise GradeError if values are nested too deeply for recursion."""
    level: list[Any] = [[data]]
    depth = 0
    while level:
        if depth > DEEPEST:
            raise GradeError(f"it is nested more than {DEEPEST} levels deep", "export it again")
        containers = [each.values() if isinstance(each, dict) else each for each in level]
        level = [value for values in containers for value in values if isinstance(value, (dict, list))]
        depth += 1
