"""OpenEXR files of every storage and compression, and grades in their headers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.fuzz.kind import Kind, Operation, Seed
from tools.fuzz.mutations import exr
from tools.fuzz.operations import images
from tools.fuzz.samples.images import exrs


def seeds() -> Iterable[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        return list(exrs(Path(folder)))


OPERATIONS = (*images.ALL, Operation("grade", images.grade, 1.5))
KINDS = (Kind("exr", seeds, exr.ALL, OPERATIONS, weight=6.0, suffixes=(".exr",)),)
