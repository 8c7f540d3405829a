"""Matches that come late, and those that are asked for again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.services.jobs import Jobs
from app.services.match_references import MatchReferences
from app.services.match_work import MatchImage, Ops
from app.services.matching import Matching
from app.services.side_images import Wanted
from engine import Grade
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.grade.entries import layer_of
from engine.grade.keys import with_key
from engine.ops import Exposure


class Work:
    """Gives the name of the reference as an exposure, once it may."""

    def __init__(self) -> None:
        self.may = {"1": Event(), "2": Event()}
        self.asked: list[str] = []

    def match(self, _image: Any, _area: Any, reference: MatchImage, _other: Any, _method: str) -> Ops:
        self.asked.append(reference.name)
        self.may[reference.name].wait(10.0)
        return (Exposure(float(reference.name)),)

    def small_image(self, *_: Any) -> None:
        """Make none."""

    def forget(self) -> None:
        """Release nothing."""

    release = forget


def an_image(name: str, owner: str = "") -> MatchImage:
    return MatchImage(name, Wanted(Path(name), ColourSetup()), Grade(), owner)


class Bench:
    def __init__(self, owner: QObject) -> None:
        self.work, self.shown, self.applied = Work(), list[Any](), list[Any]()
        self.current: MatchImage | None = an_image("now")
        apply: Callable[..., None] = lambda *what: self.applied.append(what)  # noqa: E731
        work: Any = self.work
        self.matching = Matching(lambda: self.current, Viewing, work, Jobs(owner), self.shown.append, apply, owner)
        self.matching.start()

    @property
    def stops(self) -> float | None:
        last = self.shown[-1]
        return None if last is None else layer_of(last).entry.entries[0].stops  # type: ignore[union-attr]


@pytest.fixture
def bench(qapp: Any) -> Any:
    owner = QObject()
    made = Bench(owner)
    yield made
    for each in made.work.may.values():
        each.set()
    made.matching.stop()


def test_only_the_last_reference_is_answered(bench: Bench, qtbot: Any):
    bench.matching.choose(an_image("1"))
    qtbot.waitUntil(lambda: bench.work.asked == ["1"])
    bench.matching.choose(an_image("2"))
    bench.work.may["2"].set()
    qtbot.waitUntil(lambda: bench.stops == 2.0)
    bench.work.may["1"].set()
    qtbot.wait(50)
    assert bench.stops == 2.0 and bench.matching.ops == (Exposure(2.0),)


def test_an_answer_for_another_image_is_late(bench: Bench, qtbot: Any):
    bench.matching.choose(an_image("1"))
    qtbot.waitUntil(lambda: bench.work.asked == ["1"])
    bench.current = None
    bench.matching.follow()
    bench.work.may["1"].set()
    qtbot.waitUntil(lambda: not bench.matching.busy)
    assert bench.stops is None and not bench.matching.ops
    bench.matching.apply()
    assert not bench.applied


def test_another_frame_keeps_the_match_until_it_has_its_own(bench: Bench, qtbot: Any):
    bench.work.may["1"].set()
    bench.matching.choose(an_image("1"))
    qtbot.waitUntil(lambda: bench.stops == 1.0)
    bench.current = an_image("next frame")
    bench.matching.follow()
    assert bench.stops == 1.0
    qtbot.waitUntil(lambda: bench.work.asked == ["1", "1"])
    bench.current = an_image("other", "another document")
    bench.matching.follow()
    assert bench.stops is None


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
