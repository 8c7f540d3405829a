"""NUMA nodes: the processor cores of a machine that share a memory controller, as Linux reports them.

A process that stays on one node allocates its memory there, and so reads it without crossing to another node.
"""

from __future__ import annotations

import os
from pathlib import Path

NODES = Path("/sys/devices/system/node")
PCI = Path("/sys/bus/pci/devices")


def nodes(folder: Path = NODES) -> list[frozenset[int]]:
    """Return the cores of each node that this process may use; [] if they are all on one node, or if nothing tells."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    usable = os.sched_getaffinity(0)
    found = []
    for path in sorted(folder.glob("node[0-9]*/cpulist"), key=lambda each: int(each.parent.name[4:])):
        try:
            cores = parse_cores(path.read_text(encoding="ascii")) & usable
        except (OSError, ValueError):
            return []
        if cores:
            found.append(cores)
    return found if len(found) > 1 else []


def cores_near(bus: str, folder: Path = PCI, node_folder: Path = NODES) -> frozenset[int]:
    """Return the cores of the node that a PCI device such as `0000:1b:00.0` is attached to; none if nothing tells."""
    try:
        near = parse_cores((folder / bus.lower() / "local_cpulist").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return frozenset()
    return next((cores for cores in nodes(node_folder) if cores <= near), frozenset())


def parse_cores(text: str) -> frozenset[int]:
    """Return the cores of a list such as `0-7,16-23`. Raises ValueError if it is not one."""
    cores = set[int]()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cores.update(range(int(first), int(last or first) + 1))
    return frozenset(cores)
