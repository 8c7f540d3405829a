"""Versions by their panel, and comparisons with them and with other documents."""

from __future__ import annotations

from typing import Any

from app.model.comparison_target import SOURCE, DocumentTarget, VersionTarget
from tools.soak.actions.edits import trigger
from tools.soak.use import Use

NAMES = ("Night", "Dusk", "Version 1", "Version 3")


def row(use: Use) -> Any:
    """Any row of the panel; None if there is none."""
    rows = use.window.workspace.panel("versions").rows  # type: ignore[attr-defined]
    return use.chance.choice(rows) if rows else None


def keep(use: Use) -> str | None:
    if len(use.model.current.versions) > 5:
        return None
    trigger(use, "keep_version")
    use.model.current.keep_version()
    return use.model.current.versions[-1].name


def show(use: Use) -> str | None:
    found = row(use)
    if found is None:
        return None
    found.show_button.click()
    use.model.current.edit(use.model.current.version(found.name).grade)
    return str(found.name)


def rename(use: Use) -> str | None:
    """A name that is taken is refused."""
    found = row(use)
    if found is None:
        return None
    document, new = use.model.current, use.chance.choice(NAMES)
    old = found.name
    found.name_edit.setText(new)
    found.name_edit.editingFinished.emit()
    if all(version.name != new for version in document.versions):
        document.edit_version(old, document.version(old)._replace(name=new))
    return f"{old} to {new}"


def update(use: Use) -> str | None:
    found = row(use)
    if found is None:
        return None
    document, name = use.model.current, found.name
    found.update_button.click()
    document.edit_version(name, document.version(name)._replace(grade=document.grade))
    return str(name)


def delete(use: Use) -> str | None:
    found = row(use)
    if found is None:
        return None
    name = found.name
    found.remove.click()
    use.model.current.edit_version(name, None)
    return str(name)


def mark(use: Use) -> str | None:
    found = row(use)
    if found is None:
        return None
    place, name = use.chance.randrange(2), found.name
    found.marks[place].click()
    use.model.current.mark(place, name)
    return f"{name} as {'AB'[place]}"


def toggle(use: Use) -> str | None:
    count = use.chance.randint(1, 3)
    for _ in range(count):
        use.pass_time(5.0)
        trigger(use, "versions_ab")
        use.model.current.toggle_ab(use.world.now)
    return str(count)


def compare(use: Use) -> str | None:
    """With the source, a version or another document."""
    model, workspace = use.model, use.window.workspace
    current = model.current
    mode = use.chance.choice(("", "source", "wipe", "split", "difference", "wipe"))
    targets: list[tuple[tuple[str, Any], Any]] = [(("source", None), SOURCE)]
    targets += [(("version", each.number), VersionTarget(each.number)) for each in current.versions]
    for mine, theirs in zip(model.documents, workspace.documents, strict=True):
        if mine is not current and mine.image is not None:
            targets.append((("document", mine), DocumentTarget(theirs.id)))
    chosen, target = use.chance.choice(targets)
    workspace.set_view(compare=mode, against=target)
    current.compare, current.against = mode, chosen
    return f"{mode or 'off'} {chosen[0]}"


ACTIONS = ((5, keep), (3, show), (3, rename), (2, update), (3, delete), (3, mark), (3, toggle), (4, compare))
