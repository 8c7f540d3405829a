"""Seeds of every kind, and the companions on the stage: made once, in a process that ends, because making them starts
threads of libraries, and a process with threads should not be forked."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tools.fuzz.kind import Input, Seed, generate
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import CONTEXT
from tools.fuzz.stage import companions

MOST_SEED = 1 << 15
"""Bytes of a seed that is taken from a folder: smaller ones are faster, and a mutation hits more of them."""
EXR_MAGIC, EXR_SUFFIX = b"\x76\x2f\x31\x01", ".exr"


@dataclass(frozen=True)
class Catalogue:
    """Seeds by the name of their kind, and the content of companions by their names."""

    seeds: dict[str, list[Seed]]
    companions: dict[str, bytes]


def make_catalogue(folders: Iterable[Path] = ()) -> Catalogue:
    """The seeds made here, and small files of `folders` that suit a kind."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_make, args=(theirs,))
    process.start()
    theirs.close()
    found: Catalogue = ours.recv()
    process.join()
    for folder in folders:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            _add(found, path)
    gc.freeze()  # processes that are forked need not look through all that is imported
    atexit.register(gc.unfreeze)  # or libraries take it for leaked
    return found


def _make(pipe: Connection) -> None:
    pipe.send(Catalogue({kind.name: list(kind.seeds()) for kind in KINDS.values()}, companions()))


def _add(found: Catalogue, path: Path) -> None:
    if path.stat().st_size > MOST_SEED:
        return
    data = path.read_bytes()
    suffix = EXR_SUFFIX if data.startswith(EXR_MAGIC) else path.suffix.lower()
    for kind in KINDS.values():
        if suffix in kind.suffixes:
            found.seeds[kind.name].append(Seed(path.name, suffix, data))


@dataclass(frozen=True)
class Generated(Sequence[Input]):
    """Inputs of a kind from number `first` on, made when they are asked for."""

    kind: str
    seeds: list[Seed]
    key: str
    first: int
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: int) -> Input:  # type: ignore[override]
        if not 0 <= number < self.size:
            raise IndexError(number)
        return generate(KINDS[self.kind], self.seeds, self.key, self.first + number)
