"""Matches that come late, and those that are asked for again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal

from app.services.chart_matching import ChartMatching
from app.services.jobs import Jobs
from app.services.match_references import MatchReferences
from app.services.match_trial import MatchTrial, TrialPlace
from app.services.match_work import MatchImage, Ops
from app.services.matching import Matching
from app.services.side_images import Wanted
from engine import Grade
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.grade.entries import layer_of
from engine.grade.keys import with_key
from engine.ops import Exposure

CORNERS = ((10.0, 10.0), (90.0, 10.0), (90.0, 70.0), (10.0, 70.0))


class Work:
    """Gives an exposure of as many stops as the reference or the kept part says, once it may."""

    def __init__(self) -> None:
        self.may = {"1": Event(), "2": Event()}
        self.asked: list[str] = []
        self.states = {Path("now"): (1, 1)}

    def match(self, _image: Any, _area: Any, reference: MatchImage, _other: Any, _method: str) -> Ops:
        return (self._exposure(reference.name),)

    def fit(self, _image: Any, _place: Any, keep: str) -> Any:
        return SimpleNamespace(op=self._exposure(keep), is_doubtful=False)

    def _exposure(self, name: str) -> Exposure:
        self.asked.append(name)
        self.may[name].wait(10.0)
        return Exposure(float(name))

    def small_image(self, *_: Any) -> None:
        """Make none."""

    def forget(self) -> None:
        """Forget the file."""
        self.states = {}

    release = forget


class Files(QObject):
    """Stands for the disk: which files are watched."""

    changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.watched: dict[str, Any] = {}

    def watch(self, name: str, files: Any) -> None:
        self.watched[name] = files


def an_image(name: str, owner: str = "") -> MatchImage:
    return MatchImage(name, Wanted(Path(name), ColourSetup()), Grade(), owner)


class Bench:
    def __init__(self, owner: QObject, chart: bool = False) -> None:
        self.work, self.shown, self.applied = Work(), list[Any](), list[Any]()
        self.current: MatchImage | None = an_image("now")
        apply: Callable[..., None] = lambda *what: self.applied.append(what)  # noqa: E731
        place = TrialPlace(lambda: self.current, self.shown.append, apply)
        self.files = Files()
        work: Any = self.work
        disk: Any = self.files
        jobs = Jobs(owner)
        self.matching = Matching(place, Viewing, work, jobs, disk, owner)
        self.chart = ChartMatching(place, work, jobs, disk, owner)
        self.trial: MatchTrial = self.chart if chart else self.matching
        self.trial.start()

    def ask(self, name: str) -> None:
        """Ask for a match of as many stops."""
        if self.trial is self.matching:
            self.matching.choose(an_image(name))
        else:
            self.chart.set_keep(name)
            self.chart.set_corners(CORNERS)

    @property
    def stops(self) -> float | None:
        last = self.shown[-1]
        return None if last is None else layer_of(last).entry.entries[0].stops  # type: ignore[union-attr]


@pytest.fixture
def bench(qapp: Any) -> Any:
    owner = QObject()
    made = Bench(owner)
    yield made
    _end(made)


@pytest.fixture(params=["reference", "chart"])
def either(qapp: Any, request: Any) -> Any:
    """A match to a reference, and one to a chart."""
    owner = QObject()
    made = Bench(owner, request.param == "chart")
    yield made
    _end(made)


def _end(bench: Bench) -> None:
    for each in bench.work.may.values():
        each.set()
    bench.trial.stop()


def test_only_the_last_reference_is_answered(bench: Bench, qtbot: Any):
    bench.matching.choose(an_image("1"))
    qtbot.waitUntil(lambda: bench.work.asked == ["1"])
    bench.matching.choose(an_image("2"))
    bench.work.may["2"].set()
    qtbot.waitUntil(lambda: bench.stops == 2.0)
    bench.work.may["1"].set()
    qtbot.wait(50)
    assert bench.stops == 2.0 and bench.matching.ops == (Exposure(2.0),)


def test_an_answer_for_a_closed_document_is_late(either: Bench, qtbot: Any):
    _leave(either, None, qtbot)
    qtbot.waitUntil(lambda: not either.trial.busy)
    assert either.stops is None and not either.trial.ops
    assert not either.files.watched.get(either.trial.key)


def test_an_answer_for_another_tab_is_late(either: Bench, qtbot: Any):
    """The match with the other image is not shown, even before the one with this image is asked for."""
    other = an_image("other", "another document")
    _leave(either, other, qtbot)
    assert set(either.shown) == {None}
    qtbot.waitUntil(lambda: either.stops == 1.0)
    assert either.work.asked == ["1", "1"]
    either.current = an_image("now")
    either.trial.follow()
    assert either.stops is None


def _leave(bench: Bench, image: MatchImage | None, qtbot: Any) -> None:
    """Let another image be current while a match is computed, and the match come before the trial looks again."""
    bench.ask("1")
    qtbot.waitUntil(lambda: bench.work.asked == ["1"])
    bench.current = image
    bench.trial.follow()
    bench.work.may["1"].set()
    assert bench.trial._jobs.ended(5.0)
    qtbot.wait(1)
    assert bench.trial.busy and bench.stops is None and not bench.trial.ops
    bench.trial.apply()
    assert not bench.applied


def test_an_answer_for_a_replaced_image_is_late(either: Bench, qtbot: Any):
    either.ask("1")
    qtbot.waitUntil(lambda: either.work.asked == ["1"])
    either.current = an_image("opened in its place")
    either.trial.follow()
    qtbot.waitUntil(lambda: either.work.asked == ["1", "1"])
    either.work.may["1"].set()
    qtbot.waitUntil(lambda: not either.trial.busy)
    assert either.stops == 1.0 and [each for each in either.shown if each is not None] == either.shown[-1:]


def test_another_frame_keeps_the_match_until_it_has_its_own(either: Bench, qtbot: Any):
    either.work.may["1"].set()
    either.ask("1")
    qtbot.waitUntil(lambda: either.stops == 1.0)
    either.current = an_image("next frame")
    either.trial.follow()
    assert either.stops == 1.0
    qtbot.waitUntil(lambda: either.work.asked == ["1", "1"])
    either.current = an_image("other", "another document")
    either.trial.follow()
    assert either.stops is None


def test_a_file_that_was_read_is_watched_and_matched_again(either: Bench, qtbot: Any):
    either.work.may["1"].set()
    either.ask("1")
    qtbot.waitUntil(lambda: either.stops == 1.0)
    key = either.trial.key
    assert either.files.watched[key] == {Path("now"): (1, 1)}
    either.files.changed.emit("images", [Path("now")])
    assert not either.trial.busy
    either.files.changed.emit(key, [Path("now")])
    qtbot.waitUntil(lambda: either.work.asked == ["1", "1"])
    assert either.stops == 1.0
    either.trial.stop()
    assert either.files.watched[key] == {}
    either.files.changed.emit(key, [Path("now")])
    assert not either.trial.busy


def test_nothing_is_asked_twice(bench: Bench, qtbot: Any):
    bench.work.may["1"].set()
    bench.matching.choose(an_image("1"))
    qtbot.waitUntil(lambda: bench.stops == 1.0)
    bench.matching.follow()
    qtbot.waitUntil(lambda: not bench.matching.busy)
    assert bench.work.asked == ["1"]
    bench.matching.set_method("curves")
    qtbot.waitUntil(lambda: bench.work.asked == ["1", "1"])
    bench.matching.stop()
    assert bench.stops is None


def test_a_frame_of_the_sequence_has_its_own_path_and_the_grade_there():
    grade = Grade([with_key(with_key(Exposure(), "stops", 1, 0.0), "stops", 5, 2.0)])
    document: Any = SimpleNamespace(
        id="1",
        image_path=Path("shot.0001.exr"),
        setup=ColourSetup(),
        managed=SimpleNamespace(assumed=InputSpace()),
        part=0,
        layer="diffuse",
        state=SimpleNamespace(frame=None),
        name="shot.0001.exr",
        grade=grade,
        grade_at_frame=grade.at(1),
    )
    clip: Any = SimpleNamespace(pattern=SimpleNamespace(place=lambda frame: (Path(f"shot.{frame:04}.exr"), None)))
    no: Any = None
    found = MatchReferences(lambda: document, no, no, no, no, no, no).of_frame(clip, 3)
    assert found.name == "frame 3"
    assert found.wanted == Wanted(Path("shot.0003.exr"), ColourSetup(), part=0, layer="diffuse")
    assert found.grade == grade.at(3) != grade.at(1)
