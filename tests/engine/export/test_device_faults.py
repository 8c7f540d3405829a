"""Exports through a device's codec that fail, or have too little memory, or share the device with others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.chunks import ChunkTable, DecodedChunks, LineLayout, Verdict
from engine.compute.memory_budget import MemoryBudget
from engine.errors import (
    Cancelled,
    HandleError,
    OutOfDeviceMemory,
    UnreadableFile,
    WriteFailed,
)
from engine.export import device_frames
from engine.io import FileOutput
from tests.engine.export.device_exports import CPU, assert_same, export, shared, shot
from tests.engine.host_codec import HostCodec


class Damaged(HostCodec):
    """Finds the second chunk of every file damaged."""

    def decode(self, packed: Any, table: ChunkTable, layout: LineLayout) -> DecodedChunks:
        found = super().decode(packed, table, layout)
        found.verdicts[1] = Verdict.WRONG_SUM
        return found


class Full(HostCodec):
    """Has no memory to encode."""

    def encode(self, *asked: Any) -> Any:
        raise OutOfDeviceMemory("there is none")


@pytest.mark.parametrize("codec", [Damaged, Full])
def test_what_fails_on_the_device_is_done_in_main_memory(codec: type[HostCodec], tmp_path: Path) -> None:
    source, resources = shot(tmp_path / "a.exr"), shared(codec())
    assert export(source, tmp_path / "b.exr", resources=resources).encoder == "cpu"
    export(source, tmp_path / "c.exr", options=replace(CPU, encoder="cpu"))
    assert_same(tmp_path / "c.exr", tmp_path / "b.exr")
    assert resources.executor.primitives.memory_stats().count == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.exr", "b.exr", "c.exr"]


def test_progress_never_falls(tmp_path: Path) -> None:
    shares = list[float]()
    export(shot(tmp_path / "a.exr"), tmp_path / "b.exr", resources=shared(Full()), progress=shares.append)
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


class Room(MemoryBudget):
    """Does something when a frame comes in."""

    def __init__(self, happens: Callable[[], Any]) -> None:
        super().__init__(1 << 40, 1, 1)
        self.happens = happens

    @contextmanager
    def taken(self, size: int, cancelled: Callable[[], bool] | None = None) -> Iterator[None]:
        self.happens()
        with super().taken(size, cancelled):
            yield


@pytest.mark.parametrize("more", [{"size": (50, 44)}, {"channels": "RGBX"}])
def test_a_source_that_is_replaced_meanwhile(more: dict[str, Any], tmp_path: Path) -> None:
    source, codec = shot(tmp_path / "a.exr"), HostCodec()
    codec.room = Room(lambda: shot(source, **more))
    with pytest.raises(UnreadableFile, match="changes while it is read"):
        export(source, tmp_path / "b.exr", resources=shared(codec))
    assert "decode" not in codec.calls
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_the_device_is_given_up_while_a_frame_is_on_it(tmp_path: Path) -> None:
    source, codec = shot(tmp_path / "a.exr"), HostCodec()
    resources = shared(codec)

    def fall_back() -> None:
        resources.executor.primitives = CpuPrimitives(1)

    codec.room = Room(fall_back)
    assert export(source, tmp_path / "b.exr", resources=resources).encoder == "cpu"
    assert "put" in codec.calls
    export(source, tmp_path / "c.exr", options=replace(CPU, encoder="cpu"))
    assert_same(tmp_path / "c.exr", tmp_path / "b.exr")


def test_main_memory_is_free_before_the_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resources, free = shared(), list[int]()
    plain = FileOutput.finish

    def finish(output: FileOutput) -> None:
        free.append(resources.budget._free)
        plain(output)
        output.path.rename(tmp_path / "taken.exr")

    monkeypatch.setattr(FileOutput, "finish", finish)
    report = export(shot(tmp_path / "a.exr"), tmp_path / "b.exr", resources=resources)
    assert free == [resources.budget.memory]
    assert (report.encoder, report.file_size) == ("gpu", 0)  # another program took the file away


def test_lines_of_another_size_are_not_copied() -> None:
    codec, layout = HostCodec(), LineLayout(4, 4, (("Y", "half"),))
    lines = codec.new_lines(layout)
    for other in (LineLayout(4, 5, layout.channels), LineLayout(4, 4, (("Y", "float"),)), LineLayout(4, 4, ())):
        with pytest.raises(HandleError, match="size and channels"):
            codec.copy(codec.new_lines(other), lines, ("Y",))


def test_too_little_memory_on_the_device(tmp_path: Path) -> None:
    codec = HostCodec()
    codec.room = MemoryBudget(1000, 1, 1)
    report = export(shot(tmp_path / "a.exr"), tmp_path / "b.exr", resources=shared(codec))
    assert report.encoder == "cpu"
    assert codec.calls == []


def test_too_little_main_memory(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr", size=(600, 400))
    report = export(source, tmp_path / "b.exr", resources=shared(memory=6_000_000))
    assert report.encoder == "cpu"


def test_a_damaged_file_gives_the_same_error(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr")
    data = bytearray(source.read_bytes())
    data[-40:] = bytes(40)
    for content in (bytes(data), bytes(data[:-3000])):
        source.write_bytes(content)
        said = []
        for encoder in ("cpu", "auto", "gpu"):
            with pytest.raises(UnreadableFile) as caught:
                export(source, tmp_path / "b.exr", options=replace(CPU, encoder=encoder))
            said.append(str(caught.value))
        assert len(set(said)) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_progress_and_cancellation(tmp_path: Path) -> None:
    source, shares = shot(tmp_path / "a.exr"), list[float]()
    export(source, tmp_path / "b.exr", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) == 4
    for moment in range(5):
        asked = iter([False] * moment + [True] * 20)
        with pytest.raises(Cancelled):
            export(source, tmp_path / "c.exr", cancelled=lambda asked=asked: next(asked))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.exr", "b.exr"]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = shot(tmp_path / "a.exr")
    monkeypatch.setattr("engine.io.disk_space.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(WriteFailed, match="disk space"):
        export(source, tmp_path / "b.exr")
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_replacing_the_source(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr")
    export(source, tmp_path / "b.exr")
    report = export(source, source, options=replace(CPU, force=True))
    assert report.encoder == "gpu"
    assert_same(tmp_path / "b.exr", source)


class Counting(HostCodec):
    """Counts the frames that are on the device at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.most, self.lock = 0, 0, threading.Lock()

    def decode(self, packed: Any, table: ChunkTable, layout: LineLayout) -> DecodedChunks:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.02)
        return super().decode(packed, table, layout)

    def encode(self, *asked: Any) -> Any:
        with self.lock:
            self.now -= 1
        return super().encode(*asked)


def test_concurrent_frames_share_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_frames, "FRAMES_AT_ONCE", 2)
    source, codec = shot(tmp_path / "a.exr"), Counting()
    resources = shared(codec)
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(lambda n: export(source, tmp_path / f"b.{n}.exr", resources=resources), range(12)))
    assert {report.encoder for report in reports} == {"gpu"}
    assert codec.most == 2
    assert len({(tmp_path / f"b.{n}.exr").read_bytes() for n in range(12)}) == 1
    assert resources.executor.primitives.memory_stats().count == 0
