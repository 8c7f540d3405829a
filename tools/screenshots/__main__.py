"""Screenshots of the window's states, to be looked at.

    python -m tools.screenshots DIR [--only WORD ...] [--size 1280x720 1920x1080 3840x2160@2] [--platform xcb]

Each size is a process of its own with the real engine, under Xvfb where there is no display (`--platform offscreen`
does without any), and leaves DIR/SIZE/STATE.png. The states are those of `tools.screenshots.states`, in their order;
a size with an @ has that scale, as on a screen of high density. What is shown is made here and always the same, but
for the folders and the times of exports. Labels that are clipped, overlap or have too little contrast are printed,
then the least contrast of labels and of the graticules of scopes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = ("1280x720", "1920x1080", "3840x2160@2")


def main() -> None:
    asked = arguments()
    if asked.child:
        take_all(Path(asked.folder), asked.size[0], asked.only)
        from engine.movies.movie import close_movies

        close_movies()
        os._exit(0)  # threads that still compile are not waited for
    for size in asked.size:
        start(asked, size)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Screenshots of the window's states.")
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--only", nargs="+", default=[], help="the states whose names have one of these words")
    parser.add_argument("--size", nargs="+", default=list(SIZES), help="WIDTHxHEIGHT in device pixels, and @SCALE")
    parser.add_argument("--platform", default="xcb", choices=("xcb", "offscreen"))
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def start(asked: argparse.Namespace, size: str) -> None:
    """A process for one size."""
    area, _, scale = size.partition("@")
    words = [sys.executable, "-m", "tools.screenshots", asked.folder, "--child", "--size", size]
    words += ["--only", *asked.only] if asked.only else []
    platform = asked.platform if shutil.which("xvfb-run") else "offscreen"
    if platform == "xcb":
        words = ["xvfb-run", "-a", "-s", f"-screen 0 {area}x24", *words]
    environment = os.environ | {"QT_QPA_PLATFORM": platform, "QT_SCALE_FACTOR": scale or "1"}
    if subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode:
        raise SystemExit(f"{size}: the window did not end well")


def take_all(folder: Path, size: str, only: list[str]) -> None:
    from tools.screenshots.labels import Measured, measure
    from tools.screenshots.states import STATES
    from tools.screenshots.window import Shown

    shots = folder / size
    shots.mkdir(parents=True, exist_ok=True)
    measured = Measured()
    for name, state in STATES.items():
        if only and not any(word in name for word in only):
            continue
        with tempfile.TemporaryDirectory(prefix="tessera-shots-", ignore_cleanup_errors=True) as made:
            shown = Shown(size, Path(made))
            state(shown)
            shown.wait()
            image = shown.grab()
            image.save(str(shots / f"{name}.png"))
            found = measure()
            measured.add(found)
            for line in found.problems:
                print(f"{name}: {line}", flush=True)
            shown.close()
            print(shots / f"{name}.png", flush=True)
    print(f"{size}: {measured}", flush=True)


if __name__ == "__main__":
    main()
