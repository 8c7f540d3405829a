"""Jobs: which calls are answered, and in which order."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.services.jobs import READERS, Jobs
from engine.errors import TesseraError
from tests.app.late import FEW, Orders, PausedJobs, act, settle


@pytest.fixture
def jobs(qapp: Any) -> Iterator[PausedJobs]:
    """Jobs whose answers the test releases."""
    made = PausedJobs()
    yield made
    made.close()


@pytest.fixture
def threaded(qapp: Any) -> Iterator[Jobs]:
    """Jobs on threads."""
    made = Jobs()
    yield made
    made.close()


def fail(line: str) -> None:
    raise AssertionError(line)


def unexpected(_value: object) -> None:
    raise AssertionError("the answer of a job that was dropped or closed")


def value(what: str) -> str:
    return what


def test_the_newest_answer_of_an_owner_and_a_key_counts(qapp: Any):
    for order in Orders():
        jobs, owner, answers = PausedJobs(), QObject(), list[str]()
        calls = [
            partial(jobs.latest, owner, key, partial(value, f"{key}{n}"), answers.append, fail)
            for n in (1, 2)
            for key in "ab"
        ]
        act(order, [jobs], calls)
        assert answers[-1] in ("a2", "b2") and {"a2", "b2"} <= set(answers)
        assert answers.index("a2") > (answers.index("a1") if "a1" in answers else -1), order
        assert answers.index("b2") > (answers.index("b1") if "b1" in answers else -1), order
        jobs.close()


def test_answers_in_turn_come_in_the_order_of_the_questions(qapp: Any):
    count = 0
    for order in Orders():
        jobs, owner, other, answers = PausedJobs(), QObject(), QObject(), list[str]()
        act(
            order,
            [jobs],
            [
                partial(jobs.latest, owner, "image", partial(value, "image"), answers.append, fail),
                partial(jobs.in_turn, owner, partial(value, "one"), answers.append, fail),
                partial(jobs.in_turn, other, partial(value, "other"), answers.append, fail),
                partial(jobs.in_turn, owner, partial(value, "two"), answers.append, fail),
            ],
        )
        assert [each for each in answers if each != "other"] == ["image", "one", "two"], order
        assert len(answers) == 4
        jobs.close()
        count += 1
    assert count >= FEW


def test_an_answer_whose_turn_comes_by_a_drop_is_given(jobs: PausedJobs):
    owner, answers = QObject(), list[str]()
    jobs.latest(owner, "image", partial(value, "image"), answers.append, fail)
    jobs.in_turn(owner, partial(value, "one"), answers.append, fail)
    jobs.release(1)
    assert answers == []
    jobs.drop(owner, "image")
    assert answers == [], "not in the middle of what somebody else does"
    settle()
    assert answers == ["one"]


def test_an_owner_that_is_closed_is_not_called_and_its_status_is_taken_back(jobs: PausedJobs):
    owner, stays, said = QObject(), QObject(), list[str]()
    jobs.status_changed.connect(lambda status: said.append(status))
    jobs.run(partial(value, "x"), fail, fail, stays, "Reading x…")
    for ask in (jobs.run, partial(jobs.latest, owner, "key"), partial(jobs.in_turn, owner)):
        words = {"owner": owner} if ask == jobs.run else {}
        ask(partial(value, "y"), fail, fail, status="Reading y…", **words)
    assert jobs.active == 4
    jobs.drop(owner)
    assert said == ["Reading x…", "Reading y…", "Reading x…"]
    assert jobs.active == 1 and len(jobs.waiting) == 1
    jobs.run(partial(value, "z"), fail, fail, owner)
    assert jobs.active == 1, "nothing is asked for it any more"


def test_an_owner_that_is_deleted_is_not_called(jobs: PausedJobs):
    owner = QObject()
    for ask in (partial(jobs.run, owner=owner), partial(jobs.latest, owner, "key"), partial(jobs.in_turn, owner)):
        ask(partial(value, "y"), fail, fail, status="Reading y…")
    owner.deleteLater()
    settle()
    jobs.release_all()
    jobs.latest(owner, "key", partial(value, "y"), fail, fail)
    assert not jobs.active and jobs.status == ""


def test_the_same_question_is_not_asked_twice(jobs: PausedJobs):
    owner, answers = QObject(), list[str]()
    for n in range(3):
        jobs.latest(owner, "key", partial(value, str(n)), answers.append, fail, about=("same",))
    jobs.release_all()
    assert answers == ["0"]


def test_a_write_whose_owner_is_gone_is_done_and_its_failure_reported(jobs: PausedJobs):
    owner, lost, written = QObject(), list[str](), list[str]()
    jobs.lost.connect(lambda line: lost.append(line))

    def full() -> None:
        raise TesseraError("the disk is full", "free some space")

    jobs.works_at_once = False
    jobs.write("a", partial(written.append, "a"), unexpected, fail, owner, "Writing a…")
    jobs.write("b", full, unexpected, fail, owner)
    jobs.drop(owner)
    assert jobs.status == "Writing a…"
    jobs.release_all()
    assert written == ["a"] and lost == ["the disk is full; free some space"]


def test_a_save_waits_for_no_read(threaded: Jobs, qtbot: Any):
    release, answers = threading.Event(), list[str]()
    for _ in range(3 * READERS):
        threaded.run(lambda: release.wait(30.0), lambda _: None, fail)
    threaded.write("file", partial(value, "saved"), answers.append, fail)
    qtbot.waitUntil(lambda: answers == ["saved"])
    release.set()
    qtbot.waitUntil(lambda: not threaded.active)


def test_writes_of_one_file_come_one_after_the_other(threaded: Jobs, qtbot: Any):
    release, begun = threading.Event(), list[str]()

    def write(name: str) -> None:
        begun.append(name)
        release.wait(30.0)

    for name in ("one", "two", "three"):
        threaded.write("file", partial(write, name), lambda _: None, fail)
    threaded.write("other file", partial(write, "other"), lambda _: None, fail)
    qtbot.waitUntil(lambda: "other" in begun)
    assert sorted(begun) == ["one", "other"]
    release.set()
    qtbot.waitUntil(lambda: not threaded.active)
    assert [name for name in begun if name != "other"] == ["one", "two", "three"]


def test_closing_ends_reads_and_finishes_writes(threaded: Jobs, qtbot: Any):
    release, done = threading.Event(), list[str]()
    for _ in range(READERS):
        threaded.run(lambda: release.wait(30.0), unexpected, fail)
    threaded.run(partial(done.append, "read"), unexpected, fail)

    def write(name: str) -> None:
        release.wait(30.0)
        done.append(name)

    for name in ("one", "two"):
        threaded.write("file", partial(write, name), unexpected, fail)
    threaded.close()
    assert threaded.finish(0.0) == ["file", "file"]
    assert not threaded.ended(0.0)
    release.set()
    assert threaded.finish(30.0) == []
    assert threaded.ended(30.0)
    assert done == ["one", "two"]


def test_orders_are_all_different_and_all_there(qapp: Any):
    seen, orders = set(), Orders()
    for order in orders:
        jobs, owner, answers = PausedJobs(), QObject(), list[int]()
        for n in range(3):
            jobs.run(partial(int, n), answers.append, fail, owner)
        act(order, [jobs], [])
        seen.add(tuple(answers))
        jobs.close()
    assert len(seen) == orders.tried == 6 and orders.complete
    few = Orders(limit=4)
    assert len([order.choose(3) for order in few]) == 4 and not few.complete


def test_a_result_stays_no_longer_than_its_answer(threaded: Jobs, qtbot: Any):
    class Image:
        pass

    kept: list[weakref.ref[Image]] = []
    threaded.run(Image, lambda image: kept.append(weakref.ref(image)), fail)
    qtbot.waitUntil(lambda: bool(kept) and not threaded.active)
    assert threaded.ended(30.0)
    qtbot.waitUntil(lambda: kept[0]() is None)


def test_a_failure_keeps_nothing_that_was_read(threaded: Jobs, qtbot: Any):
    class Image:
        pass

    kept: list[weakref.ref[Image]] = []

    def read() -> None:
        image = Image()
        kept.append(weakref.ref(image))
        raise TesseraError(f"the file has no channel {len(kept)}")

    lines = list[str]()
    threaded.run(read, unexpected, lines.append)
    qtbot.waitUntil(lambda: bool(lines))
    assert lines == ["the file has no channel 1"] and kept[0]() is None
