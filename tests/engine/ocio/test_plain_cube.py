"""The quick reader of plain .cube files reads what OpenColorIO reads, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import UnreadableFile
from engine.ocio import files
from engine.ocio.plain_cube import read_plain_cube
from engine.ops import Lut3d
from tests.typed import expect

ROOT = Path(__file__).resolve().parents[3]
LINES = "".join(f"{r:.6f} {g:.6f} {b:.6f}\n" for b in (0.0, 0.91) for g in (0.1, 1.0) for r in (0.25, 0.123457))
PLAIN = f'# a comment\nTITLE "x"\nLUT_3D_SIZE 2\nDOMAIN_MIN 0.0 0.0 0.0\nDOMAIN_MAX 1 1 1\n\n{LINES}'


def by_opencolorio(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    with monkeypatch.context() as patch:
        patch.setattr(files, "read_plain_cube", lambda _path: None)
        return list(files.ops_from_file(path))


@pytest.mark.parametrize("text", [PLAIN, PLAIN.replace("\n", "\r\n"), "LUT_3D_SIZE 2\n" + LINES.replace(" ", "  ")])
def test_plain_files_are_read_as_opencolorio_reads_them(text: str, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.cube"
    path.write_bytes(text.encode())
    assert read_plain_cube(path) is not None
    assert files.ops_from_file(path) == by_opencolorio(path, monkeypatch)
    (tetrahedral,) = files.ops_from_file(path, interpolation="tetrahedral")
    assert expect(Lut3d, tetrahedral).interpolation == "tetrahedral"


def test_random_values_to_the_last_bit(tmp_path: Path, monkeypatch) -> None:
    values = np.random.default_rng(4).random((17**3, 3)) * 9.9
    path = tmp_path / "a.cube"
    path.write_text("LUT_3D_SIZE 17\n" + "".join("{:.7f} {:.7f} {:.7f}\n".format(*row) for row in values))
    assert read_plain_cube(path) is not None
    assert files.ops_from_file(path) == by_opencolorio(path, monkeypatch)


def test_the_sample_look(monkeypatch) -> None:
    path = ROOT / "resources" / "looks" / "soft_film.cube"
    assert files.ops_from_file(path) == by_opencolorio(path, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "",
        LINES,
        f"LUT_3D_SIZE 2\n{LINES[:-1]}",
        f"LUT_3D_SIZE 2\n{LINES}{LINES}",
        f"LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n{LINES}",
        f"LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n{LINES}",
        f"LUT_3D_SIZE 2\nDOMAIN_MAX 2 2 2\n{LINES}",
        f"LUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0.0 4.0\n{LINES}",
        "LUT_3D_SIZE 2\n" + LINES.replace("0.910000", "-.910000"),
        "LUT_3D_SIZE 2\n" + LINES.replace("0.910000", "9.1e-001"),
        "LUT_3D_SIZE 2\n" + LINES.replace("0.910000", "     nan"),
        f"LUT_3D_SIZE 1\n{LINES}",
    ],
)
def test_what_is_not_plain_is_left_to_opencolorio(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.cube"
    path.write_text(text)
    assert read_plain_cube(path) is None


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="does not exist"):
        read_plain_cube(tmp_path / "none.cube")
