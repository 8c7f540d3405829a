"""Entries of a grade: ops, the ops of look files, and groups of entries, with their switches and mattes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from engine.core.file_watch import State
from engine.core.records import dataclass
from engine.errors import GradeError, shown
from engine.grade.curves import NO_KEYS, Keys
from engine.grade.kept import kept
from engine.grade.key_checks import check_keys
from engine.grade.masking import blended, keeps_size
from engine.grade.missing import MissingOp, missing_look, op_from_json
from engine.grade.parameters import MIX, Parts, is_of_op
from engine.kernel.op import Op
from engine.mattes.tree import Matte

MOST_DEPTH = 16
"""How deep groups can lie in groups."""
_SWITCHES, NOTHING = ("enabled", "mix", "solo", "matte", "keys"), frozenset[str]()


@dataclass(frozen=True)
class FileLook:
    """The ops of a LUT or CDL file, kept together under the file's name.

    The ops are saved with the grade, so that it does not change when the file is moved or edited. `stamp` is the state
    of the file before it was read; None if the ops come from a saved grade.
    """

    path: str
    ops: tuple[Op, ...]
    interpolation: str = "file"
    stamp: State = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        ops = [op.to_json() for op in self.ops]
        return {"file": self.path, "interpolation": self.interpolation, "ops": ops}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FileLook | MissingOp:
        """Return the look that `to_json` described; a missing op if one of its ops is not known here."""
        if not isinstance(listed := data.get("ops"), list):
            raise GradeError(f"the look {shown(data.get('file'))} has no list of ops")
        ops = tuple(map(op_from_json, listed))
        return missing_look(data, ops) or cls(str(data["file"]), ops, str(data.get("interpolation", "file")))


@dataclass(frozen=True)
class Group:
    """Entries under one name, with the switches of a Layer: bypass, mix, matte and solo of all of them together.

    Groups may lie in groups, at most MOST_DEPTH deep. The keys are those of its mix and its matte.
    """

    entries: tuple[Entry, ...]
    name: str = ""
    enabled: bool = True
    mix: float = 1.0
    matte: Matte | None = None
    solo: bool = False
    keys: Keys = NO_KEYS
    varying: frozenset[str] = NOTHING

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", tuple(kept_form(entry) for entry in self.entries))
        if not isinstance(self.name, str):
            raise GradeError("the name of a group must be text")
        if self.depth > MOST_DEPTH:
            raise GradeError(f"groups can't lie more than {MOST_DEPTH} deep")
        _check_switches(self)
        _check_size(self, self)
        _check_keys(self)

    @cached_property
    def depth(self) -> int:
        groups = (inner for entry in self.entries if isinstance(inner := bare(entry), Group))
        return 1 + max((group.depth for group in groups), default=0)

    @property
    def plain(self) -> bool:
        """Whether the group changes nothing of its entries."""
        return _is_plain(self)

    @cached_property
    def is_animated(self) -> bool:
        """Whether the group has keys, or one of its entries."""
        return bool(self.keys) or any(is_animated(entry) for entry in self.entries)

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops that the group runs if it is enabled: those of its entries that are."""
        inner = tuple(op for entry in self.entries if layer_of(entry).enabled for op in ops_of(entry))
        return blended(inner, self.mix, self.matte, name_of(self), self.varying)

    def to_json(self) -> dict[str, Any]:
        entries = [entry.to_json() for entry in self.entries]
        return {"group": self.name, "entries": entries} | _switches_to_json(self)

    @classmethod
    def from_json(cls, data: dict[str, Any], level: int = 0) -> Group:
        entries = data.get("entries")
        if not isinstance(entries, list):
            raise GradeError(f"the group {shown(data.get('group'))} has no list of entries")
        if level >= MOST_DEPTH:
            raise GradeError(f"groups can't lie more than {MOST_DEPTH} deep")
        inner = tuple(entry_from_json(entry, level=level + 1) for entry in entries)
        return cls(inner, data["group"], **_switches_from_json(data, "group", "entries"))


