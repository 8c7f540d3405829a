"""Frames of a small sequence, drawn once."""

from __future__ import annotations

import hashlib
import shutil

import numpy as np
import OpenEXR
import pytest

from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.io import read_image
from engine.ops import Cdl, Exposure

CPU = ExportOptions(backend="cpu", threads=2)


GRADE = Grade([Exposure(0.5), Cdl(slope=(1.1, 1.0, 0.9))])


def image(path, seed, size=(24, 40)):
    """A small EXR with colour in half and depth in float."""
    rng = np.random.default_rng(seed)
    channels = {name: rng.gamma(1.0, 0.5, size).astype(np.float16) for name in "RGBA"}
    channels["Z"] = rng.uniform(1.0, 99.0, size).astype(np.float32)
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "comments": path.name}, channels).write(str(path))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    for frame in range(1001, 1007):
        image(folder / f"s.{frame}.exr", frame)
    return folder


@pytest.fixture
def shot(drawn, tmp_path):
    """Frames 1001-1006, a copy for each test."""
    folder = tmp_path / "in"
    shutil.copytree(drawn, folder)
    (tmp_path / "out").mkdir()
    return folder / "s.####.exr"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out" / "g.####.exr"


def hashes(folder):
    """Name and content of every file of a folder, temporary ones included."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def pixels(path):
    return read_image(path).pixels
