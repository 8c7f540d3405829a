"""Previews on the CPU, for the tests of what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.render.preview import Preview
from engine.compute.executor import TiledExecutor
from engine.viewing import WholeLevels
from tests.engine.backends import executor_on

SECONDS = 60_000
Start = Callable[..., Preview]


@pytest.fixture
def start(qtbot: Any) -> Iterator[Start]:
    made: list[Preview] = []

    def run(levels: WholeLevels, executor: TiledExecutor | None = None) -> Preview:
        preview = Preview(lambda name: executor or executor_on("cpu"), "cpu")
        made.append(preview)
        preview.set_image(levels)
        preview.start()
        return preview

    yield run
    for preview in made:
        preview.stop()
