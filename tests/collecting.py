"""How the workers of a run collect: each begins elsewhere, and reads what another has compiled."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def keep_bytecode() -> None:
    """Let this process and those of the tests keep compiled modules: there are many, and each would compile them."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def begin_elsewhere(config: pytest.Config) -> None:
    """Let a worker that collects all tests begin with files of its own; `in_order` makes up for it."""
    worker, count = (os.environ.get(f"PYTEST_XDIST_WORKER{end}", "") for end in ("", "_COUNT"))
    if not worker or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(str(path) for path in TESTS.rglob("test_*.py"))
    first = len(files) * int(worker.removeprefix("gw")) // int(count)
    config.args = files[first:] + files[:first]


def in_order(items: list[pytest.Item]) -> None:
    """Put tests in the order of their files, the same for all workers: those of this folder, which take long, first."""
    items.sort(key=lambda item: (item.path.parent != TESTS, item.path))
