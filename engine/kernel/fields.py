"""Fields of ops: sliders, choices and tables, and values that are derived from them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

from engine.core.records import dataclass
from engine.errors import GradeError, shown
from engine.kernel.table import Table

KIND = "tessera.kind"
MOST_ENTRIES = 1 << 23
"""Largest size of a 1D LUT. Beyond it, a float32 position has no fraction left between entries."""
LARGEST_CUBE = 129
"""Largest number of entries of a 3D LUT along an axis: OpenColorIO reads no larger ones."""

Numbers: TypeAlias = Any
"""Type of a slider of several numbers: a tuple of floats in the op, a Vec inside `pixel()`."""


@dataclass(frozen=True)
class Slider:
    """A number, or `size` of them, that can change without a recompilation.

    `low` and `high` are the ends of the control; `minimum` is the smallest valid value. `visible` is the part between
    the ends that a control shows until the value leaves it; None is all.
    """

    default: Any
    low: float
    high: float
    unit: str
    minimum: float | None
    help: str
    visible: tuple[float, float] | None = None

    @property
    def size(self) -> int:
        """Number of components; 0 for a plain number."""
        return len(self.default) if isinstance(self.default, tuple) else 0

    def clean(self, name: str, value: Any) -> Any:
        """Return `value` as a float or a tuple of floats. Raises GradeError if it is neither, or outside its domain."""
        try:
            cleaned = tuple(float(x) for x in value) if self.size else float(value)
        except (TypeError, ValueError, OverflowError):
            raise GradeError(f"{name} must be {self._wanted()}, not {shown(value)}") from None
        numbers = cleaned if isinstance(cleaned, tuple) else (cleaned,)
        if len(numbers) != max(self.size, 1) or not all(math.isfinite(x) for x in numbers):
            raise GradeError(f"{name} must be {self._wanted()}, not {shown(value)}")
        if self.minimum is not None and min(numbers) < self.minimum:
            raise GradeError(f"{name} must be at least {self.minimum:g}, not {min(numbers):g}")
        return cleaned

    def _wanted(self) -> str:
        return f"{self.size} finite numbers" if self.size else "a finite number"


@dataclass(frozen=True)
class Choice:
    """One of a few options, compiled into the kernel."""

    default: str
    options: tuple[str, ...]
    help: str

    def clean(self, name: str, value: Any) -> str:
        if value not in self.options:
            raise GradeError(f"{name} must be one of {', '.join(self.options)}, not {shown(value)}")
        return str(value)


@dataclass(frozen=True)
class TableKind:
    """A look-up table: a 1D LUT, `curve` (size, 1|3), or a 3D LUT, `cube` (size, size, size, 3) indexed [r][g][b]."""

    shape: str
    help: str

    def clean(self, name: str, value: Any) -> Table:
        table = value if isinstance(value, Table) else Table(value)
        shape = table.array.shape
        if self.shape == "curve" and not (len(shape) == 2 and shape[1] in (1, 3) and shape[0] >= 2):
            raise GradeError(f"{name} must have the shape (size, 1|3) with at least 2 entries, not {shape}")
        if self.shape == "curve" and shape[0] > MOST_ENTRIES:
            raise GradeError(f"{name} has {shape[0]} entries; {MOST_ENTRIES} is the most")
        if self.shape == "cube" and not (len(shape) == 4 and shape[3] == 3 and shape[0] == shape[1] == shape[2] >= 2):
            raise GradeError(f"{name} must have the shape (size, size, size, 3) with size at least 2, not {shape}")
        if self.shape == "cube" and shape[0] > LARGEST_CUBE:
            raise GradeError(f"{name} has {shape[0]} entries along an axis; {LARGEST_CUBE} is the most")
        return table


Kind = Slider | Choice | TableKind


def slider(
    default: Any = 0.0,
    low: float = 0.0,
    high: float = 1.0,
    unit: str = "",
    minimum: float | None = None,
    help: str = "",
    visible: tuple[float, float] | None = None,
) -> Any:
    """Define a field that can change without a recompilation: a float, or a tuple of floats as long as `default`."""
    kind = Slider(default, low, high, unit, minimum, help, visible)
    return dataclasses.field(default=default, metadata={KIND: kind})


def choice(default: str, *options: str, help: str = "") -> Any:
    """Define a field that is one of a few options; each option has its own kernel."""
    return dataclasses.field(default=default, metadata={KIND: Choice(default, (default, *options), help)})


def table(shape: str, help: str = "") -> Any:
    """Define a field that is a look-up table, a `curve` (1D LUT) or a `cube` (3D LUT); it has no default."""
    return dataclasses.field(metadata={KIND: TableKind(shape, help)})


class Derived(cached_property[Any]):
    """A value computed from the fields on the host, once per op: numbers passed as uniforms, a table, or an option."""

    def __init__(self, function: Callable[[Any], Any], kind: Kind) -> None:
        super().__init__(function)
        self.kind = kind


def derived(size: int = 0) -> Callable[[Callable[[Any], Any]], Any]:
    """Make a method compute a number, or a tuple of `size` numbers, that `pixel()` reads like a slider."""
    kind = Slider((0.0,) * size if size else 0.0, 0.0, 1.0, "", None, "")
    return lambda function: Derived(function, kind)


def derived_table(function: Callable[[Any], Any]) -> Any:
    """Make a method compute a table. Its channels must depend only on the choices and the tables of the op."""
    return Derived(function, TableKind("curve", ""))


def derived_choice(function: Callable[[Any], str]) -> Any:
    """Make a method compute an option; each option has its own kernel."""
    return Derived(function, Choice("", (), ""))
