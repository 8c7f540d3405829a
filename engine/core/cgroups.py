"""Limits on a process's cores and memory from control groups, as set by containers and job schedulers.

Linux only; elsewhere nothing is limited. Both versions are supported. The kernel documents their files in
admin-guide/cgroup-v2.rst, admin-guide/cgroup-v1/memory.rst and scheduler/sched-bwc.rst. The limits of all groups above
the process apply.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path("/")


class MemoryGroup(NamedTuple):
    """A group that limits memory: the limit, and the memory its processes use without file caches; in bytes."""

    limit: int
    used: int


class _Mount(NamedTuple):
    """A mount of a hierarchy of groups: the folder `point` shows the group `root`."""

    point: Path
    root: PurePosixPath
    version: int


def cores(root: Path = ROOT) -> float:
    """Return the processor time that may be used, in cores, possibly a fraction; infinite without a limit."""
    found = math.inf
    for version, folder in _folders("cpu", root):
        if version == 2:
            quota, _, period = _text(folder / "cpu.max").partition(" ")
        else:
            quota, period = _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")
        if quota.isdecimal() and period.isdecimal() and int(quota) and int(period):
            found = min(found, int(quota) / int(period))
    return found


def memory(root: Path = ROOT) -> list[MemoryGroup]:
    """Return the groups that limit the process's memory, from its own upwards."""
    groups = []
    for version, folder in _folders("memory", root):
        names = ("memory.max", "memory.high") if version == 2 else ("memory.limit_in_bytes",)
        limits = [int(text) for name in names if (text := _text(folder / name)).isdecimal()]
        if limits:
            current = _text(folder / ("memory.current" if version == 2 else "memory.usage_in_bytes"))
            cached = _counted(folder / "memory.stat", "inactive_file" if version == 2 else "total_inactive_file")
            used = int(current) if current.isdecimal() else 0
            groups.append(MemoryGroup(min(limits), max(0, used - cached)))
    return groups


@cache
def _folders(controller: str, root: Path) -> tuple[tuple[int, Path], ...]:
    """Return the version and the folder of each group of a controller that the process is in, its own first."""
    own, unified = _own_groups(controller, root)
    mounts = _mounts(controller, root)
    mount = next((m for m in mounts if m.version == 1), None) if own is not None else None
    group = own
    if mount is None:
        mount, group = next((m for m in mounts if m.version == 2), None), unified
    if mount is None or group is None:
        return ()
    inside = group.relative_to(mount.root) if group.is_relative_to(mount.root) else PurePosixPath()
    places = [mount.point / inside]
    while places[-1] != mount.point:
        places.append(places[-1].parent)
    return tuple((mount.version, place) for place in places)


def _own_groups(controller: str, root: Path) -> tuple[PurePosixPath | None, PurePosixPath | None]:
    """Return the process's group of a controller in version 1, and its group in version 2; None for a missing one."""
    own = unified = None
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, controllers, group = [*line.split(":", 2), "", ""][:3]
        if controller in controllers.split(","):
            own = PurePosixPath(group)
        elif number == "0" and not controllers:
            unified = PurePosixPath(group)
    return own, unified


def _mounts(controller: str, root: Path) -> list[_Mount]:
    """Return the mounts of a controller's hierarchy and of the unified one; source: proc(5), mountinfo."""
    mounts = []
    for line in _text(root / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kind) < 3:
            continue
        if kind[0] == "cgroup2" or (kind[0] == "cgroup" and controller in kind[2].split(",")):
            point = root / _plain(fields[4]).lstrip("/")
            mounts.append(_Mount(point, PurePosixPath(_plain(fields[3])), 2 if kind[0] == "cgroup2" else 1))
    return mounts


def _plain(field: str) -> str:
    """Decode a field of mountinfo, where blanks and similar characters are written in octal."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def _counted(path: Path, name: str) -> int:
    """Return the number after `name` in a file of names and numbers; 0 if it is not there."""
    for line in _text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdecimal():
            return int(value)
    return 0


def _text(path: Path) -> str:
    """Return the content of a small file; '' if it can't be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
