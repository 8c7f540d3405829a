"""Tests give the same examples on every run and every machine."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.collecting import begin_elsewhere, in_order, keep_bytecode
from tests.engine.device_suites import leave_out

keep_bytecode()

settings.register_profile(
    "tessera",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    phases=[Phase.explicit, Phase.generate],  # a failing grade is reported as it was found: to shrink it takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
settings.load_profile("tessera")


def pytest_collection(session: pytest.Session) -> None:
    begin_elsewhere(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    in_order(items)
    leave_out(config, items)


@pytest.fixture(scope="session", autouse=True)
def _modules_are_no_garbage() -> Iterator[None]:
    """Exclude what was imported and collected from garbage collection, which otherwise takes 0.3 s each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _what_lasts_is_no_garbage() -> Iterator[None]:
    """Collect the garbage of a module, and exclude what remains: after thousands of tests that took 0.2 s each time."""
    yield
    gc.collect()
    gc.freeze()
    gc.enable()  # tests with a window leave collection to their own thread


@pytest.fixture(scope="session", autouse=True)
def _the_compiler_stays() -> Iterator[None]:
    """Keep the process that compiles kernels between tests that need it: it takes seconds to start."""
    with patch("engine.compute.backends.cpu.compiler_process.IDLE_SECONDS", 3600.0):
        yield


@pytest.fixture(scope="session", autouse=True)
def _ops_are_traced() -> Iterator[None]:
    """Trace every op: what a test changes in one must neither reach others nor later runs."""
    traces = "engine.compute.backends.cpu.kernels.TRACES"
    with patch(f"{traces}.get", return_value=None), patch(f"{traces}.put"):
        yield
