"""Edits of the grade: controls of cards, commands on entries, the clipboard, the history."""

from __future__ import annotations

from typing import Any

from engine import ops
from tools.soak.use import Use
from tools.soak.values import DEFAULTS, Entry, Grade, op, with_fields

FIELDS = {"Exposure": ("stops", -4.0, 4.0), "Saturation": ("saturation", 0.0, 2.0), "Contrast": ("contrast", 0.5, 2.0)}
"""Operations of one slider that is used, and the values that it gets."""
CONFIG = "ocio://cg-config-v1.0.0_aces-v1.3_ocio-v2.1"
SPACES = ("", "ACEScg", "ACEScct", "ACES2065-1")


def entries(use: Use) -> list[Entry]:
    return list(use.model.current.grade.entries)


def select(use: Use) -> int | None:
    """Make any entry the current one."""
    count = len(entries(use))
    if not count:
        return None
    at = use.chance.randrange(count)
    use.window.panel.select(at)
    return at


def trigger(use: Use, name: str) -> None:
    use.window.actions_by_name[name].trigger()


def slider(use: Use) -> tuple[int, str, Any] | None:
    """Any entry that has one: its place, the field and the row of the panel."""
    found = [at for at, entry in enumerate(entries(use)) if entry.body[0] in FIELDS]
    if not found:
        return None
    at = use.chance.choice(found)
    field = FIELDS[entries(use)[at].body[0]][0]
    return at, field, use.window.panel.cards[at].editors[field].row


def value(use: Use, at: int) -> float:
    _, low, high = FIELDS[entries(use)[at].body[0]]
    return round(use.chance.uniform(low, high), 2)


def set_field(use: Use, at: int, field: str, number: float) -> None:
    entry = entries(use)[at]
    body = with_fields(entry.body, **{field: number})
    use.model.current.set_entry(at, entry._replace(body=body), f"{at}.{field}", use.world.now)


def drag(use: Use) -> str | None:
    """A drag of a slider, which may come back to where it began."""
    found = slider(use)
    if found is None:
        return None
    at, field, row = found
    before = dict(entries(use)[at].body[1])[field]
    numbers = [value(use, at) for _ in range(use.chance.randint(1, 5))]
    numbers += [before] if use.chance.random() < 0.2 else []
    document = use.model.current
    row.track.drag_started.emit()
    document.merging, document.dragging = "", True
    for number in numbers:
        use.pass_time(use.chance.choice((0.1, 3.0)))
        row.track.edited.emit(number)
        set_field(use, at, field, number)
    row.track.drag_ended.emit()
    document.merging, document.dragging = "", False
    return f"{at}.{field}: {numbers}"


def nudge(use: Use) -> str | None:
    """Arrow keys on a slider, quickly or slowly."""
    found = slider(use)
    if found is None:
        return None
    at, field, row = found
    steps = []
    for _ in range(use.chance.randint(1, 4)):
        use.pass_time(pause := use.chance.choice((0.1, 0.5, 1.0)))
        number = value(use, at)
        row.track.edited.emit(number)
        set_field(use, at, field, number)
        steps.append((pause, number))
    return f"{at}.{field}: {steps}"


def edit_cdl(use: Use) -> str | None:
    found = [at for at, entry in enumerate(entries(use)) if entry.body[0] == "Cdl"]
    if not found:
        return None
    at, body = use.chance.choice(found), use.cdl()
    use.window.document.edit_entry(at, ops.Cdl(**dict(body[1])), "CDL")
    use.model.current.set_entry(at, entries(use)[at]._replace(body=body))
    return str(at)


