"""engine.export.frame_patterns: notations against fileseq's own answers."""

from __future__ import annotations

from pathlib import Path

import fileseq
import pytest

from engine.errors import FileError, TesseraError, UnreadableFile, UnsupportedFile
from engine.export.frame_patterns import (
    frames_text,
    gaps,
    is_pattern,
    nearest,
    pair,
    parse_frames,
    parse_pattern,
    pattern_of,
)
from tests.engine.limits import FOUND, MB, bounded, needs_found, needs_limits

NOTATIONS = [
    ("shot.####.exr", fileseq.PAD_STYLE_HASH1),
    ("shot.#.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.%04d.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.%d.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.$F4.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.@@@@.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.@.exr", fileseq.PAD_STYLE_HASH4),
    ("shot_###.tar.exr", fileseq.PAD_STYLE_HASH1),
    ("shot.1001-1100x2#.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.1,3,5-9@@.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.-10--5#.exr", fileseq.PAD_STYLE_HASH4),
    ("shot.-2-3####.exr", fileseq.PAD_STYLE_HASH1),
    ("shot.10-1####.exr", fileseq.PAD_STYLE_HASH1),
    ("####.exr", fileseq.PAD_STYLE_HASH1),
]
FRAMES = (-1234, -10, -1, 0, 7, 999, 1001, 123456)


@pytest.mark.parametrize(("text", "style"), NOTATIONS)
def test_paths_and_frames_are_those_of_fileseq(text, style, tmp_path):
    mine, theirs = parse_pattern(tmp_path / text), fileseq.FileSequence(str(tmp_path / text), pad_style=style)
    assert [str(mine.path(frame)) for frame in FRAMES] == [theirs.frame(frame) for frame in FRAMES]
    wanted = theirs.frameSet()
    assert mine.frames == (None if wanted is None else tuple(wanted))


@pytest.mark.parametrize("name", ["o>####.exr", "a<b@@@@.exr", "o>x.%04d.exr", "!x?.####.exr"])
def test_no_character_of_a_name_is_dropped(name):
    place = name[name.index(next(each for each in ("####", "@@@@", "%04d") if each in name)) :][:4]
    assert parse_pattern(name).path(7).name == name.replace(place, "0007")


def test_a_range_of_frames_with_what_is_none_before_it_is_refused():
    with pytest.raises(UnsupportedFile, match="not a name with a range of frames"):
        parse_pattern("s>1-5####.exr")


@pytest.mark.parametrize("text", ["shot.####.exr", "shot.%04d.exr", "shot.@@@@.exr", "shot.#.exr"])
def test_four_digits_in_every_spelling(text):
    assert parse_pattern(text).path(7).name == "shot.0007.exr"
    assert parse_pattern(text).path(-7).name == "shot.-007.exr"
    assert parse_pattern(text).path(12345).name == "shot.12345.exr"


@pytest.mark.parametrize(("text", "style"), [each for each in NOTATIONS if "-" not in each[0] and "," not in each[0]])
def test_what_is_on_disk_is_what_fileseq_finds(text, style, tmp_path):
    pattern = parse_pattern(tmp_path / text)
    for frame in (-3, 0, 1, 2, 8, 1001, 12345):
        pattern.path(frame).touch()
    for name in ("shot.0001.exr.tmp", "shot.01x.exr", "shot..exr", "other.0001.exr", "shot.1.5.exr", "shot.0x01.exr"):
        (tmp_path / name).touch()
    theirs = fileseq.findSequenceOnDisk(str(tmp_path / text), strictPadding=True, pad_style=style)
    assert pattern.on_disk() == sorted(theirs.frameSet()) == [-3, 0, 1, 2, 8, 1001, 12345]


def test_names_of_another_width_are_not_meant(tmp_path):
    for name in ("shot.1.exr", "shot.001.exr", "shot.0002.exr", "shot.00003.exr", "shot.-0004.exr", "shot.-005.exr"):
        (tmp_path / name).touch()
    assert parse_pattern(tmp_path / "shot.####.exr").on_disk() == [-5, 2]
    assert parse_pattern(tmp_path / "shot.%d.exr").on_disk() == [1]


