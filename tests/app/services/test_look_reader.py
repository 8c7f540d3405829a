"""Large look files are read in a process of their own: the same looks, the same errors."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from app.services import look_reader
from app.services.engine_calls import Services
from engine.errors import UnreadableFile
from engine.ocio import look_from_file
from tests.app.conftest import write_cube


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A .cube with a line that only OpenColorIO reads, which here counts as large."""
    monkeypatch.setattr(look_reader, "LARGE_BYTES", 10)
    path = write_cube(tmp_path / "odd.cube", 0.5)
    path.write_text("LUT_3D_INPUT_RANGE 0 2\n" + path.read_text())
    return path


class Killed(ProcessPoolExecutor):
    def submit(self, *what, **more):
        return super().submit(os._exit, 3)


def test_a_process_reads_what_is_large(odd: Path, monkeypatch: pytest.MonkeyPatch):
    asked = []
    process = look_reader._process

    def counted():
        asked.append(1)
        return process()

    monkeypatch.setattr(look_reader, "_process", counted)
    read = Services().look_from_file
    assert read(str(odd)) == look_from_file(odd)
    assert read(str(odd), "tetrahedral") == look_from_file(odd, "tetrahedral")
    odd.write_text("LUT_3D_SIZE 2\n1 2\n")
    with pytest.raises(UnreadableFile, match=r"odd\.cube: is not a valid \.cube file"):
        read(str(odd))
    assert len(asked) == 3
    write_cube(odd, 0.5)  # plain
    assert read(str(odd)) == look_from_file(odd)
    odd.unlink()
    with pytest.raises(UnreadableFile, match="does not exist"):
        read(str(odd))
    assert len(asked) == 3


def test_a_process_that_ends_is_one_line(odd: Path, monkeypatch: pytest.MonkeyPatch):
    ending = [Killed(1, get_context("spawn"))]
    monkeypatch.setattr(look_reader, "_PROCESSES", ending)
    with pytest.raises(UnreadableFile, match=r"odd\.cube: reading stopped halfway; export the file again"):
        Services().look_from_file(str(odd))
    assert not ending  # the next look gets another


def test_a_correction_that_is_not_there_any_more(tmp_path: Path):
    path = tmp_path / "shots.ccc"
    values = "<SOPNode><Slope>1 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>"
    path.write_text(
        '<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">'
        f'<ColorCorrection id="sc010">{values}</ColorCorrection></ColorCorrectionCollection>'
    )
    for asked in ("sc020", "2"):
        with pytest.raises(UnreadableFile, match=f"shots.ccc: has no correction named '{asked}'; it has: sc010"):
            Services().look_from_file(f"{path}#{asked}")
