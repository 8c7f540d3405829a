"""Clusters on this machine: who reaches them, and which devices they use."""

from __future__ import annotations

import contextlib
import gc
import socket
import ssl

import psutil
import pytest

from engine.export import farm_cluster
from engine.export.options import ExportOptions

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")


def _listening() -> list[tuple[str, int]]:
    """Addresses and ports at which this process and those that it started wait for connections."""
    me = psutil.Process()
    found = [each for process in (me, *me.children(recursive=True)) for each in process.net_connections("inet")]
    return sorted({tuple(each.laddr) for each in found if each.status == psutil.CONN_LISTEN})


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Two processes of workers with all that belongs to them; where they listen, and the address of the scheduler."""
    before, folder = _listening(), tmp_path_factory.mktemp("scratch")
    with (
        dask.config.set(temporary_directory=str(folder)),
        farm_cluster.local_cluster(ExportOptions(backend="cpu", threads=2), 2, 8) as cluster,
    ):
        cluster.wait_for_workers(2, timeout=60)
        yield sorted(set(_listening()) - set(before)), cluster.scheduler_address


def test_a_local_cluster_is_reached_from_this_machine_alone(local):
    listening, address = local
    assert len(listening) == 5, "a scheduler, two nannies and two workers, and no server of HTTP"
    assert {host for host, _ in listening} <= {"127.0.0.1", "::1"}
    assert address.startswith("tls://127.0.0.1:")


def test_a_local_cluster_wants_credentials(local):
    listening, address = local
    for given in (None, distributed.Security.temporary()):
        for at in (address, address.replace("tls", "tcp")):
            with pytest.raises((OSError, RuntimeError, TypeError)):
                distributed.Client(at, timeout=2, set_as_default=False, security=given)
            gc.collect()  # what is left of a client that failed closes now, and not while the next one starts
    for host, port in listening:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (  # with version 1.3 a server refuses a client after the client's handshake
            pytest.raises((ssl.SSLError, ConnectionError)),
            socket.create_connection((host, port), timeout=10) as plain,
            context.wrap_socket(plain) as encrypted,
        ):
            encrypted.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert encrypted.recv(1) == b"", "closed without an answer"
            raise ConnectionError
        with socket.create_connection((host, port), timeout=10) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                assert not plain.recv(1 << 10).startswith(b"HTTP")


@pytest.mark.parametrize(
    ("address", "open_to_all"),
    [
        ("tcp://a:1", True),
        ("a:1", True),
        ("tls://a:1", False),
        ("local", False),
        ("local:4", False),
        ("localhost:1", True),
    ],
)
def test_which_schedulers_take_jobs_from_everyone(address, open_to_all):
    assert farm_cluster.is_open(address) == open_to_all


def test_each_local_worker_has_a_device_of_its_own(monkeypatch):
    made = {}
    monkeypatch.setattr(farm_cluster, "devices_in_turn", lambda backend: ["cuda", "cuda:1"])
    monkeypatch.setattr(distributed, "SpecCluster", lambda **about: made.update(about))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    farm_cluster.local_cluster(ExportOptions(threads=8), 0, 96)
    workers = [made["workers"][n]["options"] for n in sorted(made["workers"])]
    assert [each["env"]["CUDA_VISIBLE_DEVICES"] for each in workers] == ["4,7", "7,4"]
    assert [each["nthreads"] for each in workers] == [4, 4]
    monkeypatch.setattr(farm_cluster, "devices_in_turn", lambda backend: ["cpu"])
    farm_cluster.local_cluster(ExportOptions(threads=6), 3, 96)
    assert [each["options"]["nthreads"] for each in made["workers"].values()] == [2, 2, 2]
    assert made["workers"][0]["options"]["env"] == {}
