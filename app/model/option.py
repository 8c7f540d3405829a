"""Options of the command line, and a parser of them.

The classes of options are named tuples, which are made faster than dataclasses: `tessera --help` imports them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Field(NamedTuple):
    """The field of an option in the export dialog: its page and label. Without a page, there is none, and `elsewhere`
    says what replaces it.

    `tip` is the tooltip if the help of the option does not serve. `labels` are those of the option's choices. A field
    without choices is a text: `default` is what it says while the option is not given, `example` stands below it, and
    `known` names a list of suggestions that the dialog fills. The fields of a page are in the order of the table,
    except that those marked `first` come before the others.
    """

    page: str = ""
    label: str = ""
    tip: str = ""
    labels: tuple[str, ...] = ()
    default: str = ""
    example: str = ""
    known: str = ""
    first: bool = False
    elsewhere: str = ""


class Option(NamedTuple):
    """An option of the command line.

    `name` has no dashes. `parse` converts a text to a value and raises ArgumentTypeError if it can't. An option that
    `repeats` has a list of values; the dialog separates them by commas. A `switch` is on or off. The value of a
    `signed` option may start with a minus sign. Options with the same `exclusive` exclude each other.
    """

    name: str
    help: str
    metavar: str | None = None
    parse: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] = ()
    repeats: bool = False
    switch: bool = False
    signed: bool = False
    exclusive: str = ""
    field: Field = Field()

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.name}"

    @property
    def attribute(self) -> str:
        """The name of its value in the result of a parser."""
        return self.name.replace("-", "_")

    @property
    def tooltip(self) -> str:
        """The tooltip of its field."""
        return f"{self.field.tip or self.help[:1].upper() + self.help[1:]} ({self.flag})"

    @property
    def labelled(self) -> dict[str, str]:
        """The labels of its choices by value. The default comes first, with the value ''; without one, the first."""
        default = self.default or self.choices[0]
        found = dict(zip(self.choices, self.field.labels, strict=True))
        return {"": found.pop(default)} | found

    def word(self, value: str) -> str:
        """Return the option and a value as one word, which is unambiguous even if the value starts with a dash."""
        return f"{self.flag}={value}"

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser or to a group of one."""
        if self.switch:
            parser.add_argument(self.flag, action="store_true", help=self.help)
            return
        default: dict[str, Any] = {"action": "append", "default": []} if self.repeats else {"default": self.default}
        choices = self.choices or None
        parser.add_argument(
            self.flag, type=self.parse, choices=choices, metavar=self.metavar, help=self.help, **default
        )


class Group(NamedTuple):
    """Options under one heading of `--help`, with an optional description."""

    title: str
    options: tuple[Option, ...]
    about: str | None = None

    def without(self, *names: str) -> Group:
        """Return the group without the options of these names."""
        return self._replace(options=tuple(option for option in self.options if option.name not in names))


class Parser(argparse.ArgumentParser):
    """An argument parser that reads `--looks -A` as `--looks=-A`, since that option is signed; argparse would read `-A`
    as an option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._signed: set[str] = set()

    def add_option(self, option: Option, group: argparse._ActionsContainer | None = None) -> None:
        """Add an option, by default without a heading."""
        option.add_to(group or self)
        if option.signed:
            self._signed.add(option.flag)

    def add_group(self, group: Group) -> None:
        """Add options under their heading."""
        heading = self.add_argument_group(group.title, group.about)
        exclusive: dict[str, argparse._MutuallyExclusiveGroup] = {}
        for option in group.options:
            if option.exclusive and option.exclusive not in exclusive:
                exclusive[option.exclusive] = heading.add_mutually_exclusive_group()
            self.add_option(option, exclusive.get(option.exclusive, heading))

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        joined: list[str] = []
        for word in sys.argv[1:] if args is None else args:
            if joined and joined[-1] in self._signed and word.startswith("-") and not word.startswith("--"):
                word = f"{joined.pop()}={word}"
            if word.startswith("--") and word.endswith("=--"):  # argparse reads this as an empty list
                self.error(f"argument {word.removesuffix('=--')}: expected one argument")
            joined.append(word)
        return super().parse_known_args(joined, namespace)
