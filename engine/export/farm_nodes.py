"""Scheduler and workers of a cluster on one machine: as dask.distributed has them, without their HTTP servers."""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, Worker


class PlainScheduler(Scheduler):  # type: ignore[misc]
    """Listens for TLS alone."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """There is none."""


class PlainWorker(Worker):  # type: ignore[misc]
    """Listens for TLS alone."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """There is none."""
