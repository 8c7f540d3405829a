"""Classes by their names, each imported when it is first asked for, so that a program loads only what it uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Generic, TypeVar

Class = TypeVar("Class")


class Registry(MutableMapping[str, type[Class]], Generic[Class]):
    """Classes by name. A class is added when it is defined; those that were announced are imported on first use.

    Announced names come first, in their order; asking whether a name is there, or for all names, imports nothing.
    """

    def __init__(self) -> None:
        self._homes: dict[str, str] = {}
        self._classes: dict[str, type[Class]] = {}

    def announce(self, package: str, homes: Mapping[str, str]) -> None:
        """Say where classes are defined; `homes` maps the name of each to its module in the package."""
        self._homes.update({name: f"{package}.{home}" for name, home in homes.items()})

    def __getitem__(self, name: str) -> type[Class]:
        if name not in self._classes and name in self._homes:
            importlib.import_module(self._homes[name])
        return self._classes[name]

    def __setitem__(self, name: str, value: type[Class]) -> None:
        self._classes[name] = value

    def __delitem__(self, name: str) -> None:
        del self._classes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._classes or name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter([*self._homes, *(name for name in self._classes if name not in self._homes)])

    def __len__(self) -> int:
        return len(self._homes.keys() | self._classes.keys())
