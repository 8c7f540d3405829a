"""The engine as the window calls it: images are read for the device that shows them, if it decodes them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

import engine
from app.model.sequence_clip import LARGE, size_of
from app.services.engine_calls import _Device
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.errors import KernelError
from engine.io.source import Image
from engine.viewing import device_opening
from engine.viewing.device_opening import DeviceImage
from tests.engine.host_codec import HostCodec


class Preparing(HostCodec):
    """A codec whose kernels are compiled when the test says so."""

    prepared = False

    def __init__(self, primitives: CpuPrimitives, error: bool = False) -> None:
        super().__init__(primitives)
        self.may, self.is_done, self._error = threading.Event(), threading.Event(), error

    def prepare(self) -> None:
        assert self.may.wait(10.0)
        try:
            if self._error:
                raise KernelError("a kernel does not compile")
            self.prepared = True
        finally:
            self.is_done.set()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(device_opening, "LEAST_SAMPLES", 0)
    path = tmp_path / "a.exr"
    spec = oiio.ImageSpec(9, 7, 3, "half")
    spec.attribute("compression", "zip")
    file = oiio.ImageOutput.create(str(path))
    assert file is not None and file.open(str(path), spec)
    file.write_image(np.ones((7, 9, 3), np.float16))
    file.close()
    return path


def executor_of(monkeypatch: pytest.MonkeyPatch, primitives: CpuPrimitives) -> _Device:
    """A device whose next executor computes with `primitives`."""

    def create(backend: str, threads: int) -> Any:
        return TiledExecutor(primitives)

    monkeypatch.setattr(engine, "create_executor", create)
    return _Device()


def test_images_are_read_for_the_device_once_its_kernels_are_ready(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    primitives = CpuPrimitives()
    codec = primitives.chunk_codec = Preparing(primitives)
    device = executor_of(monkeypatch, primitives)
    assert isinstance(device.read_image(path), Image), "there is no device yet"
    executor = device.create_executor("cuda", 0)
    assert isinstance(device.read_image(path), Image), "its kernels are not ready"
    codec.may.set()
    assert codec.is_done.wait(10.0)
    image = device.read_image(path)
    assert isinstance(image, DeviceImage)
    assert size_of((image, None)) == 9 * 7 * 3 * 2
    executor.primitives = CpuPrimitives()
    assert isinstance(device.read_image(path), Image), "it works on another device now"
    del executor
    assert isinstance(device.read_image(path), Image), "it is gone"
    primitives.chunk_codec = None


def test_a_device_that_can_not_compile_reads_as_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    primitives = CpuPrimitives()
    codec = primitives.chunk_codec = Preparing(primitives, error=True)
    device = executor_of(monkeypatch, primitives)
    executor = device.create_executor("cuda", 0)
    codec.may.set()
    assert codec.is_done.wait(10.0)
    assert isinstance(device.read_image(path), Image) and executor is not None
    primitives.chunk_codec = None


def test_an_executor_without_a_codec_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of thumbnails, which is on the CPU."""
    primitives = CpuPrimitives()
    primitives.chunk_codec = HostCodec(primitives)
    device = executor_of(monkeypatch, primitives)
    executor = device.create_executor("cuda", 0)
    monkeypatch.setattr(engine, "create_executor", lambda backend, threads: TiledExecutor(CpuPrimitives()))
    device.create_executor("cpu", 1)
    assert isinstance(device.read_image(path), DeviceImage) and executor is not None
    primitives.chunk_codec = None


def test_a_large_image_takes_all_memory() -> None:
    assert size_of((object(), None)) == LARGE
