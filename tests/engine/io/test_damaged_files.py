"""Files that are damaged, of the corpus and at random: an image or one clear line, in little memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io import open_output, open_source
from tests.engine.io.exr import (
    PASSTHROUGH,
    REPOSITORY,
    colour,
    corpus_files,
    export,
    header,
    samples,
)
from tests.engine.io.test_files import names
from tests.thorough import THOROUGH

DAMAGED = """
import resource, sys, time
from pathlib import Path
from engine.errors import TesseraError
from engine.io import open_source, read_image
from engine.core.geometry import Rect
from tests.engine.io.exr import copy_image, grade, peak_memory
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for name in sys.argv[2:]:
    print("begin", name, flush=True)
    start, said = time.monotonic(), []
    def attempt(work):
        try:
            work()
            said.append("image")
        except TesseraError as problem:
            said.append(str(problem))
    def bands():
        source = open_source(name)
        for y in range(0, source.height, 64):
            source.read_region(Rect(0, y, source.width, min(64, source.height - y)))
        source.close()
    out = Path(sys.argv[1]) / "b.exr"
    attempt(bands)
    attempt(lambda: read_image(name))
    attempt(lambda: grade(Path(name), out, force=True))
    attempt(lambda: copy_image(name, out, force=True))
    peak = peak_memory() >> 20
    lines = "|".join(said).replace(chr(10), "NEWLINE")
    print("end", round(time.monotonic() - start, 2), peak, lines, flush=True)
"""


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=REPOSITORY,
        check=False,
    )


def check_damaged(paths: list[Path], folder: Path) -> None:
    """Every file ends in an image or in one clear line, soon and in little memory, without a crash or noise."""
    done = run(DAMAGED, folder, *paths)
    ended = [line.split(" ", 3)[1:] for line in done.stdout.splitlines() if line.startswith("end ")]
    last = done.stdout.splitlines()[-1] if done.stdout else "nothing"
    assert done.returncode == 0, f"stopped at {last}: {done.stderr[-500:]}"
    assert done.stderr == ""
    assert len(ended) == len(paths)
    for path, (seconds, megabytes, said) in zip(paths, ended, strict=True):
        assert float(seconds) < 10, path
        assert int(megabytes) < 1000, path
        for line in said.split("|"):
            assert line == "image" or path.name in line or "b.exr" in line
            assert "NEWLINE" not in line
    assert [p for p in folder.iterdir() if "tessera-" in p.name] == []


@pytest.mark.skipif(os.name == "nt", reason="no memory limits there")
def test_the_damaged_files_of_the_corpus(tmp_path: Path) -> None:
    found: list[Any] = [parameter for parameter in corpus_files(damaged=True) if not parameter.marks]
    if not found:
        pytest.skip("no corpus beside the repository")
    assert len(found) > 50
    check_damaged([parameter.values[0] for parameter in found], tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="no memory limits there")
def test_files_with_bytes_changed_at_random(image: Path, tmp_path: Path) -> None:
    """Headers, offset tables and pixels of small sound files, disturbed in ways that a bad disk or network might."""
    random = np.random.default_rng(7)
    parts = [
        OpenEXR.Part(header(), {"RGBA": colour((64, 20, 4))}, "one"),
        OpenEXR.Part(header(), {"Z": samples((64, 20), "float")}, "two"),
    ]
    OpenEXR.File(parts).write(str(tmp_path / "parts.exr"))
    damaged = []
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for n in range(120 if THOROUGH else 60):
        data = bytearray((image if n % 2 else tmp_path / "parts.exr").read_bytes())
        reach = len(data) if n % 3 else 900
        for at in random.integers(8, reach, random.integers(1, 12)):
            data[at] = random.choice([0, 1, 127, 255, int(random.integers(256))])
        damaged.append(tmp_path / "in" / f"damaged{n}.exr")
        damaged[-1].write_bytes(data[: int(random.integers(8, len(data)))] if n % 5 == 0 else data)
    check_damaged(damaged, tmp_path / "out")


@pytest.mark.skipif(os.name == "nt", reason="no memory limits there")
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".dpx"])
def test_other_formats_with_bytes_changed_at_random(tmp_path: Path, suffix: str) -> None:
    random = np.random.default_rng(11)
    (tmp_path / "out").mkdir()
    made = open_output(tmp_path / f"a{suffix}", None)
    made.init(60, 40, 3)
    made.write_region(Rect(0, 0, 60, 40), random.random((40, 60, 3)).astype(np.float32))
    made.finish()
    damaged = []
    for n in range(40 if THOROUGH else 20):
        data = bytearray((tmp_path / f"a{suffix}").read_bytes())
        for at in random.integers(0, min(len(data), 300 if n % 2 else 10**6), random.integers(1, 12)):
            data[at] = random.choice([0, 1, 127, 255, int(random.integers(256))])
        damaged.append(tmp_path / f"damaged{n}{suffix}")
        damaged[-1].write_bytes(data[: int(random.integers(1, len(data)))] if n % 5 == 0 else data)
    check_damaged(damaged, tmp_path / "out")


def test_what_is_put_aside_is_removed_when_reading_fails(image: Path, tmp_path: Path) -> None:
    shutil.copy(image, tmp_path / "c.exr")
    data = bytearray((tmp_path / "c.exr").read_bytes())
    data[-4000:] = bytes(4000)
    (tmp_path / "c.exr").write_bytes(data)
    source = open_source(tmp_path / "c.exr", options=PASSTHROUGH)
    out = open_output(tmp_path / "b.exr", source)
    with pytest.raises(UnreadableFile):
        export(source, out)
    out.abort()
    assert names(tmp_path) == ["a.exr", "c.exr"]
