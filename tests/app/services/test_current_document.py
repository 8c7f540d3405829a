"""The current document, its signals and its view options, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.model.view_state import ViewState
from app.services.current_document import RELAYED
from app.services.event_loop import BUSY_SECONDS
from app.services.jobs import Jobs
from app.services.open_documents import OpenDocuments
from engine import Grade, ops
from tests.app.turns import compute

GRADE = Grade((ops.Exposure(1.0),))


@pytest.fixture
def documents(qapp: Any) -> Iterator[OpenDocuments]:
    """Two documents, the first of them current."""
    top, jobs = QObject(), Jobs()
    found = OpenDocuments(jobs, ViewState(display="sRGB"), top)
    found.new(shown=False)
    yield found
    jobs.close()


def noted(documents: OpenDocuments) -> list[str]:
    """The names of the signals that are emitted from now on."""
    names: list[str] = []
    current, view = documents.current, documents.view
    signals = {name: getattr(current, name) for name in ("changed", *RELAYED, "frame_wanted")}
    for name, signal in {"image_wanted": documents.image_wanted, **signals, "view": view.changed}.items():
        signal.connect(lambda *_, name=name: names.append(name))
    return names


def test_another_document_is_announced_as_a_whole(documents: OpenDocuments):
    names, second = noted(documents), documents.items[1]
    documents.show(second)
    assert documents.current.document is second
    assert names == ["image_wanted", "changed", *RELAYED, "view", "frame_wanted"]
    names.clear()
    documents.show(second)
    assert names == []


def test_only_signals_of_the_current_document_are_relayed(documents: OpenDocuments):
    first, second = documents.items
    documents.show(second)
    names = noted(documents)
    first.edit(GRADE, "one stop")
    assert names == []
    second.edit(GRADE, "one stop")
    assert set(names) == {"grade_changed", "history_changed", "title_changed"}


def test_who_follows_several_signals_is_called_once_for_another_document(documents: OpenDocuments):
    (first, second), current, view = documents.items, documents.current, documents.view
    calls: list[str] = []
    current.switch.at_last(
        lambda: calls.append("display"), current.grade_changed, view.changed, current.switch.announced
    )
    current.switch.once(lambda: calls.append("service"), current.grade_changed, current.image_changed, view.changed)
    documents.show(second)
    assert calls == ["service", "display"], "the display once all services have followed"
    second.edit(GRADE, "one stop")
    assert calls[2:] == ["service", "display"], "and once the change is announced"
    view.set(exposure=1.0)
    assert calls[4:] == ["display", "service"], "else in the order of the connections"
    first.edit(GRADE, "one stop")
    assert len(calls) == 6


def test_view_options_of_another_document_come_before_it_is_announced(documents: OpenDocuments):
    current, calls = documents.current, list[tuple[str, bool]]()
    documents.view.changed.connect(lambda state: calls.append(("view", current.switch.announcing)))
    current.switch.announced.connect(lambda: calls.append(("announced", current.switch.announcing)))
    current.switch.shown.connect(lambda: calls.append(("shown", current.switch.switching)))
    documents.show(documents.items[1])
    assert calls == [("view", True), ("announced", False), ("shown", False)]


def test_a_drag_ends_with_the_document(documents: OpenDocuments):
    first, second = documents.items
    first.begin_drag()
    first.edit(GRADE, "exposure", "0.stops")
    documents.show(second)
    first.edit(Grade((ops.Exposure(2.0),)), "exposure", "0.stops")
    assert first.steps == 2


def test_view_options_are_those_of_the_current_document(documents: OpenDocuments):
    names, (first, second) = noted(documents), documents.items
    seen: list[ViewState] = []
    documents.view.changed.connect(seen.append)
    documents.view.set(exposure=1.0)
    documents.view.set(exposure=1.0)
    assert names == ["view", "frame_wanted"] and first.view == seen[0] == ViewState(display="sRGB", exposure=1.0)
    documents.show(second)
    assert seen[1:] == [second.view] == [documents.view.state] == [ViewState(display="sRGB")]
    documents.view.set(exposure=2.0)
    assert (first.view.exposure, second.view.exposure) == (1.0, 2.0)


def test_what_shows_a_document_follows_a_change_of_it_once(documents: OpenDocuments):
    first, current = documents.items[0], documents.current
    documents.show(first)
    calls: list[tuple[bool, int]] = []
    current.switch.at_last(
        lambda: calls.append((first.is_changing, first.steps)),
        *(current.grade_changed, current.selected_changed, current.history_changed, current.title_changed),
    )
    first.edit(GRADE, "one stop")
    assert calls == [(False, 1)]
    first.undo()
    assert calls == [(False, 1), (False, 0)]
    first.select(0)
    assert len(calls) == 3


def test_a_change_within_a_change_ends_with_it(documents: OpenDocuments):
    first, current = documents.items[0], documents.current
    documents.show(first)
    calls, other = list[int](), Grade((ops.Exposure(2.0),))
    current.switch.at_last(lambda: calls.append(first.steps), current.grade_changed, current.history_changed)
    current.grade_changed.connect(lambda grade: first.edit(other, "two stops") if grade == GRADE else None)
    first.edit(GRADE, "one stop")
    assert calls == [2] and first.grade == other


def test_another_document_during_a_change_is_shown_once(documents: OpenDocuments):
    (first, second), current = documents.items, documents.current
    documents.show(first)
    calls = list[str]()
    current.switch.at_last(lambda: calls.append(current.document.name), current.grade_changed, current.history_changed)
    current.grade_changed.connect(lambda grade: documents.show(second) if grade == GRADE else None)
    first.edit(GRADE, "one stop")
    assert calls == [second.name]


def test_in_a_busy_turn_another_document_is_shown_in_the_next(documents: OpenDocuments, busy_turns: None, qtbot: Any):
    (first, second), current = documents.items, documents.current
    calls: list[Any] = []
    current.switch.at_last(lambda: calls.append(current.document), current.grade_changed, documents.view.changed)
    compute(BUSY_SECONDS + 0.002)
    documents.show(second)
    documents.view.set(exposure=1.0)
    documents.show(first)
    documents.show(second)
    assert calls == [] and current.switch.switching
    qtbot.waitUntil(lambda: not current.switch.switching)
    assert calls == [second], "once, for the last of them"


def test_in_a_busy_turn_what_is_done_at_last_is_left_to_the_next(
    documents: OpenDocuments, busy_turns: None, qtbot: Any
):
    first, current = documents.items[0], documents.current
    documents.show(first)
    calls = list[int]()
    current.switch.at_last(lambda: calls.append(first.steps), current.grade_changed, current.selected_changed)
    compute(BUSY_SECONDS + 0.002)
    first.edit(GRADE, "one stop")
    first.undo()
    first.select(0)
    assert calls == []
    qtbot.waitUntil(lambda: bool(calls))
    assert calls == [0], "once, with the last state"
