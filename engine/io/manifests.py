"""Manifests of Cryptomatte layers: the names of objects and their IDs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.file_errors import short
from engine.core.records import dataclass
from engine.core.small_files import read_small, state_of
from engine.errors import UnreadableFile
from engine.io.cryptomatte import CryptomatteLayer, hash_name
from engine.io.wildcards import NameList, has_wildcards, unescaped

EMBEDDED, SIDECAR, NONE = "embedded", "sidecar", "none"
_VALUE = re.compile(r'"\s*+:\s*+"(?:0[xX])?([0-9A-Fa-f]{1,8})"')
_ID = re.compile(r"(?:0[xX])?[0-9A-Fa-f]{1,8}")
DIGITS = 8
"""Hexadecimal digits of an ID."""
Ids = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Manifest:
    """The names of a layer's objects and their IDs, in the order of the file.

    `kind` is embedded, sidecar or none; `path` that of a sidecar file. `problem` says what is wrong with it, or "".
    `hashed` says whether a name that is not listed can be found by its hash.
    """

    names: tuple[str, ...]
    ids: Ids
    kind: str = NONE
    path: Path | None = None
    problem: str = ""
    hashed: bool = True

    def __len__(self) -> int:
        return len(self.names)

    def id_of(self, name: str) -> int | None:
        """Return the ID of a name: as listed, else its hash; None if it has neither."""
        found = self._ids.get(name)
        return hash_name(name) if found is None and self.hashed else found

    def lists(self, name: str) -> bool:
        """Return whether the manifest lists a name."""
        return name in self._ids

    def names_of(self, id: int) -> tuple[str, ...]:
        """Return the names with this ID: several if their hashes collide, none if it is not listed."""
        return tuple(self.names[n] for n in np.flatnonzero(self.ids == np.uint32(id)))

    def find(self, pattern: str, ignore_case: bool = True) -> NDArray[np.intp]:
        """Return the indices of the names that match a pattern; one without wildcards matches any part of a name."""
        pattern = pattern if has_wildcards(pattern) else f"*{pattern}*"
        return (self._folded if ignore_case else self._exact).matching(pattern)

    def matching(self, pattern: str) -> NDArray[np.intp]:
        """Return the indices of the names that match a pattern as mattes do: as a whole, and by case."""
        return self._exact.matching(pattern)

    def selected(self, names: Iterable[str], ids: Iterable[int] = ()) -> tuple[Ids, list[str]]:
        """Return the IDs of names, wildcards and IDs, sorted, and the names and wildcards that match nothing listed.

        A name that is not listed has the ID of its hash all the same.
        """
        found, unlisted = _selected(self, tuple(names), tuple(ids))
        return found, list(unlisted)

    @property
    def collisions(self) -> tuple[tuple[str, ...], ...]:
        """The groups of names that share an ID."""
        order = np.argsort(self.ids, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(self.ids[order])) + 1)
        several = sorted((group.tolist() for group in groups if len(group) > 1), key=lambda group: group[0])
        return tuple(tuple(self.names[n] for n in group) for group in several)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return dict(zip(self.names, self.ids.tolist(), strict=True))

    @cached_property
    def _exact(self) -> NameList:
        return NameList(self.names)

    @cached_property
    def _folded(self) -> NameList:
        return NameList(self.names, fold=True)


@lru_cache(maxsize=16)
def _selected(manifest: Manifest, names: tuple[str, ...], ids: tuple[int, ...]) -> tuple[Ids, tuple[str, ...]]:
    """Return what `Manifest.selected` does; the last ones are kept, as every frame and view asks for the same."""
    plain = [each & 0xFFFFFFFF for each in ids]
    found, unlisted = list[Ids](), list[str]()
    for name in names:
        if has_wildcards(name):
            matched = manifest.ids[manifest.matching(name)]
            found.append(matched)
            listed = len(matched) > 0
        else:
            known = manifest.id_of(whole := unescaped(name))
            plain += [] if known is None else [known]
            listed = manifest.lists(whole)
        unlisted += [] if listed else [name]
    result = np.unique(np.concatenate([np.array(plain, np.uint32), *found]))
    result.flags.writeable = False
    return result, tuple(unlisted)


def manifest_of(path: Path, layer: CryptomatteLayer) -> Manifest:
    """Return the manifest of a layer of the image at `path`: of the sidecar file if there is one, else of the header.

    A manifest that is missing or damaged raises no error: it has the names that could be read, and a `problem`.
    """
    problem = ""
    sidecar = sidecar_of(path, layer)
    if sidecar is not None:
        try:
            return _parsed(_text_of(sidecar), SIDECAR, sidecar, layer.hashed)
        except UnreadableFile as error:
            problem = f"the manifest file {error}"
    if layer.manifest:
        found = _parsed(layer.manifest, EMBEDDED, None, layer.hashed)
        return found if not problem else Manifest(found.names, found.ids, EMBEDDED, None, problem, layer.hashed)
    return Manifest((), np.zeros(0, np.uint32), NONE, None, problem, layer.hashed)


def sidecar_of(path: Path, layer: CryptomatteLayer) -> Path | None:
    """Return the sidecar file with the manifest of a layer of the image at `path`; None if its header names none."""
    return path.parent / layer.manifest_file.replace("\\", "/") if layer.manifest_file else None


def ids_manifest(ids: Ids) -> Manifest:
    """Return a manifest for IDs without names: each is named by its eight hexadecimal digits."""
    return Manifest(tuple(f"{each:08x}" for each in ids.tolist()), ids, hashed=False)


def _text_of(path: Path) -> str:
    return _decoded(path, state_of(path))


@lru_cache(maxsize=8)
def _decoded(path: Path, state: Any) -> str:
    """Return the text of a sidecar file; `state` tells apart its versions in the cache."""
    return read_small(path).decode("utf-8-sig", "replace")


@lru_cache(maxsize=16)
def _parsed(text: str, kind: str, path: Path | None, hashed: bool) -> Manifest:
    """Parse the JSON object of a manifest; the frames of a sequence usually share one, so the last ones are kept."""
    problem = ""
    try:
        pairs: Any = json.loads(text, object_pairs_hook=_pairs, strict=False)
    except (ValueError, RecursionError) as error:
        pairs = _Pairs(_entries_within(text))
        problem = f"the manifest is damaged ({short(str(error))}); {_count(len(pairs))} could be read"
    if not isinstance(pairs, _Pairs):
        pairs, problem = _Pairs(), "the manifest is damaged (it is not a JSON object)"
    names, ids, wrong = _entries(pairs)
    if wrong and not problem:
        problem = f"the manifest has {_count(wrong)} whose IDs are not eight hexadecimal digits"
    return Manifest(names, ids, kind, path, problem, hashed)


class _Pairs(list[tuple[str, Any]]):
    """The entries of a JSON object in order, with repeated names."""


def _pairs(entries: Sequence[tuple[str, Any]]) -> _Pairs:
    return _Pairs(entries)


def _entries_within(text: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a damaged manifest in order: each value, and the text in quotes before it.

    Takes time in proportion to the length, whatever the damage.
    """
    end = 0
    for match in _VALUE.finditer(text):
        start = text.rfind('"', end, match.start())
        while start >= 0 and _is_escaped(text, start, end):
            start = text.rfind('"', end, start)
        if start >= 0 and not _is_escaped(text, match.start(), end):
            yield _name(text[start + 1 : match.start()]), match[1]
        end = match.end()


def _is_escaped(text: str, place: int, least: int) -> bool:
    """Return whether an odd number of backslashes precedes a character."""
    before = place
    while before > least and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _name(raw: str) -> str:
    """Return a name of a damaged manifest, whose escapes may be damaged as well."""
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw


def _entries(pairs: list[tuple[str, Any]]) -> tuple[tuple[str, ...], Ids, int]:
    """Return names and IDs, each pair once, and the number of entries without a valid ID."""
    valid = [(name, value) for name, value in pairs if isinstance(value, str) and _ID.fullmatch(value)]
    kept = dict.fromkeys(valid)
    digits = "".join(value.lower().removeprefix("0x").rjust(DIGITS, "0") for _, value in kept)
    ids = np.frombuffer(bytes.fromhex(digits), ">u4").astype(np.uint32)
    return tuple(name for name, _ in kept), ids, len(pairs) - len(valid)


def _count(number: int) -> str:
    return "1 name" if number == 1 else f"{number} names"
