"""OpenEXR's Python prints what it can't decode: that is an error of ours, and nothing on the terminal."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.core.file_errors import reading
from engine.errors import UnreadableFile
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import offsets
from engine.io.printed import printed
from engine.io.whole import planes_of
from tests.engine.io.exr import header


def test_threads_keep_what_they_print_apart(capsys: pytest.CaptureFixture[str]) -> None:
    before, started, end = sys.stdout, threading.Barrier(3), threading.Barrier(3)
    kept = {}

    def listen(name: str) -> None:
        with printed() as lines:
            started.wait(10)
            print(f"{name} is heard")
            end.wait(10)
        kept[name] = "".join(lines)

    threads = [threading.Thread(target=listen, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    started.wait(10)
    print("this goes on")
    end.wait(10)
    for thread in threads:
        thread.join()
    assert kept == {"one": "one is heard\n", "two": "two is heard\n"}
    assert capsys.readouterr().out == "this goes on\n"
    assert sys.stdout is before


def test_a_program_without_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with printed() as lines:
        print("heard")
    assert (lines, sys.stdout) == (["heard", "\n"], None)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A file of two parts; the first can't be decoded."""
    path, pixels = tmp_path / "a.exr", np.add.outer(np.arange(64), np.arange(64)).astype(np.float16)
    kinds = [header(compression=OpenEXR.PIZ_COMPRESSION) for _ in range(2)]
    parts = [OpenEXR.Part(kind, {"Y": pixels * np.float16(n)}, f"p{n}") for n, kind in enumerate(kinds, 1)]
    OpenEXR.File(parts).write(str(path))
    raw = exr_header.parse(path)
    data = bytearray(path.read_bytes())
    with path.open("rb") as file:
        for at in offsets(file, raw, 0):
            data[at + 20 : at + 400] = bytes(byte ^ 0x55 for byte in data[at + 20 : at + 400])
    path.write_bytes(data)
    return path


def test_what_can_not_be_decoded_is_an_error_with_the_reason(damaged: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """OpenEXR leaves out the first part: without an error the second would be taken for it."""
    with pytest.raises(UnreadableFile, match=r"a\.exr: is damaged \(Unable to run decoder\)"), reading(damaged):
        planes_of(damaged, 0)
    assert capfd.readouterr().out == ""
