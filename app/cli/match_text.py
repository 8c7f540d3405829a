"""What `tessera match` prints: the ops of a match, and the errors of the patches of a chart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.cli.entry_text import op_json, op_line
from app.cli.value_text import Data, said

if TYPE_CHECKING:
    from engine.grade.entries import Group
    from engine.matching import ChartFit


def match_json(target: str, group: Group, colours: str, fit: ChartFit | None) -> Data:
    """Return the ops of a match, and with a `fit` the errors of the patches."""
    from engine.matching import PATCHES

    ops = [op_json(op) for op in group.entries]
    about: Data = {"grade": target, "match": group.name, "colour": colours, "ops": ops}
    if fit is not None:
        about["mean"] = dict(zip(("before", "after"), fit.means, strict=True))
        columns = zip(PATCHES, fit.before, fit.after, fit.used, strict=True)
        about["patches"] = [
            {"name": name, "before": float(before), "after": float(after), "used": bool(used)}
            for (name, _), before, after, used in columns
        ]
    return about


def match_lines(about: Data) -> Iterable[str]:
    """Yield the lines for people."""
    yield f"{said(about['grade'])}: {about['match']}"
    yield f"  colour: {said(about['colour'])}"
    yield from (f"  {op_line(op)}" for op in about["ops"])
    if "patches" in about:
        yield f"  {'CIEDE2000':16} before   after"
        for each in about["patches"]:
            left_out = "" if each["used"] else "  left out"
            yield f"  {each['name']:16} {each['before']:6.2f}  {each['after']:6.2f}{left_out}"
        yield f"  {'mean':16} {about['mean']['before']:6.2f}  {about['mean']['after']:6.2f}"
