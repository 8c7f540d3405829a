"""engine.core.numa: the cores of each node, as Linux lists them."""

from __future__ import annotations

import os

import pytest

from engine.core.numa import cores_near, nodes, parse_cores


@pytest.mark.parametrize(("text", "cores"), [("0-3\n", {0, 1, 2, 3}), ("0,2-3,8", {0, 2, 3, 8}), ("\n", set())])
def test_lists_of_cores(text, cores):
    assert parse_cores(text) == cores


def machine(folder, *lists):
    for number, text in enumerate(lists):
        (folder / f"node{number}").mkdir(parents=True)
        (folder / f"node{number}" / "cpulist").write_text(text)
    return folder


def test_nodes_have_the_cores_that_may_be_used(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert nodes(machine(tmp_path / "two", "0-3\n", "4-7\n")) == [frozenset(range(4)), frozenset((4, 5))]
    assert nodes(machine(tmp_path / "far", "0-5\n", "6-7\n", "\n")) == []  # all that may be used is on one node
    assert nodes(machine(tmp_path / "odd", "0-3\n", "what\n")) == []
    assert nodes(tmp_path / "none") == []


def test_a_device_has_the_cores_of_its_node(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    two, one = machine(tmp_path / "two", "0-3\n", "4-7\n"), machine(tmp_path / "one", "0-7\n")
    (tmp_path / "0000:1b:00.0").mkdir()
    (tmp_path / "0000:1b:00.0" / "local_cpulist").write_text("4-7\n")
    assert cores_near("0000:1B:00.0", tmp_path, two) == {4, 5}
    assert cores_near("0000:1B:00.0", tmp_path, one) == frozenset()
    assert cores_near("0000:99:00.0", tmp_path, two) == frozenset()
    assert cores_near("", tmp_path, two) == frozenset()
