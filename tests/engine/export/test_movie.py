"""engine.export.movie: movies of sequences, decoded by FFmpeg."""

from __future__ import annotations

import os
import wave
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.compute.planar import PlanarFormat
from engine.errors import TargetExists, UnreadableFile, UnsupportedFile
from engine.export.image import export_image
from engine.export.movie import export_movie, preview_movie
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.curves import Curve, Key, Keys
from engine.grade.grade import Grade, Layer
from engine.io import read_image
from engine.movies.burn_in import BurnIn, Text
from engine.movies.movie_options import MovieOptions
from engine.ops import Exposure
from tests.engine.movies.planes import decoded
from tests.engine.planar_reference import to_rgba

av = pytest.importorskip("av", reason="movies need PyAV")
SIZE = 48, 96
COLOUR = ColourSetup(input="ACEScg")
PQ = Viewing("Rec.2100-PQ - Display", "ACES 2.0 - HDR 1000 nits (P3 D65)")
SDR = Viewing("sRGB - Display", "ACES 2.0 - SDR 100 nits (Rec.709)")
CPU = ExportOptions(backend="cpu", threads=2, colour=COLOUR, viewing=SDR)
GRADE = Grade([Exposure(0.5)])


def draw(path: Path, number: int, **header) -> None:
    """A smooth frame whose level rises with its number."""
    y, x = np.mgrid[0 : SIZE[0], 0 : SIZE[1]] / SIZE[1]
    levels = (0.1 + 0.1 * number, 0.5, 1.0 + 0.2 * number)
    rgb = np.stack([level * np.exp2(3 * np.sin(4 * x + level) * np.cos(3 * y) - 1) for level in levels], axis=-1)
    about = {"framesPerSecond": Fraction(24000, 1001), "compression": OpenEXR.ZIP_COMPRESSION}
    OpenEXR.File({**about, **header}, {"RGB": rgb.astype(np.float16)}).write(str(path))


@pytest.fixture
def shot(tmp_path):
    """Frames 1001-1005."""
    (tmp_path / "in").mkdir()
    for number in range(5):
        draw(tmp_path / "in" / f"sh010.{1001 + number}.exr", number)
    return tmp_path / "in" / "sh010.####.exr"


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "review.mov"


def graded(shot, tmp_path, frame, options=CPU):
    """R'G'B' of a frame, exported as an image."""
    alone = tmp_path / "alone.exr"
    options = replace(options, type="float", force=True, movie=MovieOptions())
    export_image(shot.with_name(f"sh010.{frame}.exr"), alone, GRADE, options)
    return read_image(alone).pixels[..., :3]


def left_over(out):
    shared = [
        each.name
        for root in (Path("/dev/shm"), Path("/tmp"))
        for each in root.glob(f".tessera-movie-*-{os.getpid()}-*")
    ]
    return [each.name for each in out.parent.iterdir()] + shared


def test_frames_are_the_graded_ones_with_their_tags(shot, out, tmp_path):
    options = replace(CPU, viewing=PQ, movie=MovieOptions(codec="prores_4444", timecode="10:00:00:00"))
    report = export_movie(shot, out, GRADE, options, frames="1001-1003")
    assert (report.made, report.failures, report.bytes_written) == (
        (1001, 1002, 1003),
        (),
        out.stat().st_size,
    )
    assert left_over(out) == ["review.mov"]
    with av.open(str(out)) as movie:
        stream = movie.streams.video[0]
        assert (stream.average_rate, stream.frames) == (Fraction(24000, 1001), 3)
        assert stream.metadata["timecode"] == "10:00:00:00"
        frame = next(movie.decode(stream))
        assert (frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range) == (9, 16, 9, 1)
        side = {each.type.name: bytes(each) for each in frame.side_data}
    form = PlanarFormat(SIZE[1], SIZE[0], 12, "444", matrix="bt2020ncl")  # FFmpeg decodes 4444 to 12 bits
    rgb = [graded(shot, tmp_path, number, options) for number in report.made]
    for planes, wanted in zip(decoded(av, out), rgb, strict=True):
        error = np.abs(to_rgba(planes, form)[..., :3] - wanted)
        assert error.mean() < 1e-3 and error.max() < 0.02
    # MaxCLL and MaxFALL, by the formula of SMPTE ST 2084.
    nits = [_luminance(image.astype(np.float64).max(axis=2)) for image in rgb]
    light = np.frombuffer(side["CONTENT_LIGHT_LEVEL"][:8], "<u4")
    assert light[0] == pytest.approx(max(each.max() for each in nits), rel=1e-3, abs=1)
    assert light[1] == pytest.approx(max(each.mean() for each in nits), rel=1e-3, abs=1)
    assert "MASTERING_DISPLAY_METADATA" in side


