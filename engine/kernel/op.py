"""Base classes of ops: an op is a frozen dataclass of sliders, choices and tables, with its maths written once.

Subclassing ColorOp or ImageOp makes the class a frozen dataclass and registers it in REGISTRY by its name. Panels,
sessions, kernels and parity tests all iterate the registry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Place
from engine.core.records import dataclass
from engine.core.registry import Registry
from engine.errors import GradeError, shown
from engine.kernel.fields import KIND, Derived
from engine.kernel.fields import Choice as Choice
from engine.kernel.fields import Kind as Kind
from engine.kernel.fields import Numbers as Numbers
from engine.kernel.fields import Slider as Slider
from engine.kernel.fields import TableKind as TableKind
from engine.kernel.fields import choice as choice
from engine.kernel.fields import derived as derived
from engine.kernel.fields import derived_choice as derived_choice
from engine.kernel.fields import derived_table as derived_table
from engine.kernel.fields import slider as slider
from engine.kernel.fields import table as table
from engine.kernel.pixel import Pixel, TableValues, Value, Vec, completed
from engine.kernel.table import Table as Table
from engine.kernel.taps import Size, Taps

REGISTRY: Registry[Op] = Registry()
"""Every op by its class name, that of an op of the user's after OWN. Iterating over its classes imports all of them."""
OWN = "own:"
OWN_MODULES = "tessera_own_ops."
"""The start of the names of modules that hold ops of the user's."""


class OwnSource(NamedTuple):
    """The file of the user's that defines an op: its name, and the SHA-256 of its content."""

    file: str
    sha256: str


