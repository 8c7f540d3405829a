"""The private parts of wgpu-py: a name that is missing is reported, and devices are polled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.compute.backends.wgpu import compat, detection
from engine.compute.backends.wgpu.compat import EAGER, poll_instead_of_wait
from engine.compute.devices import detect_backends
from engine.errors import BackendUnavailable


def test_the_installed_wgpu_has_all_names():
    compat.check_library()


def test_a_wgpu_that_lacks_a_name_is_not_usable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compat, "LIBRARY_NAMES", ("GPUShaderModule", "GPUCanvasContext._released"))
    monkeypatch.setattr(detection, "_enumerate", detection._enumerate.__wrapped__)
    with pytest.raises(BackendUnavailable, match=r"has no GPUCanvasContext\._released, .*install version"):
        detection.adapters()
    found = next(info for info in detect_backends() if info.name == "wgpu")
    assert not found.usable
    assert "has no GPUCanvasContext._released" in found.reason


def test_a_device_that_lacks_a_name_is_not_usable():
    device: Any = SimpleNamespace(_internal=1, _poller=SimpleNamespace(_poll_func=None))
    compat.check_device(device)
    del device._poller._poll_func
    with pytest.raises(BackendUnavailable, match=r"has no _poller\._poll_func"):
        compat.check_device(device)


def test_a_device_is_asked_and_never_waited_for_however_often_a_composer_is_made():
    asked: list[bool] = []
    device = SimpleNamespace(_poller=SimpleNamespace(_poll_func=asked.append))
    poll_instead_of_wait(device)
    ask = device._poller._poll_func
    poll_instead_of_wait(device)
    assert device._poller._poll_func is ask
    for block in (False, *[True] * (EAGER + 2), False):
        ask(block)
    assert asked == [False] * (EAGER + 4)


def test_a_lost_device_stays_as_it_is():
    device = SimpleNamespace(_poller=None)
    poll_instead_of_wait(device)
    assert device._poller is None
