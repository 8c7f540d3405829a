"""Exports against OpenImageIO: time in turn with oiiotool and with bare decoding and encoding, and memory by size.

    python -m tests.benchmarks.export [--rounds N] [--sizes 4,8,16,32] [--mattes] [--folder FOLDER] [--json FOLDER]

The image is RGBA half, ZIP; the grade a .cc and a .cube of 33 entries. Each export is a run of the command line.
Large sizes need some room: 32 (1 gigapixel, as lines and as tiles) about 9 GB in FOLDER, at once. With `--mattes`, only
a grade with mattes is measured, against the same one without (`tests.benchmarks.matte_exports`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio

from tests.benchmarks import matte_exports
from tests.benchmarks.images import natural
from tests.benchmarks.timing import table

ROOT = Path(__file__).resolve().parents[2]
LOOK = ROOT / "resources" / "looks"
CDL, CUBE = LOOK / "warm_evening.cc", LOOK / "soft_film.cube"
SIZES = {4: (3840, 2160), 8: (7680, 4320), 16: (16384, 16384), 32: (32768, 32768)}
THREADS = 2
LIMIT = 512 << 20
MB = 1 << 20

START = """
import sys
from engine.compute.devices import create_executor
from engine.core.system import peak_memory
from engine.grade.grade import Grade
from engine.ocio import look_from_file
create_executor("cpu").prepare(Grade([look_from_file(path) for path in sys.argv[1:]]).effective)
print(peak_memory())
"""


def make(path: Path, size: tuple[int, int], tile: int = 0) -> None:
    """An image of any size, written in bands: one natural strip, again and again, each time a little brighter."""
    width, height = size
    strip = natural(min(width, 3840), 256)
    strip = np.tile(strip, (1, -(-width // strip.shape[1]), 1))[:, :width].astype(np.float16)
    spec = oiio.ImageSpec(width, height, 4, "half")
    spec.tile_width = spec.tile_height = tile
    spec.attribute("compression", "zip:1")
    file: Any = oiio.ImageOutput.create(str(path))
    assert file.open(str(path), spec), file.geterror()
    for y in range(0, height, 256):
        rows = strip[: min(256, height - y)] * np.float16(1 + y / height)
        end = y + rows.shape[0]
        done = file.write_tiles(0, width, y, end, 0, 1, rows) if tile else file.write_scanlines(y, end, 0, rows)
        assert done, file.geterror()
    file.close()


def environment(folder: Path) -> dict[str, str]:
    """This one, with modules compiled once, as where the program is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def timed(words: list[Any], env: dict[str, str] | None = None) -> dict[str, Any]:
    """A program's seconds from start to end, those of the processor, and the most memory that it held."""
    start = time.perf_counter()
    process = subprocess.Popen(words, cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, words
    return {
        "process": time.perf_counter() - start,
        "processor": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss << 10,
    }


def export(source: Path, target: Path, limit: int = 0) -> dict[str, Any]:
    """One run of the command line: its report, and its time and memory from outside."""
    report = target.with_suffix(".json")
    words = [sys.executable, "-m", "app.cli.main", "export", source, target, "--force", "--progress", "none"]
    words += ["--cdl", CDL, "--lut", CUBE, "--backend", "cpu", "--threads", str(THREADS), "--report", report]
    words += ["--max-memory", str(limit)] if limit else []
    used = timed(words, environment(target.parent))
    return json.loads(report.read_text()) | used


def held_at_start(folder: Path) -> int:
    """Bytes that a process holds that is ready to export."""
    words = [sys.executable, "-c", START, str(CDL), str(CUBE)]
    return int(subprocess.run(words, cwd=ROOT, env=environment(folder), check=True, capture_output=True).stdout)


def oiiotool(source: Path, target: Path) -> dict[str, Any]:
    """The same by OpenImageIO's own tool."""
    tool = shutil.which("oiiotool", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert tool, "oiiotool is not there"
    words = [tool, "--threads", str(THREADS), source, "--ociofiletransform", CDL, "--ociofiletransform", CUBE]
    return timed([*words, "-o", target])


BARE = """
import sys, time
import OpenImageIO as oiio
source, target, rows, threads = sys.argv[1:]
oiio.attribute("threads", int(threads))
oiio.attribute("exr_threads", int(threads))
file = oiio.ImageInput.open(source)
spec = file.spec()
made = oiio.ImageOutput.create(target)
plain = oiio.ImageSpec(spec.width, spec.height, 4, "half")
plain.attribute("compression", "zip")
made.open(target, plain)
seconds = 0.0
for y in range(0, spec.height, int(rows)):
    start = time.perf_counter()
    end = min(y + int(rows), spec.height)
    made.write_scanlines(y, end, 0, file.read_scanlines(0, 0, y, end, 0, 0, 4, "half"))
    seconds += time.perf_counter() - start
start = time.perf_counter()
made.close()
print(seconds + time.perf_counter() - start)
"""


def bare(source: Path, target: Path, rows: int) -> float:
    """Seconds to decode and encode the same bands, one after the other, and nothing else."""
    words = [sys.executable, "-c", BARE, str(source), str(target), str(rows), str(THREADS)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def against_others(folder: Path, rounds: int) -> dict[str, Any]:
    """8K, in turn with the others."""
    source, target = folder / "8k.exr", folder / "out.exr"
    make(source, SIZES[8])
    rows = export(source, target)["tile"]  # also compiles, and fills the disk's cache
    held = held_at_start(folder)
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    plain = []
    for _ in range(rounds):
        ours.append(export(source, target))
        plain.append(bare(source, target, rows))
        theirs.append(oiiotool(source, target))
    best = min(ours, key=lambda each: each["seconds_total"])
    return {
        "rounds": rounds,
        "rows of a band": rows,
        "export s": statistics.median(each["seconds_total"] for each in ours),
        "whole process s": statistics.median(each["process"] for each in ours),
        "oiiotool s": statistics.median(each["process"] for each in theirs),
        "bare decode + encode s": statistics.median(plain),
        "read, compute, write s": [best[f"seconds_{stage}"] for stage in ("read", "compute", "write")],
        "process / oiiotool": statistics.median(a["process"] / b["process"] for a, b in zip(ours, theirs, strict=True)),
        "the same in time of the processor": statistics.median(
            a["processor"] / b["processor"] for a, b in zip(ours, theirs, strict=True)
        ),
        "export / bare": statistics.median(a["seconds_total"] / b for a, b in zip(ours, plain, strict=True)),
        "memory at the start MB": held / MB,
        "memory above the start MB": max(each["peak_memory"] - held for each in ours) / MB,
        "oiiotool's memory MB": max(each["peak"] for each in theirs) / MB,
    }


def by_size(folder: Path, sizes: list[int]) -> Iterator[dict[str, Any]]:
    """The memory and time of one export of each size, as lines and as tiles, with a limit."""
    for size in sizes:
        for tile in (0, 64):
            source, target = folder / "in.exr", folder / "out.exr"
            make(source, SIZES[size], tile)
            about = export(source, target, LIMIT)
            yield {
                "image": f"{size}K {'tiles' if tile else 'lines'}",
                "megapixels": about["pixels"] / 1e6,
                "seconds": about["seconds_total"],
                "band": about["tile"],
                "peak MB": about["peak_memory"] / MB,
            }
            source.unlink()
            target.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.export")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default="4,8", help="in thousands of pixels across; 16 and 32 take minutes")
    parser.add_argument("--mattes", action="store_true", help="measure a grade with mattes, and nothing else")
    parser.add_argument("--feathers", default="0", help="of the Cryptomatte matte, in pixels")
    parser.add_argument("--folder", type=Path, help="where the images go while it runs")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="write export.json there")
    asked = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir=asked.folder, prefix="tessera-bench-") as name:
        folder = Path(name)
        if asked.mattes:
            figures["mattes"] = []
            for feather in asked.feathers.split(","):
                found = matte_exports.against_no_mattes(
                    folder, asked.rounds, lambda words: timed(words, environment(folder)), float(feather)
                )
                figures["mattes"].append(found)
                print(table([[key, _said(value)] for key, value in found.items()]), "\n", flush=True)
        elif asked.rounds:
            figures["8K"] = against_others(folder, asked.rounds)
            print(f"8K RGBA half ZIP with {CDL.name} and {CUBE.name}, {THREADS} threads, in turn")
            print(table([[key, _said(value)] for key, value in figures["8K"].items()]), "\n", flush=True)
        figures["limit MB"], figures["sizes"] = LIMIT / MB, []
        sizes = [] if asked.mattes else [int(size) for size in asked.sizes.split(",") if size]
        print(f"with --max-memory {LIMIT // MB} MiB" if sizes else "")
        for row in by_size(folder, sizes):
            figures["sizes"].append(row)
            print("  ".join(f"{key} {_said(value)}" for key, value in row.items()), flush=True)
    if asked.json:
        asked.json.mkdir(parents=True, exist_ok=True)
        (asked.json / "export.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_said(each) for each in value)
    return (
        f"{value:.2f}"
        if isinstance(value, float) and value < 100
        else f"{value:.0f}"
        if isinstance(value, float)
        else str(value)
    )


if __name__ == "__main__":
    sys.exit(main())
