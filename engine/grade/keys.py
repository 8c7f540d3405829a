"""Keys of entries: the numbers that they can change, and edits of entries that keep the keys of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.errors import GradeError, shown
from engine.grade.curves import NO_KEYS, Curve, Key, Keys
from engine.grade.entries import Entry, Group, Layer, kept_form, layer_of, mixes, name_of, parts_of
from engine.grade.grade import Grade
from engine.grade.key_moves import followed
from engine.grade.parameters import Numbers
from engine.kernel.op import Op
from engine.mattes.tree import Matte


def numbers_of(entry: Entry) -> Numbers:
    """Return the numbers of an entry that keys can change, by their paths. One that resizes the image has none."""
    return parts_of(entry).numbers() if mixes(layer_of(entry).entry) else {}


def animatable(entry: Entry) -> tuple[str, ...]:
    """Return the paths of the numbers of an entry that keys can change."""
    return tuple(numbers_of(entry))


def keys_of(entry: Entry) -> Keys:
    """Return the keys of an entry; those of a group are of its mix and its matte."""
    return entry.keys if isinstance(entry, Layer | Group) else NO_KEYS


def value_at_path(entry: Entry, path: str) -> float:
    """Return the number at a path, without regard to keys. Raises GradeError if the entry has none there."""
    found = numbers_of(entry).get(path)
    if found is None:
        raise GradeError(f"{name_of(entry)} has no number at {shown(path)} that keys can change")
    return found


def with_value(entry: Entry, path: str, value: float) -> Entry:
    """Return an entry with another number at a path. Raises GradeError if it can't have it.

    Its keys stay: at a frame, the number at a path with keys is that of the keys.
    """
    value_at_path(entry, path)
    return kept_form(replace(layer_of(entry), **parts_of(entry).with_numbers({path: value})._asdict()))


def with_curve(entry: Entry, path: str, curve: Curve | None) -> Entry:
    """Return an entry with other keys at a path; None removes all. Raises GradeError if it can't have them."""
    layer = layer_of(entry)
    return kept_form(replace(layer, keys=layer.keys.with_curve(path, curve)))


def with_key(entry: Entry, path: str, frame: int, value: float, interpolation: str = "smooth") -> Entry:
    """Return an entry with a key at a path, in place of the one that its frame has."""
    known, key = keys_of(entry).get(path), Key(frame, value, interpolation)
    return with_curve(entry, path, known.with_key(key) if known is not None else Curve([key]))


def without_key(entry: Entry, path: str, frame: int) -> Entry:
    """Return an entry without the key at a path and a frame. The number stays that of the last key that is removed."""
    known = keys_of(entry).get(path)
    rest = known.without(frame) if known is not None else None
    return without_keys(entry, path, frame) if rest is None else with_curve(entry, path, rest)


def without_keys(entry: Entry, path: str, frame: int) -> Entry:
    """Return an entry without keys at a path; its number is what they had at a frame."""
    known = keys_of(entry).get(path)
    return entry if known is None else with_value(with_curve(entry, path, None), path, known.at(frame))


def with_matte(entry: Entry, matte: Matte | None) -> Entry:
    """Return an entry with another matte. Keys follow the nodes of its tree and the vertices of its paths."""
    layer = layer_of(entry)
    keys = followed(layer.keys, layer.matte, matte) if layer.keys else layer.keys
    return kept_form(replace(layer, matte=matte, keys=keys))


def with_op(entry: Entry, op: Op) -> Entry:
    """Return an entry with another op. Keys of numbers that it has not are dropped."""
    layer = layer_of(entry)
    known = numbers_of(replace(layer, entry=op, keys=Keys())) if layer.keys else {}
    return kept_form(
        replace(layer, entry=op, keys=Keys((path, layer.keys[path]) for path in layer.keys if path in known))
    )


def keyed_frames(grade: Grade) -> tuple[int, ...]:
    """Return the frames at which an entry of a grade has a key, in order, those of bypassed entries too."""
    return tuple(sorted(_frames(grade.entries)))


def frames_with_keys(grade: Grade) -> str:
    """Return what to say of the frames at which a grade has keys: `from frame 1001 to 1040`."""
    first, *others = keyed_frames(grade)
    return f"from frame {first} to {others[-1]}" if others else f"at frame {first}"


def _frames(entries: Iterable[Entry]) -> set[int]:
    found = set[int]()
    for entry in entries:
        if isinstance(entry, Layer | Group):
            found.update(frame for curve in entry.keys.values() for frame in curve.frames)
            inner = entry.entries if isinstance(entry, Group) else ()
            found |= _frames(inner)
    return found
