"""Random use of the real window: exceptions, the longest event handler, memory after all pictures are closed.

    python -m tests.benchmarks.soak [--seconds 60] [--seeds 1 2 3] [--backend cpu] [--list 10]

Each seed is a process of its own, under Xvfb where there is no display. What is done is drawn from the table MOVES;
moves on commands, panels and controls take whatever the window has, so that what is added to it joins by itself. What
a move opens is closed before the next one. Before the clock starts every panel and picture is shown once and the same
moves are made for half as long; memory is taken then, all pictures closed, and again at the end. Of each slow handler
the time on the clock is told, and the time that its thread computed: where they differ, it waited, for other threads or
for a busy machine.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
CORPUS = ROOT.parent / "shared" / "corpus"
SLOW = 0.050
"""Seconds; an event handler that takes longer is counted."""
SKIP = {"quit", "close_tab"}
"""Commands that would end the run, or its pictures too early; tabs are closed by a move of their own."""
TYPED = ("film", "exposure", "a", "12", "-0.5", "soft")


def main() -> None:
    asked = arguments()
    if asked.child:
        print(json.dumps(soak(asked.seeds[0], asked.seconds, asked.backend, Path(asked.child))), flush=True)
        os._exit(0)  # threads that still compile are not waited for
    worst, failed = 0.0, 0
    for seed in asked.seeds:
        found = run_child(seed, asked)
        worst = max(worst, found["longest"])
        failed += len(found["exceptions"])
        tell(seed, found, asked.list)
    print(f"all seeds: {failed} exceptions, longest event handler {1000 * worst:.0f} ms")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random use of the window.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--list", type=int, default=10, help="how many slow event handlers are listed")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_child(seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tessera-soak-") as folder:
        words = [sys.executable, "-m", "tests.benchmarks.soak", "--child", folder, "--seeds", str(seed)]
        words += ["--seconds", str(asked.seconds), "--backend", asked.backend]
        if not (os.environ.get("DISPLAY") or os.environ.get("QT_QPA_PLATFORM")) and shutil.which("xvfb-run"):
            words = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24", *words]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=asked.seconds * 4 + 300)
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"seed {seed}: the window ended with exit status {done.returncode}")
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def tell(seed: int, found: dict[str, Any], count: int) -> None:
    memory, slow = found["memory"], found["slow"]
    print(f"seed {seed}: {found['moves']} moves, {found['events']} events, {len(found['exceptions'])} exceptions")
    own = sum(each[1] > SLOW for each in slow)
    clock, thread = 1000 * found["longest"], 1000 * found["own"]
    print(f"  longest event handler {clock:.0f} ms on the clock, {thread:.0f} ms computing")
    print(f"  {len(slow)} over {1000 * SLOW:.0f} ms on the clock, {own} computing for so long")
    for took, own, what, move in sorted(slow, reverse=True)[:count]:
        print(f"    {1000 * took:5.0f} ms ({1000 * own:.0f} ms computing)  {what}, during {move}")
    change = memory["after"] / memory["before"] - 1
    print(f"  memory {memory['before'] >> 20} MiB before, {memory['after'] >> 20} MiB after closing all: {change:+.1%}")
    for text, times in Counter(found["exceptions"]).most_common():
        print(f"  exception, {times} times: {text}")
    for text, times in Counter(found["messages"]).most_common(5):
        print(f"  Qt said, {times} times: {text}")


class Watch:
    """What goes wrong, and how long events take; `move` is what is being done."""

    def __init__(self) -> None:
        self.move, self.on = "start", False
        self.exceptions: list[str] = []
        self.messages: list[str] = []
        self.slow: list[tuple[float, float, str, str]] = []
        self.longest = self.own = 0.0
        self.events = 0

    def took(self, seconds: float, own: float, what: str) -> None:
        if not self.on:
            return
        self.events += 1
        self.longest, self.own = max(self.longest, seconds), max(self.own, own)
        if seconds > SLOW:
            self.slow.append((seconds, own, what, self.move))

    def install(self) -> None:
        from PySide6.QtCore import qInstallMessageHandler

        sys.excepthook = lambda kind, error, trace: self.note(error)
        threading.excepthook = lambda told: self.note(told.exc_value)
        qInstallMessageHandler(lambda _kind, _context, text: self.messages.append(text))

    def note(self, error: BaseException | None) -> None:
        import traceback

        trace = traceback.extract_tb(error.__traceback__) if error is not None else []
        where = f"{Path(trace[-1].filename).name}:{trace[-1].lineno}" if trace else ""
        self.exceptions.append(f"{type(error).__name__}: {error} ({where}, during {self.move})")


def make_application(watch: Watch) -> Any:
    """An application that times what each event's handler takes."""
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication

    from app.main_window import prepare

    class Timed(QApplication):
        depth = 0

        def notify(self, receiver: QObject, event: QEvent) -> bool:
            self.depth += 1
            start, own = time.perf_counter(), time.thread_time()
            try:
                return super().notify(receiver, event)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    what = f"{event.type().name} of {type(receiver).__name__}"
                    watch.took(time.perf_counter() - start, time.thread_time() - own, what)

    app = Timed(sys.argv[:1])
    prepare(app)
    return app


