"""Classes by their names: those that were announced are imported when they are asked for, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.core.geometry import Rect
from engine.core.registry import Registry
from tests.app.command_line import ROOT


def made() -> Registry[object]:
    registry: Registry[object] = Registry()
    registry.announce("engine.core", {"Rect": "geometry", "Missing": "geometry"})
    return registry


def test_what_was_announced_is_there_by_name_in_its_order():
    registry = made()
    registry["Here"] = int
    assert list(registry) == ["Rect", "Missing", "Here"]
    assert len(registry) == 3
    assert "Rect" in registry
    assert "Absent" not in registry
    assert registry.get("Absent") is None


def test_a_class_is_what_was_added_under_its_name():
    registry = made()
    registry["Rect"] = Rect
    registry["Here"] = int
    assert registry["Rect"] is Rect
    assert registry.get("Here") is int
    assert list(registry) == ["Rect", "Missing", "Here"]
    del registry["Here"]
    assert "Here" not in registry
    with pytest.raises(KeyError):
        registry["Missing"]  # its module has no such class


def test_ops_are_imported_one_by_one():
    code = """
import sys
from engine import ops
from engine.kernel.op import REGISTRY
assert "Bloom" in REGISTRY and len(REGISTRY) == len(ops.__all__)
loaded = lambda: sorted(name for name in sys.modules if name.startswith("engine.ops."))
assert loaded() == [], loaded()
REGISTRY["Exposure"], ops.Range
assert loaded() == ["engine.ops.exposure", "engine.ops.range"], loaded()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
