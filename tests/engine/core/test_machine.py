"""Cores and memory are those that the process may use: of the machine, its control groups and its affinity."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.core import cgroups
from engine.core import system as machine
from engine.core.cgroups import MemoryGroup

GB = 1 << 30
V1_MOUNTS = """\
22 1 0:20 / /proc rw - proc proc rw
32 31 0:29 {root} /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 {root} /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
V2_MOUNTS = "30 23 0:26 {root} /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1_GROUPS = "4:memory:{group}\n2:cpu,cpuacct:{group}\n1:name=systemd:{group}\n0::/user.slice\n"
NO_LIMIT_V1 = "9223372036854771712"


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def version_2(root: Path, group: str = "/", mounted: str = "/", **files: str) -> Path:
    """A tree whose process is in `group`; files by their place below the mount."""
    found = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    return tree(
        root, {"proc/self/cgroup": f"0::{group}\n", "proc/self/mountinfo": V2_MOUNTS.format(root=mounted)} | found
    )


def test_without_control_groups_nothing_is_limited(tmp_path: Path) -> None:
    assert cgroups.cores(tmp_path) == math.inf
    assert cgroups.memory(tmp_path) == []


def test_version_2_in_a_namespace_of_its_own(tmp_path: Path) -> None:
    files = {"cpu.max": "150000 100000\n", "memory.max": f"{4 * GB}\n", "memory.high": "max\n"}
    files |= {"memory.current": f"{3 * GB}\n", "memory.stat": f"anon {GB}\nfile {2 * GB}\ninactive_file {GB}\n"}
    root = version_2(tmp_path, **files)
    assert cgroups.cores(root) == 1.5
    assert cgroups.memory(root) == [MemoryGroup(4 * GB, 2 * GB)]


def test_version_2_takes_the_least_of_all_groups_above(tmp_path: Path) -> None:
    root = version_2(
        tmp_path,
        "/batch.slice/job 7",
        **{
            "batch.slice/job 7/cpu.max": "max 100000\n",
            "batch.slice/job 7/memory.max": "max\n",
            "batch.slice/cpu.max": "400000 100000\n",
            "batch.slice/memory.max": f"{8 * GB}\n",
            "batch.slice/memory.high": f"{6 * GB}\n",
            "batch.slice/memory.current": f"{2 * GB}\n",
            "cpu.max": "800000 100000\n",
        },
    )
    assert cgroups.cores(root) == 4.0
    assert cgroups.memory(root) == [MemoryGroup(6 * GB, 2 * GB)]


