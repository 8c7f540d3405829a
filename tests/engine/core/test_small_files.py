"""Files that nobody could read to their end are refused before they are opened, each with the line that says so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.model.session import load_session
from engine.core.small_files import LARGEST
from engine.errors import UnreadableFile
from engine.grade.grade import load_grade
from engine.ocio import list_cdl_ids, load_config, look_from_file

READERS: list[tuple[Callable[[Path], object], str]] = [
    (look_from_file, "look.cube"),
    (look_from_file, "look.clf"),
    (list_cdl_ids, "shot.ccc"),
    (load_grade, "look.json"),
    (load_session, "day.tessera"),
    (load_config, "show.ocio"),
]


@pytest.mark.parametrize(("read", "name"), READERS)
def test_a_file_without_end_is_refused(read: Callable[[Path], object], name: str, tmp_path: Path):
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(UnreadableFile, match="too large"):
        read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize(("read", "name"), READERS)
def test_a_pipe_is_not_waited_for(read: Callable[[Path], object], name: str, tmp_path: Path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(UnreadableFile, match=f"{name}: is not a file"):
        read(tmp_path / name)
