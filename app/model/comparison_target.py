"""What an image is compared with: its source, a version of its grade, another document, a still, or the other eye of a
stereo image. Sessions store targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core.records import dataclass


@dataclass(frozen=True)
class SourceTarget:
    """The image before the grade."""


@dataclass(frozen=True)
class VersionTarget:
    """A version of the document's grade, by its number, because names can change."""

    number: int


@dataclass(frozen=True)
class DocumentTarget:
    """Another open document under its own grade, at the frame it shows. In a session, `id` is its index there."""

    id: str


@dataclass(frozen=True)
class StillTarget:
    """A still, by the ID in its header."""

    id: str


@dataclass(frozen=True)
class EyeTarget:
    """The same layer in the other view of the file, under the same grade."""


Target = SourceTarget | VersionTarget | DocumentTarget | StillTarget | EyeTarget
SOURCE = SourceTarget()
OTHER_EYE = EyeTarget()


def target_to_json(target: Target) -> dict[str, Any] | None:
    if isinstance(target, VersionTarget):
        return {"version": target.number}
    if isinstance(target, EyeTarget):
        return {"view": "other"}
    if isinstance(target, StillTarget):
        return {"still": target.id}
    return {"document": target.id} if isinstance(target, DocumentTarget) else None


def target_from_json(data: Any) -> Target:
    """Return the target from the result of `target_to_json`; the source for anything else."""
    if isinstance(data, dict) and isinstance(data.get("version"), int):
        return VersionTarget(data["version"])
    if isinstance(data, dict) and isinstance(data.get("document"), str):
        return DocumentTarget(data["document"])
    if isinstance(data, dict) and isinstance(data.get("still"), str):
        return StillTarget(data["still"])
    if isinstance(data, dict) and data.get("view") == "other":
        return OTHER_EYE
    return SOURCE


def moved(target: Target, ids: Mapping[str, str]) -> Target:
    """Return the target with the ID of its document replaced as in `ids`, by '' if it is not there."""
    return DocumentTarget(ids.get(target.id, "")) if isinstance(target, DocumentTarget) else target


def by_identity(documents: list[Any]) -> None:
    """Convert the targets in a session's JSON documents, in place: older sessions have names and paths, not IDs."""
    paths = [(each["picture"] or {}).get("path") for each in documents]
    for own, each in enumerate(documents):
        saved = each["view"].get("against")
        if isinstance(saved, str):
            kind, _, name = saved.partition(" ")
            numbers = {item["name"]: item["number"] for item in each.get("versions", {}).get("items", [])}
            place = next((str(at) for at, path in enumerate(paths) if at != own and path == name), "")
            known = {"version": {"version": numbers.get(name, 0)}, "picture": {"document": place}}
            each["view"]["against"] = known.get(kind)
