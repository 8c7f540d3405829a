"""Mattes as images: the ops from an image to the coverage of the matte of one entry of its grade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from engine.color.management import Managed
from engine.core.records import dataclass
from engine.grade.grade import Entry, Grade, Layer, layer_of, ops_of
from engine.grade.masking import Blend, Masked, paths_of_matte
from engine.grade.paths import Path, entries_before, siblings
from engine.kernel.op import ColorOp, Op
from engine.kernel.pixel import Pixel, Vec
from engine.mattes.coverage import Cover
from engine.mattes.qualifiers import Key3d
from engine.mattes.tree import Branch, Leaf, Matte
from engine.ops import Blur, Exposure

_ANY_KEY = Matte(Branch("union", tuple(Leaf(Key3d(added=((0.5,) * 3,), input=of)) for of in ("entry", "source"))))
"""A matte that reads the image before and after the ops above."""


@dataclass(frozen=True)
class ShowMatte(Masked, abstract=True):
    """The coverage of a matte, 0..1, in all channels. It has no inner ops: `ops` is empty."""

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("ShowMatte", self.cover.structure)

    def stages(self, px: Pixel) -> Iterator[Vec]:
        trail: list[Vec] = []
        coverage = self.cover.coverage(px, trail)  # type: ignore[attr-defined]
        yield from trail
        yield Vec((coverage,) * 4)

    def is_identity(self) -> bool:
        return False


def matte_ops(
    managed: Managed, grade: Grade, path: Path, matte: Matte, change: Callable[[Grade], Grade] = lambda grade: grade
) -> tuple[Op, ...]:
    """Return the ops from the image's values to the coverage of a matte, at the place of the entry at a path.

    The ops before the entry are among them only if the matte reads their result. `change` is what is done to the grade
    before it is expanded. Raises GradeError as `Managed.expanded` does.
    """
    entry = next(_entries_at(grade, path), None)
    layer = layer_of(entry) if entry is not None else None
    varying = layer.varying if layer is not None and layer.matte == matte else ()
    cover, before = Cover(matte, varying=paths_of_matte(varying)), tuple[Op, ...]()
    if matte.reads:
        entries = entries_before(grade.without_solo(), path)
        like = Blur(1.0) if _has_filter(grade, path) else Exposure(1.0)
        found = managed.expanded(change(grade.with_entries((*entries, Layer(like, matte=_ANY_KEY)))))
        at = max(place for place, op in enumerate(found) if isinstance(op, Masked | Blend))  # conversions may follow it
        keyed = found[at].cover  # type: ignore[attr-defined]
        reads_entry, reads_source = "entry" in matte.reads, "source" in matte.reads
        cover = replace(cover, entry=keyed.entry if reads_entry else (), source=keyed.source if reads_source else ())
        before = found[:at] if reads_entry else ()
    return (*before, ShowMatte((), cover))


def _has_filter(grade: Grade, path: Path) -> bool:
    """Return whether the entry at a path is a filter, or a group with one: `change` may treat it differently."""
    ops = (op for entry in _entries_at(grade, path) for op in ops_of(layer_of(entry).entry))
    return any(not isinstance(op, ColorOp) for op in ops)


def _entries_at(grade: Grade, path: Path) -> Iterator[Entry]:
    """Yield the entry at a path, if there is one."""
    yield from siblings(grade, path[:-1])[path[-1] : path[-1] + 1] if path else ()
