"""The processor cores and the memory that this process may use, as the operating system reports them."""

from __future__ import annotations

import math
import os
import platform
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from engine.core import cgroups

MEMORY = Path("/proc/meminfo")
"""The memory of a Linux machine, read without psutil, which the start of the window does not wait for."""


def usable_cores() -> int:
    """Return the number of cores that this process may use: those of its affinity, capped by its control groups."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, quota_cores()))


@cache
def quota_cores() -> int:
    """Return the number of cores that the control groups allow, rounded up."""
    cores = cgroups.cores()
    return math.ceil(cores) if math.isfinite(cores) else sys.maxsize


def total_memory() -> int:
    """Return the machine's memory in bytes, or what a control group allows if that is less."""
    return min([_of_machine("MemTotal"), *(group.limit for group in cgroups.memory())])


def available_memory() -> int:
    """Return the bytes of memory available without swapping or exceeding the limit of a control group."""
    left = [max(0, group.limit - group.used) for group in cgroups.memory()]
    return min([_of_machine("MemAvailable"), *left])


def _of_machine(line: str) -> int:
    """Return a line of MEMORY in bytes."""
    try:
        text = MEMORY.read_text(encoding="ascii", errors="replace")
    except OSError:
        text = ""
    found = re.search(rf"^{line}:\s*(\d+) kB$", text, re.MULTILINE)
    if found is not None:
        return int(found[1]) * 1024
    memory = _psutil().virtual_memory()
    return int({"MemTotal": memory.total, "MemAvailable": memory.available}[line])


def _psutil() -> Any:
    """Return psutil, which takes long to load."""
    import psutil

    return psutil


def resident_memory() -> int:
    """Return the main memory that this process uses now, in bytes."""
    return int(_psutil().Process().memory_info().rss)


def peak_memory() -> int:
    """Return the peak main memory of this process so far, in bytes."""
    if sys.platform == "win32":
        return int(_psutil().Process().memory_info().peak_wset)
    status = Path("/proc/self/status")
    if status.exists():
        # Preferred to getrusage, which on Linux starts from the peak of the parent process.
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@cache
def processor_name() -> str:
    """Return the processor's model name, or its architecture if the system does not report one."""
    if sys.platform == "linux":
        name = _from_cpuinfo()
    elif sys.platform == "darwin":
        name = _from_sysctl()
    else:
        name = platform.processor()
    return name or platform.machine()


def _from_cpuinfo() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _from_sysctl() -> str:
    import subprocess  # on one system only, and it takes long to import

    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
