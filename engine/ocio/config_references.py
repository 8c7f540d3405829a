"""The files that a config refers to: LUTs and CDLs of its spaces, looks, view transforms and named transforms."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import PyOpenColorIO as ocio

from engine.core.file_errors import is_file
from engine.core.small_files import TRIES, State, changing
from engine.ocio.inspection import check_files, is_archive, names_in_archive, places_of, unchanged
from engine.ocio.reasons import FAILURES

BOTH_WAYS = (ocio.COLORSPACE_DIR_TO_REFERENCE, ocio.COLORSPACE_DIR_FROM_REFERENCE)


class References:
    """The files that OpenColorIO may open for a config of the file `source`; none if that is not a file.

    The context that methods take gives the values of the config's variables.
    """

    _unpacked: ClassVar[Path | None] = None
    """The archive whose files are in OpenColorIO's cache. The cache identifies them only by their names within it."""
    _lock: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, config: ocio.Config, source: str) -> None:
        self._config, self._path = config, Path(source)

    @cached_property
    def _in_archive(self) -> bool:
        return is_file(self._path) and is_archive(self._path)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While active, OpenColorIO reads files from this config's archive, if any, and none cached from another."""
        if not self._in_archive:
            yield
            return
        with References._lock:
            if References._unpacked != self._path:
                ocio.ClearAllCaches()
                References._unpacked = self._path
            yield

    def inspect(self, context: ocio.Context) -> dict[Path, State]:
        """Return the states of all files. Raises UnreadableFile, about the config, if one can't be read safely."""
        return check_files(self._path, self.found(context), context)

    def found(self, context: ocio.Context) -> list[Path]:
        """Return the existing files that the config itself names, each once."""
        return list(dict.fromkeys(place for name in self._names for place in places_of(name, context)))

    def read(self, context: ocio.Context, make: Callable[[], ocio.Processor]) -> ocio.Processor:
        """Return the result of `make`, which is called again if a file changes while it reads them.

        Raises UnreadableFile, about the config, if a file can't be read safely or keeps changing.
        """
        for _ in range(TRIES):
            before = self.inspect(context)
            try:
                with self.alone():
                    made = make()
            except FAILURES:
                if unchanged(before):
                    raise
            else:
                used = (Path(name) for name in made.getProcessorMetadata().getFiles())
                if unchanged({path: before[path] for path in used if path in before}):
                    return made
            ocio.ClearAllCaches()
            self._config.clearProcessorCache()
        raise changing(self._path)

    @cached_property
    def _names(self) -> list[str]:
        if not is_file(self._path):
            return []
        named = {each.getSrc() for transform in _transforms(self._config) for each in _files(transform)}
        if self._in_archive:
            named |= set(names_in_archive(self._path))
        return sorted(named)


def _transforms(config: ocio.Config) -> Iterator[ocio.Transform | None]:
    """Yield the transforms of everything in the config, active or not."""
    for space in config.getColorSpaces(ocio.SEARCH_REFERENCE_SPACE_ALL, ocio.COLORSPACE_ALL):
        yield from (space.getTransform(way) for way in BOTH_WAYS)
    for look in config.getLooks():
        yield from (look.getTransform(), look.getInverseTransform())
    for view in config.getViewTransforms():
        ways = (ocio.VIEWTRANSFORM_DIR_TO_REFERENCE, ocio.VIEWTRANSFORM_DIR_FROM_REFERENCE)
        yield from (view.getTransform(way) for way in ways)
    for named in config.getNamedTransforms(ocio.NAMEDTRANSFORM_ALL):
        ways = (ocio.TRANSFORM_DIR_FORWARD, ocio.TRANSFORM_DIR_INVERSE)
        yield from (named.getTransform(way) for way in ways)


def _files(transform: ocio.Transform | None) -> Iterator[ocio.FileTransform]:
    waiting = [transform]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ocio.FileTransform):
            yield each
        elif isinstance(each, ocio.GroupTransform):
            waiting += each
