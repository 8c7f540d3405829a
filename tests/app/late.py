"""Late answers in every order: jobs that a test answers one by one, and a search through all orders.

    for order in Orders():
        with paused_workspace() as workspace:
            open_one, close = partial(workspace.files.open_image, path), partial(...)
            act(order, [held(workspace)], [open_one, close])
            assert_consistent(workspace)

Each iteration is one order of actions and answers, with a workspace of its own. `Orders` tries all of them; if there
are more than `limit`, and outside thorough tests more than `FEW`, half of the limit in sequence and half at random,
with a fixed seed. To run one order alone, pass the numbers that a failed assertion shows to `Orders(only=[...])`. Pass
the jobs of several workspaces to `act` to interleave their answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication, QEvent
from shiboken6 import isValid

from app.model.document import Document
from app.services.engine_calls import Services
from app.services.event_loop import turn_queue
from app.services.jobs import Call, Jobs, perform
from app.services.watching import Watching
from app.workspace import Workspace
from engine.color.management import Managed
from engine.errors import GradeError
from engine.grade.colour_settings import ColourSetup, InputSpace
from tests.app.conftest import make_image
from tests.app.fakes import FakeExecutor
from tests.thorough import THOROUGH

SEED = 1
FEW = 40
"""Maximum number of orders of a test that is not thorough."""
MOST_STEPS = 400
"""Maximum number of choices in one order; more means that answers cause new calls for ever."""


class PausedJobs(Jobs):
    """Performs calls at once, on the interface thread, and delivers each answer when the test releases it."""

    def __init__(self, parent: Any = None, *rest: Any) -> None:
        super().__init__(parent, *rest)
        self.held: list[Call] = []
        self.works_at_once = True
        """Whether the work is done when the call is made, else when it is released."""

    def _start(self, call: Call) -> None:
        if self.works_at_once:
            perform(call)
        self.held.append(call)

    @property
    def waiting(self) -> list[Call]:
        """The calls that can be released: neither dropped ones, nor writes that wait for another of their target."""
        self.held = [call for call in self.held if not call.dropped]
        targets = [call.target for call in self.held]
        return [call for at, call in enumerate(self.held) if call.target is None or call.target not in targets[:at]]

    def release(self, at: int = 0) -> None:
        """Deliver the answer of a waiting call."""
        call = self.waiting[at]
        self.held.remove(call)
        if not call.over:
            perform(call)
        self._deliver(call)
        settle()

    def release_all(self) -> None:
        """Release all calls, oldest first, and those that they cause."""
        for _ in range(MOST_STEPS):
            settle()
            if not self.waiting:
                return
            self.release()
        raise AssertionError("answers ask for ever more answers")


def settle() -> None:
    """Process pending events, including deferred deletions."""
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()
    while turn_queue().waits:
        QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


class Orders:
    """Iterates over different `Order` objects, until all have been tried or `limit` is reached."""

    def __init__(self, limit: int = 500, only: Sequence[int] | None = None) -> None:
        self._limit, self._only = limit if THOROUGH else min(limit, FEW), only
        self.tried = 0
        self.complete = False
        """Whether all orders were tried."""

    def __iter__(self) -> Iterator[Order]:
        if self._only is not None:
            yield Order(list(self._only), None)
            return
        prefix: list[int] = []
        while self.tried < self._limit:
            order = Order(prefix, None)
            self.tried += 1
            yield order
            taken, counts = order.taken, order.counts
            while taken and taken[-1] + 1 == counts[len(taken) - 1]:
                taken.pop()
            if not taken:
                self.complete = True
                return
            taken[-1] += 1
            prefix = taken
            if self.tried == self._limit // 2:  # too many: draw the rest at random
                break
        chance = random.Random(SEED)
        while self.tried < self._limit:
            self.tried += 1
            yield Order([], chance)


class Order:
    """One order of events: `choose` selects the next of several."""

    def __init__(self, prefix: list[int], chance: random.Random | None) -> None:
        self._prefix, self._chance = prefix, chance
        self.taken: list[int] = []
        self.counts: list[int] = []

    def choose(self, count: int) -> int:
        """One of 0..count-1."""
        at = len(self.taken)
        assert at < MOST_STEPS, f"no end after {MOST_STEPS} choices"
        if at < len(self._prefix):
            found = min(self._prefix[at], count - 1)
        else:
            found = self._chance.randrange(count) if self._chance is not None else 0
        self.taken.append(found)
        self.counts.append(count)
        return found

    def __repr__(self) -> str:
        return f"Order({self.taken})"


def act(order: Order, jobs: Sequence[PausedJobs], actions: Sequence[Callable[[], object]]) -> None:
    """Perform the actions in sequence and release the answers of `jobs` between and after them, as `order` chooses."""
    left = list(actions)
    while True:
        settle()
        answers = [(each, at) for each in jobs for at in range(len(each.waiting))]
        count = len(answers) + bool(left)
        if not count:
            return
        chosen = order.choose(count) if count > 1 else 0
        if chosen < len(answers):
            each, at = answers[chosen]
            each.release(at)
        else:
            left.pop(0)()


@contextmanager
def paused_workspace(folder: Path | None = None, **services: Any) -> Iterator[Workspace]:
    """A workspace without a window, with `PausedJobs` and fakes for slow services. It takes about 1 ms to make.

    `folder` keeps its settings and sessions; `services` replace fields of `Services`.
    """
    fakes: dict[str, Any] = {"read_image": make_image, "backends": list, "manage": fake_manage}
    made = Services(create_executor=lambda _name, _threads: FakeExecutor(), **fakes | services)
    with patch("app.workspace.Jobs", PausedJobs):
        workspace = Workspace(made, folder)
    workspace.panel = workspace.show_panel = lambda _name: workspace.canvas  # instead of panels
    try:
        yield workspace
    finally:
        workspace.close()
        settle()
        workspace.deleteLater()
        workspace.canvas.deleteLater()
        settle()


def held(workspace: Workspace) -> PausedJobs:
    """The jobs of a workspace made by `paused_workspace`."""
    assert isinstance(workspace.jobs, PausedJobs)
    return workspace.jobs


def opened(workspace: Workspace, path: Path) -> Document:
    """A document of a held workspace that shows an image."""
    workspace.files.open_image(path)
    held(workspace).release_all()
    return workspace.document


def fake_manage(setup: ColourSetup, path: Path | None, metadata: Any, assumed: InputSpace) -> Managed:
    """Colour spaces without conversions whose origin names the image. GradeError for the input space `nonsense`."""
    if setup.input == "nonsense":
        raise GradeError("there is no colour space 'nonsense'", "choose another")
    return Managed(setup, InputSpace(origin=f"of {path.name if path else 'no image'}"), assumed=assumed)


def assert_consistent(workspace: Workspace) -> None:
    """Assert what holds in every order once all answers are delivered."""
    assert not held(workspace).waiting and not workspace.jobs.active
    assert workspace.jobs.status == ""
    assert workspace.document in workspace.documents
    for document in workspace.documents:
        assert isValid(document)
        if document.image is not None:
            setup = workspace.colour.setup_for(document.grade)
            assert document.setup == setup
            if setup.input != "nonsense":
                assert document.managed.setup == setup
                assert document.managed.found.origin == f"of {document.image_path.name}"  # type: ignore[union-attr]
            assert document.image.info.path == document.image_path


def watching_of(workspace: Workspace) -> Watching:
    """Watch the files of a workspace, as a window does."""
    services = workspace.files, workspace.colour, workspace.disk, workspace.services, workspace.jobs
    return Watching(workspace.open_documents, *services, workspace.messages, workspace)
