"""One run: windows with their models, the actions by chance, and the comparison after each."""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from app.shell.main_window import MainWindow
from tools.soak.disk import DiskReader
from tools.soak.observed import Reader, difference, expected_window
from tools.soak.rig import FOLDERS, HandDisk, Rig, settle, turn
from tools.soak.values import Body, Grade, cdl_text, cube_text, grade_json, op
from tools.soak.windows import Stored, Window, World, without_stamps

WINDOWS = 2
LAST = 20
"""Actions that are printed with a difference."""
PALETTE = [n / 64 for n in range(8, 64)]
"""Values that half floats and float32 hold."""


class Different(Exception):
    """A window or a file is not what the model says."""


class Use:
    """Two windows and their models. `act` does one thing to both; `compare` holds them against each other."""

    def __init__(self, rig: Rig, seed: int, world: World | None = None, crashed: Iterable[Stored] = ()) -> None:
        """`world` is that of a process that ended; the first window recovers its `crashed` sessions."""
        self.rig, self.chance = rig, random.Random(seed)
        self.world = world or World()
        self.reader, self.disk = Reader(), DiskReader()
        self.log: deque[str] = deque(maxlen=LAST)
        self._make_files()
        self.windows: list[MainWindow] = []
        self.models: list[Window] = []
        self.at = 0
        for _ in range(WINDOWS):
            self._open(crashed)
            crashed = ()

    def _open(self, crashed: Iterable[Stored]) -> None:
        model = Window(self.world)
        self.windows.append(self.rig.window())
        for stored in crashed:
            model.open_session(stored, None)
        self.models.append(model)
        self.rest()

    # -- which

    @property
    def window(self) -> MainWindow:
        """The window that is used now."""
        return self.windows[self.at]

    @property
    def model(self) -> Window:
        return self.models[self.at]

    def path(self, kind: str, name: str) -> str:
        return str(self.rig.folder / kind / name)

    # -- files

    def _make_files(self) -> None:
        for name in ("ant", "bee", "cat", "dog"):
            self.write_image(self.path("images", f"{name}.exr"), layers=name in ("ant", "bee"))
        for frame in range(1001, 1006):
            self.write_image(self.path("images", f"shot.{frame}.exr"))
        for name in ("warm", "cold", "film"):
            self.write_cube(self.path("luts", f"{name}.cube"))
        for name, number in (("one", 1), ("two", 2)):
            self.write_cdl(self.path("luts", f"{name}.ccc"), number)
        self.write_broken(self.path("images", "broken.exr"))
        self.write_broken(self.path("luts", "broken.cube"))

    def write_image(self, path: str, layers: bool = False) -> None:
        values = {name: self.chance.choice(PALETTE) for name in (("", "diffuse") if layers else ("",))}
        self.rig.write_image(Path(path), values)
        self._wrote(path, "image", values)

    def write_cube(self, path: str) -> None:
        gain = self.chance.choice(PALETTE)
        self.rig.write(Path(path), cube_text(gain))
        self._wrote(path, "cube", gain)

    def write_cdl(self, path: str, count: int) -> None:
        bodies = [self.cdl() for _ in range(count)]
        self.rig.write(Path(path), cdl_text(bodies))
        self._wrote(path, "cdl", bodies)

    def write_broken(self, path: str) -> None:
        self.rig.write(Path(path), "this is neither an image nor a LUT\n")
        self._wrote(path, "broken", None)

    def write_grade(self, path: str, grade: Grade, versions: tuple[tuple[str, Grade], ...] = ()) -> None:
        """As another program saves a grade."""
        named = [{"name": name, "number": n, "grade": grade_json(each)} for n, (name, each) in enumerate(versions, 1)]
        self.rig.write(Path(path), json.dumps(grade_json(grade) | {"versions": named}))
        self.world.write(path, "grade", (grade, versions))

    def _wrote(self, path: str, kind: str, held: object) -> None:
        self.world.write(path, kind, held)
        self.disk.wrote(path)

    def cdl(self) -> Body:
        three = self._three
        fields = {"slope": three(0.5, 2.0), "offset": three(-0.1, 0.1), "power": three(0.8, 1.2)}
        return op("Cdl", saturation=self._number(0.0, 2.0), **fields)

    def _three(self, low: float, high: float) -> tuple[float, ...]:
        return tuple(self._number(low, high) for _ in range(3))

    def _number(self, low: float, high: float) -> float:
        return round(self.chance.uniform(low, high), 3)

    def unstamped(self, grade: Grade) -> Grade:
        """A grade that came as text."""
        return without_stamps(grade)

    def pass_time(self, seconds: float) -> None:
        self.rig.clock.now += seconds
        self.world.now = self.rig.clock.now

    # -- a step

    def act(self, name: str, do: Callable[[Use], str | None]) -> bool:
        """One action, and the same of the model; False if it could not be done now. Answers come in `rest`."""
        self.pass_time(100.0)
        self.log.append(f"window {self.at}: {name}")
        more = do(self)
        if more is None:
            self.log.pop()
            return False
        self.log[-1] += f" {more}" if more else ""
        turn()
        return True

    def rest(self) -> None:
        """Let everything be read and noticed, by windows and models."""
        settle(self.windows)
        while sum(look_at_disk(window) for window in self.windows):
            settle(self.windows)
        for model in self.models:
            model.rest()

    def end(self) -> None:
        """Close the windows, whatever they hold."""
        for window in self.windows:
            window._over = True
            window.close()
            window.workspace.close()
            window.workspace.finish(10.0)
            window.deleteLater()

    def compare(self) -> None:
        """Different if anything is not as the model says."""
        for at, (window, model) in enumerate(zip(self.windows, self.models, strict=True)):
            line = difference(expected_window(model), self.reader.window(window), f"window {at}")
            if line:
                raise Different(line)
        folders = [self.rig.folder / name for name in FOLDERS]
        line = self.disk.difference(self.world, folders)
        if line or self.rig.errors:
            raise Different(line or self.rig.errors[0])


def look_at_disk(window: MainWindow) -> bool:
    disk = window.workspace.disk
    assert isinstance(disk, HandDisk)
    return disk.look()
