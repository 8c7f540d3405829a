"""Objects and IDs of mattes that nothing in an image has, as far as its pixels tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.io.manifests import Ids
from engine.io.plane_locations import listed
from engine.io.planes import PlaneReader
from engine.io.wildcards import has_wildcards, unescaped
from engine.mattes.planes import CoveragePlane, IdPlane, Plane


def absent_objects(reader: PlaneReader, plane: Plane, stop: Callable[[], bool] = lambda: False) -> str:
    """Return words such as "has no object 'hero' in the Cryptomatte layer 'CryptoObject'"; '' if all are there.

    A name that the manifest lists is there, whether it is seen or not. Of other names and of IDs the image is decoded;
    Cancelled is raised if `stop()` returns True.
    """
    if not isinstance(plane, CoveragePlane | IdPlane):
        return ""
    names = list[str]()
    if isinstance(plane, CoveragePlane):
        manifest = reader.manifest(plane.layer)
        _, names = manifest.selected(plane.names)
    if not names and not plane.ids:
        return ""
    there = reader.ids(plane, stop=stop)
    words = list[str]()
    if isinstance(plane, CoveragePlane):
        names = [each for each in names if has_wildcards(each) or manifest.id_of(unescaped(each)) not in there]
        several = "s" * (len(names) > 1)
        words += [f"object{several} {listed(map(repr, names))}"] if names else []
    words += [ids_in_words(absent)] if (absent := absent_ids(plane, there)) else []
    return f"has no {' and no '.join(words)} in {_where(plane)}" if words else ""


def absent_ids(plane: CoveragePlane | IdPlane, there: Ids) -> list[int]:
    """Return the IDs of a plane that are not among those of an image."""
    found = set(there[np.isin(there, np.array([each & 0xFFFFFFFF for each in plane.ids], np.uint32))].tolist())
    return [each for each in plane.ids if each & 0xFFFFFFFF not in found]


def absent_line(plane: CoveragePlane | IdPlane, there: Ids) -> str:
    """Return words such as "has no IDs 7, 8 in the channel 'id'"; '' if an image with these IDs has all of a plane."""
    absent = absent_ids(plane, there)
    return f"has no {ids_in_words(absent)} in {_where(plane)}" if absent else ""


def ids_in_words(ids: list[int]) -> str:
    """Return IDs for a message, the first few of many."""
    return f"ID{'s' * (len(ids) > 1)} {listed(map(str, ids))}"


def _where(plane: CoveragePlane | IdPlane) -> str:
    if isinstance(plane, CoveragePlane):
        return f"the Cryptomatte layer '{plane.layer}'"
    return f"the channel '{plane.channel}'"