def test_only_the_name_has_a_place(tmp_path):
    folder = tmp_path / "cut#2@home"
    folder.mkdir()
    (folder / "shot.0001.exr").touch()
    assert not is_pattern(folder / "shot.0001.exr")
    assert parse_pattern(folder / "shot.#.exr").on_disk() == [1]
    (folder / "note #1.exr").touch()
    assert not is_pattern(folder / "note #1.exr")
    assert is_pattern(folder / "note #.exr")
    assert parse_pattern(tmp_path / "nowhere" / "shot.#.exr").on_disk() == []


@pytest.mark.parametrize("text", ["shot.exr", "shot.1001.exr", "a.####.b.####.exr", "shot.1.5-2.5x0.5#.#.exr"])
def test_what_is_no_notation_is_said(text):
    with pytest.raises(UnsupportedFile, match="shot"):
        parse_pattern(text if "shot" in text else f"shot{text}")


@pytest.mark.parametrize("text", ["1001-1100,1150", "1-10x3", "-5--1", "10-1", "1-10y3", "5,5,4", "1-9:3", "-4-4x2"])
def test_lists_of_frames_are_those_of_fileseq(text):
    assert parse_frames(text) == tuple(fileseq.FrameSet(text))


@pytest.mark.parametrize("text", ["", "abc", "1-", "1.5", "1-2x0.5", "1-99999999999", "1-2000000"])
def test_lists_that_are_none_are_refused(text):
    with pytest.raises(TesseraError, match="frames"):
        parse_frames(text)


@needs_limits
def test_a_stagger_behind_what_fileseq_skips_is_refused():
    with pytest.raises(TesseraError, match="more than 100"):
        parse_frames("1-10:@@@@10000000000.0")


@needs_limits
@pytest.mark.parametrize(
    "text",
    [
        "1-10:2147483647",
        "1-999999:500000",
        "1--10:" + "9" * 30,
        "1,2-9:101",
        "1-9.65:4294967296",
        "1-9:>2147483647",
        "1-9 : 2147483647",
    ],
)
def test_a_large_stagger_is_refused_instead_of_counted_down(text):
    with pytest.raises(TesseraError, match="more than 100"):
        parse_frames(text)
    with pytest.raises(UnsupportedFile, match="more than 100"):
        parse_pattern(f"shot.{text}#.exr")
    assert parse_frames("1-9:3") == (1, 4, 7, 3, 5, 9, 2, 6, 8)
    assert parse_pattern("9:101.####.exr").head == "9:101.", "a name that looks like one is none"


@pytest.mark.parametrize("number", ["9" * 30, "-" + "9" * 40, "1" + "0" * 5000])
def test_numbers_beyond_any_frame_are_refused_in_one_line(number):
    with pytest.raises(TesseraError):
        parse_frames(number)
    with pytest.raises(UnsupportedFile):
        parse_pattern(f"shot.{number}#.exr")


def test_a_name_that_ends_in_endless_digits_is_of_no_sequence():
    assert pattern_of("shot." + "1" * 5000 + ".exr") is None


@pytest.mark.parametrize("place", ["%1500000000d", "%99999999999d", "$F1500000000", "%" + "9" * 5000 + "d"])
def test_numbers_of_a_billion_digits_are_refused(place):
    done = bounded(
        "from engine.export.frame_patterns import parse_pattern; parse_pattern(sys.argv[1]).path(1)", f"a.{place}.exr"
    )
    assert "is not a sequence" in done.said
    assert "write it like shot.####.exr" in done.said
    assert done.peak < 300 * MB


@pytest.mark.parametrize("text", ["\ud800/a.####.exr", "a\0.####.exr"])
def test_names_that_no_file_has_are_one_line(text):
    with pytest.raises(UnreadableFile, match="has a name ") as caught:
        parse_pattern(text)
    assert str(caught.value).isprintable()


@needs_found
def test_sequences_that_did_harm():
    for path in sorted(FOUND.glob("*.seq")):
        with pytest.raises(TesseraError):
            parse_pattern(path.read_bytes().decode("utf-8", "surrogatepass")).on_disk()


