"""Fixtures of the tests of files."""

from __future__ import annotations

from pathlib import Path

import OpenEXR
import pytest

from tests.engine.io.exr import (
    colour,
    header,
    samples,
    window,
)
from tests.engine.io.plane_readers import crypto, made, reader  # noqa: F401 (fixtures)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    channels = {"RGB": colour((100, 40, 3)), "Z": samples((100, 40), "float"), "id": samples((100, 40), "uint")}
    OpenEXR.File(header(dataWindow=window(-3, 5, 40, 100)), channels).write(str(tmp_path / "a.exr"))
    return tmp_path / "a.exr"
