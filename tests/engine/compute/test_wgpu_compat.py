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


@pytest.mark.parametrize("prefix", ["typedef ", "alias of "])
def test_a_parser_that_takes_more_than_a_text_has_what_it_needs(prefix: str):
    class Parser:
        def __init__(self) -> None:
            self._declarations = {f"{prefix}{name}": name for name in "ABC"}
            self.seen: list[tuple[Any, ...]] = []

        def _parse(self, *given: Any, **named: Any) -> str:
            self.seen.append((given, named, {*self._declarations.values()}))
            return self._declarations[f"{prefix}B"]

    parser = Parser()
    parse_types_quickly(SimpleNamespace(_parser=parser))
    assert parser._parse("(\nB\n)", True, packed=2) == parser._parse(csource="B *") == "B"
    calls = (("(\nB\n)", True), {"packed": 2}), ((), {"csource": "B *"})
    few = [{"B"}] if prefix == "typedef " else [set(), {*"ABC"}]
    assert parser.seen == [(*call, known) for call in calls for known in few]
    assert [*parser._declarations.values()] == [*"ABC"]


def test_what_cffi_can_not_parse_is_its_own_error():
    cffi = pytest.importorskip("cffi")
    ffi, plain = cffi.FFI(), cffi.FFI()
    parse_types_quickly(ffi)
    errors = list[str]()
    for each in (ffi, plain):
        with pytest.raises(cffi.CDefError) as caught:
            each.typeof("Missing *")
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


class _Slots:
    """A parser whose methods can't be replaced."""

    __slots__ = ("_declarations",)

    def __init__(self) -> None:
        self._declarations = dict[str, Any]()

    def _parse(self, text: str) -> str:
        return text


def test_another_cffi_stays_as_it_is():
    parse_types_quickly(SimpleNamespace())
    without: list[dict[str, Any]] = [{"_parse": print}, {"_declarations": {}}, {"_declarations": {}, "_parse": 1}]
    for names in (*without, {"_declarations": None, "_parse": print}):
        other = SimpleNamespace(_parser=SimpleNamespace(**names))
        parse_types_quickly(other)
        assert vars(other._parser) == names
    parser = _Slots()
    parse_types_quickly(SimpleNamespace(_parser=parser))
    assert parser._parse == _Slots._parse.__get__(parser)
