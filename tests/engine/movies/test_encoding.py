"""Movies that the process of the encoder writes, read back by FFmpeg."""

import importlib.util
import os
import struct
import wave
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import psutil
import pytest

from engine.errors import BackendUnavailable, TargetExists, UnreadableFile, UnsupportedFile, WriteFailed
from engine.movies import plane_folder
from engine.movies.codecs import CODECS, codec_for
from engine.movies.encode_settings import AudioTrack, EncodeSettings
from engine.movies.encode_tags import ColourTags, ContentLight, mastering_of
from engine.movies.encoding import MovieWriter, available_codecs
from engine.movies.plane_files import map_planes
from tests.engine.movies.planes import decoded, encoded_by_ffmpeg, write_frames
from tests.thorough import cases

av = pytest.importorskip("av", reason="movies need PyAV")
RATE = Fraction(24000, 1001)
COUNT = 9


def settings_for(target, codec, **more):
    found = codec_for(target, codec)
    pixels = found.pixels_named(more.pop("pixels", ""), more.pop("hdr", False))
    chosen = ("profile", found.profile) if found.profile else ("crf", found.quality(""))
    about: dict[str, Any] = {"options": (*found.options, chosen), "tag": found.tag, "tags": ColourTags(1, 1, 1)} | more
    return pixels, EncodeSettings(found.encoder, pixels.ffmpeg, 256, 128, RATE, **about)


def written(target, settings, paths, light=None):
    writer = MovieWriter(target, settings, force=False)
    try:
        for path in paths:
            writer.write(path)
        return writer.finish(light)
    finally:
        writer.abort()


