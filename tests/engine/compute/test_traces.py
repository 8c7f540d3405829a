"""What a kernel takes is the same from the file as traced; other sources and other ops are traced."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from engine import ops
from engine.compute.backends.cpu import traces
from engine.compute.backends.cpu.cache import CodeFiles
from engine.compute.backends.cpu.traces import Trace, Traces
from engine.kernel.codegen import trace
from engine.kernel.op import ColorOp, color_ops
from engine.kernel.pixel import Pixel
from tests.engine.images import ops_of


@pytest.fixture
def files(tmp_path: Path) -> CodeFiles:
    return CodeFiles(tmp_path / "kernels")


def written(files: CodeFiles, *kept: ColorOp) -> None:
    store = Traces(files)
    for number, op in enumerate(kept):
        store.put(op, Trace(f"kernel_{number}", trace([op]).arguments))
    if store._writes is not None:
        store._writes.cancel()
    store._write()


@pytest.mark.parametrize("cls", list(color_ops()), ids=lambda cls: cls.__name__)
def test_all_ops_take_the_same(cls: type[ColorOp], tmp_path: Path) -> None:
    @settings(max_examples=2)
    @given(ops_of(cls))
    def check(op: ColorOp) -> None:
        files = CodeFiles(tmp_path / "kernels")
        written(files, op)
        found, expected = Traces(files).get(op), trace([op]).arguments
        assert found is not None and found.name == "kernel_0"
        takes = found.arguments
        np.testing.assert_array_equal(takes.uniform_values([op]), expected.uniform_values([op]))
        assert takes.table_values([op]) == expected.table_values([op])
        assert (takes.placed, takes.planes, takes.paths) == (expected.placed, expected.planes, expected.paths)

    check()


def test_other_sources_are_traced_again(files: CodeFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(files, ops.Exposure())
    (tmp_path / "sources").mkdir()
    monkeypatch.setattr(traces, "SOURCES", tmp_path / "sources")
    assert Traces(files).get(ops.Exposure()) is None
    written(files, ops.Saturation())
    assert Traces(files).get(ops.Saturation()) is not None
    (tmp_path / "sources" / "one.py").write_text("1")
    assert Traces(files).get(ops.Saturation()) is None


def test_what_is_changed_under_a_process_is_traced_by_the_next(
    files: CodeFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sources").mkdir()
    monkeypatch.setattr(traces, "SOURCES", tmp_path / "sources")
    store = Traces(files)
    (tmp_path / "sources" / "one.py").write_text("1")
    store.put(ops.Exposure(), Trace("kernel", trace([ops.Exposure()]).arguments))
    assert store._writes is not None
    store._writes.cancel()
    store._write()
    assert Traces(files).get(ops.Exposure()) is None


def test_two_processes_keep_what_both_traced(files: CodeFiles) -> None:
    written(files, ops.Exposure())
    written(files, ops.Saturation())
    assert all(Traces(files).get(op) is not None for op in (ops.Exposure(), ops.Saturation()))


def test_a_damaged_file_is_not_used(files: CodeFiles) -> None:
    written(files, ops.Exposure())
    path = files.folder / f"{traces.NAME}.code"
    path.write_bytes(path.read_bytes()[:-3])
    assert Traces(files).get(ops.Exposure()) is None


def test_the_oldest_go(files: CodeFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST", 1)
    written(files, ops.Exposure(), ops.Saturation())
    found = Traces(files)
    assert found.get(ops.Exposure()) is None and found.get(ops.Saturation()) is not None


def test_ops_from_elsewhere_are_not_kept(files: CodeFiles) -> None:
    @dataclass(frozen=True)
    class Elsewhere(ColorOp, abstract=True):  # one that is not registered
        """An op of nobody's."""

        def pixel(self, px: Pixel) -> Any:
            return px.rgb

    op = Elsewhere()
    written(files, op)
    assert Traces(files).get(op) is None
