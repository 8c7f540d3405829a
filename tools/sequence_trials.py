"""What sequences survive: kills and lost workers, with the files compared bit for bit to those of an undisturbed run.

    python -m tools.sequence_trials [kills] [farm] [--rounds 20] [--folder FOLDER]

`kills`: the export is killed at random moments and resumed, until it is done. `farm`: a cluster of two worker
processes, one of which is killed in mid-run, with one frame corrupt; then one with a worker that can't read the
folder. Without a name, both. Takes minutes.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import psutil

from engine.errors import TesseraError
from engine.export.farm import export_on_farm
from engine.export.frames import is_complete
from engine.export.options import ExportOptions
from engine.export.sequence import export_sequence
from engine.grade.grade import Grade, save_grade
from engine.ocio import look_from_file
from engine.ops import Exposure

ROOT = Path(__file__).resolve().parents[1]
LOOKS = ROOT / "resources" / "looks"
GRADE = Grade([Exposure(0.5), look_from_file(LOOKS / "warm_evening.cc"), look_from_file(LOOKS / "soft_film.cube")])
CPU = ExportOptions(backend="cpu", threads=2)
FRAMES = 24
SIZE = (540, 960)


def make(folder: Path) -> Path:
    folder.mkdir()
    rng = np.random.default_rng(7)
    for frame in range(1, FRAMES + 1):
        channels = {name: rng.gamma(1.0, 0.4, SIZE).astype(np.float16) for name in "RGBA"}
        OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, channels).write(str(folder / f"s.{frame:04}.exr"))
    return folder / "s.####.exr"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def stamps(folder: Path) -> dict[str, int]:
    """When each complete frame was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("g.*.exr") if is_complete(path)}


def kills(folder: Path, rounds: int) -> None:
    """SIGKILL at random moments, each followed by a resumed run that is killed again; the last one ends."""
    source, wanted, out = make(folder / "in"), folder / "wanted", folder / "out"
    for each in (wanted, out):
        each.mkdir()
    export_sequence(source, wanted / "g.####.exr", GRADE, CPU)
    save_grade(GRADE, folder / "look.json")
    words = [sys.executable, "-m", "app", "export", source, out / "g.####.exr", "--grade", folder / "look.json"]
    words += ["--backend", "cpu", "--threads", "2", "--resume"]
    dice, kept_all, redone = random.Random(11), True, 0
    whole = _seconds(words)
    for path in out.iterdir():
        path.unlink()
    for number in range(rounds):
        before = stamps(out)
        if len(before) == FRAMES:  # it was done: begin again
            for path in out.iterdir():
                path.unlink()
            before = {}
        process = subprocess.Popen([str(word) for word in words], cwd=ROOT, stderr=subprocess.DEVNULL)
        time.sleep(dice.uniform(0.1, 1.0) * whole)
        process.kill()
        process.wait()
        after = stamps(out)
        kept_all &= all(after.get(name) == stamp for name, stamp in before.items())
        redone += len(after) - len(before)
        litter = len(list(out.iterdir())) - len(after)
        print(f"kill {number + 1}: {len(before)} frames before, {len(after)} after, {litter} unfinished", flush=True)
    before = stamps(out)
    report = export_sequence(source, out / "g.####.exr", GRADE, CPU, resume=True)
    after = stamps(out)
    kept_all &= all(after[name] == stamp for name, stamp in before.items())
    print(f"the last run: {len(report.kept)} kept, {len(report.made)} made, {len(report.failures)} failed")
    print("frames that were whole were left as they were:", kept_all)
    print("all files equal to those of an undisturbed run, and nothing beside them:", contents(out) == contents(wanted))


def _seconds(words: list[Any]) -> float:
    start = time.monotonic()
    subprocess.run([str(word) for word in words], cwd=ROOT, check=True, capture_output=True)
    return time.monotonic() - start


def farm(folder: Path) -> None:
    """One of two workers killed, one frame corrupt; then a worker that can't read the folder."""
    source, wanted, out = make(folder / "in"), folder / "wanted", folder / "out"
    for each in (wanted, out):
        each.mkdir()
    bad = source.with_name("s.0005.exr")
    bad.write_bytes(bad.read_bytes()[:9000])
    export_sequence(source, wanted / "g.####.exr", GRADE, CPU)
    killed: list[int] = []

    def progress(state: Any) -> None:
        if state.done >= 6 and not killed:
            killed.append(0)
            threading.Thread(target=_kill_a_worker, args=(killed,)).start()

    report = export_on_farm(source, out / "g.####.exr", GRADE, CPU, address="local:2", progress=progress)
    print(f"killed the worker {killed[1:]}: {len(report.made)} frames made, {len(report.failures)} failed")
    for frame, line, log in report.failures:
        print(f"  {frame}: {line}\n  its log begins: {log.splitlines()[0]}")
    print("files equal to those of one machine, and nothing beside them:", contents(out) == contents(wanted))
    _without_the_path(folder, source)


def _kill_a_worker(killed: list[int]) -> None:
    """One of the worker processes: a child of a child, as nannies start them."""
    workers = [each for each in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(each.cmdline())]
    victim = random.Random(3).choice(workers)
    killed.append(victim.pid)
    victim.kill()


def _without_the_path(folder: Path, source: Path) -> None:
    """A cluster with one worker that has nothing where the others have the folder."""
    import distributed

    (folder / "late").mkdir()
    hidden = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(folder)]
    if subprocess.run([*hidden, "true"], capture_output=True).returncode:
        print("a folder can't be hidden from a worker here: left out")
        return
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, protocol="tcp") as cluster:
        words = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny"]
        words += ["--nthreads", "1", "--no-dashboard", "--local-directory", tempfile.mkdtemp()]
        worker = subprocess.Popen([*hidden, *words], cwd=ROOT, stderr=subprocess.DEVNULL)
        try:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=60)
            export_on_farm(source, folder / "late" / "g.####.exr", GRADE, CPU, address=cluster.scheduler_address)
            print("a worker without the path was not noticed")
        except TesseraError as error:
            print(f"a worker without the path: {error}")
            print("nothing was written:", not list((folder / "late").iterdir()))
        finally:
            worker.kill()
            worker.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.sequence_trials")
    parser.add_argument("what", nargs="*", choices=("kills", "farm", []), default=[])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="where the images go while it runs")
    asked = parser.parse_args()
    for what in asked.what or ("kills", "farm"):
        with tempfile.TemporaryDirectory(dir=asked.folder, prefix="tessera-trial-") as name:
            kills(Path(name), asked.rounds) if what == "kills" else farm(Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