class Hands:
    """Moves on a window, by chance. Each method that MOVES names is one."""

    def __init__(
        self, app: Any, window: Any, watch: Watch, chance: random.Random, files: list[Path], looks: list[Path]
    ) -> None:
        self.app, self.window, self.workspace, self.watch = app, window, window.workspace, watch
        self.chance, self.files, self.looks = chance, files, looks

    def spin(self, seconds: float) -> None:
        from PySide6.QtCore import QEvent

        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.app.processEvents()
            self.app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # which else waits for an event loop
            time.sleep(0.001)

    def tidy(self) -> None:
        """Close dialogs and menus that the last move opened."""
        from PySide6.QtWidgets import QApplication, QDialog, QMenu

        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and isinstance(widget, QDialog):
                widget.reject()
            elif widget.isVisible() and isinstance(widget, QMenu):
                widget.close()

    # -- moves

    def command(self) -> None:
        """Any command that can be given."""
        actions = self.workspace.actions
        names = [name for name, action in sorted(actions.items()) if action.isEnabled() and name not in SKIP]
        self._act(actions[self.chance.choice(names)])

    def panel(self) -> None:
        """Show or hide a panel."""
        names = sorted(name for name in self.workspace.actions if name.startswith("panel_"))
        self._act(self.workspace.actions[self.chance.choice(names)])

    def view_option(self) -> None:
        """A command that changes how the picture is looked at."""
        from app.actions.table import all_commands

        names = [command.name for command in all_commands() if command.view is not None]
        self._act(self.workspace.actions[self.chance.choice(names)])

    def zoom(self) -> None:
        """The wheel over the picture."""
        from tests.app.hands import wheel

        for _ in range(self.chance.randint(1, 6)):
            wheel(self.window.canvas, self._spot(self.window.canvas), self.chance.choice((-2, -1, 1, 2)))
            self.spin(0.01)

    def pan(self) -> None:
        """A drag of the picture."""
        self._drag(self.window.canvas, self.chance.randint(-300, 300), self.chance.randint(-200, 200))

    def hover(self) -> None:
        """The cursor over the picture."""
        from tests.app.hands import move

        for _ in range(8):
            move(self.window.canvas, self._spot(self.window.canvas))
            self.spin(0.01)

    def slider(self) -> None:
        """A drag of any slider that can be seen."""
        from PySide6.QtWidgets import QAbstractSlider, QScrollBar

        found = [w for w in self._seen(QAbstractSlider) if not isinstance(w, QScrollBar)]
        if found:
            self._drag(self.chance.choice(found), self.chance.randint(-60, 60), 0)

    def anywhere(self) -> None:
        """A drag on any panel: wheels, curves, scopes, thumbnails."""
        from PySide6.QtWidgets import QWidget

        docks = [dock for dock in self.window.docks.docks.values() if not dock.visibleRegion().isEmpty()]
        inner = [
            w for d in docks for w in d.panel.findChildren(QWidget) if self._can(w) and min(w.width(), w.height()) > 40
        ]
        if inner:
            self._drag(self.chance.choice(inner), self.chance.randint(-40, 40), self.chance.randint(-40, 40))

    def keys(self) -> None:
        """Arrow keys and the like on whatever has the focus, or on a panel's control."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication, QWidget

        docks = [dock for dock in self.window.docks.docks.values() if not dock.visibleRegion().isEmpty()]
        inner = [w for d in docks for w in d.panel.findChildren(QWidget) if self._can(w) and w.focusPolicy()]
        if inner and self.chance.random() < 0.7:
            self.chance.choice(inner).setFocus()
        keys = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        for _ in range(self.chance.randint(1, 10)):
            QTest.keyClick(QApplication.focusWidget() or self.window, self.chance.choice(keys))
            self.spin(0.01)

    def button(self) -> None:
        """Any button of a panel or bar."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QAbstractButton

        found = [b for b in self._seen(QAbstractButton) if not (hasattr(b, "menu") and b.menu() is not None)]
        found = [b for b in found if "older" not in b.accessibleName() and "Close picture" not in b.accessibleName()]
        if found:
            button = self.chance.choice(found)
            self.move_name = self.watch.move = f"button {button.accessibleName()}"
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def menu(self) -> None:
        """A line of the menu of any button that has one."""
        from PySide6.QtWidgets import QAbstractButton

        found = [b.menu() for b in self._seen(QAbstractButton) if hasattr(b, "menu") and b.menu() is not None]
        menu = self.chance.choice(found) if found else None
        while menu is not None:
            menu.aboutToShow.emit()
            lines = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
            if not lines:
                return
            line = self.chance.choice(lines)
            menu = line.menu()
            if menu is None:
                self._act(line)

    def choice(self) -> None:
        """A line of any combo box."""
        from PySide6.QtWidgets import QComboBox

        found = [box for box in self._seen(QComboBox) if box.count()]
        if found:
            box = self.chance.choice(found)
            box.setCurrentIndex(self.chance.randrange(box.count()))
            box.activated.emit(box.currentIndex())
            box.textActivated.emit(box.currentText())

    def type(self) -> None:
        """Words in any field."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QLineEdit

        found = [line for line in self._seen(QLineEdit) if not line.isReadOnly()]
        if found:
            line = self.chance.choice(found)
            line.setFocus()
            line.selectAll()
            QTest.keyClicks(line, self.chance.choice(TYPED))
            self.spin(0.05)
            QTest.keyClick(line, Qt.Key.Key_Return)

    def resize(self) -> None:
        self.window.resize(self.chance.randint(1024, 1800), self.chance.randint(600, 1100))

    def open(self) -> None:
        """A picture, by its name."""
        if len(self.workspace.documents) < 5:
            self.workspace.files.open_picture(self.chance.choice(self.files))

    def drop(self) -> None:
        """A LUT or CDL, on the picture."""
        from tests.app.hands import drop

        drop(self.window.canvas, self.chance.choice(self.looks))

    def tab(self) -> None:
        """Another of the open pictures."""
        self.workspace.show_document(self.chance.choice(self.workspace.documents))

    def close_tab(self) -> None:
        if len(self.workspace.documents) > 2:
            self.workspace.close_document(self.chance.choice(self.workspace.documents))

    def new_grade(self) -> None:
        """A short grade again, so that it does not grow for ever."""
        from app.document import default_grade

        self.workspace.document.open_grade(default_grade(), None)

    # -- how

    def _act(self, action: Any) -> None:
        self.move_name = self.watch.move = f"{self.move_name} {action.objectName() or action.text()}"
        action.trigger()

    def _seen(self, kind: type[Any]) -> list[Any]:
        """The window's controls of a kind that a mouse could reach, but for dialogs."""
        return [w for w in self.window.findChildren(kind) if self._can(w) and w.window() is self.window]

    @staticmethod
    def _can(widget: Any) -> bool:
        return bool(widget.isEnabled() and widget.isVisible() and not widget.visibleRegion().isEmpty())

    def _spot(self, widget: Any) -> Any:
        from PySide6.QtCore import QPoint

        return QPoint(self.chance.randrange(max(1, widget.width())), self.chance.randrange(max(1, widget.height())))

    def _drag(self, widget: Any, dx: int, dy: int) -> None:
        from PySide6.QtCore import QPoint
        from PySide6.QtTest import QTest

        from tests.app.hands import LEFT, move

        start = self._spot(widget)
        QTest.mousePress(widget, LEFT, pos=start)
        for step in range(1, 13):
            if not self._can(widget):
                return
            move(widget, start + QPoint(dx * step // 12, dy * step // 12), LEFT)
            self.spin(0.012)
        QTest.mouseRelease(widget, LEFT, pos=start + QPoint(dx, dy))

    move_name = ""


MOVES: tuple[tuple[int, Callable[[Hands], None]], ...] = (
    (10, Hands.slider),
    (8, Hands.zoom),
    (6, Hands.pan),
    (4, Hands.hover),
    (6, Hands.command),
    (4, Hands.panel),
    (6, Hands.view_option),
    (5, Hands.anywhere),
    (6, Hands.keys),
    (4, Hands.button),
    (3, Hands.menu),
    (3, Hands.choice),
    (2, Hands.type),
    (2, Hands.resize),
    (2, Hands.open),
    (2, Hands.drop),
    (4, Hands.tab),
    (1, Hands.close_tab),
    (2, Hands.new_grade),
)


def soak(seed: int, seconds: float, backend: str, folder: Path) -> dict[str, Any]:
    """One run; what was found."""
    watch = Watch()
    app = make_application(watch)
    from app.main_window import MainWindow

    files, looks = pictures(folder), [*sorted((ROOT / "resources" / "looks").iterdir())]
    window = MainWindow(backend, folder=folder / "config")
    window.show()
    hands = Hands(app, window, watch, random.Random(seed), files, looks)
    watch.install()
    warm_up(hands, seconds / 2)
    before = memory_of(hands)
    watch.on = True
    for path in files[:2]:
        window.files.open_picture(path)
    count = play(hands, seconds)
    watch.move = "closing all"
    after = memory_of(hands)
    watch.on = False
    return {
        "moves": count,
        "events": watch.events,
        "exceptions": watch.exceptions,
        "messages": [m for m in watch.messages if "propagateSizeHints" not in m],
        "longest": watch.longest,
        "own": watch.own,
        "slow": watch.slow,
        "memory": {"before": before, "after": after},
    }


def pictures(folder: Path) -> list[Path]:
    """The sample, the sample at 3840 x 2160, and some of the corpus."""
    from engine import Grade, ops
    from engine.export import export_picture

    sample, large = ROOT / "resources" / "sample.exr", folder / "uhd.exr"
    export_picture(sample, large, Grade([ops.Resize(3840, 2160, "bilinear")]))
    found = sorted(CORPUS.glob("exr/**/*.exr"))
    return [sample, large, *random.Random(0).sample(found, min(6, len(found)))]


def warm_up(hands: Hands, seconds: float) -> None:
    """Every panel and picture once, then random use, so that what is loaded and compiled for good is there."""
    hands.workspace.services.backends()  # loads the drivers, as the preferences do
    for path in hands.files:
        hands.workspace.files.open_picture(path)
        hands.spin(1.0)
    for name in hands.window.docks.docks:
        hands.window.docks.show(name)
        hands.spin(0.3)
    play(hands, seconds)


def play(hands: Hands, seconds: float) -> int:
    """Moves by chance for some seconds; how many."""
    weights = [weight for weight, _ in MOVES]
    end, count, watch = time.perf_counter() + seconds, 0, hands.watch
    while time.perf_counter() < end:
        (_, move), count = hands.chance.choices(MOVES, weights)[0], count + 1
        hands.move_name = watch.move = move.__name__
        try:
            move(hands)
        except Exception as error:  # noqa: BLE001 (it is what is looked for)
            watch.note(error)
        watch.move = hands.move_name
        hands.spin(hands.chance.choice((0.0, 0.02, 0.1)))
        hands.tidy()
    return count


def memory_of(hands: Hands) -> int:
    """Bytes that the process holds when all pictures are closed and what is free has been given back."""
    import psutil

    hands.tidy()
    for document in list(hands.workspace.documents):
        hands.workspace.close_document(document)
    hands.spin(3.0)
    gc.collect()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).malloc_trim(0)
    return int(psutil.Process().memory_info().rss)


if __name__ == "__main__":
    main()
