"""What an image is compared with: its source, a version of its grade, or another document. Values, in sessions too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SourceTarget:
    """The image before the grade."""


@dataclass(frozen=True)
class VersionTarget:
    """A version of the document's grade, by its number: names change."""

    number: int


@dataclass(frozen=True)
class DocumentTarget:
    """Another open document under its own grade, whichever frame it shows. In a session `id` is its place there."""

    id: str


Target = SourceTarget | VersionTarget | DocumentTarget
SOURCE = SourceTarget()


def target_to_json(target: Target) -> dict[str, Any] | None:
    if isinstance(target, VersionTarget):
        return {"version": target.number}
    return {"document": target.id} if isinstance(target, DocumentTarget) else None


def target_from_json(data: Any) -> Target:
    """What `target_to_json` gave; the source where it is something else."""
    if isinstance(data, dict) and isinstance(data.get("version"), int):
        return VersionTarget(data["version"])
    if isinstance(data, dict) and isinstance(data.get("document"), str):
        return DocumentTarget(data["document"])
    return SOURCE


def moved(target: Target, ids: Mapping[str, str]) -> Target:
    """The same target where documents have other ids; one that is not among them is nowhere."""
    return DocumentTarget(ids.get(target.id, "")) if isinstance(target, DocumentTarget) else target


def by_identity(documents: list[Any]) -> None:
    """In the documents of a session as JSON, give targets that older sessions tell by a name or a path by identity."""
    paths = [(each["picture"] or {}).get("path") for each in documents]
    for own, each in enumerate(documents):
        saved = each["view"].get("against")
        if isinstance(saved, str):
            kind, _, name = saved.partition(" ")
            numbers = {item["name"]: item["number"] for item in each.get("versions", {}).get("items", [])}
            place = next((str(at) for at, path in enumerate(paths) if at != own and path == name), "")
            known = {"version": {"version": numbers.get(name, 0)}, "picture": {"document": place}}
            each["view"]["against"] = known.get(kind)
