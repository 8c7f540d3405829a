"""Clusters of dask.distributed: a running one, or worker processes on this machine.

Anyone who can connect to a scheduler or a worker can make it run any code. A cluster started here therefore listens on
the loopback address only and uses TLS with temporary credentials. Other clusters use credentials that are given, or
those of Dask's configuration.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.compute.devices import devices_in_turn
from engine.core.file_errors import short
from engine.core.small_files import checked_file
from engine.errors import TesseraError
from engine.export.frames import thread_budget
from engine.export.options import ExportOptions

THREADS_PER_PROCESS = 4
"""Threads of each process of a local cluster, unless the number of processes is given."""
WAIT_SECONDS = 60.0
"""Timeout for the scheduler, and then for its first worker."""
LOOPBACK, PROTOCOL = "127.0.0.1", "tls"
_LOCAL = re.compile(r"local(?::(\d{1,4}))?")

Credentials = tuple[str, str, str]
"""Paths of PEM files: the certificates of the authority, this program's certificate, and its key."""


def is_open(address: str) -> bool:
    """Return whether the scheduler at an address accepts jobs, and so code, from anyone who can connect to it."""
    return not _LOCAL.fullmatch(address) and not address.startswith((f"{PROTOCOL}://", "wss://", "inproc://"))


@contextmanager
def cluster(address: str, options: ExportOptions, frames: int, tls: Credentials | None = None) -> Iterator[Any]:
    """Connect to the cluster at an address and wait for a worker; `local` or `local:N` starts a cluster here.

    Yields the client. Raises TesseraError if there is no scheduler or no worker, or if the credentials are not valid.
    """
    try:
        import distributed
    except ImportError:
        raise TesseraError("dask is not installed", "install the extra: pip install 'tessera[farm]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a worker that dies is not the user's concern
    if match := _LOCAL.fullmatch(address):
        if tls is not None:
            raise TesseraError("workers of this machine have credentials of their own", "leave out --dask-tls")
        with _local_client(options, int(match[1] or 0), frames) as client:
            yield client
        return
    address, security = secured(address, tls)
    try:
        client = distributed.Client(address, timeout=WAIT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError, RuntimeError) as problem:
        what = f"there is no scheduler at {address} ({short(str(problem))})"
        raise TesseraError(what, "check the address, or start one with `dask scheduler`") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError:
            raise TesseraError(f"the scheduler at {address} has no workers", "start one with `dask worker`") from None
        yield client


def secured(address: str, tls: Credentials | None) -> tuple[str, Any]:
    """Return the address of a scheduler, and the security to connect with: from `tls`, or from Dask's configuration."""
    from distributed import Security

    if tls is None:
        configured = Security()
        if address.startswith(f"{PROTOCOL}://") and not (configured.tls_ca_file and configured.tls_client_cert):
            do = "give --dask-tls, or name them in Dask's configuration"
            raise TesseraError(f"the scheduler at {address} requires credentials", do)
        return address, configured
    if "://" not in address:
        address = f"{PROTOCOL}://{address}"
    if is_open(address):
        raise TesseraError(f"the address {address} does not use TLS", f"write {PROTOCOL}:// before its name")
    authority, certificate, key = (str(Path(path).absolute()) for path in tls)
    for path in (authority, certificate, key):
        checked_file(path, "give a file of certificates")
    return address, Security(
        require_encryption=True, tls_ca_file=authority, tls_client_cert=certificate, tls_client_key=key
    )


@contextmanager
def _local_client(options: ExportOptions, count: int, frames: int) -> Iterator[Any]:
    import dask
    import distributed

    # By default Dask uses a permanent folder with a predictable name, from which the processes import modules.
    with tempfile.TemporaryDirectory(prefix="tessera-dask-") as folder, dask.config.set(temporary_directory=folder):
        made = local_cluster(options, count, frames)
        with made, distributed.Client(made, set_as_default=False, security=made.security) as client:
            client.run(_ignore_interrupts)
            yield client


def local_cluster(options: ExportOptions, count: int, frames: int) -> Any:
    """Start worker processes on this machine, each with a GPU of its own if there are GPUs."""
    import distributed

    from engine.export.farm_nodes import PlainScheduler, PlainWorker

    devices = devices_in_turn(options.backend)
    gpus = len(devices) if devices[0].startswith("cuda") else 0
    threads = thread_budget(options)
    count = count or min(gpus or -(-threads // THREADS_PER_PROCESS), frames)
    visible = (os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(gpus)))).split(",")
    common = {"host": LOOPBACK, "protocol": f"{PROTOCOL}://", "security": _temporary_security()}
    workers = {}
    for number in range(count):
        environment = {}
        if gpus:
            first = number % gpus
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(visible[first:] + visible[:first])
        own = {"nthreads": max(1, threads // count), "memory_limit": 0, "env": environment}
        own |= {"worker_class": PlainWorker, "silence_logs": logging.CRITICAL}
        workers[number] = {"cls": distributed.Nanny, "options": common | own}
    scheduler = {"cls": PlainScheduler, "options": common | {"port": 0, "dashboard": False}}
    return distributed.SpecCluster(
        workers=workers, scheduler=scheduler, security=common["security"], silence_logs=logging.CRITICAL
    )


def _temporary_security() -> Any:
    from distributed import Security

    try:
        return Security.temporary()
    except ImportError:
        do = "install the extra: pip install 'tessera[farm]'"
        raise TesseraError("the package cryptography, which creates credentials, is not installed", do) from None


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C, which a local worker receives together with the program that started it. Runs on a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
