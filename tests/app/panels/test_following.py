"""Panels follow another document once, and nothing while they are hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.model.view_state import ViewState
from app.panels.following import Following
from app.panels.versions import VersionsPanel
from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.services.jobs import Jobs
from app.services.open_documents import OpenDocuments
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.turns import compute
from tests.typed import expect


@pytest.fixture
def documents(qapp: Any) -> Iterator[OpenDocuments]:
    """Two documents, the first of them current."""
    top, jobs = QObject(), Jobs()
    found = OpenDocuments(jobs, ViewState(), top)
    found.new(shown=False)
    yield found
    jobs.close()


def test_a_panel_shows_what_changed_once_and_while_it_can_be_seen(documents: OpenDocuments, qtbot: Any):
    panel, current = QWidget(), documents.current
    qtbot.addWidget(panel)
    shown: list[object] = []
    following = Following(
        panel, lambda: shown.append(current.document), current.switch, current.grade_changed, current.versions_changed
    )
    first, second = documents.items
    assert shown == [first], "as it is when the panel is made"
    documents.show(second)
    second.edit(Grade([ops.Exposure(1.0)]), "an edit")
    assert shown == [first], "nothing while it is hidden"
    panel.show()
    assert shown == [first, second]
    documents.show(first)
    assert shown == [first, second, first], "two signals, but one document"
    first.edit(Grade([ops.Exposure(1.0)]), "an edit")
    assert shown[3:] == [first]
    panel.hide()
    panel.show()
    assert len(shown) == 4, "nothing has changed"
    panel.hide()
    documents.show(second)
    following.finish()
    assert shown[4:] == [second], "whoever needs it now gets it"


def test_a_panel_that_is_shown_in_a_busy_turn_follows_in_another_before_input(
    documents: OpenDocuments, busy_turns: None, qtbot: Any
):
    panel, current = QWidget(), documents.current
    qtbot.addWidget(panel)
    shown: list[object] = []
    Following(panel, lambda: shown.append(current.document), current.switch)
    first, second = documents.items
    documents.show(second)
    compute(BUSY_SECONDS + 0.002)
    panel.show()
    assert shown == [first]
    turn_queue().prepare_input()
    assert shown == [first, second]
    panel.hide()
    panel.show()
    assert not turn_queue().waits and len(shown) == 2, "nothing has changed"


def test_a_hidden_panel_shows_another_document_when_it_is_raised(graded: MainWindow, qtbot: Any):
    documents = graded.workspace.open_documents
    graded.docks.show("versions")
    panel = expect(VersionsPanel, graded.workspace.panel("versions"))
    first = graded.document
    first.keep_version("Warm", b"")
    qtbot.waitUntil(lambda: [row.name for row in panel.rows if row.isVisible()] == ["Warm"])
    graded.docks.show("grade")
    second = documents.new()
    assert [row.name for row in panel._rows if not row.isHidden()] == ["Warm"], "it is hidden, and did nothing"
    graded.docks.show("versions")
    assert not [row for row in panel._rows if not row.isHidden()]
    documents.show(first)
    assert [row.name for row in panel.rows if not row.isHidden()] == ["Warm"]
    documents.close(second)