def _luminance(code):
    power = np.clip(code, 0.0, 1.0) ** (32 / 2523)
    return 10000 * (np.maximum(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (16384 / 2610)


def test_an_encoder_that_needs_the_light_first_gets_it(shot, tmp_path):
    """Matroska has no boxes of ours: what FFmpeg finds stands in the stream of x265."""
    out = tmp_path / "review.mkv"
    options = replace(CPU, viewing=PQ, movie=MovieOptions(codec="h265", quality="low"))
    export_movie(shot, out, GRADE, options, frames="1001-1002")
    with av.open(str(out)) as movie:
        frame = next(movie.decode(video=0))
        assert (frame.format.name, frame.color_trc) == ("yuv420p10le", 16)
        side = {each.type.name: bytes(each) for each in frame.side_data}
    highest = max(_luminance(graded(shot, tmp_path, n, options).astype(np.float64)).max() for n in (1001, 1002))
    assert np.frombuffer(side["CONTENT_LIGHT_LEVEL"][:8], "<u4")[0] == pytest.approx(highest, rel=1e-3, abs=1)


def test_missing_frames_are_as_in_a_sequence(shot, out):
    shot.with_name("sh010.1003.exr").unlink()
    report = export_movie(shot, out, GRADE, CPU)
    assert [(frame, line.partition(":")[0]) for frame, line, _ in report.failures] == [
        (1003, str(shot.with_name("sh010.1003.exr")))
    ]
    assert left_over(out) == []
    held = export_movie(shot, out, GRADE, CPU, missing="hold")
    assert held.made == (1001, 1002, 1003, 1004, 1005) and any("Missing; replaced with" in note for note in held.notes)
    frames = decoded(av, out)
    assert all(np.array_equal(one, other) for one, other in zip(frames[1], frames[2], strict=True))
    skipped = preview_movie(shot, out.with_name("b.mov"), GRADE, CPU, missing="skip")
    assert skipped.after[0] == "4 frames: 1001-1002,1004-1005" and skipped.after[-1] == "missing: 1003"


def test_bad_frames_are_all_named_and_no_movie_is_written(shot, out):
    for frame in (1002, 1005):
        path = shot.with_name(f"sh010.{frame}.exr")
        path.write_bytes(path.read_bytes()[:-200])
    report = export_movie(shot, out, GRADE, replace(CPU, threads=1))
    assert [frame for frame, _, _ in report.failures] == [1002, 1005]
    assert report.made == () and left_over(out) == []


def test_a_movie_is_resumed_frame_by_frame(shot, out):
    export_movie(shot, out, GRADE, CPU)
    with pytest.raises(TargetExists):
        export_movie(shot, out, GRADE, CPU)
    before = out.read_bytes()
    assert export_movie(shot, out, GRADE, CPU, resume=True).kept == (1001, 1002, 1003, 1004, 1005)
    assert out.read_bytes() == before
    draw(shot.with_name("sh010.1003.exr"), 9, comments="changed")
    report = export_movie(shot, out, GRADE, CPU, resume=True)
    assert (report.made, report.kept) == ((1003,), (1001, 1002, 1004, 1005))
    assert report.notes[-1] == "4 of 5 frames were taken over from the movie before."
    resumed = decoded(av, out)
    export_movie(shot, out, GRADE, replace(CPU, force=True))
    fresh = decoded(av, out)
    assert all(
        np.array_equal(a, b) for one, two in zip(resumed, fresh, strict=True) for a, b in zip(one, two, strict=True)
    )


def test_a_movie_of_a_grade_with_keys_is_resumed_by_its_own_values(shot, out):
    def rising(*values):
        keys = (Key(1001 + n, value, "linear") for n, value in enumerate(values))
        return Grade([Layer(Exposure(), keys=Keys({"stops": Curve(keys)}))])

    export_movie(shot, out, rising(0.0, 0.5, 1.0, 0.5, 0.0), CPU)
    levels = [frame[0].mean() for frame in decoded(av, out)]
    one = out.with_name("one.mov")
    export_movie(shot, one, Grade([Exposure(1.0)]), CPU, frames="1003")
    assert decoded(av, one)[0][0].mean() == levels[2]
    same = export_movie(shot, out, rising(0.0, 0.5, 1.0, 0.5, 0.0), CPU, resume=True)
    other = export_movie(shot, out, rising(0.0, 0.5, 1.0, 0.9, 0.0), CPU, resume=True)
    assert (len(same.kept), other.made, other.kept) == (5, (1004,), (1001, 1002, 1003, 1005))


def test_frames_are_kept_in_a_folder_until_the_movie_is_complete(shot, out, tmp_path):
    """As the tasks of a farm: frames here and there, encoded at the end."""
    folder = tmp_path / "frames"
    export_movie(shot, out, GRADE, CPU)
    at_once = out.read_bytes()
    again = replace(CPU, force=True)
    for part in ("1004-1005", "1001-1003"):
        export_movie(shot, out, GRADE, again, frames="1001-1005", frames_in=folder, make_only=part)
    assert len(list(folder.iterdir())) == 5 and out.read_bytes() == at_once
    report = export_movie(shot, out, GRADE, again, frames="1001-1005", frames_in=folder)
    assert (len(report.kept), report.made, folder.exists()) == (5, (), False)
    assert out.read_bytes() == at_once


def test_a_slate_and_burn_ins_are_drawn(shot, out, tmp_path):
    burn_in = BurnIn((Text("{frame}", "center"),), size=0.4, opacity=1.0, backing=0.0, slate=2)
    options = replace(CPU, movie=MovieOptions(burn_in=burn_in, timecode="01:00:00:00"))
    export_movie(shot, out, GRADE, options, frames="1001-1002")
    plain = tmp_path / "plain.mov"
    export_movie(shot, plain, GRADE, CPU, frames="1001-1002")
    with av.open(str(out)) as movie:
        assert movie.streams.video[0].metadata["timecode"] == "00:59:59:22"
    slate, _, first, second = decoded(av, out)
    bare, _ = decoded(av, plain)
    assert np.abs(slate[0][:4, :4].astype(int) - (64 + 0.18 * 876)).max() <= 3
    difference = np.abs(first[0].astype(int) - bare[0]) > 100
    assert difference[12:36].any() and not difference[:8].any() and not difference[40:].any()
    assert not np.array_equal(first[0], second[0])


def test_a_movie_is_made_of_a_movie_with_its_audio(shot, out, tmp_path):
    sound = tmp_path / "sound.wav"
    with wave.open(str(sound), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(np.arange(1, 20001, dtype="<i2").tobytes())
    plate = tmp_path / "plate.mov"
    export_movie(shot, plate, Grade(), replace(CPU, movie=MovieOptions(audio=str(sound), timecode="01:00:00:00")))
    again = ExportOptions(backend="cpu", threads=2)
    report = export_movie(plate, out, Grade(), again, frames="1-3")
    assert report.made == (1, 2, 3)
    with av.open(str(out)) as movie:
        stream = movie.streams.video[0]
        assert (stream.average_rate, stream.metadata["timecode"]) == (Fraction(24000, 1001), "01:00:00:01")
        samples = np.concatenate([frame.to_ndarray().reshape(-1) for frame in movie.decode(audio=0)])
    assert (samples[0], len(samples)) == (2003, 6006)  # 1001 / 24000 s are 2002 samples
    before, after = decoded(av, plate)[1:4], decoded(av, out)
    worst = [
        np.abs(a.astype(int) - b).max()
        for one, two in zip(before, after, strict=True)
        for a, b in zip(one, two, strict=True)
    ]
    assert max(worst) <= 8  # of 1023: encoded twice
    with pytest.raises(UnsupportedFile, match="is also the source"):
        export_movie(plate, plate, Grade(), replace(again, force=True))
    left_out = preview_movie(plate, out.with_name("b.mov"), Grade(), again, frames="0,2")
    assert any("audio of the source is left out" in note for note in left_out.notes)


def test_what_lies_outside_of_the_data_window_is_black(shot, out, tmp_path):
    data = {"displayWindow": (np.array((-16, -8), np.int32), np.array((111, 63), np.int32))}
    draw(shot.with_name("sh010.1001.exr"), 1, **data)
    report = export_movie(shot, out, GRADE, CPU, frames="1001")
    assert report.made == (1001,)
    ((luma, *_),) = decoded(av, out)
    assert luma.shape == (72, 128)
    assert (np.abs(luma[:6].astype(int) - 64) < 6).all() and luma[16:48, 24:100].min() > 100
    failed = export_movie(shot, out, GRADE, replace(CPU, force=True))
    assert "has 96 x 48 pixels, the movie 128 x 72" in failed.failures[0][1]


def test_prores_4444_holds_alpha(out, tmp_path):
    source, alpha = tmp_path / "a.exr", np.linspace(0.0, 1.0, 96, dtype=np.float32)[None].repeat(48, axis=0)
    window = {"displayWindow": (np.array((0, 0), np.int32), np.array((127, 47), np.int32))}
    pixels = np.stack([0.5 * alpha, 0.4 * alpha, 0.3 * alpha, alpha], axis=-1)
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, **window}, {"RGBA": pixels}).write(str(source))
    export_movie(source, out, GRADE, replace(CPU, movie=MovieOptions(codec="prores_4444", pixels="yuva444p10")))
    ((*_, found),) = decoded(av, out)
    wanted = np.pad(alpha, ((0, 0), (0, 32)))
    assert np.abs(found / (found.max() or 1) - wanted).max() < 2 / 1023


REFUSED = [
    ({"viewing": None}, "would hold scene-linear values"),
    ({"type": "half"}, "use --pixel-format"),
    ({"compression": "zip"}, "has no --compression"),
    ({"matte_channels": (("a", "1"),)}, "has no --matte-channel"),
    ({"encoder": "gpu"}, "can't be encoded on the device"),
    ({"movie": MovieOptions(codec="h264"), "resize": (63, 32)}, "use --resize 62x32"),
    ({"movie": MovieOptions(codec="dnxhr_hq")}, "DNxHR HQ begins at 256 x 120"),
    ({"movie": MovieOptions(codec="h264", quality="99")}, "'99' is not a quality of H.264"),
    ({"movie": MovieOptions(timecode="1:2")}, "is not a timecode"),
    ({"movie": MovieOptions(audio="gone.wav")}, "gone.wav: does not exist"),
]


@pytest.mark.parametrize(("change", "line"), REFUSED)
def test_what_movies_can_not_be_is_refused_before_work(change, line, shot, out):
    with pytest.raises((UnsupportedFile, UnreadableFile, Exception)) as problem:
        export_movie(shot, out, GRADE, replace(CPU, **change))
    assert line in str(problem.value) and left_over(out) == []


def test_a_movie_is_one_file(shot, out):
    with pytest.raises(UnsupportedFile, match="a movie is one file"):
        export_movie(shot, out.with_name("a.####.mov"), GRADE, CPU)


def test_a_cancelled_movie_leaves_nothing(shot, out):
    asked = iter([False] * 4)
    report = export_movie(shot, out, GRADE, CPU, cancelled=lambda: next(asked, True))
    assert report.cancelled and report.made == () and left_over(out) == []


def test_the_preview_says_what_will_be_written(shot, out):
    preview = preview_movie(shot, out, GRADE, CPU, frames="1001-1003")
    assert preview.after == [
        "3 frames: 1001-1003",
        "codec: ProRes 422 HQ, yuv422p10",
        "size: 96 x 48 pixels",
        "rate: 24000/1001 (23.976)",
        "timecode: 00:00:41:17",
        "colour tags: 1-13-1 (primaries, transfer, matrix), video range",
    ]
    assert preview.colour.endswith("sRGB - Display / ACES 2.0 - SDR 100 nits (Rec.709)")
