"""Enumerations that are made quickly are those that Python makes."""

from __future__ import annotations

import enum
import importlib
import pickle
import sys
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.widgets.qt_enums import KNOWN, create_quickly, created

pytestmark = pytest.mark.skipif(sys.version_info[:2] != KNOWN, reason="other versions make them as always")
KEPT = ("_member_names_", "_sort_order_", "_flag_mask_", "_singles_mask_", "_all_bits_", "_boundary_", "_inverted_")


def enumerations() -> list[Any]:
    """Every enumeration of the modules of Qt that the window uses."""
    found: dict[int, Any] = {}

    def look(owner: Any, depth: int) -> None:
        for name in dir(owner):
            each = getattr(owner, name, None)
            if isinstance(each, enum.EnumType) and each.__module__.startswith("PySide6."):
                found[id(each)] = each
            elif isinstance(each, type) and depth and each.__module__.startswith("PySide6."):
                look(each, depth - 1)

    for module in ("QtCore", "QtGui", "QtWidgets"):
        look(importlib.import_module(f"PySide6.{module}"), 2)
    return list(found.values())


def asked(made: Any) -> tuple[Any, str, tuple[tuple[str, int], ...], dict[str, Any]]:
    """What an enumeration was made from."""
    pairs = tuple((name, member.value) for name, member in made.__members__.items())
    more = {"module": "PySide6.made", "qualname": made.__name__, "type": None, "start": 1}
    if issubclass(made, enum.Flag):
        more["boundary"] = made._boundary_
    return made.__bases__[-1], made.__name__, pairs, more


def facts(made: Any) -> dict[str, Any]:
    """Everything that can be seen of an enumeration."""
    members = made.__members__
    values = {name: vars(member) | {"__objclass__": 0} for name, member in members.items()}
    return {
        "members": [(name, repr(member), str(member), hash(member), member.name) for name, member in members.items()],
        "values": {name: {k: v for k, v in each.items() if k != "_inverted_"} for name, each in values.items()},
        "listed": [repr(member) for member in made],
        "attributes": [repr(getattr(made, name)) for name in members],
        "by value": {value: repr(member) for value, member in made._value2member_map_.items()},
        "kept": {name: made.__dict__.get(name) for name in KEPT},
        "names": sorted(vars(made)),
        "dir": dir(made),
        "length": len(made),
    }


def test_all_of_qt() -> None:
    slow = []

    def counted(base: Any, name: str, *given: Any, **more: Any) -> Any:
        slow.append(name)
        return python_creates(base, name, *given, **more)

    all_of_them = enumerations()
    assert sum(len(made.__members__) for made in all_of_them) > 5000
    for each in all_of_them:
        base, name, pairs, more = asked(each)
        if not pairs:
            continue
        expected = python_creates(base, name, pairs, **more)
        found = created(counted, base, name, pairs, **more)
        assert facts(found) == facts(expected), each
    assert len(slow) < len(all_of_them) / 50, slow


def python_creates(base: Any, *given: Any, **more: Any) -> Any:
    """`EnumType._create_` as Python defines it, whatever has been put in its place."""
    create = enum.EnumType._create_  # type: ignore[attr-defined]
    while create.__closure__:
        create = next(cell.cell_contents for cell in create.__closure__)
    return create(base, *given, **more)


@pytest.mark.parametrize("base", [enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag])
@pytest.mark.parametrize(
    "pairs",
    [
        (("A", 1), ("B", 2), ("C", 4), ("Both", 3), ("Same", 2), ("None_", 0)),
        (("Last", 8), ("First", 1), ("Two", 2)),
        (("Minus", -1), ("One", 1)),
        (("A", 1), ("name", 2)),
        (("A", 1), ("_b", 2)),
        (("A", "text"), ("B", 2)),
        (("Only", 1),),
    ],
)
def test_kinds_and_unusual_members(base: Any, pairs: Any) -> None:
    def made(quickly: bool) -> Any:
        try:
            more = {"module": "PySide6.made", "qualname": "Kind"}
            given = base, "Kind", pairs
            return created(python_creates, *given, **more) if quickly else python_creates(*given, **more)
        except Exception as error:  # noqa: BLE001 (compared)
            return type(error), str(error)

    expected, found = made(False), made(True)
    if isinstance(expected, tuple):
        assert found == expected
        return
    assert facts(found) == facts(expected)
    if issubclass(base, enum.Flag):
        for a in expected:
            for b in expected:
                assert repr(found[a.name] | found[b.name]) == repr(a | b)
                assert repr(~found[a.name]) == repr(~a)


def test_constants_of_qt_work_and_are_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enum.EnumType, "_create_", enum.EnumType._create_)  # type: ignore[attr-defined]
    create_quickly()
    pairs = [("a", 1), ("b", 2), ("c", 4)]
    flags: Any = enum.IntFlag
    made = flags("made", pairs, boundary=enum.KEEP)  # as PySide6 asks
    assert (made.__module__, list(made), made(3).value) == (__name__, [made.a, made.b, made.c], 3)
    both = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    assert Qt.AlignmentFlag(both.value) == both
    assert pickle.loads(pickle.dumps(Qt.Key.Key_A)) is Qt.Key.Key_A
    others: Any = enum.IntEnum("others", (("a", 1), ("b", 2)), module=__name__)
    assert [member.value for member in others] == [1, 2]
