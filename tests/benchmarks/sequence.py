"""Sequences: against oiiotool on the processor, and where the time goes on one GPU and on several.

    python -m tests.benchmarks.sequence [--frames 240] [--threads 2] [--max-memory 512] [--folder FOLDER]
    python -m tests.benchmarks.sequence --gpu [--gpus 1,2] [--frames 96] [--folder FOLDER]

The first grades 2K RGBA half ZIP with a .cc, a .cube and an ACES view, each tool in a process of its own, and looks
whether both made the same. Of oiiotool the fastest of its forms is taken, by a few frames of each. Needs about 5 GB.
The second grades 4K with the same look, with as many of the GPUs as are asked for in turn. Needs about 8 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import PyOpenColorIO as ocio

from engine.core.system import usable_cores
from tests.benchmarks.images import natural
from tests.benchmarks.timing import table

ROOT = Path(__file__).resolve().parents[2]
LOOK = ROOT / "resources" / "looks"
CDL, CUBE = LOOK / "warm_evening.cc", LOOK / "soft_film.cube"
CONFIG, SPACE, DISPLAY, VIEW = (
    "ocio://studio-config-v4.0.0_aces-v2.0_ocio-v2.5",
    "ACEScg",
    "sRGB - Display",
    "ACES 2.0 - SDR 100 nits (Rec.709)",
)
"""A config that the OpenColorIO in oiiotool knows, too."""
DISTINCT = 12
"""Frames that differ; the others are the same files under other names."""
FIRST = 1001
MB = 1 << 20


def make(folder: Path, count: int, size: tuple[int, int], compression: str = "zip", distinct: int = DISTINCT) -> None:
    """`count` frames s.####.exr of a natural image that moves and brightens, `distinct` of them different."""
    folder.mkdir()
    base = natural(*size)
    for n in range(count):
        path = folder / f"s.{FIRST + n:04}.exr"
        if n >= distinct:
            os.link(folder / f"s.{FIRST + n % distinct:04}.exr", path)
            continue
        image = np.roll(base, (3 * n, 7 * n), (0, 1)) * np.float32(1.0 + 0.01 * n)
        image[..., 3] = 1.0
        spec = oiio.ImageSpec(*size, 4, "half")
        spec.attribute("compression", compression)
        file: Any = oiio.ImageOutput.create(str(path))
        assert file.open(str(path), spec), file.geterror()
        assert file.write_image(image.astype(np.float16)), file.geterror()
        file.close()


def measured(words: Sequence[Any], environment: dict[str, str] | None = None) -> dict[str, float]:
    """Seconds, processor seconds and peak memory of a process, its start included."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in words], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, said.decode()
    return {
        "s": time.perf_counter() - start,
        "cpu s": used.ru_utime + used.ru_stime,
        "peak MB": (used.ru_maxrss << 10) / MB,
    }


def frame_range(count: int) -> str:
    return f"{FIRST}-{FIRST + count - 1}"


def tessera(folder: Path, count: int, *options: Any) -> list[Any]:
    """The command line of our export."""
    words: list[Any] = [sys.executable, "-m", "app", "export", folder / "in/s.####.exr", folder / "ours/g.####.exr"]
    words += ["--frames", frame_range(count), "--cdl", CDL, "--lut", CUBE, "--config", CONFIG, "--force"]
    words += ["--input", SPACE, "--working", SPACE, "--display", DISPLAY, "--view", VIEW]
    return [*words, "--report", folder / "report.json", "--progress", "none", *options]


def oiiotool(folder: Path, count: int, threads: int, form: str) -> list[Any]:
    """The command line of the same job: file by file, or as one look of a config, frames at once or not."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    words: list[Any] = [shutil.which("oiiotool", path=path), "--threads", threads, "--frames", frame_range(count)]
    words += ["--parallel-frames"] if "at once" in form else []
    if "one look" in form:
        words += ["--colorconfig", folder / "look.ocio", folder / "in/s.#.exr"]
        words += [f"--ociodisplay:from={SPACE}:looks=shot", DISPLAY, VIEW]
    else:
        words += ["--colorconfig", CONFIG, folder / "in/s.#.exr", "--ociofiletransform", CDL]
        words += ["--ociofiletransform", CUBE, f"--ociodisplay:from={SPACE}", DISPLAY, VIEW]
    return [*words, "-o", folder / "theirs/g.#.exr"]


FORMS = ("one by one", "at once", "one look, one by one", "one look, at once")


def write_config(path: Path) -> None:
    """The config with the CDL and the LUT as a look, so that it is one processor."""
    config = ocio.Config.CreateFromFile(CONFIG)
    both = ocio.GroupTransform([ocio.FileTransform(str(CDL)), ocio.FileTransform(str(CUBE))])
    config.addLook(ocio.Look("shot", processSpace=SPACE, transform=both))
    path.write_text(config.serialize())


def largest_difference(folder: Path, count: int) -> float:
    """Between the frames that both made, by the first and the last."""
    worst = 0.0
    for frame in (FIRST, FIRST + count - 1):
        frames = [oiio.ImageBuf(str(folder / f"{who}/g.{frame:04}.exr")) for who in ("ours", "theirs")]
        one, other = (np.asarray(each.get_pixels("float")) for each in frames)
        worst = max(worst, float(np.abs(one - other).max()))
    return worst


