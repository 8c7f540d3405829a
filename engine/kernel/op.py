"""Base classes of ops: an op is a frozen dataclass of sliders, choices and tables, with its maths written once.

Subclassing ColorOp or ImageOp makes the class a frozen dataclass and registers it in REGISTRY by its name. Panels,
sessions, kernels and parity tests all iterate the registry.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.kernel.pixel import Pixel, TableValues, Value, Vec, completed
from engine.kernel.table import Table as Table

KIND = "tessera.kind"
MOST_ENTRIES = 1 << 23
"""Largest size of a 1D LUT. Beyond it, a float32 position has no fraction left between entries."""

Numbers: TypeAlias = Any
"""Type of a slider of several numbers: a tuple of floats in the op, a Vec inside `pixel()`."""


@dataclass(frozen=True)
class Slider:
    """A number, or `size` of them, that can change without a recompilation.

    `low` and `high` are the ends of the control; `minimum` is the smallest valid value.
    """

    default: Any
    low: float
    high: float
    unit: str
    minimum: float | None
    help: str

    @property
    def size(self) -> int:
        """Number of components; 0 for a plain number."""
        return len(self.default) if isinstance(self.default, tuple) else 0

    def clean(self, name: str, value: Any) -> Any:
        """Return `value` as a float or a tuple of floats. Raises GradeError if it is neither, or outside its domain."""
        try:
            cleaned = tuple(float(x) for x in value) if self.size else float(value)
        except (TypeError, ValueError, OverflowError):
            raise GradeError(f"{name} must be {self._wanted()}, not {value!r}") from None
        numbers = cleaned if isinstance(cleaned, tuple) else (cleaned,)
        if len(numbers) != max(self.size, 1) or not all(math.isfinite(x) for x in numbers):
            raise GradeError(f"{name} must be {self._wanted()}, not {value!r}")
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
            raise GradeError(f"{name} must be one of {', '.join(self.options)}, not {value!r}")
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
        if self.shape == "cube" and shape[0] > 129:
            raise GradeError(f"{name} has {shape[0]} entries along an axis; 129 is the most")
        return table


Kind = Slider | Choice | TableKind


def slider(
    default: Any = 0.0,
    low: float = 0.0,
    high: float = 1.0,
    unit: str = "",
    minimum: float | None = None,
    help: str = "",
) -> Any:
    """Define a field that can change without a recompilation: a float, or a tuple of floats as long as `default`."""
    return dataclasses.field(default=default, metadata={KIND: Slider(default, low, high, unit, minimum, help)})


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


REGISTRY: dict[str, type[Op]] = {}
"""Every op by its class name."""


class Op:
    """Base class of ColorOp and ImageOp. Fields are given in order or by name, and checked when the op is created."""

    if TYPE_CHECKING:  # type checkers can't see that the field functions define defaults

        def __init__(self, *values: Any, **named: Any) -> None: ...

    label: ClassVar[str] = ""
    """The name shown to users; the class name if it is empty."""
    home: ClassVar[str] = "working"
    """The default of `space`."""
    renamed: ClassVar[Mapping[str, str]] = {}
    """Names under which earlier versions saved fields -> their names today."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        _check_names(cls)
        if not abstract:
            dataclasses.dataclass(frozen=True)(cls)
            REGISTRY[cls.__name__] = cls

    def __post_init__(self) -> None:
        for name, kind in self.kinds().items():
            object.__setattr__(self, name, kind.clean(f"{type(self).__name__}.{name}", getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Raise GradeError if fields contradict each other."""

    @classmethod
    def kinds(cls) -> dict[str, Kind]:
        """Return the kind of each field by name."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return {f.name: f.metadata[KIND] for f in fields if KIND in f.metadata}

    @classmethod
    def leaves(cls) -> dict[str, Kind]:
        """Return the kinds of all names that `pixel()` may read: the fields, and the values derived from them."""
        attributes = {name: value for c in reversed(cls.__mro__) for name, value in vars(c).items()}
        found = {name: value.kind for name, value in attributes.items() if isinstance(value, Derived)}
        return cls.kinds() | found

    @classmethod
    def title(cls) -> str:
        return cls.label or cls.__name__

    @property
    def space(self) -> str:
        """The colour space that the op works in: `working` (the grade's working space), `scene_linear` (the role's),
        `linear` (any scene-linear space), or a colorInteropID. An op of style `linear` works in `scene_linear`.
        """
        return "scene_linear" if getattr(self, "style", "") == "linear" else self.home

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other field values."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def is_identity(self) -> bool:
        """Return whether the op changes no pixel, whatever its value (NaN and Inf included)."""
        return False

    def at_default(self) -> bool:
        """Return whether every field has its default; tables are ignored."""
        return all(getattr(self, n) == k.default for n, k in self.kinds().items() if not isinstance(k, TableKind))

    def in_style(self, style: str) -> Self:
        """Return a copy in another style, for an op that has styles; values on the scale of a style change with it."""
        return self.replace(style=style)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the kernel: the class, its choices, and the channels of its tables; no slider."""
        parts: list[Any] = [type(self).__name__]
        fields = self.kinds()
        for name, kind in self.leaves().items():
            if isinstance(kind, Choice):
                parts.append(getattr(self, name))
            elif isinstance(kind, TableKind) and name in fields:
                parts.append(getattr(self, name).channels)
        return tuple(parts)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"op": type(self).__name__}
        for name in self.kinds():
            value = getattr(self, name)
            data[name] = value.to_json() if isinstance(value, Table) else value
        return data

    @staticmethod
    def from_json(data: Any) -> Op:
        """Return the op that `to_json` described. Raises GradeError if the data describe none."""
        if not isinstance(data, dict) or not isinstance(data.get("op"), str) or data["op"] not in REGISTRY:
            named = data.get("op") if isinstance(data, dict) else data
            raise GradeError(f"there is no op named {named!r}", f"ops are: {', '.join(REGISTRY)}")
        cls = REGISTRY[data["op"]]
        kinds = cls.kinds()
        given = {cls.renamed.get(name, name): value for name, value in data.items() if name != "op"}
        if unknown := set(given) - set(kinds):
            raise GradeError(f"{cls.__name__} has no field named {sorted(unknown)[0]!r}")
        values = {n: Table.from_json(v) if isinstance(kinds[n], TableKind) else v for n, v in given.items()}
        try:
            return cls(**values)
        except TypeError:
            raise GradeError(f"{cls.__name__} has a missing field") from None


def _check_names(cls: type[Op]) -> None:
    """Raise TypeError if a field or a derived value has the name of an attribute that every op has."""
    common = {name for base in cls.__mro__[1:] if base.__module__ == __name__ for name in vars(base)}
    plain = {name for name, kind in vars(cls).get("__annotations__", {}).items() if "ClassVar" not in str(kind)}
    kept = {name for name, value in vars(cls).items() if isinstance(value, (dataclasses.Field, Derived))}
    if hidden := sorted((plain | kept) & common):
        raise TypeError(f"{cls.__name__}.{hidden[0]} would hide an attribute that every op has")


class ColorOp(Op, abstract=True):
    """An op whose result at a pixel depends only on that pixel."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__(abstract=abstract)

    def pixel(self, px: Pixel) -> Value:
        """Return the graded pixel, 3 components (alpha is kept) or 4, in the language of `engine.kernel.pixel`."""
        raise TypeError(f"{type(self).__name__} has no pixel()")

    def stages(self, px: Pixel) -> Iterator[Vec]:
        """Yield RGBA after each step of the op; the last is the result. One step, unless the op contains others."""
        yield completed(self.pixel(px), px)

    def inverse(self) -> ColorOp:
        """Return the op that undoes this one exactly (up to rounding). Raises GradeError if there is none."""
        raise GradeError(f"{self.title()} has no exact inverse")

    def turned(self) -> Self:
        """Return a copy with the opposite `direction`."""
        return self.replace(direction="reverse" if getattr(self, "direction", "") == "forward" else "forward")

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        """Return a copy whose sliders and tables are replaced by `leaf(name, index, kind, value)`.

        Sliders of several numbers become a Vec; choices stay strings.
        """
        twin = object.__new__(type(self))
        for name, kind in self.leaves().items():
            value = getattr(self, name)
            if isinstance(kind, Slider) and kind.size:
                value = Vec(tuple(leaf(name, i, kind, v) for i, v in enumerate(value)))
            elif not isinstance(kind, Choice):
                value = leaf(name, 0, kind, value)
            twin.__dict__[name] = value
        return twin

    def exact(self) -> Self:
        """Return a copy whose methods work on float64 arrays, for `reference`."""

        def leaf(name: str, index: int, kind: Kind, value: Any) -> Any:
            return TableValues(value.array.astype(np.float64)) if isinstance(value, Table) else np.float64(value)

        return self.bound(leaf)

    def reference(self, rgba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the exact result, in float64, for an array (..., 4)."""
        with np.errstate(all="ignore"):
            px = Pixel(*np.moveaxis(np.asarray(rgba, np.float64), -1, 0))
            graded = completed(self.exact().pixel(px), px)
        return np.stack(np.broadcast_arrays(*graded), axis=-1)


class ImageOp(Op, abstract=True):
    """An op that reads neighbouring pixels or changes the image's size; it runs a filter of the backend."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__(abstract=abstract)

    def halo(self) -> int:
        """Return the number of pixels needed on each side of a region, at the size of the source."""
        return 0


def color_ops() -> Iterator[type[ColorOp]]:
    """Return the registered colour ops, in the order of registration."""
    return (op for op in REGISTRY.values() if issubclass(op, ColorOp))
