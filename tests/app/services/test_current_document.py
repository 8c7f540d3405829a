"""The current document, its signals and its view options, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.model.view_state import ViewState
from app.services.current_document import RELAYED
from app.services.jobs import Jobs
from app.services.open_documents import OpenDocuments
from engine import Grade, ops

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
    assert calls[2:] == ["display", "service"], "in the order of the connections"
    view.set(exposure=1.0)
    assert calls[4:] == ["display", "service"]
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