@dataclass(frozen=True)
class Layer:
    """An entry with its switches: bypassed (`enabled` False), blended with its input (`mix` 0..1), or `solo`.

    While any entry of a grade is solo, only the solo entries run. With a `matte` the entry changes only what it covers.
    A filter that resizes has neither mix nor matte. The switches of a Group are taken from it, and lie in the Layer.
    `keys` are the curves of numbers over the frames, by their paths: those of the op as in `engine.grade.parameters`,
    `mix`, and those of the matte with `matte.` before them. `varying` are the paths of the entry that this one was at a
    frame: whatever their values are, its ops have the same structure.
    """

    entry: Op | FileLook | Group
    enabled: bool = True
    mix: float = 1.0
    solo: bool = False
    matte: Matte | None = None
    keys: Keys = NO_KEYS
    varying: frozenset[str] = NOTHING

    def __post_init__(self) -> None:
        _check_switches(self)
        if isinstance(self.entry, Group):
            self._take_switches(self.entry)
        _check_size(self, self.entry)
        _check_keys(self)

    def _take_switches(self, group: Group) -> None:
        if self.matte is not None and group.matte is not None:
            raise GradeError("a group can't have two mattes", "put it in another group")
        mixed, both = [each for each in (self, group) if each.mix != 1.0 or MIX in each.keys], {*self.keys, *group.keys}
        if len(mixed) == 2 and MIX in both:
            raise GradeError("a group can't have two mixes of which one has keys", "put it in another group")
        object.__setattr__(self, "entry", bare(group))
        object.__setattr__(self, "enabled", self.enabled and group.enabled)
        object.__setattr__(self, "mix", self.mix * group.mix)
        object.__setattr__(self, "solo", self.solo or group.solo)
        object.__setattr__(self, "matte", self.matte or group.matte)
        keys = Keys({**self.keys, **group.keys}) if self.keys and group.keys else self.keys or group.keys
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "varying", self.varying | group.varying)

    @property
    def plain(self) -> bool:
        """Whether the layer is equivalent to its bare entry."""
        return _is_plain(self)

    @cached_property
    def is_animated(self) -> bool:
        """Whether the entry has keys; a group also if one of its entries does."""
        return bool(self.keys) or is_animated(self.entry)

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops that the entry runs if it is enabled."""
        ops = ops_of(self.entry)
        if any(map(is_of_op, self.varying)):
            ops = tuple(map(kept, ops))
        return blended(ops, self.mix, self.matte, name_of(self.entry), self.varying)

    def to_json(self) -> dict[str, Any]:
        return {"entry": self.entry.to_json()} | _switches_to_json(self)

    @classmethod
    def from_json(cls, data: dict[str, Any], level: int = 0) -> Layer:
        return cls(entry_from_json(data["entry"], layers=False, level=level), **_switches_from_json(data, "entry"))


Entry: TypeAlias = Op | FileLook | Layer | Group


def layer_of(entry: Entry) -> Layer:
    """Return an entry of a grade as a Layer, with its switches. That of a group holds a group without switches."""
    return entry if isinstance(entry, Layer) else Layer(entry)


def bare(entry: Entry) -> Op | FileLook | Group:
    """Return an entry without its switches."""
    if isinstance(entry, Group):
        return entry if entry.plain else Group(entry.entries, entry.name)
    return entry.entry if isinstance(entry, Layer) else entry


def ops_of(entry: Entry) -> tuple[Op, ...]:
    """Return the ops of an entry, bypassed or not."""
    if isinstance(entry, Op):
        return (entry,)
    return entry.ops


def name_of(entry: Entry) -> str:
    """Return what an entry is called in messages: the title of its op, or the name of its file or group."""
    inner = bare(entry)
    if isinstance(inner, Op):
        return inner.title()
    return Path(inner.path).name if isinstance(inner, FileLook) else inner.name or "a group"


def mixes(entry: Op | FileLook | Group) -> bool:
    """Return whether an entry can have a mix and a matte: none of its ops, bypassed or not, may resize the image."""
    if isinstance(entry, Group):
        return all(mixes(each.entry if isinstance(each, Layer) else each) for each in entry.entries)
    return all(keeps_size(op) for op in ops_of(entry))


def kept_form(entry: Entry) -> Entry:
    """Return the one form of an entry: a Layer only if it has switches that the entry itself has not."""
    if not isinstance(entry, Layer):
        return entry
    if isinstance(entry.entry, Group):
        switches = {name: getattr(entry, name) for name in (*_SWITCHES, "varying")}
        return replace(entry.entry, **switches)
    return entry.entry if entry.plain else entry


def is_animated(entry: Entry) -> bool:
    """Return whether an entry has keys, or one within a group."""
    return isinstance(entry, Layer | Group) and entry.is_animated


def is_temporal(entry: Entry) -> bool:
    """Return whether an op of an entry depends on the frame."""
    inner = entry.entry if isinstance(entry, Layer) else entry
    if isinstance(inner, Group):
        return any(map(is_temporal, inner.entries))
    return any(op.temporal for op in ops_of(inner))


def parts_of(entry: Entry) -> Parts:
    """Return what of an entry holds the numbers that keys change."""
    layer = entry if isinstance(entry, Layer | Group) else Layer(entry)
    return Parts(bare(entry), layer.mix, layer.matte)


def _is_plain(entry: Layer | Group) -> bool:
    """Return whether an entry has no switches that say anything."""
    switched = entry.solo or entry.matte is not None or entry.keys or entry.varying
    return entry.enabled and entry.mix == 1.0 and not switched


def _check_switches(entry: Layer | Group) -> None:
    if not isinstance(entry.enabled, bool) or not isinstance(entry.solo, bool):
        raise GradeError("enabled and solo of an entry must be true or false")
    if isinstance(entry.mix, bool) or not isinstance(entry.mix, int | float) or not 0.0 <= entry.mix <= 1.0:
        raise GradeError(f"the mix of an entry must be a number from 0 to 1, not {shown(entry.mix)}")
    if entry.matte is not None and not isinstance(entry.matte, Matte):
        raise GradeError(f"the matte of an entry must be a matte, not {type(entry.matte).__name__}")
    object.__setattr__(entry, "mix", float(entry.mix))


def _check_keys(entry: Layer | Group) -> None:
    """Make the keys of an entry `Keys`. Raises GradeError for those of numbers that it has not, or can't have."""
    if not isinstance(entry.keys, Keys):
        object.__setattr__(entry, "keys", Keys(entry.keys))
    if entry.keys:
        if not mixes(bare(entry)):
            raise GradeError("an entry that resizes the image can't have keys", "remove its keys")
        check_keys(entry.keys, parts_of(entry), name_of(entry))


