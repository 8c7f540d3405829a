"""Quicker creation of Qt's enumerations.

PySide6 makes thousands of constants when its modules are imported, which takes a tenth of the start: Python's `enum`
looks at each member from many sides. Those of Qt are plain integers, so that nearly all of that is the same for each.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

KNOWN = (3, 11)
"""The version of Python whose `enum` this module knows; others make all enumerations themselves."""
Pairs = Sequence[tuple[str, int]]


def create_quickly() -> None:
    """Let PySide6 make its enumerations by `created`, from now on."""
    standard = enum.EnumType._create_  # type: ignore[attr-defined]
    if sys.version_info[:2] != KNOWN or standard.__module__ == __name__:
        return

    def create(cls: Any, name: str, names: Any, *, module: str | None = None, **more: Any) -> Any:
        module = module or sys._getframe(2).f_globals.get("__name__")  # as Python finds it, from one call further in
        if isinstance(names, list) and more.get("boundary") is enum.KEEP:  # as PySide6 asks
            return created(standard, cls, name, names, module=module, **more)
        return standard(cls, name, names, module=module, **more)

    enum.EnumType._create_ = create  # type: ignore[attr-defined]


def created(standard: Any, cls: Any, name: str, names: Any, **more: Any) -> Any:
    """Return an enumeration as `standard`, which is `EnumType._create_`, makes it.

    It gets what another one of its kind has, and its members what `enum._proto_member.__set_name__` gives them.
    """
    if not names or more.get("type") is not None or not _is_plain(cls, names):
        return standard(cls, name, names, **more)
    body = dict(_kind(standard, cls, more.get("boundary")))
    body |= {"__module__": more.get("module"), "__qualname__": more.get("qualname") or name}
    body |= {"_member_names_": [], "_member_map_": {}, "_value2member_map_": {}, "_unhashable_values_": []}
    made: Any = type.__new__(enum.EnumType, name, (cls,), body)
    _add(made, names)
    return made


@cache
def _kind(standard: Any, cls: Any, boundary: Any) -> dict[str, Any]:
    """Return what all enumerations with this base have."""
    one = standard(cls, "one", [("one", 0)], module=__name__, boundary=boundary)
    return {name: value for name, value in vars(one).items() if name != "one"}


def _is_plain(cls: Any, names: Pairs) -> bool:
    """Return whether all values are integers, and no name is taken or has a meaning of its own."""
    given = {each for each, _ in names}
    plain = all(type(value) is int for _, value in names) and not any(each.startswith("_") for each in given)
    return plain and len(given) == len(names) and given.isdisjoint(_taken(cls.__mro__))


@cache
def _taken(bases: tuple[type, ...]) -> frozenset[str]:
    """Return the names that bases define, and those that Python refuses."""
    return frozenset({"mro", ""}.union(*(vars(base) for base in bases)))


def _add(made: Any, names: Pairs) -> None:
    members, by_value, listed = made._member_map_, made._value2member_map_, made._member_names_
    new, with_value, is_flag = made._new_member_, made._use_args_, issubclass(made, enum.Flag)
    for name, value in names:
        member = new(made, value) if with_value else new(made)
        member.__dict__.update(_value_=value, _name_=name, __objclass__=made, _sort_order_=len(listed))
        known = by_value.setdefault(value, member)
        is_single = value != 0 and not value & (value - 1)
        if known is member and (is_single or not is_flag):
            listed.append(name)
        if is_flag:
            made._flag_mask_ |= value
            made._singles_mask_ |= value if is_single else 0
        members[name] = known
        type.__setattr__(made, name, known)
    if is_flag:
        made._all_bits_ = 2 ** made._flag_mask_.bit_length() - 1
        values = [member._value_ for member in made]
        if values != sorted(values):
            made._iter_member_ = made._iter_member_by_def_