def against_oiiotool(folder: Path, count: int, threads: int, limit: int) -> dict[str, Any]:
    make(folder / "in", count, (2048, 1152))
    write_config(folder / "look.ocio")
    for name in ("ours", "theirs"):
        (folder / name).mkdir()
    ours = tessera(folder, count, "--backend", "cpu", "--threads", threads, "--max-memory", f"{limit}MiB")
    few = max(2, count // 40)
    measured(tessera(folder, few, "--backend", "cpu", "--threads", threads))  # compiles, and fills the disk's cache
    tried = {form: measured(oiiotool(folder, few, threads, form))["s"] for form in FORMS}
    form = min(tried, key=lambda each: tried[each])
    mine = measured(ours)
    report = json.loads((folder / "report.json").read_text())
    theirs = measured(oiiotool(folder, count, threads, form))
    return {
        "frames": count,
        "threads": threads,
        "oiiotool's forms, s": {name: round(seconds, 1) for name, seconds in tried.items()},
        "oiiotool's form": form,
        "ours, frames a second": count / mine["s"],
        "oiiotool, frames a second": count / theirs["s"],
        "times as fast": theirs["s"] / mine["s"],
        "times less of the processor": theirs["cpu s"] / mine["cpu s"],
        "processor s of a frame, ours": mine["cpu s"] / count,
        "processor s of a frame, oiiotool": theirs["cpu s"] / count,
        "read, compute, write, s of a frame": [
            report[f"seconds_{stage}"] / count for stage in ("read", "compute", "write")
        ],
        "limit MB": limit,
        "peak MB, ours": report["peak_memory"] / MB,
        "peak MB, oiiotool": theirs["peak MB"],
        "largest difference": largest_difference(folder, count),
    }


def on_gpus(folder: Path, count: int, asked: list[int], size: tuple[int, int]) -> list[dict[str, Any]]:
    """One row for each number of GPUs: frames a second, and what its threads did in the time."""
    make(folder / "in", count, size)
    (folder / "ours").mkdir()
    threads = usable_cores()
    rows = []
    visible = (os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(max(asked))))).split(",")
    for gpus in asked:
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": ",".join(visible[:gpus])}
        words = tessera(folder, count, "--backend", "cuda", "--threads", threads)
        measured(words, environment)  # compiles, and fills the disk's cache
        seconds = measured(words, environment)
        report = json.loads((folder / "report.json").read_text())
        workers, whole = min(count, threads + 1), report["seconds_total"]
        stages = {stage: report[f"seconds_{stage}"] for stage in ("read", "compute", "write")}
        rows.append(
            {
                "GPUs": gpus,
                "devices": ", ".join(report["devices"]),
                "threads": threads,
                "frames a second": count / whole,
                "with the start of the process": count / seconds["s"],
                "start s": seconds["s"] - whole,
                **{f"{stage} s of a frame": value / count for stage, value in stages.items()},
                **{f"{stage} % of the workers": 100.0 * value / (workers * whole) for stage, value in stages.items()},
                "neither %": 100.0 - 100.0 * sum(stages.values()) / (workers * whole),
                "processor s of a frame": seconds["cpu s"] / count,
                "cores busy": seconds["cpu s"] / seconds["s"],
                "peak MB": report["peak_memory"] / MB,
            }
        )
        print(table([[key, said(value)] for key, value in rows[-1].items()]), "\n", flush=True)
    print(
        "scaling:",
        ", ".join(f"{row['GPUs']}: {row['frames a second'] / rows[0]['frames a second']:.2f}" for row in rows),
    )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sequence")
    parser.add_argument("--gpu", action="store_true", help="4K on GPUs instead of 2K against oiiotool")
    parser.add_argument("--gpus", default="1,2", help="numbers of GPUs to use, in turn")
    parser.add_argument("--frames", type=int, help="240, on GPUs 96")
    parser.add_argument("--size", default="3840x2160", help="of the frames for GPUs")
    parser.add_argument("--threads", type=int, default=2, help="against oiiotool")
    parser.add_argument("--max-memory", type=int, default=512, metavar="MIB", help="against oiiotool")
    parser.add_argument("--folder", type=Path, help="where the images go while it runs")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="write sequence.json there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder, prefix="tessera-bench-") as name:
        figures: Any
        if asked.gpu:
            width, height = map(int, asked.size.split("x"))
            gpus = [int(number) for number in asked.gpus.split(",")]
            figures = on_gpus(Path(name), asked.frames or 96, gpus, (width, height))
        else:
            figures = against_oiiotool(Path(name), asked.frames or 240, asked.threads, asked.max_memory)
            print(table([[key, said(value)] for key, value in figures.items()]))
    if asked.json:
        asked.json.mkdir(parents=True, exist_ok=True)
        (asked.json / "sequence.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0


def said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {said(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(said(each) for each in value)
    return f"{value:.3g}" if isinstance(value, float) and value < 1000 else str(value)


if __name__ == "__main__":
    sys.exit(main())
