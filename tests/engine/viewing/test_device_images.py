"""Images that a device decodes: shown as those read through main memory are, and read that way where it can't."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.chunks import ChunkTable, DecodedChunks, LineLayout, Verdict
from engine.compute.executor import TiledExecutor
from engine.compute.handles import ImageHandle
from engine.core.geometry import Rect
from engine.errors import OutOfDeviceMemory, UnreadableFile
from engine.io.exr.chunks import offsets
from engine.io.exr.header import parse
from engine.io.source import Image, read_image
from engine.ops import Exposure
from engine.viewing import FrameMaker, Levels, WholeLevels, device_opening, device_room, levels_of
from engine.viewing.device_levels import DeviceLevels
from engine.viewing.device_opening import DeviceImage
from engine.viewing.device_room import DeviceRoom
from engine.viewing.opening import open_image
from tests.engine.host_codec import HostCodec

WIDTH, HEIGHT = 90, 70


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """No image is too small for a device."""
    monkeypatch.setattr(device_opening, "LEAST_SAMPLES", 0)


@pytest.fixture
def device() -> Iterator[CpuPrimitives]:
    """A backend with a codec."""
    primitives = CpuPrimitives()
    primitives.chunk_codec = HostCodec(primitives)
    yield primitives
    primitives.chunk_codec = None


def codec_of(device: CpuPrimitives) -> HostCodec:
    assert isinstance(device.chunk_codec, HostCodec)
    return device.chunk_codec


def write(
    path: Path, names: tuple[str, ...] = ("R", "G", "B", "A"), kind: str = "half", compression: str = "zip"
) -> Path:
    random = np.random.default_rng(len(names))
    pixels = random.uniform(0.0, 2.0, (HEIGHT, WIDTH, len(names))).astype(np.float16 if kind == "half" else np.float32)
    spec = oiio.ImageSpec(WIDTH, HEIGHT, len(names), kind)
    spec.channelnames = names
    spec.attribute("compression", compression)
    file = oiio.ImageOutput.create(str(path))
    assert file is not None and file.open(str(path), spec)
    assert file.write_image(pixels.astype(np.uint32) if kind == "uint" else pixels)
    file.close()
    return path


def opened(path: Path, device: CpuPrimitives, layer: str | None = None) -> DeviceImage:
    image = open_image(path, layer=layer, codec=device.chunk_codec)
    assert isinstance(image, DeviceImage)
    return image


def frame(levels: Levels, device: CpuPrimitives) -> np.ndarray:
    """The RGBA bytes of a graded frame at about half size."""
    maker = FrameMaker(TiledExecutor(device))
    maker.show(levels)
    found = maker.exact((0.0, 0.0, WIDTH, HEIGHT), WIDTH // 2, HEIGHT // 2, [Exposure(0.3)], [], lambda: False)
    assert found is not None and isinstance(found.pixels, np.ndarray)
    return found.pixels


@pytest.mark.parametrize(
    ("names", "kind", "compression", "layer"),
    [
        (("R", "G", "B", "A"), "half", "zip", None),
        (("R", "G", "B", "Z"), "float", "zips", None),
        (("R", "G", "B", "Z"), "float", "rle", "Z"),
        (("Y",), "half", "none", None),
        (("N.X", "N.Y", "N.Z", "R", "G", "B"), "half", "zip", "N"),
        (("uv.U", "uv.V", "R", "G", "B"), "float", "zip", "uv"),
    ],
)
def test_frames_are_those_of_the_image_in_main_memory(
    tmp_path: Path, device: CpuPrimitives, names: tuple[str, ...], kind: str, compression: str, layer: str | None
) -> None:
    path = write(tmp_path / "a.exr", names, kind, compression)
    image = opened(path, device, layer)
    whole = read_image(path, layer=layer).pixels
    assert codec_of(device).calls == ["decode", "image"], "not decoded ahead"
    assert np.array_equal(frame(image.levels, device), frame(WholeLevels(whole), device))
    assert codec_of(device).calls == ["decode", "image"], "decoded again"
    assert np.array_equal(image.levels.exact(Rect(3, 4, 20, 9)), whole[4:13, 3:23])
    assert np.array_equal(image.levels.whole(0), whole) and image.levels.dtype == whole.dtype
    assert image.device_bytes == whole.nbytes


def test_another_device_gets_the_same_pixels(tmp_path: Path, device: CpuPrimitives) -> None:
    path = write(tmp_path / "a.exr")
    levels, other = opened(path, device).levels, CpuPrimitives()
    want = frame(WholeLevels(read_image(path).pixels), other)
    assert np.array_equal(frame(levels, other), want)
    levels.leave_device()
    assert np.array_equal(frame(levels, other), want)
    levels.rest()


@pytest.mark.parametrize(("kind", "compression"), [("uint", "zip"), ("half", "piz")])
def test_what_the_device_does_not_decode_is_read_as_before(
    tmp_path: Path, device: CpuPrimitives, kind: str, compression: str
) -> None:
    image = open_image(write(tmp_path / "a.exr", kind=kind, compression=compression), codec=device.chunk_codec)
    assert not isinstance(image, DeviceImage) and not codec_of(device).calls


def test_a_small_image_and_one_before_the_kernels_are_ready_are_read_as_before(
    tmp_path: Path, device: CpuPrimitives, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.exr")
    codec_of(device).prepared = False
    assert not isinstance(open_image(path, codec=device.chunk_codec), DeviceImage)
    codec_of(device).prepared = True
    monkeypatch.setattr(device_opening, "LEAST_SAMPLES", WIDTH * HEIGHT * 4 + 1)
    assert not isinstance(open_image(path, codec=device.chunk_codec), DeviceImage)


def damage(path: Path) -> None:
    """Break the stream of the second chunk."""
    raw = parse(path)
    with path.open("r+b") as file:
        at = offsets(file, raw, 0)[1]
        file.seek(at + 40)
        file.write(bytes(range(50)))


def test_a_damaged_image_is_salvaged_as_before(tmp_path: Path, device: CpuPrimitives) -> None:
    path = write(tmp_path / "a.exr")
    damage(path)
    before, image = open_image(path), open_image(path, codec=device.chunk_codec)
    assert "decode" in codec_of(device).calls and not isinstance(image, DeviceImage)
    assert image.damage == before.damage != ""


def test_a_file_that_is_missing_is_reported_as_before(tmp_path: Path, device: CpuPrimitives) -> None:
    with pytest.raises(UnreadableFile, match="does not exist"):
        open_image(tmp_path / "none.exr", codec=device.chunk_codec)


def test_a_device_without_memory_leaves_the_image_to_main_memory(tmp_path: Path, device: CpuPrimitives) -> None:
    class Full(HostCodec):
        def decode(self, packed: Any, table: ChunkTable, layout: LineLayout) -> DecodedChunks:
            raise OutOfDeviceMemory("there is no memory left")

    device.chunk_codec = Full(device)
    path = write(tmp_path / "a.exr")
    image = open_image(path, codec=device.chunk_codec)
    assert not isinstance(image, DeviceImage)
    assert np.array_equal(frame(levels_of(image), device), frame(WholeLevels(read_image(path).pixels), device))


def test_an_image_without_room_that_is_damaged_is_black_there(
    tmp_path: Path, device: CpuPrimitives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_room, "DEVICE_SHARE", 1 << 60)
    path, reported = write(tmp_path / "a.exr"), list[str]()
    damage(path)
    levels = opened(path, device).levels
    levels.watch(lambda: None, reported.append)
    want = read_salvaged(path)
    assert np.array_equal(frame(levels, device), frame(WholeLevels(want), device))
    assert reported == ["a.exr is damaged; only its intact regions are shown"]
    assert not want[16:32].any() and want[:16].any()
    frame(levels, device)
    assert codec_of(device).calls == ["decode"] and len(reported) == 1, "read again"
    assert levels.used == want.nbytes
    levels.rest()
    assert levels.used == 0


def read_salvaged(path: Path) -> np.ndarray:
    image = open_image(path)
    assert isinstance(image, Image) and image.damage
    return image.pixels


def test_a_file_that_has_changed_is_not_mixed_with_what_is_shown(tmp_path: Path, device: CpuPrimitives) -> None:
    path = write(tmp_path / "a.exr")
    levels = opened(path, device).levels
    before = frame(levels, device)
    write(path, compression="zips")
    assert np.array_equal(frame(levels, device), before)
    with pytest.raises(UnreadableFile, match="has changed since it was opened"):
        levels.exact(Rect(0, 0, 1, 1))
    levels.leave_device()
    assert levels.on_device(device, 0) is None
    with pytest.raises(UnreadableFile, match="has changed since it was opened"):
        frame(levels, device)


def test_resting_does_not_wait_for_a_read(tmp_path: Path, device: CpuPrimitives) -> None:
    levels = opened(write(tmp_path / "a.exr"), device).levels
    levels.exact(Rect(0, 0, 1, 1))
    source = levels._source
    assert source is not None
    with levels._file_lock, levels._device_lock:  # as if another thread read
        levels.rest()
        assert levels._source is source
    levels.exact(Rect(0, 0, 1, 1))
    assert levels._source is None, "the reader leaves it open"


def test_an_image_that_needs_more_memory_than_the_device_has_is_read_as_before(
    tmp_path: Path, device: CpuPrimitives, monkeypatch: pytest.MonkeyPatch
) -> None:
    codec = codec_of(device)
    monkeypatch.setattr(codec, "decoding_bytes", lambda layout, packed: codec.room.memory)
    image = open_image(write(tmp_path / "a.exr"), codec=codec)
    assert isinstance(image, Image) and not codec.calls


def test_images_leave_the_device_when_a_frame_has_no_memory(tmp_path: Path, device: CpuPrimitives) -> None:
    path = write(tmp_path / "a.exr")
    several = [opened(path, device).levels for _ in range(3)]
    maker = FrameMaker(TiledExecutor(device))
    maker.show(several[0])
    maker.let_go()
    assert held(several) == [False] * 3 and device.memory_stats().live == 0
    assert frame(several[1], device).any()


def test_images_at_rest_leave_the_device_for_others_the_oldest_first(
    tmp_path: Path, device: CpuPrimitives, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.exr")
    size = WIDTH * HEIGHT * 8
    monkeypatch.setattr(device_room, "DEVICE_SHARE", codec_of(device).room.memory // (2 * size))
    first, second, third = (opened(path, device).levels for _ in range(3))
    assert held([first, second, third]) == [True, True, False], "the third has no room"
    second.rest()
    fourth = opened(path, device).levels
    assert held([first, second, third, fourth]) == [True, False, False, True]
    second.watch(lambda: None, lambda line: None)
    want = frame(WholeLevels(read_image(path).pixels), device)
    assert np.array_equal(frame(second, device), want) and held([second]) == [False], "shown without room"
    del first
    assert np.array_equal(frame(third, device), want) and held([third]) == [True], "room that was freed"


def held(several: list[DeviceLevels]) -> list[bool]:
    """Whether images stay on the device."""
    return [levels._handle is not None for levels in several]


def test_an_image_takes_its_room_once() -> None:
    room = DeviceRoom(100)

    def nothing() -> Any:
        raise AssertionError

    decode: Callable[[Any], ImageHandle | None] = lambda codec: None  # noqa: E731
    levels = [DeviceLevels(nothing, decode, (1, 1, 4), np.float16) for _ in range(2)]
    assert [room.admit(levels[n], 60) for n in (0, 0, 1)] == [True, True, False]


def test_nothing_stays_on_the_device(tmp_path: Path, device: CpuPrimitives) -> None:
    levels = opened(write(tmp_path / "a.exr"), device).levels
    frame(levels, device)
    assert device.memory_stats().live == WIDTH * HEIGHT * 8
    del levels
    assert device.memory_stats().live == 0


def test_verdicts_that_are_not_good_count(device: CpuPrimitives) -> None:
    layout = LineLayout(1, 1, (("Y", "half"),))
    lines = codec_of(device).new_lines(layout)
    assert DecodedChunks(lines, np.zeros(2, np.int32)).good
    assert not DecodedChunks(lines, np.array([0, Verdict.WRONG_SUM], np.int32)).good
