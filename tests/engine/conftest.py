"""Fixtures of the engine's tests: each backend that this machine has."""

from __future__ import annotations

import pytest

from engine.compute.executor import TiledExecutor
from tests.engine.backends import LEFT_OUT, USABLE, executor_on
from tests.engine.drawn_frames import drawn, out, shot  # noqa: F401 (fixtures)
from tests.engine.wgpu_devices import fresh, split, whole  # noqa: F401 (fixtures)


def pytest_report_header() -> list[str]:
    left_out = [f"{name} ({reason})" for name, reason in LEFT_OUT.items()]
    return [f"backends: {', '.join(USABLE)}; not tested: {', '.join(left_out) or 'none'}"]


@pytest.fixture(scope="session", params=USABLE)
def backend(request: pytest.FixtureRequest) -> str:
    """The name of each backend that is usable here."""
    return str(request.param)


@pytest.fixture(scope="session")
def executor(backend: str) -> TiledExecutor:
    return executor_on(backend)
