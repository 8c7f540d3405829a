"""`dataclass` against that of the standard library: the same objects, whatever the fields."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any, ClassVar

import pytest

from engine.core.records import INTERPRETED, dataclass

STANDARD = dataclasses.dataclass


def make(decorator: Any) -> dict[str, Any]:
    """The same classes, made by one of the two decorators."""

    @decorator(frozen=True)
    class Point:
        """A point."""

        x: int
        y: float = 2.0
        notes: tuple[str, ...] = field(default=(), compare=False)
        items: tuple[int, ...] = field(default_factory=tuple, repr=False)
        made: str = field(default="here", init=False)
        later: str = field(init=False, repr=False, compare=False)
        kind: ClassVar[str] = "point"

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", f"{self.x}")

    @decorator(frozen=True)
    class Labelled(Point):
        label: str = "a"

    @decorator(frozen=True)
    class Nothing:
        pass

    @decorator(frozen=True, eq=False)
    class Identity:
        x: int

    @decorator(frozen=True)
    class OwnEq:
        x: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnEq)

        __hash__ = None  # type: ignore[assignment]  # as Python sets it

    @decorator(frozen=True)
    class OwnHash:
        x: int

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    @decorator
    class Changing:
        x: int
        names: list[str] = field(default_factory=list)

    @decorator(eq=False)
    class ChangingIdentity:
        x: int

    return {name: each for name, each in locals().items() if isinstance(each, type)}


OURS, THEIRS = make(dataclass), make(STANDARD)
MADE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Point": ({"x": 1}, {"x": 1, "y": 3.0, "notes": ("n",), "items": (4,)}),
    "Labelled": ({"x": 1}, {"x": 1, "label": "b"}),
    "Nothing": ({}, {}),
    "Identity": ({"x": 1}, {"x": 2}),
    "OwnEq": ({"x": 1}, {"x": 2}),
    "OwnHash": ({"x": 1}, {"x": 2}),
    "Changing": ({"x": 1}, {"x": 1, "names": ["n"]}),
    "ChangingIdentity": ({"x": 1}, {"x": 2}),
}


@pytest.mark.parametrize("name", MADE)
def test_objects_are_those_of_the_standard_library(name: str) -> None:
    def facts(cls: Any) -> list[Any]:
        first, second = (cls(**values) for values in MADE[name])
        hashed = [type(each).__hash__ is None for each in (first, second)]
        return [
            repr(first).rpartition(".")[2],
            vars(first),
            vars(second),
            first == second,
            first == cls(**MADE[name][0]),
            first != second,
            first == object(),
            hashed,
            hashed[0] or (hash(first) == hash(copy.copy(first))),
            [each.name for each in dataclasses.fields(first)],
            dataclasses.asdict(second),
            cls.__match_args__,
        ]

    cls = OURS[name]
    interpreted = facts(cls)
    for _ in range(INTERPRETED):
        compiled = facts(cls)
    assert interpreted == compiled == facts(THEIRS[name])
    if "x" in MADE[name][0]:
        assert dataclasses.replace(cls(**MADE[name][0]), x=5).x == 5
    ours, theirs = (inspect.signature(each[name]).parameters for each in (OURS, THEIRS))
    assert [(each.name, each.kind) for each in ours.values()] == [(each.name, each.kind) for each in theirs.values()]


@pytest.mark.parametrize("name", ["Point", "Labelled", "Nothing", "Identity"])
def test_frozen_objects_refuse_changes(name: str) -> None:
    made = OURS[name](**MADE[name][0])
    for change in (lambda: setattr(made, "x", 2), lambda: setattr(made, "other", 2), lambda: delattr(made, "x")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()


def test_wrong_arguments_are_refused() -> None:
    point = make(dataclass)["Point"]
    for words in ({}, {"x": 1, "made": "there"}, {"x": 1, "other": 2}):
        for cls in (point, make(dataclass)["Point"]):
            with pytest.raises(TypeError, match="argument"):
                cls(**words)
    for values in ((1, 2.0, (), (), 3), (1, 2.0)):
        with pytest.raises(TypeError, match="argument"):
            make(dataclass)["Point"](*values, x=1)


def test_a_subclass_without_the_decorator_may_have_attributes_of_its_own() -> None:
    @dataclass(frozen=True)
    class Base:
        x: int

    class Plain(Base):
        pass

    made = Plain(1)
    made.other = 2  # type: ignore[attr-defined]
    assert (made.x, vars(made)["other"]) == (1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.x = 2  # type: ignore[misc]


@dataclass(frozen=True)
class Pickled:
    x: int
    y: tuple[int, ...] = ()


def test_objects_are_pickled() -> None:
    made = Pickled(1, (2,))
    assert pickle.loads(pickle.dumps(made)) == made
    assert hash(made) == hash(Pickled(1, (2,)))
    assert {made: 1}[Pickled(1, (2,))] == 1
