"""Entries whose op is not known here: they are kept as they were saved, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.core.records import dataclass
from engine.errors import GradeError, escaped, shown
from engine.grade.own_ops import is_allowed
from engine.kernel.op import OWN, REGISTRY, ColorOp, Op
from engine.kernel.pixel import Pixel, Value

_ALLOW = "allow it in the Preferences or with --allow-op"


@dataclass(frozen=True)
class MissingOp(ColorOp, abstract=True):
    """An op, or a look file with one, that is not known here. It is saved as the JSON that it was read from.

    Not in the registry. `text` is that JSON, `reason` says why the op is missing, `do` what to do.
    """

    text: str
    reason: str = field(default="", compare=False)
    do: str = field(default="", compare=False)

    @cached_property
    def saved(self) -> dict[str, Any]:
        """What was read; do not modify it."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def title(self) -> str:  # type: ignore[override]
        """Return the name of the op or of the look file."""
        named = self.saved.get("file", self.saved.get("op"))
        return Path(str(named)).name if "file" in self.saved else str(named).removeprefix(OWN)

    @property
    def line(self) -> str:
        """One line that names the op and says why it is missing, and what to do."""
        return f"{self.title()}: {self.reason}; {self.do}"

    def pixel(self, px: Pixel) -> Value:
        return px.rgb

    def is_identity(self) -> bool:
        return True

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


def op_from_json(data: Any) -> Op:
    """Return the op that `to_json` described; a MissingOp if it is not known here.

    Executes nothing: an op of the user's is known only once its file was allowed and loaded. Raises GradeError if the
    data are not those of an op, or a known op can't have its values.
    """
    name = data.get("op") if isinstance(data, dict) else None
    if not isinstance(name, str):
        return Op.from_json(data)
    if name.startswith(OWN):
        return _own_op(name, data)
    if name not in REGISTRY:
        return missing(data, f"there is no op named {shown(name)}", "update Tessera: it may be from a later version")
    return Op.from_json(data)


def missing(data: dict[str, Any], reason: str, do: str) -> MissingOp:
    """Return what stands for an op or a look file that is not known."""
    return MissingOp(json.dumps(data), reason, do)


def missing_look(data: dict[str, Any], ops: Iterable[Op]) -> MissingOp | None:
    """Return what stands for a look file with these ops; None if all of them are known."""
    lacking = next((op for op in ops if isinstance(op, MissingOp)), None)
    return lacking and missing(data, lacking.reason, lacking.do)


def _own_op(name: str, data: dict[str, Any]) -> Op:
    """Return an op of the user's, or what stands for it if it is not loaded, or can't have these values."""
    own = data.get("own")
    if not isinstance(own, dict) or not all(isinstance(own.get(each), str) for each in ("file", "sha256")):
        raise GradeError(f"the op {shown(name)} names no file", "correct its 'own'")
    cls = REGISTRY.get(name)
    file = escaped(Path(own["file"]).name)
    if cls is None or cls.own_source is None:
        return missing(data, f"{file} is not allowed, or not here", _ALLOW)
    if not is_allowed(own["sha256"]):
        return missing(data, f"it was made with another {file} than the one that is allowed", _ALLOW)
    try:
        return Op.from_json(data)
    except GradeError as error:
        return missing(data, f"{error.what}, since {file} has changed", "use it as it is now, or restore the file")


def adopted(entry: MissingOp) -> Op | None:
    """Return the op of the same name that is loaded now, with the values of those fields that it has and takes.

    None if there is none.
    """
    cls = REGISTRY.get(str(entry.saved.get("op")))
    return None if cls is None or cls.own_source is None else with_values(cls, entry.saved)


def with_values(cls: type[Op], values: dict[str, Any]) -> Op:
    """Return an op with the values of those fields that it has and takes; its defaults otherwise."""
    op = cls()
    for name in cls.kinds():
        if name in values:
            try:
                op = op.replace(**{name: values[name]})
            except GradeError:
                continue  # a choice or a range that is another one now
    return op