class Op:
    """Base class of ColorOp and ImageOp. Fields are given in order or by name, and checked when the op is created."""

    if TYPE_CHECKING:  # type checkers can't see that the field functions define defaults

        def __init__(self, *values: Any, **named: Any) -> None: ...

    label: ClassVar[str] = ""
    """The name shown to users; the class name if it is empty."""
    home: ClassVar[str] = "working"
    """The default of `space`."""
    placed: ClassVar[bool] = False
    """Whether `pixel()` reads `px.x` and `px.y`."""
    temporal: ClassVar[bool] = False
    """Whether the result depends on the number of the frame: see `at_frame`."""
    reads_sides: ClassVar[bool] = False
    """Whether the op is a `FilterOp`, which reads side images."""
    renamed: ClassVar[Mapping[str, str]] = {}
    """Names under which earlier versions saved fields -> their names today."""
    own_source: ClassVar[OwnSource | None] = None
    """Where an op of the user's comes from; None for ours."""

    _kinds: ClassVar[dict[str, Kind]]
    _leaves: ClassVar[dict[str, Kind]]

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        _check_names(cls)
        if not abstract:
            dataclass(frozen=True)(cls)
            if not cls.__module__.startswith(OWN_MODULES):  # those are registered once their whole file is checked
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
        if "_kinds" not in vars(cls):
            fields = dataclasses.fields(cls)  # type: ignore[arg-type]
            cls._kinds = {f.name: f.metadata[KIND] for f in fields if KIND in f.metadata}
        return cls._kinds

    @classmethod
    def leaves(cls) -> dict[str, Kind]:
        """Return the kinds of all names that `pixel()` may read: the fields, and the values derived from them."""
        if "_leaves" not in vars(cls):
            attributes = {name: value for c in reversed(cls.__mro__) for name, value in vars(c).items()}
            found = {name: value.kind for name, value in attributes.items() if isinstance(value, Derived)}
            cls._leaves = cls.kinds() | found
        return cls._leaves

    @classmethod
    def title(cls) -> str:
        return cls.label or cls.__name__

    @classmethod
    def registered_name(cls) -> str:
        """Return the name of the op in the registry and in saved grades."""
        return cls.__name__ if cls.own_source is None else f"{OWN}{cls.__name__}"

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

    def at_default(self, *but: str) -> bool:
        """Return whether every field has its default, `but` for those with these names; tables are ignored."""
        fields = ((name, kind) for name, kind in self.kinds().items() if name not in but)
        return all(getattr(self, name) == kind.default for name, kind in fields if not isinstance(kind, TableKind))

    def halo(self) -> int:
        """Return the number of pixels needed on each side of a region, at the size of the source; 0 for a colour op."""
        return 0

    def at_scale(self, scale: float) -> Op | None:
        """Return the op for a view with `scale` pixels per pixel of the image; None if it does not change the view."""
        return self

    def fitted(self, width: int, height: int) -> Self:
        """Return the op for a display window of this size at level 0."""
        return self

    def at_frame(self, frame: int) -> Self:
        """Return the op for a frame; its kernel is the same for all frames."""
        return self

    def in_style(self, style: str) -> Self:
        """Return a copy in another style, for an op that has styles; values on the scale of a style change with it."""
        return self.replace(style=style)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the kernel: the class, its choices, and the channels of its tables; no slider.

        For an op of the user's, the class includes the content of its file.
        """
        source = self.own_source
        parts: list[Any] = [type(self).__name__ if source is None else f"{type(self).__name__}_{source.sha256}"]
        fields = self.kinds()
        for name, kind in self.leaves().items():
            if isinstance(kind, Choice):
                parts.append(getattr(self, name))
            elif isinstance(kind, TableKind) and name in fields:
                parts.append(getattr(self, name).channels)
        return tuple(parts)

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

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"op": self.registered_name()}
        if self.own_source is not None:
            data["own"] = self.own_source._asdict()
        for name in self.kinds():
            value = getattr(self, name)
            data[name] = value.to_json() if isinstance(value, Table) else value
        return data

    @staticmethod
    def from_json(data: Any) -> Op:
        """Return the op that `to_json` described. Raises GradeError if the data describe none."""
        if not isinstance(data, dict) or not isinstance(data.get("op"), str) or data["op"] not in REGISTRY:
            named = data.get("op") if isinstance(data, dict) else data
            raise GradeError(f"there is no op named {shown(named)}", f"ops are: {', '.join(REGISTRY)}")
        cls = REGISTRY[data["op"]]
        kinds = cls.kinds()
        about = ("op",) if cls.own_source is None else ("op", "own")
        given = {cls.renamed.get(name, name): value for name, value in data.items() if name not in about}
        if unknown := set(given) - set(kinds):
            raise GradeError(f"{cls.__name__} has no field named {shown(sorted(unknown)[0])}")
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

    def reference(
        self, rgba: NDArray[np.float64], place: Place | None = None, planes: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the exact result, in float64, for an array (..., 4).

        With a `place` the array is an image (height, width, 4), which says where its pixels are; without one, x and y
        are 0. `planes` are (..., number of planes).
        """
        rgba = np.asarray(rgba, np.float64)
        x, y = place.centres(*rgba.shape[1::-1]) if place is not None else (0.0, 0.0)
        others = () if planes is None else tuple(np.moveaxis(np.asarray(planes, np.float64), -1, 0))
        with np.errstate(all="ignore"):
            r, g, b, a = np.moveaxis(rgba, -1, 0)
            px = Pixel(r, g, b, a, x, y, others)
            graded = completed(self.exact().pixel(px), px)
        return np.stack(np.broadcast_arrays(*graded), axis=-1)


class ImageOp(Op, abstract=True):
    """An op that reads neighbouring pixels or changes the size of the image: sums along its columns, then its rows.

    A subclass defines `taps` and `at_scale`; also `halo` if it keeps the size, and `result_size` if it does not.
    """

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__(abstract=abstract)

    def result_size(self, source: Size) -> Size:
        """Return the size of the result for a source of this size."""
        return source

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        """Return the taps of all columns and of all rows of the result."""
        raise TypeError(f"{type(self).__name__} has no taps()")

    def placed_taps(self, source: Size, place: Place) -> tuple[Taps, Taps]:
        """Return the taps for a source at a place; they reach no farther than the halo if they depend on it."""
        return self.taps(source)

    def at_scale(self, scale: float) -> ImageOp | None:
        raise TypeError(f"{type(self).__name__} has no at_scale()")


def color_ops() -> Iterator[type[ColorOp]]:
    """Return the registered colour ops, in the order of registration."""
    return (op for op in REGISTRY.values() if issubclass(op, ColorOp))
