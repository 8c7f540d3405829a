"""An image to grade, and where to."""

from __future__ import annotations

import pytest

from tests.app.command_line import write_exr


@pytest.fixture
def shot(tmp_path):
    return write_exr(tmp_path / "shot.exr")


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "graded.exr"
