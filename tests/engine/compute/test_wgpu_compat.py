"""The private parts of wgpu-py: a name that is missing is reported, and devices are polled."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from engine.compute.backends.wgpu import compat, detection
from engine.compute.backends.wgpu.compat import EAGER, parse_types_quickly, poll_instead_of_wait
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


def test_types_are_parsed_with_the_typedefs_that_they_mention(monkeypatch: pytest.MonkeyPatch):
    cffi, texts = pytest.importorskip("cffi"), list[str]()
    ffi = cffi.FFI()
    ffi.cdef(
        "typedef int A; typedef float B; typedef struct { A first; B *second; } C; typedef void (*D)(C const *, A);"
    )
    parser = cffi.cparser._get_parser()
    monkeypatch.setattr(cffi.cparser, "_get_parser", lambda: SimpleNamespace(parse=parse))

    def parse(text: str) -> Any:
        texts.append(text)
        return parser.parse(text)

    parse_types_quickly(ffi)
    quick = ffi._parser._parse
    found = [ffi.typeof(name).cname for name in ("C *", "D[]", "uint8_t *", "void(*)(C const *, D)")]
    assert found == ["C *", "void(*[])(C *, int)", "uint8_t *", "void(*)(C *, void(*)(C *, int))"]
    known = [set(re.findall(r"typedef int (\w);", text)) for text in texts]
    assert known == [{"C"}, {"D"}, set(), {"C", "D"}]
    assert ffi.sizeof("C") == 2 * ffi.sizeof("B *")
    parse_types_quickly(ffi)
    assert ffi._parser._parse is quick


def test_another_cffi_stays_as_it_is():
    parse_types_quickly(SimpleNamespace())
    other = SimpleNamespace(_parser=SimpleNamespace(_parse=1))
    parse_types_quickly(other)
    assert other._parser._parse == 1
