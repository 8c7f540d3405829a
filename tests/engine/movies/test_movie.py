"""Movies decoded in their own process, and their frames as images."""

from __future__ import annotations

import os
import signal
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from engine import Grade, export_image, export_sequence
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.planar import PlanarFormat
from engine.core.geometry import Rect
from engine.errors import UnreadableFile, UnsupportedFile
from engine.grade.colour_settings import RAW, ColourSetup
from engine.io import read_image
from engine.io.plane_locations import missing
from engine.mattes.planes import ChannelPlane
from engine.movies import decode_process
from engine.movies.colour_rules import ColourTags, colour_tag, is_full_range, matrix_of, siting_of
from engine.movies.encode_tags import tags_of
from engine.movies.images import describe, open_source
from engine.movies.movie import Movie, close_movies, open_movie
from engine.ops import Exposure
from engine.viewing.opening import open_image
from tests.engine.movies.numbered import FRAMES, Case, make, number_in, numbered
from tests.engine.planar_reference import to_rgba
from tests.thorough import cases
from tests.tolerance import assert_close

pytest.importorskip("av", reason="PyAV is not installed")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A movie as a phone makes it: turned by a quarter, which the file says, at 30000/1001 frames per second."""
    yield make(tmp_path_factory.mktemp("movies"), PORTRAIT)
    close_movies()


def turned(data: bytes) -> bytes:
    """Set the matrix of the track: the top left goes to the top right, by QuickTime's definition of the matrix."""
    place = data.index(b"tkhd") + 44
    matrix = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 18 << 16, 0, 1 << 30)
    return data[:place] + matrix + data[place + 36 :]


PORTRAIT = Case(
    "portrait.mov",
    "prores_ks",
    "yuv422p10le",
    rate=Fraction(30000, 1001),
    tags=(1, 1, 1),
    timecode="10:20:58;27",
    change=turned,
)


def test_description(path):
    info = describe(path, frame=3)
    part = info.parts[0]
    assert (part.width, part.height, info.frame, info.format) == (18, 32, 3, "movie")
    assert part.metadata["framesPerSecond"] == "30000/1001"
    assert part.metadata["matrix"] == "bt709, video range"
    assert part.metadata["colourTag:spaces"] == ["g24_rec709_display", "g24_rec709_scene"]
    assert open_movie(path).frames == FRAMES


def test_frames_as_images_are_turned_as_the_file_says(path):
    for frame in (5, 11, 4):
        image: Any = open_image(path, frame=frame)
        assert image.info.frame == frame and image.pixels.shape == (32, 18, 3)
        expected = np.rot90(numbered(frame), -1) / 255.0
        assert np.abs(image.pixels - expected).max() < 0.03  # ProRes
        assert number_in(np.rot90(image.pixels[..., 1])) == frame


def test_frame_that_is_not_there(path):
    with pytest.raises(UnreadableFile, match=r"has no frame 14; its frames are 0 to 13"):
        open_source(path, frame=FRAMES)
    with pytest.raises(UnreadableFile, match=r"has no frame 14; its frames are 0 to 13"):
        open_movie(path).planes(FRAMES)


@pytest.mark.skipif(os.name != "posix", reason="stops the process with a signal")
def test_process_that_hangs_or_dies_is_replaced(path, monkeypatch):
    movie: Any = Movie(path)
    movie.planes(0)
    monkeypatch.setattr(decode_process, "SILENT_SECONDS", 0.3)
    process = movie._process._process
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(UnreadableFile, match=r"portrait\.mov: frame 7 can't be decoded \(the decoder hangs\)"):
        movie.planes(7)
    assert process.poll() is not None, "it is gone"
    monkeypatch.setattr(decode_process, "SILENT_SECONDS", 30.0)
    assert number_in(movie.planes(7).planes[0]) == 7
    movie._process._process.kill()
    movie._process._process.wait()
    assert number_in(movie.planes(8).planes[0]) == 8
    movie.close()


def test_without_the_library_one_line_says_what_to_install(path, tmp_path, monkeypatch):
    (tmp_path / "av.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UnsupportedFile, match=r'needs PyAV, which is not installed; install it: pip install "tessera'):
        Movie(path)


@pytest.mark.parametrize(
    "content", cases([b"#EXTM3U\nhttp://127.0.0.1/x.ts\n"], b"not a movie", b"ffconcat version 1.0\n")
)
def test_what_is_not_a_movie_or_names_other_files_is_refused(tmp_path, content):
    other = tmp_path / "x.mov"
    other.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"x\.mov: is not a movie that can be read"):
        open_movie(other)