def sound(path, seconds=1.0, rate=48000):
    """Write a wave file whose samples count up, so that each says where it is from."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        ramp = (np.arange(int(seconds * rate)) % 30000).astype("<i2")
        file.writeframes(np.stack([ramp, -ramp], 1).tobytes())
    return path


@pytest.fixture(scope="module")
def hdr_prores(tmp_path_factory):
    """A ProRes of PQ with everything: timecode, pixel aspect, mastering display, content light and audio."""
    folder = tmp_path_factory.mktemp("prores")
    target = folder / "review.mov"
    audio = AudioTrack(sound(folder / "audio.wav"), start=Fraction(1, 10), silence=Fraction(1, 8))
    pixels, settings = settings_for(
        target,
        "prores_422_hq",
        tags=ColourTags(9, 16, 9),
        pixel_aspect=Fraction(2),
        timecode="01:00:00:00",
        metadata=(("comment", "shot 10"),),
        mastering=mastering_of("HDR 1000 nits (P3 D65)"),
        audio=audio,
    )
    paths, frames = write_frames(folder, pixels, 256, 128, COUNT)
    assert written(target, settings, paths, ContentLight(987, 321)).frames == COUNT
    return target, settings, frames


def test_frames_equal_those_of_ffmpeg_fed_the_same(hdr_prores, tmp_path):
    target, settings, frames = hdr_prores
    encoded_by_ffmpeg(av, tmp_path / "plain.mov", settings, frames)
    ours, plain = decoded(av, target), decoded(av, tmp_path / "plain.mov")
    assert len(ours) == len(plain) == COUNT
    assert all(
        np.array_equal(one, other) for a, b in zip(ours, plain, strict=True) for one, other in zip(a, b, strict=True)
    )
    worst = max(
        np.abs(a.astype(int) - b).max()
        for one, two in zip(ours, frames, strict=True)
        for a, b in zip(one, two, strict=True)
    )
    assert worst <= 8  # of 1023


def test_tags_timecode_and_light_are_read_back(hdr_prores):
    with av.open(str(hdr_prores[0])) as movie:
        stream = movie.streams.video[0]
        assert (stream.average_rate, stream.frames, stream.sample_aspect_ratio) == (RATE, COUNT, 2)
        assert stream.metadata["timecode"] == "01:00:00:00"
        assert movie.metadata["comment"] == "shot 10"
        frame = next(movie.decode(stream))
        assert (frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range) == (9, 16, 9, 1)
        side = {each.type.name: bytes(each) for each in frame.side_data}
    assert struct.unpack("<2I", side["CONTENT_LIGHT_LEVEL"][:8]) == (987, 321)
    fractions = struct.unpack("<20i", side["MASTERING_DISPLAY_METADATA"][:80])
    values = [a / b for a, b in zip(fractions[::2], fractions[1::2], strict=True)]
    # FFmpeg's structure: red, green, blue, white, least and highest luminance.
    assert values == pytest.approx([0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329, 0.0001, 1000], abs=2e-5)
    data = hdr_prores[0].read_bytes()
    assert b"colrnclc" + struct.pack(">3H", 9, 16, 9) in data


def test_audio_follows_the_video(hdr_prores):
    with av.open(str(hdr_prores[0])) as movie:
        samples = np.concatenate([frame.to_ndarray().reshape(-1, 2) for frame in movie.decode(audio=0)])
    assert samples.dtype == np.int16  # as in the source
    silent = 48000 // 8
    assert not samples[:silent].any()
    expected = np.arange(4800, 4800 + len(samples) - silent)
    assert np.array_equal(samples[silent:, 0], expected)
    assert np.array_equal(samples[silent:, 1], -expected)
    assert len(samples) == round(COUNT / RATE * 48000)


def test_a_lossy_codec_carries_its_tags_and_audio(tmp_path):
    target = tmp_path / "review.mp4"
    audio = AudioTrack(sound(tmp_path / "audio.wav"))
    pixels, settings = settings_for(target, "h265", hdr=True, tags=ColourTags(9, 18, 9), audio=audio)
    paths, frames = write_frames(tmp_path, pixels, 256, 128, COUNT)
    written(target, settings, paths)
    with av.open(str(target)) as movie:
        stream = movie.streams.video[0]
        assert (stream.codec_context.pix_fmt, stream.codec_context.codec_tag) == ("yuv420p10le", "hvc1")
        frame = next(movie.decode(stream))
        assert (frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range) == (9, 18, 9, 1)
        times = [packet.pts for packet in movie.demux(movie.streams.audio[0]) if packet.pts is not None]
        assert movie.streams.audio[0].codec_context.name == "aac"
        assert all(one < other for one, other in pairwise(times))
    assert b"colrnclx" + struct.pack(">3HB", 9, 18, 9, 0) in target.read_bytes()
    ours = decoded(av, target)
    worst = max(
        np.abs(a.astype(int) - b).mean()
        for one, two in zip(ours, frames, strict=True)
        for a, b in zip(one, two, strict=True)
    )
    assert worst < 4  # of 1023


def test_a_killed_encoder_leaves_nothing(tmp_path):
    target = tmp_path / "review.mov"
    pixels, settings = settings_for(target, "dnxhr_hq")
    paths, _ = write_frames(tmp_path, pixels, 256, 128, 1)
    writer = MovieWriter(target, settings, force=False)
    writer.write(paths[0])
    psutil.Process(writer.process_id).kill()
    with pytest.raises(WriteFailed, match="its encoder ended unexpectedly"):
        writer.write(paths[0])
    writer.abort()
    assert [each.name for each in tmp_path.iterdir()] == [paths[0].name]


def test_frames_of_another_size_are_refused(tmp_path):
    target = tmp_path / "review.mov"
    pixels, settings = settings_for(target, "prores_422")
    (path,), _ = write_frames(tmp_path, pixels, 64, 32, 1)
    with pytest.raises(WriteFailed, match="holds another format"):
        written(target, settings, [path])
    target.write_bytes(b"mine")
    with pytest.raises(TargetExists):
        MovieWriter(target, settings, force=False)
    assert target.read_bytes() == b"mine"


def test_without_pyav_the_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    _, settings = settings_for(tmp_path / "a.mov", "prores_422")
    with pytest.raises(UnsupportedFile, match=r"pip install 'tessera\[movies\]'"):
        MovieWriter(tmp_path / "a.mov", settings, force=False)
    with pytest.raises(BackendUnavailable, match="pip install"):
        available_codecs()


def test_planes_of_a_file_that_is_cut_off_are_refused(tmp_path):
    pixels = codec_for(tmp_path / "a.mov").pixels[0]
    (path,), _ = write_frames(tmp_path, pixels, 64, 32, 1)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UnreadableFile, match="not a complete frame"):
        map_planes(path)


KINDS = cases(
    [(".mov", "dnxhr_hqx", ""), (".webm", "av1", "")],
    *((codec.suffixes[0], codec.name, pixels.name) for codec in CODECS for pixels in codec.pixels),
    (".mkv", "av1", ""),
    (".mp4", "av1", ""),
    (".mkv", "prores_422", ""),
    (".mkv", "h265", "yuv420p10"),
    (".mov", "h264", ""),
)


@pytest.mark.parametrize(("suffix", "codec", "format"), KINDS)
def test_codecs_in_their_containers(suffix, codec, format, tmp_path):
    target = tmp_path / f"review{suffix}"
    audio = AudioTrack(sound(tmp_path / "audio.wav"))
    pixels, settings = settings_for(target, codec, pixels=format, timecode="00:00:01:00", audio=audio)
    paths, frames = write_frames(tmp_path, pixels, 256, 128, COUNT)
    written(target, settings, paths)
    with av.open(str(target)) as movie:
        video, heard = movie.streams.video[0], movie.streams.audio[0]
        assert (video.average_rate, movie.streams.video[0].codec_context.pix_fmt[:7]) == (RATE, pixels.ffmpeg[:7])
        assert {**movie.metadata, **video.metadata}.keys() & {"timecode", "TIMECODE"}
        frame = next(movie.decode(video))
        assert (frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range) == (1, 1, 1, 1)
        assert heard.codec_context.name.removeprefix("lib") in ("pcm_s16le", "aac", "flac", "opus")
        movie.seek(0)
        samples = sum(frame.samples for frame in movie.decode(heard))
        assert samples / heard.sample_rate == pytest.approx(COUNT / RATE, abs=0.05)
    ours = decoded(av, target)
    assert len(ours) == COUNT
    scale = 1 << (pixels.depth - 8)
    finer = 4 if "4444" in codec else 1  # FFmpeg decodes it to 12 bits
    worst = max(
        np.abs(a.astype(float) / finer - b).mean() / scale
        for one, two in zip(ours, frames, strict=True)
        for a, b in zip(one, two, strict=True)
    )
    assert worst < 1.5  # of 255


def test_folders_of_frames_of_dead_processes_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(plane_folder, "_root", lambda: tmp_path)
    with plane_folder.plane_folder() as mine:
        dead = mine.with_name(mine.name.replace(f"-{os.getpid()}-", "-4194305-"))
        foreign = tmp_path / ".tessera-movie-ffffff-4194305-x"
        for folder in (dead, foreign):
            folder.mkdir()
        with plane_folder.plane_folder() as other:
            assert other.is_dir() and other != mine
        assert (mine.is_dir(), dead.exists(), foreign.is_dir()) == (True, False, True)
    assert not mine.exists()
