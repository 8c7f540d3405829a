"""Readers of planes for tests, and a file with a Cryptomatte layer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.geometry import Rect
from engine.io import describe
from engine.io.planes import PlaneOptions, PlaneReader
from engine.mattes.planes import Plane
from tests.engine.io.cryptomatte_files import Layer, layer, write_layers

SIZE = Rect(0, 0, 61, 47)
EXACT = 1e-6


def reader_of(path: Path, part: int = 0, **options: Any) -> PlaneReader:
    info = describe(path)
    return PlaneReader(info, info.parts[part], options=PlaneOptions(**options))


def read(path: Path, *planes: Plane, rect: Rect = SIZE, level: int = 0, part: int = 0, **options: Any) -> np.ndarray:
    reader = reader_of(path, part, **options)
    try:
        return reader.read(planes, rect, level)
    finally:
        reader.close()


@pytest.fixture
def made() -> Layer:
    return layer()


@pytest.fixture
def crypto(made: Layer, tmp_path: Path) -> Path:
    return write_layers(tmp_path / "crypto.exr", [made])


@pytest.fixture
def reader(crypto: Path) -> Iterator[PlaneReader]:
    opened = reader_of(crypto)
    yield opened
    opened.close()
