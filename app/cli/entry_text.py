"""Entries of a grade as JSON and as lines of text: ops, look files, groups, and their mattes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from app.cli.value_text import Data, said, value_text

if TYPE_CHECKING:
    from engine.grade.grade import Entry, Grade

_SWITCHES = ("runs", "mix", "matte", "keys")

MOST_KEYS = 8
"""Keys of a curve that are listed one by one."""


def entries_json(grade: Grade) -> list[Data]:
    """Return the entries of a grade; `runs` says of those that don't run that they are bypassed or muted."""
    return [_entry_json(entry, runs) for entry, runs in zip(grade.entries, grade.running, strict=True)]


def _entry_json(entry: Entry, runs: bool) -> Data:
    from engine.grade.grade import FileLook, Group, bare, layer_of

    inner, layer = bare(entry), layer_of(entry)
    if isinstance(inner, FileLook):
        ops = [op_json(op) for op in inner.ops]
        about: Data = {"file": inner.path, "interpolation": inner.interpolation, "ops": ops}
    elif isinstance(inner, Group):
        inside = [_entry_json(each, layer_of(each).enabled) for each in inner.entries]
        about = {"group": inner.name, "entries": inside}
    else:
        about = op_json(inner)
    about |= {} if runs else {"runs": False}
    about |= {"mix": layer.mix} if layer.mix < 1.0 else {}
    about |= {"keys": {path: curve.rows for path, curve in layer.keys.items()}} if layer.keys else {}
    return about | ({"matte": layer.matte.to_json()} if layer.matte is not None else {})


def op_json(op: Any) -> Data:
    """Return an op and its values; of tables the size."""
    from engine.grade.missing import MissingOp
    from engine.kernel.op import Table

    if isinstance(op, MissingOp):
        return {"op": op.title(), "missing": op.reason}
    values = {name: getattr(op, name) for name in op.kinds()}
    tables = {n: {"size": v.size, "channels": v.channels} for n, v in values.items() if isinstance(v, Table)}
    return {"op": op.registered_name()} | values | tables


def entry_lines(entries: Iterable[Data], within: str = "") -> Iterable[str]:
    """Yield the lines of entries with their numbers, those of a group further to the right, and those of a matte after
    its entry. `within` is the number of the group."""
    for place, entry in enumerate(entries, 1):
        number = f"{within}.{place}" if within else str(place)
        if "file" in entry:
            yield f"  {number}  {said(entry['file'])}, interpolation {entry['interpolation']}{_switches(entry)}"
            yield from (f"    {op_line(op)}" for op in entry["ops"])
        elif "group" in entry:
            yield f"  {number}  group {said(entry['group'])}".rstrip() + _switches(entry)
            yield from (f"  {line}" for line in entry_lines(entry["entries"], number))
        else:
            yield f"  {number}  {op_line({k: v for k, v in entry.items() if k not in _SWITCHES})}{_switches(entry)}"
        for path, keys in entry.get("keys", {}).items():
            yield f"    keys of {path}: {_keys_text(keys)}"
        if "matte" in entry:
            yield from (f"    {line}" for line in _matte_lines(entry["matte"]))


def _keys_text(keys: list[list[Any]]) -> str:
    """Return keys as text; of many the number and the frames."""
    if len(keys) > MOST_KEYS:
        return f"{len(keys)} from frame {keys[0][0]} to {keys[-1][0]}"
    return ", ".join(f"{value_text(value)} at {frame} ({interpolation})" for frame, value, interpolation in keys)


def _switches(entry: Data) -> str:
    """Describe the bypass and the mix of an entry."""
    return ("" if entry.get("runs", True) else ", bypassed") + (f", mix {entry['mix']:.3g}" if "mix" in entry else "")


def op_line(op: Data) -> str:
    """Return an op and its values as a line."""
    values = ", ".join(f"{name} {value_text(value)}" for name, value in op.items() if name != "op")
    return f"{said(op['op'])}: {values}"


_DEFAULTS: Data = {"feather": 0.0, "grow": 0.0, "gain": 1.0, "gamma": 1.0, "inverted": False}


def _matte_lines(matte: Data) -> Iterable[str]:
    changed = [f"{name} {value_text(matte[name])}" for name, value in _DEFAULTS.items() if matte[name] != value]
    yield ", ".join(["matte", *changed])
    yield from (f"  {line}" for line in _node_lines(matte["root"]))


def _node_lines(node: Data) -> Iterable[str]:
    switches = node["switches"]
    words = [] if switches["enabled"] else ["disabled"]
    words += ["inverted"] if switches["inverted"] else []
    words += [f"opacity {switches['opacity']:.3g}"] if switches["opacity"] < 1.0 else []
    after = "".join(f", {word}" for word in words)
    if "mode" in node:
        yield f"{node['mode']}{after}"
        for inner in node["nodes"]:
            yield from (f"  {line}" for line in _node_lines(inner))
        return
    fields = {name: value for name, value in node.items() if name not in ("source", "switches")}
    yield f"{node['source']}: {', '.join(f'{name} {value_text(value)}' for name, value in fields.items())}{after}"
