"""The check of words finds them in names, strings and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.words import found_in, main


@pytest.mark.parametrize(
    "text", ["a_picture = 1", "class LargePicture: ...", "x = 'what is told'", "# a wish", 'f"{x} Pictures"']
)
def test_a_word_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text + "\n")
    assert len(list(found_in(path))) == 1


@pytest.mark.parametrize("text", ["plane = 1", "data['picture']", "# told apart", "# planes", "QPicture"])
def test_other_words_are_not(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text + "\n")
    assert list(found_in(path)) == [] and main([str(tmp_path)]) == 0
