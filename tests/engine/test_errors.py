"""Every error is one line, survives a process boundary, and stands in the tree that the module draws."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import pytest

from engine import errors
from engine.errors import FileError, TesseraError, UnsupportedTransform

TREE = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, TesseraError)]


def made(cls: type[TesseraError]) -> TesseraError:
    if issubclass(cls, FileError):
        return cls(Path("a folder/shot.exr"), "is not\nwhat it\tseems", "look again")
    if issubclass(cls, UnsupportedTransform):
        return cls("GradingTone")
    return cls("something\nis wrong", "do this")


@pytest.mark.parametrize("cls", TREE, ids=lambda cls: cls.__name__)
def test_one_line_that_says_what_and_what_to_do(cls: type[TesseraError]) -> None:
    error = made(cls)
    line = str(error)
    assert line
    assert "\n" not in line
    assert "\t" not in line
    if error.do:
        assert line.endswith(f"; {error.do}")


@pytest.mark.parametrize("cls", TREE, ids=lambda cls: cls.__name__)
def test_it_survives_pickling(cls: type[TesseraError]) -> None:
    error = made(cls)
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is cls
    assert str(twin) == str(error)
    assert (twin.what, twin.do) == (error.what, error.do)
    assert vars(twin) == vars(error)


@pytest.mark.parametrize("cls", [c for c in TREE if issubclass(c, FileError)], ids=lambda cls: cls.__name__)
def test_an_error_about_a_file_begins_with_its_name(cls: type[FileError]) -> None:
    error = made(cls)
    assert str(error).startswith("a folder/shot.exr: ")
    assert error.path == Path("a folder/shot.exr")  # type: ignore[attr-defined]


def test_the_drawn_tree_is_the_tree() -> None:
    drawn: dict[str, str] = {}
    open_ends: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"([│├└─ ]*)([A-Z]\w+)\s", line + " "):
            depth = len(match[1]) // 4
            if depth or match[2] == "TesseraError":
                drawn[match[2]] = open_ends.get(depth - 1, "Exception")
                open_ends[depth] = match[2]
    assert drawn == {cls.__name__: cls.__base__.__name__ for cls in TREE if cls.__base__}


def test_what_a_terminal_takes_for_commands_is_spelled_out() -> None:
    error = TesseraError("has no layer \x1b[2J\ud800", "its layers are: a\nb, c\x00")
    assert str(error) == "has no layer \\x1b[2J\\ud800; its layers are: a\\nb, c\\x00"
    error = FileError("two  spaces\nand a line.exr", "is\n  damaged", "copy it")
    assert str(error) == "two  spaces\\nand a line.exr: is damaged; copy it"
    assert (error.path, error.problem) == (Path("two  spaces\nand a line.exr"), "is damaged")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_words_of_special_errors() -> None:
    assert str(errors.Cancelled()) == "cancelled"
    assert "--force" in str(errors.TargetExists("out.exr"))
    assert "GradingTone" in str(UnsupportedTransform("GradingTone"))
    assert UnsupportedTransform("GradingTone").transform == "GradingTone"
