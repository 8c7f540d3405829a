"""The tables that ship for usual displays are those that are computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.ops import Aces2OutputTransform, aces2_shipped
from engine.ops import aces2_tables as tables

ROWS = [(float(row[0]), tuple(row[1:9].tolist())) for row in np.load(aces2_shipped.FILE)]


@pytest.mark.parametrize("display", ROWS, ids=lambda display: f"{display[0]:g} nits")
def test_shipped_tables_are_the_computed_ones(display: tuple[float, tuple[float, ...]]) -> None:
    shipped, computed = aces2_shipped.find(*display), tables.compute_gamut_tables(*display)
    assert shipped is not None
    for one, other in zip(shipped[:2], computed[:2], strict=True):
        np.testing.assert_allclose(one.array, other.array, rtol=1e-4, atol=1e-4)
    assert shipped[2] == computed[2]


def test_the_default_display_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    op = Aces2OutputTransform()
    monkeypatch.setattr(tables, "compute_gamut_tables", None)
    tables.gamut_tables.cache_clear()
    assert tables.gamut_tables(op.peak, op.primaries)[0].array.shape[0] == 362


def test_other_displays_and_damaged_files_are_computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert aces2_shipped.find(101.0, tables.REC709) is None
    for content in (None, b"", b"\x93NUMPY damaged"):
        if content is not None:
            (tmp_path / "tables.npy").write_bytes(content)
        monkeypatch.setattr(aces2_shipped, "FILE", tmp_path / "tables.npy")
        aces2_shipped._rows.cache_clear()
        assert aces2_shipped.find(100.0, tables.REC709) is None
    aces2_shipped._rows.cache_clear()


def test_bisection_near_a_guess_ends_where_plain_bisection_does() -> None:
    places, width = np.array([0.013, 0.5, 0.77777, 0.99], np.float32), float(np.float32(1e-7))

    def inside(values: tables.Array, numbers: list[int]) -> np.ndarray:
        return np.asarray(values < places[numbers])

    low = np.array([0.0, 0.25, 0.7, 0.98], np.float32)
    near, far = tables._halved(low, np.ones(4, np.float32), width, lambda values: inside(values, [0, 1, 2, 3]))
    for off in (0.0, 1e-7, -1e-6, 0.1):  # wrong guesses, too
        found = tables._halved_near(low.tolist(), 1.0, width, inside, places + np.float32(off))
        assert found == ((near + far) / np.float32(2.0)).tolist()