def mix(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    percent = use.chance.choice((0.0, 25.0, 50.0, 75.0, 100.0))
    use.window.panel.cards[at].mix.edited.emit(percent)
    entry = entries(use)[at]._replace(mix=percent / 100.0)
    use.model.current.set_entry(at, entry, f"{at}.mix", use.world.now)
    return f"{at}: {percent} %"


def bypass(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    trigger(use, "entry_bypass")
    entry = entries(use)[at]
    use.model.current.set_entry(at, entry._replace(enabled=not entry.enabled))
    return str(at)


def solo(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    trigger(use, "entry_solo")
    entry = entries(use)[at]
    use.model.current.set_entry(at, entry._replace(solo=not entry.solo))
    return str(at)


def reset(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    trigger(use, "entry_reset")
    body = entries(use)[at].body
    use.model.current.set_entry(at, Entry(body if body[0] == "file" else op(body[0])))
    return str(at)


def duplicate(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    trigger(use, "entry_duplicate")
    there = entries(use)
    use.model.current.set_entries((*there[: at + 1], there[at], *there[at + 1 :]))
    return str(at)


def remove(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    trigger(use, "entry_remove")
    there = entries(use)
    use.model.current.set_entries((*there[:at], *there[at + 1 :]))
    return str(at)


def move(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    by = use.chance.choice((-1, 1))
    trigger(use, "entry_up" if by < 0 else "entry_down")
    there = entries(use)
    if 0 <= at + by < len(there):
        there.insert(at + by, there.pop(at))
        use.model.current.set_entries(there)
    return f"{at} by {by}"


def add(use: Use) -> str | None:
    if len(entries(use)) > 7:
        return None
    at, name = select(use), use.chance.choice(sorted(DEFAULTS))
    use.window.panel.add(getattr(ops, name))
    there = entries(use)
    place = 0 if at is None else at + 1
    use.model.current.set_entries((*there[:place], Entry(op(name)), *there[place:]))
    return name


def copy(use: Use) -> str | None:
    at = select(use)
    if at is None:
        return None
    whole = use.chance.random() < 0.5
    trigger(use, "copy_grade" if whole else "copy_entry")
    use.world.clipboard = use.model.current.grade if whole else entries(use)[at]
    return "grade" if whole else f"entry {at}"


def paste(use: Use) -> str | None:
    clip = use.world.clipboard
    if clip is None or len(entries(use)) > 7:
        return None
    at = select(use)
    trigger(use, "paste")
    there = entries(use)
    if isinstance(clip, Grade):
        use.model.current.set_entries(use.unstamped(clip).entries)
    else:
        place = 0 if at is None else at + 1
        pasted = use.unstamped(Grade((clip,))).entries
        use.model.current.set_entries((*there[:place], *pasted, *there[place:]))
    return f"at {at}"


def undo(use: Use) -> str | None:
    count = use.chance.randint(1, 4)
    for _ in range(count):
        trigger(use, "undo")
        document = use.model.current
        document.go_to(max(document.at - 1, 0))
    return str(count)


def redo(use: Use) -> str | None:
    count = use.chance.randint(1, 3)
    for _ in range(count):
        trigger(use, "redo")
        document = use.model.current
        document.go_to(min(document.at + 1, len(document.steps) - 1))
    return str(count)


def history(use: Use) -> str | None:
    document = use.model.current
    step = use.chance.randrange(len(document.steps))
    use.window.workspace.panel("history").list.setCurrentRow(step)  # type: ignore[attr-defined]
    if step != document.at:
        document.go_to(step)
    return str(step)


def colour(use: Use) -> str | None:
    """Another input space, or none of a config."""
    document = use.model.current
    chosen = use.chance.choice(SPACES)
    fields = {"config": CONFIG, "input": chosen} if chosen else {"config": "", "input": ""}
    use.window.workspace.colour.edit("input space", **fields)
    setup = tuple(sorted((name, text) for name, text in fields.items() if text))
    document.edit(Grade(document.grade.entries, setup))
    return chosen or "none"


ACTIONS = (
    (8, drag),
    (5, nudge),
    (3, edit_cdl),
    (3, mix),
    (2, bypass),
    (2, solo),
    (2, reset),
    (2, duplicate),
    (4, remove),
    (3, move),
    (4, add),
    (3, copy),
    (4, paste),
    (7, undo),
    (4, redo),
    (3, history),
    (2, colour),
)
