"""The files that a config refers to: LUTs and CDLs of its spaces, looks, view transforms and named transforms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import PyOpenColorIO as ocio

from engine.errors import GradeError
from engine.ocio.config import Config, Context
from engine.ocio.reasons import FAILURES

BOTH_WAYS = (ocio.COLORSPACE_DIR_TO_REFERENCE, ocio.COLORSPACE_DIR_FROM_REFERENCE)


def files_of(config: Config, contexts: tuple[Context, ...] = ((),)) -> tuple[Path, ...]:
    """The config's own file, then those that it refers to under these values of its variables and that are there.

    None of a config that is built in.
    """
    if config.is_builtin or not Path(config.source).is_file():
        return ()
    found = {Path(config.source): None}
    names = {each.getSrc() for transform in _transforms(config.ocio) for each in _files(transform)}
    for context in contexts:
        try:
            resolve = config.context(context).resolveFileLocation
        except GradeError:  # the config has no such variable
            continue
        for name in sorted(names):
            try:
                found[Path(resolve(name))] = None
            except FAILURES:
                continue  # not there: OpenColorIO looks in several folders
    return tuple(found)


def _transforms(config: ocio.Config) -> Iterator[ocio.Transform | None]:
    """The transforms of all that the config holds, also of what is not active."""
    for space in config.getColorSpaces(ocio.SEARCH_REFERENCE_SPACE_ALL, ocio.COLORSPACE_ALL):
        yield from (space.getTransform(way) for way in BOTH_WAYS)
    for look in config.getLooks():
        yield from (look.getTransform(), look.getInverseTransform())
    for view in config.getViewTransforms():
        ways = (ocio.VIEWTRANSFORM_DIR_TO_REFERENCE, ocio.VIEWTRANSFORM_DIR_FROM_REFERENCE)
        yield from (view.getTransform(way) for way in ways)
    for named in config.getNamedTransforms():
        ways = (ocio.TRANSFORM_DIR_FORWARD, ocio.TRANSFORM_DIR_INVERSE)
        yield from (named.getTransform(way) for way in ways)


def _files(transform: ocio.Transform | None) -> Iterator[ocio.FileTransform]:
    if isinstance(transform, ocio.FileTransform):
        yield transform
    elif isinstance(transform, ocio.GroupTransform):
        for inner in transform:
            yield from _files(inner)
