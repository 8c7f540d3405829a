"""Sequences on all cores: frames a second against the bound, decoding and encoding by as many processes and no more.

    python -m tests.benchmarks.cores [--codecs zip,piz,dwaa] [--frames 128] [--rounds 2] [--folder FOLDER]

The frames are RGBA half with grain, graded with a CDL and a 3D LUT by the CPU backend. The bound reads bands of a frame
and writes them as they are, through OpenImageIO, in as many processes as cores, with one thread each; it neither checks
what it wrote nor flushes it to disk. With `--folder /dev/shm` the disk does not count. Both run several times, in turn;
the best run of each counts. Needs about 4 GB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import OpenImageIO as oiio

from engine.core.system import usable_cores
from tests.benchmarks.sequence import CDL, CUBE, FIRST, ROOT, frame_range, make, measured, said
from tests.benchmarks.timing import table

BAND_ROWS = 128
"""A multiple of the rows of a chunk, of about the size of a band of the export."""
DISTINCT = 4


def copy_frames(source: Path, target: Path, first: int, step: int, count: int) -> None:
    """Decode and encode every `step`-th frame, in this thread."""
    oiio.attribute("threads", 1)
    oiio.attribute("exr_threads", -1)
    for frame in range(FIRST + first, FIRST + count, step):
        reading: Any = oiio.ImageInput.open(str(source / f"s.{frame:04}.exr"))
        spec, path = reading.spec(), str(target / f"b.{frame:04}.exr")
        writing: Any = oiio.ImageOutput.create(path)
        assert writing.open(path, spec), writing.geterror()
        for top in range(0, spec.height, BAND_ROWS):
            bottom = min(top + BAND_ROWS, spec.height)
            rows = reading.read_scanlines(0, 0, top, bottom, 0, 0, spec.nchannels, "half")
            assert writing.write_scanlines(top, bottom, 0, rows), writing.geterror()
        reading.close()
        writing.close()


def bound(folder: Path, count: int, cores: int) -> dict[str, float]:
    """Frames a second, and processor seconds of a frame, of as many processes as cores, without their start."""
    words = [sys.executable, "-m", __spec__.name, "--copy", str(folder), "--frames", str(count), "--step", str(cores)]
    processes = [
        subprocess.Popen(
            [*words, "--first", str(first)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for first in range(cores)
    ]
    pipes = [(process.stdin, process.stdout) for process in processes]
    for _, answers in pipes:
        assert answers is not None
        answers.readline()
    start = time.perf_counter()
    for orders, _ in pipes:
        assert orders is not None
        orders.write("\n")
        orders.flush()
    used = [float(process.communicate()[0]) for process in processes]
    seconds = time.perf_counter() - start
    assert not any(process.returncode for process in processes)
    return {"frames/s": count / seconds, "processor s": sum(used) / count}


def ours(folder: Path, count: int, cores: int) -> dict[str, float]:
    """Frames a second of an export, and processor seconds of a frame."""
    words = [sys.executable, "-m", "app", "export", folder / "in/s.####.exr", folder / "out/g.####.exr", "--force"]
    words += ["--frames", frame_range(count), "--cdl", CDL, "--lut", CUBE, "--backend", "cpu", "--threads", cores]
    found = measured([*words, "--report", folder / "report.json", "--progress", "none"])
    report = json.loads((folder / "report.json").read_text())
    assert len(report["made"]) == count, report["failures"]
    seconds = report["seconds_total"]
    return {
        "frames/s": count / seconds,
        "with the start of the process": count / found["s"],
        "processor s": found["cpu s"] / count,
        "busy cores": found["cpu s"] / found["s"],
        "peak MB": report["peak_memory"] / (1 << 20),
        **{f"{stage} s": report[f"seconds_{stage}"] / count for stage in ("read", "compute", "write")},
    }


def one_codec(folder: Path, codec: str, count: int, size: tuple[int, int], rounds: int) -> dict[str, Any]:
    """The figures of one compression."""
    cores = usable_cores()
    make(folder / "in", count, size, codec, DISTINCT)
    (folder / "out").mkdir()
    ours(folder, 2, cores)  # compiles the kernels
    bounds, exports = [], []
    for _ in range(rounds):
        bounds.append(bound(folder, count, cores))
        empty(folder / "out")
        exports.append(ours(folder, count, cores))
        empty(folder / "out")
    best, most = (max(each, key=lambda run: run["frames/s"]) for each in (exports, bounds))
    return {
        "codec": codec,
        "cores": cores,
        "frames": count,
        "bound, frames/s": most["frames/s"],
        "bound, processor s of a frame": most["processor s"],
        "ratio": best["frames/s"] / most["frames/s"],
        **{f"export, {name}": value for name, value in best.items()},
    }


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cores")
    parser.add_argument("--codecs", default="zip,piz,dwaa")
    parser.add_argument("--frames", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--folder", type=Path, help="where the images go while it runs")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="write cores.json there")
    for name in ("copy", "first", "step"):  # what a process of the bound does
        parser.add_argument(f"--{name}", type=Path if name == "copy" else int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.copy:
        print("ready", flush=True)
        sys.stdin.readline()
        copy_frames(asked.copy / "in", asked.copy / "out", asked.first, asked.step, asked.frames)
        print(time.process_time())
        return 0
    width, height = map(int, asked.size.split("x"))
    figures = []
    for codec in asked.codecs.split(","):
        with tempfile.TemporaryDirectory(dir=asked.folder, prefix="tessera-bench-") as name:
            figures.append(one_codec(Path(name), codec, asked.frames, (width, height), asked.rounds))
        print(table([[key, said(value)] for key, value in figures[-1].items()]), "\n", flush=True)
    if asked.json:
        asked.json.mkdir(parents=True, exist_ok=True)
        (asked.json / "cores.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
