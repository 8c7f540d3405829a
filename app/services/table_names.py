"""Names of large tables, which are hashes of their content."""

from __future__ import annotations

from collections.abc import Iterable

from app.model.grade_rows import entries_of
from engine import Grade
from engine.grade.entries import Group, bare, ops_of
from engine.kernel.op import Op, Table


def named(grade: Grade) -> Grade:
    """Hash the large tables of a grade here, on a thread, and return it."""
    inner = [bare(entry) for entry in entries_of(grade)]
    name_tables(op for entry in inner if not isinstance(entry, Group) for op in ops_of(entry))
    return grade


def name_tables(ops: Iterable[Op]) -> None:
    """Hash large tables here, so that the interface thread need not when it compares grades."""
    for op in ops:
        for field in op.kinds():
            value = getattr(op, field)
            if isinstance(value, Table):
                _ = value.name
