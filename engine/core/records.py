"""`dataclass` as in the standard library, but quick to define: a method is compiled once it has been called some times.

The standard library compiles six methods of a frozen class one by one when the class is defined. That takes up to a
millisecond a class, which was a tenth of the time to the first image. Most methods are called a few times, if at all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

_Names = dict[str, Any]
_Plain = Callable[..., Any]
INTERPRETED = 12
"""So many calls of a method are interpreted before it is compiled, which takes as long as some twenty of them."""
_IRREGULAR = object()
"""What an interpreted call returns whose arguments don't fit: the compiled method says so."""


def _dataclass(cls: type[Any] | None = None, /, *, frozen: bool = False, eq: bool = True) -> Any:
    """What `dataclasses.dataclass` does with these arguments."""

    def decorate(cls: type[Any]) -> type[Any]:
        cls.__doc__ = cls.__doc__ or cls.__name__  # else the standard library composes one, which takes long
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        methods: dict[str, Any] = {"__init__": _late(cls, "__init__", _init_text, _init), "__repr__": _repr}
        if eq:
            methods["__eq__"] = _late(cls, "__eq__", _eq_text, _eq)
            methods["__hash__"] = _late(cls, "__hash__", _hash_text, _hash) if frozen else None
        own_eq = "__eq__" in vars(cls)  # which has made Python set `__hash__` to None
        for name, method in (methods | (_refusals(cls) if frozen else {})).items():
            if name not in vars(cls) or (name == "__hash__" and own_eq and vars(cls)[name] is None):
                setattr(cls, name, method)
        return cls

    return decorate if cls is None else decorate(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass


def _late(
    cls: type[Any], name: str, text: Callable[[type[Any], _Names], str], plain: Callable[[type[Any]], _Plain]
) -> Callable[..., Any]:
    """Return a method that interprets its first calls, then compiles its text; the result takes its place.

    `plain` returns what interprets calls.
    """
    calls, interpret = 0, None

    def late(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls, interpret
        calls += 1
        if calls <= INTERPRETED:
            interpret = interpret or plain(cls)
            if (result := interpret(self, *args, **kwargs)) is not _IRREGULAR:
                return result
        if vars(cls)[name] is late:  # else another thread was first
            names: _Names = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
            exec(text(cls, names), names)
            names[name].__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, names[name])
        return vars(cls)[name](self, *args, **kwargs)

    return late


def _init(cls: type[Any]) -> _Plain:
    fields, missing = dataclasses.fields(cls), dataclasses.MISSING
    taken = [field.name for field in fields if field.init]

    def init(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = dict(zip(taken, args, strict=False))
        if len(args) > len(taken) or not kwargs.keys().isdisjoint(given) or not kwargs.keys() <= set(taken):
            return _IRREGULAR
        given |= kwargs
        for field in fields:
            name = field.name
            if name not in given and field.default_factory is not missing:
                given[name] = field.default_factory()
            elif name not in given and field.init:
                given[name] = field.default
        if any(value is missing for value in given.values()):
            return _IRREGULAR
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()
        return None

    return init


def _eq(cls: type[Any]) -> _Plain:
    values = _compared(cls)
    return lambda self, other: values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(cls: type[Any]) -> _Plain:
    values = _compared(cls)
    return lambda self: hash(values(self))


def _compared(cls: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what returns the values of an object that are compared."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    return lambda made: tuple([getattr(made, name) for name in names])


def _init_text(cls: type[Any], names: _Names) -> str:
    """Return the text of `__init__`; the defaults that it uses are added to `names`."""
    arguments, lines = ["self"], list[str]()
    for field in dataclasses.fields(cls):
        name, default, value = field.name, "", field.name
        if field.default is not dataclasses.MISSING:
            default = f"_default_{name}"
            names[default] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = "_missing"
            names[f"_default_{name}"] = field.default_factory
            value = f"_default_{name}()" + (f" if {name} is _missing else {name}" if field.init else "")
        if field.init:
            arguments.append(f"{name}={default}" if default else name)
        if field.init or default == "_missing":
            lines.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    return f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"])


def _eq_text(cls: type[Any], _: _Names) -> str:
    test = f"{_values(cls, 'self')} == {_values(cls, 'other')} if other.__class__ is self.__class__ else NotImplemented"
    return f"def __eq__(self, other):\n return {test}"


def _hash_text(cls: type[Any], _: _Names) -> str:
    return f"def __hash__(self):\n return hash({_values(cls, 'self')})"


def _values(cls: type[Any], of: str) -> str:
    """Return the text of the tuple of values that are compared."""
    return f"({''.join(f'{of}.{field.name}, ' for field in dataclasses.fields(cls) if field.compare)})"


def _repr(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _refusals(cls: type[Any]) -> dict[str, Callable[..., None]]:
    """Return `__setattr__` and `__delattr__` that refuse the fields, and everything on objects of this very class."""
    names = frozenset(field.name for field in dataclasses.fields(cls))

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}