def test_export_of_frames(path, tmp_path):
    brighter = Grade((Exposure(1.0),), ColourSetup(RAW))
    report = export_sequence(path, tmp_path / "out.####.exr", brighter, frames="4-6")
    assert report.made == (4, 5, 6) and not report.notes
    for frame in report.made:
        image = read_image(tmp_path / f"out.{frame:04}.exr")
        graded, about = image.pixels, image.part.metadata
        timecode = {4: "10:20:59;01", 5: "10:20:59;02", 6: "10:20:59;03"}[frame]
        assert (about["timeCode"], about["framesPerSecond"]) == (timecode, "30000/1001")
        expected = np.rot90(2.0 * numbered(frame).astype(np.float32), -1) / 255.0
        assert np.abs(graded - expected).max() < 0.06
    again = export_sequence(path, tmp_path / "out.####.exr", brighter, frames="5-7,14", resume=True)
    assert (again.kept, again.made) == ((5, 6), (7,))
    assert [line for _, line, _ in again.failures] == [f"{path}: has no frame 14; leave it out, or use --missing skip"]


def test_export_of_one_frame(path, tmp_path):
    export_image(path, tmp_path / "one.exr", Grade(), frame=9)
    assert number_in(np.rot90(read_image(tmp_path / "one.exr").pixels[..., 1])) == 9


def test_a_matte_reads_no_channel_of_a_movie(path):
    lacking = missing(describe(path), [ChannelPlane("R")])
    assert "has no channel 'R' that a matte can read; movies have none" in lacking[0].text


def test_frames_are_converted_on_the_device_from_their_planes(tmp_path):
    case = Case("flat.mkv", "ffv1", "yuva444p10le", tags=(9, 16, 9), size=(34, 18))
    image: Any = open_image(make(tmp_path, case), frame=5)
    movie = open_movie(image.info.path)
    assert movie.info.format == PlanarFormat(34, 18, 10, "444", matrix="bt2020ncl", siting="topleft", alpha=True)
    expected = to_rgba(movie.planes(5).planes, movie.info.format)
    levels, device = image.levels, CpuPrimitives()
    level, handle = levels.on_device(device, 0)
    shown, (coarser, halved) = device.download(handle), levels.on_device(device, 2)
    assert (level, coarser) == (0, 1)
    assert_close(device.download(halved), expected.reshape(9, 2, 17, 2, 4).mean((1, 3)), "cpu")
    for found in (shown, levels.whole(0), open_source(image.info.path, frame=5).read_region(Rect(0, 0, 34, 18))):
        assert_close(found, expected, "cpu")
    part = Rect(3, 2, 20, 11)
    assert_close(levels.exact(part), expected[part.y : part.bottom, part.x : part.right], "cpu")
    assert number_in(shown[..., 1]) == 5 and levels.used == movie.info.format.nbytes
    alpha: Any = open_image(image.info.path, layer="A", frame=5)
    assert alpha.pixels.shape == (18, 34, 3) and (alpha.pixels == 1.0).all()


def test_tags_that_are_written_name_the_space_that_is_read():
    for space in ("g24_rec709", "srgb_rec709", "g22_rec709", "srgb_p3d65", "g26_p3d65", "pq_p3d65", "pq_rec2020"):
        tags = tags_of(f"{space}_display")
        tag = colour_tag(ColourTags(tags.primaries, tags.transfer, tags.matrix))
        assert tag is not None and f"{space}_display" in tag[1], space
    assert colour_tag(ColourTags(2, 1, 1)) is None, "the window asks"
    unknown = colour_tag(ColourTags(6, 6, 6))
    assert unknown is not None and unknown[1] == ()


@pytest.mark.parametrize(
    ("tags", "height", "format", "codec", "expected"),
    [
        (ColourTags(), 1080, "yuv420p", "h264", ("bt709", False, "left")),
        (ColourTags(), 576, "yuv420p", "mpeg1video", ("bt601", False, "center")),
        (ColourTags(matrix=6), 1080, "yuv420p", "h264", ("bt601", False, "left")),
        (ColourTags(9, 16, 9), 2160, "yuv420p10le", "hevc", ("bt2020ncl", False, "topleft")),
        (ColourTags(matrix=7, range=2), 720, "yuv422p", "h264", ("smpte240m", True, "left")),
        (ColourTags(matrix=0), 720, "yuv420p", "h264", ("bt709", False, "left")),
        (ColourTags(), 480, "yuvj420p", "mjpeg", ("bt601", True, "center")),
        (ColourTags(range=1), 480, "yuvj420p", "mjpeg", ("bt601", False, "center")),
        (ColourTags(matrix=10), 2160, "yuv420p10le", "hevc", ("", False, "left")),
    ],
)
def test_matrix_range_and_siting_are_those_of_the_tags_else_of_rules(tags, height, format, codec, expected):
    found = matrix_of(tags, False, height), is_full_range(tags, False, format), siting_of(tags, codec, format)
    assert found == expected
    assert (matrix_of(tags, True, height), is_full_range(ColourTags(), True, "gbrp")) == ("identity", True)
