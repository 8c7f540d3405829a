"""`dataclass` as in the standard library, but quick to define: a method is compiled when it is first called.

The standard library compiles six methods of a frozen class one by one when the class is defined. That takes up to a
millisecond a class, which was a tenth of the time to the first image.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

_Names = dict[str, Any]


def _dataclass(cls: type[Any] | None = None, /, *, frozen: bool = False, eq: bool = True) -> Any:
    """What `dataclasses.dataclass` does with these arguments."""

    def decorate(cls: type[Any]) -> type[Any]:
        cls.__doc__ = cls.__doc__ or cls.__name__  # else the standard library composes one, which takes long
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        methods: dict[str, Any] = {"__init__": _late(cls, "__init__", _init_text), "__repr__": _repr}
        if eq:
            methods["__eq__"] = _late(cls, "__eq__", _eq_text)
            methods["__hash__"] = _late(cls, "__hash__", _hash_text) if frozen else None
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


def _late(cls: type[Any], name: str, text: Callable[[type[Any], _Names], str]) -> Callable[..., Any]:
    """Return a method that compiles its text when it is first called; the result takes its place."""

    def late(self: Any, *args: Any, **kwargs: Any) -> Any:
        if vars(cls)[name] is late:  # else another thread was first
            names: _Names = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
            exec(text(cls, names), names)
            names[name].__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, names[name])
        return vars(cls)[name](self, *args, **kwargs)

    return late


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
