"""Scheduler and workers of a cluster on one machine: those of dask.distributed without their HTTP servers."""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, Worker


class PlainScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler that listens for TLS only."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start no HTTP server."""


class PlainWorker(Worker):  # type: ignore[misc]
    """A worker that listens for TLS only."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start no HTTP server."""