@needs_limits
def test_frames_far_apart_are_not_counted_one_by_one(tmp_path):
    for frame in (1, 2, 10**15):
        (tmp_path / f"s.{frame}.exr").touch()
    code = "from engine.export.frame_patterns import pair, parse_pattern as p; pair(p(sys.argv[1]), p(sys.argv[2]))"
    done = bounded(code, tmp_path / "s.@.exr", tmp_path / "t.@.exr")
    assert f"from frame 1 to frame {10**15} there are more than 1000000 frames; give a range" in done.said
    with pytest.raises(TesseraError, match="more than"):
        gaps([1, 2, 10**200])


def test_gaps():
    assert gaps([]) == gaps([7]) == []
    assert gaps([1001, 1002, 1004]) == [1003]
    assert gaps([1, 3, 7]) == [5]
    assert gaps([-2, 1]) == []  # every third, as far as anyone can tell
    assert gaps([-2, -1, 1]) == [0]
    assert frames_text([5, 1, 2, 3]) == "1-3,5"
    frames = [1, 2, 4, 8]
    theirs = fileseq.FrameSet(frames).invertedFrameRange()
    assert gaps(frames) == list(fileseq.FrameSet(theirs))


@pytest.fixture
def shot(tmp_path):
    for frame in (1001, 1002, 1004):
        (tmp_path / f"shot.{frame}.exr").touch()
    return tmp_path / "shot.####.exr"


def test_pairs(shot, tmp_path):
    out = parse_pattern(tmp_path / "out.%05d.tif")
    files = pair(parse_pattern(shot), out)
    assert [(f.frame, f.target.name, f.is_there) for f in files] == [
        (1001, "out.01001.tif", True),
        (1002, "out.01002.tif", True),
        (1003, "out.01003.tif", False),
        (1004, "out.01004.tif", True),
    ]
    assert [f.frame for f in pair(parse_pattern(shot), out, (1004, 1010))] == [1004, 1010]
    ranged = parse_pattern(shot.with_name("shot.1001-1004x3####.exr"))
    assert [f.frame for f in pair(ranged, out)] == [1001, 1004]
    assert [f.frame for f in pair(ranged, out, (1002,))] == [1002]


def test_a_target_may_be_numbered_anew(shot, tmp_path):
    files = pair(parse_pattern(shot), parse_pattern(tmp_path / "out.1-4#.exr"))
    assert [f.target.name for f in files] == ["out.0001.exr", "out.0002.exr", "out.0003.exr", "out.0004.exr"]
    with pytest.raises(UnsupportedFile, match="3 frames for 4"):
        pair(parse_pattern(shot), parse_pattern(tmp_path / "out.1-3#.exr"))


def test_pairs_that_can_not_be(shot, tmp_path):
    with pytest.raises(FileError, match="own source"):
        pair(parse_pattern(shot), parse_pattern(shot))
    with pytest.raises(UnreadableFile, match=r"no frames; there is no file like .*other\.0001\.exr"):
        pair(parse_pattern(tmp_path / "other.####.exr"), parse_pattern(tmp_path / "out.####.exr"))


@pytest.mark.parametrize(
    ("name", "text", "frame"),
    [
        ("s.1001.exr", "s.####.exr", 1001),
        ("v2_shot.003.exr", "v2_shot.###.exr", 3),
        ("shot1001.exr", "shot####.exr", 1001),
        ("s.-005.exr", "s.####.exr", -5),
        ("s-0005.exr", "s-####.exr", 5),
        ("-05.exr", "###.exr", -5),
        ("s.1001_left.exr", "s.####_left.exr", 1001),
        ("s.7.exr", "s.@.exr", 7),
    ],
)
def test_the_sequence_of_a_file(name, text, frame, tmp_path):
    found = pattern_of(tmp_path / name)
    assert found is not None
    assert (Path(found[0].text).name, found[1]) == (text, frame)
    assert found[0].path(frame) == tmp_path / name == parse_pattern(found[0].text).path(frame)
    assert pattern_of(tmp_path / "plain.exr") is None


def test_nearest():
    assert [nearest([3, 5, 9], frame) for frame in (1, 3, 4, 6, 99)] == [3, 3, 3, 5, 9]