def test_version_1_beside_a_unified_hierarchy_without_controllers(tmp_path: Path) -> None:
    group = "/docker/abc"
    root = tree(
        tmp_path,
        {
            "proc/self/cgroup": V1_GROUPS.format(group=group),
            "proc/self/mountinfo": V1_MOUNTS.format(root="/"),
            f"sys/fs/cgroup/cpu,cpuacct{group}/cpu.cfs_quota_us": "200000\n",
            f"sys/fs/cgroup/cpu,cpuacct{group}/cpu.cfs_period_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            f"sys/fs/cgroup/memory{group}/memory.limit_in_bytes": f"{2 * GB}\n",
            f"sys/fs/cgroup/memory{group}/memory.usage_in_bytes": f"{GB}\n",
            f"sys/fs/cgroup/memory{group}/memory.stat": f"inactive_file 1\ntotal_inactive_file {GB // 2}\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": NO_LIMIT_V1,
        },
    )
    assert cgroups.cores(root) == 4.0
    assert cgroups.memory(root) == [MemoryGroup(2 * GB, GB // 2), MemoryGroup(int(NO_LIMIT_V1), 0)]


def test_a_container_that_sees_its_own_group_under_the_host_s_name(tmp_path: Path) -> None:
    """Version 1 without a namespace: the mount shows the container's group, /proc its name on the host."""
    group = "/kubepods/pod1/c2"
    files = {
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "4096",
    }
    files["sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"] = "100000"
    described = {"proc/self/cgroup": V1_GROUPS.format(group=group), "proc/self/mountinfo": V1_MOUNTS.format(root=group)}
    root = tree(tmp_path / "a", files | described)
    assert (cgroups.cores(root), [g.limit for g in cgroups.memory(root)]) == (0.5, [4096])
    described["proc/self/mountinfo"] = V1_MOUNTS.format(root="/elsewhere")
    root = tree(tmp_path / "b", files | described)
    assert (cgroups.cores(root), [g.limit for g in cgroups.memory(root)]) == (0.5, [4096])


@pytest.mark.parametrize("damage", ["", "max", "-5 100000", "1e5 100000", "100000", "0 0", "5\n6", "\udc80"])
def test_what_is_no_limit_is_none(tmp_path: Path, damage: str) -> None:
    root = version_2(tmp_path)
    for name in ("cpu.max", "memory.max", "memory.current", "memory.stat"):
        (root / "sys/fs/cgroup").mkdir(parents=True, exist_ok=True)
        (root / "sys/fs/cgroup" / name).write_bytes(damage.encode("utf-8", "surrogateescape"))
    assert cgroups.cores(root) == math.inf
    assert [group.limit for group in cgroups.memory(root)] == ([100000] if damage == "100000" else [])
    (root / "proc/self/mountinfo").write_text("30 23 - \n\n - cgroup2\n", encoding="utf-8")
    (root / "proc/self/cgroup").write_text("::\nx\n", encoding="utf-8")
    cgroups._folders.cache_clear()
    assert cgroups.memory(root) == []


@pytest.mark.parametrize(
    ("quota", "affinity", "cores"), [(0.5, 8, 1), (1.5, 8, 2), (3.0, 8, 3), (9.0, 8, 8), (math.inf, 8, 8)]
)
def test_cores_are_those_of_the_affinity_and_of_the_quota(
    monkeypatch: pytest.MonkeyPatch, quota: float, affinity: int, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(affinity)), raising=False)
    monkeypatch.setattr(cgroups, "cores", lambda: quota)
    machine.quota_cores.cache_clear()
    assert machine.usable_cores() == cores
    machine.quota_cores.cache_clear()


def test_memory_is_the_machine_s_or_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_of_machine", {"MemTotal": 64 * GB, "MemAvailable": 20 * GB}.get)
    for groups, total, available in (
        ([], 64, 20),
        ([MemoryGroup(8 * GB, 5 * GB)], 8, 3),
        ([MemoryGroup(8 * GB, 1 * GB), MemoryGroup(6 * GB, 4 * GB)], 6, 2),
        ([MemoryGroup(100 * GB, 0)], 64, 20),
        ([MemoryGroup(2 * GB, 3 * GB)], 2, 0),
    ):
        monkeypatch.setattr(cgroups, "memory", lambda groups=groups: groups)
        assert (machine.total_memory(), machine.available_memory()) == (total * GB, available * GB)


def test_the_machine_s_memory_is_what_psutil_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Memory:
        total, available = 64 * GB, 20 * GB

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    monkeypatch.setattr(cgroups, "memory", list)
    monkeypatch.setattr(machine, "MEMORY", tmp_path / "meminfo")
    assert (machine.total_memory(), machine.available_memory()) == (64 * GB, 20 * GB)
    (tmp_path / "meminfo").write_text("MemTotal:        8388608 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\n")
    assert (machine.total_memory(), machine.available_memory()) == (8 * GB, 2 * GB)


def test_budgets_and_limits_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import create_executor, detect_backends
    from engine.export.frames import thread_budget
    from engine.export.options import ExportOptions
    from engine.viewing import default_budget

    monkeypatch.setattr(cgroups, "memory", lambda: [MemoryGroup(2 * GB, GB)])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(cgroups, "cores", lambda: 3.0)
    machine.quota_cores.cache_clear()
    assert default_budget() == GB // 2
    cpu: Any = create_executor("cpu").primitives
    assert cpu.limits.total_memory <= GB
    assert cpu.threads == 3
    info = next(info for info in detect_backends() if info.name == "cpu")
    assert (info.total_memory, info.free_memory <= GB) == (2 * GB, True)
    assert thread_budget(ExportOptions()) == 3
    machine.quota_cores.cache_clear()
