"""Kinds of input: seeds, mutators and operations, and the inputs that are generated from them."""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
MOST_STEPS = 8
UNSUITABLE = (
    *(re.error, AttributeError, ValueError, IndexError, KeyError, TypeError, OverflowError, RecursionError),
    *(
        ZeroDivisionError,
        struct.error,
        zlib.error,
        zipfile.BadZipFile,
        lzma.LZMAError,
        NotImplementedError,
        EOFError,
        OSError,
    ),
)
"""What a mutator raises where the data no longer have the structure that it needs."""


class Chance(Random):
    """A source of random choices that repeats for the same key; `seeds` are those of the kind, for splicing."""

    def __init__(self, key: int | str, seeds: Sequence[Seed] = ()) -> None:
        super().__init__(key)
        self.seeds = seeds

    def often(self, share: float) -> bool:
        """True in that share of all calls."""
        return self.random() < share

    def weighted(self, choices: Sequence[tuple[T, float]]) -> T:
        """One of (value, weight)."""
        return self.choices([value for value, _ in choices], [weight for _, weight in choices])[0]

    def below(self, end: int) -> int:
        """An index of a sequence of that length; 0 where it is empty."""
        return self.randrange(end) if end > 0 else 0

    def other(self) -> bytes:
        """The data of any seed."""
        return self.choice(self.seeds).data if self.seeds else b""


Mutator = Callable[[bytes, Chance], bytes]


@dataclass(frozen=True)
class Seed:
    """A valid input. Its `suffix` is that of the file's name; `name` is for people."""

    name: str
    suffix: str
    data: bytes


def nothing(_name: str) -> bool:
    """No file may change."""
    return False


class Harm(Exception):
    """An operation noticed that Tessera did wrong although it raised nothing."""


class Refused(Exception):
    """An operation saw that Tessera refused the input as it should, in another way than by a TesseraError."""


@dataclass
class Task:
    """One input at work.

    `path` is its file (of a kind without files it does not exist) and `data` its bytes. `out` is an empty folder for
    what the operation writes, `stage` the working folder with valid companions, `chance` its source of choices.
    `scratch` are names of folders in `out` that the operation made for itself; `may_change` says which files of the
    stage it may make or replace.
    """

    path: Path
    data: bytes
    out: Path
    stage: Path
    chance: Chance
    targets: set[str] = field(default_factory=set)
    scratch: set[str] = field(default_factory=set)
    may_change: Callable[[str], bool] = nothing

    def folder(self, name: str) -> Path:
        """A new folder in `out`, for what the operation needs beside the input."""
        self.scratch.add(name)
        folder = self.out / name
        folder.mkdir(exist_ok=True)
        return folder

    def target(self, suffix: str) -> Path:
        """The name of a file that the operation may leave in `out` when it succeeds."""
        name = f"target{len(self.targets)}{suffix}"
        self.targets.add(name)
        return self.out / name


@dataclass(frozen=True)
class Operation:
    """What Tessera does with an input. It succeeds, or raises a TesseraError of one line that names the file.

    With `named` False the line need not name the file: the operation has no file, or its caller names it.
    """

    name: str
    run: Callable[[Task], None]
    weight: float = 1.0
    named: bool = True


@dataclass(frozen=True)
class Kind:
    """A kind of input. `seeds` makes its valid examples, always the same ones.

    `mutators` change data with respect to their structure, each as often as its weight says. `weight` is the kind's
    share of a campaign over all kinds. With `is_file` False the input is text that no file holds; with `on_stage` its
    operations write on the stage, which is put in order after each of them. `suffixes` are those of files that
    `--replay` takes for this kind.
    """

    name: str
    seeds: Callable[[], Iterable[Seed]]
    mutators: tuple[tuple[Mutator, float], ...]
    operations: tuple[Operation, ...]
    weight: float = 1.0
    is_file: bool = True
    on_stage: bool = False
    suffixes: tuple[str, ...] = ()
    most_bytes: int = 1 << 18

    def operation(self, name: str) -> Operation:
        return next(operation for operation in self.operations if operation.name == name)


@dataclass(frozen=True)
class Input:
    """Data and what is done with them. `chance` seeds the operation's choices.

    `seed` and `steps` tell how the data were made, so that fewer steps can be tried; without steps they are as given.
    """

    kind: str
    operation: str
    suffix: str
    data: bytes
    chance: int = 0
    seed: int = -1
    steps: tuple[int, ...] = ()

    def with_steps(self, kind: Kind, seeds: Sequence[Seed], steps: tuple[int, ...]) -> Input:
        """The input as other steps make it."""
        data = seeds[self.seed].data
        for step in steps:
            data = mutated(kind, data, Chance(step, seeds))
        return replace(self, data=data, steps=steps)


def generate(kind: Kind, seeds: Sequence[Seed], key: Any, number: int) -> Input:
    """Input `number` of a kind in the campaign with that key: always the same one."""
    chance = Chance(f"{key}/{kind.name}/{number}")
    seed = chance.below(len(seeds))
    count = 0 if chance.often(0.02) else 1
    while count and count < MOST_STEPS and chance.often(0.4):
        count += 1
    operation = chance.weighted([(each.name, each.weight) for each in kind.operations])
    start = Input(kind.name, operation, seeds[seed].suffix, b"", chance.getrandbits(32), seed)
    return start.with_steps(kind, seeds, tuple(chance.getrandbits(32) for _ in range(count)))


def mutated(kind: Kind, data: bytes, chance: Chance) -> bytes:
    """The data after one step; where a mutator does not suit them, the next is tried."""
    for _ in range(4):
        mutator = chance.weighted(kind.mutators)
        try:
            found = mutator(data, chance)
        except UNSUITABLE:
            continue
        if len(found) <= kind.most_bytes:
            return found
    return data
