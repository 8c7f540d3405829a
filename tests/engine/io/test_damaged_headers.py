"""Whatever stands in the header of an EXR, reading it gives a description or one line about a damaged file."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.errors import UnreadableFile
from engine.export.frames import is_complete
from engine.export.options import ExportOptions
from engine.export.sequence import export_sequence
from engine.grade.grade import Grade
from engine.io import describe
from engine.io.exr import header as exr_header
from engine.ops import Exposure
from tests.shared import FOUND, needs_found
from tests.thorough import THOROUGH

MUTATIONS = 3000 if THOROUGH else 1000


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    pixels = np.zeros((32, 16), np.float16)
    path = tmp_path / "whole.exr"
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "comments": "of a test", "chromaticities": (0.1,) * 8}
    OpenEXR.File(header, dict.fromkeys("RGB", pixels)).write(str(path))
    return path.read_bytes()


def edited(whole: bytes, attribute: bytes, at: int, new: bytes) -> bytes:
    """The file with `new` at byte `at` of the value of an attribute."""
    name = whole.index(attribute + b"\0")
    kind = name + len(attribute) + 1
    value = whole.index(b"\0", kind) + 5
    return whole[: value + at] + new + whole[value + at + len(new) :]


@needs_found
@pytest.mark.parametrize("name", ["watch_valueerror.exr", "exr-52e511e3.exr"])
def test_a_header_that_did_harm_is_a_damaged_file(name: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(FOUND / name, tmp_path / "case.exr"))
    with pytest.raises(UnreadableFile, match="header is damaged"):
        exr_header.parse(path)
    with pytest.raises(UnreadableFile, match="header is damaged"):
        describe(path)
    assert not is_complete(path)


def test_each_field_out_of_place_is_a_damaged_file(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "case.exr"
    names = whole.index(b"channels\0chlist\0") + len(b"channels\0chlist\0") + 4
    cases = {
        "a channel list without its end": whole[:names] + b"\x01" * 54 + b"R" + whole[names + 55 :],
        "an attribute without a type": whole[:8] + b"ab\0\0" + bytes(4) + whole[8:],
        "a line order that does not exist": edited(whole, b"lineOrder", 0, b"\x09"),
        "a compression that does not exist": edited(whole, b"compression", 0, b"\xf0"),
        "a channel type that does not exist": edited(whole, b"channels", 2, b"\x07"),
    }
    for what, content in cases.items():
        path.write_bytes(content)
        with pytest.raises(UnreadableFile) as found:
            exr_header.parse(path)
        assert str(found.value).startswith(str(path)), what
        assert not is_complete(path), what


def test_mutated_headers_raise_nothing_else(whole: bytes, tmp_path: Path) -> None:
    dice, path, end = random.Random(26), tmp_path / "case.exr", whole.index(b"\0\0", 400)
    for _ in range(MUTATIONS):
        content = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            content[dice.randrange(8, end)] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
        path.write_bytes(content)
        try:
            raw = exr_header.parse(path)
            for header in raw.headers:
                assert header.line_order and header.compression and header.channels
        except UnreadableFile as error:
            assert "\n" not in str(error)


def test_a_malformed_frame_does_not_end_a_watched_sequence(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.export.watching.LOOK_SECONDS", 0.05)
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    names = whole.index(b"channels\0chlist\0") + len(b"channels\0chlist\0") + 4
    bad = whole[:names] + b"\x01" * 54 + b"R" + whole[names + 55 :]
    for frame, content in ((1, whole), (2, bad), (3, whole)):
        (tmp_path / "in" / f"s.{frame:04}.exr").write_bytes(content)
    options = ExportOptions(backend="cpu", threads=2)
    report = export_sequence(
        tmp_path / "in" / "s.####.exr", tmp_path / "out" / "g.####.exr", Grade([Exposure(1.0)]), options, watch=0.5
    )
    assert report.made == (1, 3)
    ((frame, line, _),) = report.failures
    assert frame == 2
    assert "s.0002.exr: its header is damaged" in line