def _check_size(switches: Layer | Group, entry: Op | FileLook | Group) -> None:
    """Raise GradeError if an entry that resizes the image has a mix or a matte."""
    if (switches.mix == 1.0 and switches.matte is None) or mixes(entry):
        return
    what = (
        "a group with an entry that resizes the image"
        if isinstance(entry, Group)
        else "an entry that resizes the image"
    )
    if switches.matte is not None:
        raise GradeError(f"{what} can't have a matte", "remove its matte")
    raise GradeError(f"{what} can't be mixed with its input", "set its mix to 1")


def _switches_to_json(entry: Layer | Group) -> dict[str, Any]:
    switches: dict[str, Any] = {"enabled": entry.enabled, "mix": entry.mix, "solo": entry.solo}
    if entry.matte is not None:
        switches["matte"] = entry.matte.to_json()
    return switches | {"keys": entry.keys.to_json()} if entry.keys else switches


def _switches_from_json(data: dict[str, Any], *others: str) -> dict[str, Any]:
    """Return the switches in the data of an entry, which may have these other fields."""
    if unknown := set(data) - {*_SWITCHES, *others}:
        raise GradeError(f"an entry has no field named {shown(sorted(unknown)[0])}", "correct or remove it")
    matte = data.get("matte")
    switches: dict[str, Any] = {} if matte is None else {"matte": Matte.from_json(matte)}
    if "keys" in data:
        switches["keys"] = Keys.from_json(data["keys"])
    return switches | {name: data[name] for name in ("enabled", "mix", "solo") if name in data}


def any_solo(entries: Iterable[Entry]) -> bool:
    """Return whether an entry is solo, or one within a group."""
    switched = [each for each in entries if isinstance(each, Layer | Group)]
    return any(each.solo or any_solo([each.entry] if isinstance(each, Layer) else each.entries) for each in switched)


def active_entries(entries: Iterable[Entry], solo: bool) -> tuple[Entry, ...]:
    """Return the entries that run, not solo; within groups, too. `solo` is whether only solo entries do.

    The entries are in the form that `kept_form` returns, as those of grades and groups are.
    """
    found: list[Entry] = []
    for entry in entries:
        if not isinstance(entry, Layer | Group):
            found += [] if solo else [entry]
        elif entry.enabled and isinstance(entry, Group):
            inner = active_entries(entry.entries, solo and not entry.solo)
            found += [replace(entry, entries=inner, solo=False)] if inner else []
        elif entry.enabled and (entry.solo or not solo):
            found.append(kept_form(replace(entry, solo=False)) if entry.solo else entry)
    return tuple(found)


def muted_entries(entries: Iterable[Entry], solo: bool) -> tuple[Entry, ...]:
    """Return all entries, not solo, with those bypassed that do not run. `solo` is whether only solo entries do."""
    found: list[Entry] = []
    for layer in map(layer_of, entries):
        group, runs = layer.entry, layer.solo or not solo
        if isinstance(group, Group):
            group = replace(group, entries=muted_entries(group.entries, not runs))
            runs = True
        found.append(kept_form(replace(layer, entry=group, enabled=layer.enabled and runs, solo=False)))
    return tuple(found)


def entry_from_json(data: Any, layers: bool = True, level: int = 0) -> Any:
    """Return the entry that `to_json` described; a Layer only if `layers`. Raises GradeError if invalid."""
    if isinstance(data, dict) and "entry" in data and layers:
        return Layer.from_json(data, level)
    if isinstance(data, dict) and "group" in data:
        return Group.from_json(data, level)
    return FileLook.from_json(data) if isinstance(data, dict) and "file" in data else op_from_json(data)
