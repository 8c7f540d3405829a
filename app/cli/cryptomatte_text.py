"""Cryptomatte layers of an image and their objects, as JSON and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.cli.value_text import Data, said

if TYPE_CHECKING:
    from engine.io import ImageInfo
    from engine.io.cryptomatte import CryptomatteLayer


def cryptomatte_json(info: ImageInfo, pattern: str | None) -> list[Data]:
    """Return the Cryptomatte layers of an image; with a pattern also the objects whose names match it.

    The objects of a layer without a manifest are found in its pixels, and named by their IDs.
    """
    from engine.io.cryptomatte import cryptomatte_layers

    return [_layer_json(info, layer, pattern) for layer in cryptomatte_layers(info)]


def _layer_json(info: ImageInfo, layer: CryptomatteLayer, pattern: str | None) -> Data:
    from engine.io.manifests import manifest_of

    manifest = manifest_of(info.path, layer)
    about: Data = {
        "name": layer.name,
        "key": layer.key,
        "ranks": len(layer.ranks),
        "manifest": manifest.kind,
        "manifest_file": layer.manifest_file,
        "object_count": len(manifest),
        "collisions": [list(names) for names in manifest.collisions],
        "problems": [problem for problem in (layer.problem, manifest.problem) if problem],
    }
    if pattern is None:
        return about
    if not len(manifest) and not layer.problem:
        from engine.io.planes import PlaneReader

        reader = PlaneReader(info, info.parts[0])
        try:
            manifest = reader.objects(layer.name)
        finally:
            reader.close()
    found = manifest.matching(pattern)
    return about | {"objects": [{"name": manifest.names[n], "id": f"{int(manifest.ids[n]):08x}"} for n in found]}


def cryptomatte_lines(layers: list[Data]) -> Iterable[str]:
    """Yield a line for each layer and each of its objects."""
    if layers:
        yield ""
        yield "Cryptomatte layers"
    for layer in layers:
        manifest = f"{layer['manifest']} manifest" if layer["manifest"] != "none" else "no manifest"
        count = f"{layer['object_count']} object{'' if layer['object_count'] == 1 else 's'}, "
        ranks = f"{layer['ranks']} rank{'' if layer['ranks'] == 1 else 's'}"
        about = f"{ranks}, {count if layer['object_count'] else ''}{manifest}"
        yield f"  {said(layer['name']):<24} {about}"
        yield from (f"    problem: {said(problem)}" for problem in layer["problems"])
        yield from (f"    same ID: {said(', '.join(names))}" for names in layer["collisions"])
        yield from (f"    {each['id']}  {said(each['name'])}" for each in layer.get("objects", ()))
