"""Work that lasts is shown; work that ends at once is not."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.render.preview import Preview
from app.services import activity
from app.services.activity import Activity, Work
from app.services.jobs import Jobs
from app.shell.activity_sign import ActivitySign
from app.shell.main_window import MainWindow


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "LOOK_MS", 5)


def test_only_what_lasts_is_shown(soon: None, qtbot: Any):
    jobs = Jobs()
    shown, work = Activity(jobs, jobs), list[Work]()
    sign = ActivitySign(shown)
    qtbot.addWidget(sign)
    shown.add(lambda: work[-1] if work else None)
    shown.begin()
    qtbot.waitUntil(lambda: not shown._looking.isActive())
    assert shown.current is None, "nothing to look at ends the looking"
    work.append(("Counting for the scopes", time.monotonic()))
    shown.begin()
    qtbot.wait(30)
    assert shown.current is None and sign.isHidden()
    work[-1] = ("Counting for the scopes", time.monotonic() - 0.4)
    qtbot.waitUntil(lambda: sign.text == "Counting for the scopes")
    work[-1] = ("Computing the image", time.monotonic())
    qtbot.waitUntil(sign.isHidden)
    work.clear()
    qtbot.waitUntil(lambda: not shown._looking.isActive())


def test_the_preview_says_what_it_works_on(opened: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    seen: list[Any] = []
    preview: Preview = opened.preview
    frame = preview.answer
    qtbot.waitUntil(lambda: preview.idle)  # nothing else is answered

    def noted(*words: Any) -> None:
        seen.append(preview.current_work)
        frame(*words)

    monkeypatch.setattr(preview, "answer", noted)
    looks: list[bool] = []
    preview.requested.connect(lambda *_: looks.append(opened.workspace.activity._looking.isActive()))
    with qtbot.waitSignal(preview.requested):
        opened.workspace.set_view(overlays=("false colour",))
    assert looks and all(looks), "at once: where the frame is ready soon, it looks no longer"
    qtbot.waitUntil(lambda: bool(seen))
    text, since = seen[0]
    assert text == "Computing false colour" and 0.0 <= time.monotonic() - since < 60.0
    qtbot.waitUntil(lambda: preview.idle)
    assert preview.current_work is None
