"""The code of imported modules in one file: a start need not search, open and check hundreds of files.

Only modules of packages are looked up here, in the folder that their package names, so that nothing hides another
module. The code of a source file that was changed or installed again since is not used. Python's files of compiled code
stay as they are; whatever goes wrong here, they are used instead.
"""

from __future__ import annotations

import marshal
import mmap
import os
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from engine.core.user_folders import cache_folder

FEW = 10
"""The file is written again when a start imported more modules than this that it lacks."""
STALE_SECONDS = 90 * 86400
"""Files that were not written for this time are removed: their environment may be gone, or else it writes another."""
OTHERS_WRITE = 0o022
_BEGINNING = b"Tessera modules 2 " + MAGIC_NUMBER
_LENGTH = 8


Stamp = tuple[int, int, int]
"""When a file was written, by its writer and by the system, and its size. Packages may all be of one time, but not to
the system."""


class Entry(NamedTuple):
    """A module: its source file, the folder that its package names, that of its own modules if it is a package or else
    '', the stamp of the source file, and the place of its code in the file."""

    source: str
    folder: str
    inside: str
    stamp: Stamp
    start: int = 0
    end: int = 0


class ModuleStore:
    """Finds modules in a file, and writes it. One of `sys.meta_path`; Python asks it before the folders."""

    def __init__(self, path: Path) -> None:
        """Use a file; one that is missing or damaged, or that others can write to, has no modules."""
        self._path = path
        self._entries: dict[str, Entry] = {}
        self._codes = memoryview(b"")
        try:
            self._entries, self._codes = _read(path)
        except (OSError, ValueError, EOFError, TypeError):
            self._entries = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module of a package is loaded; None if it is not here, or was changed."""
        entry = self._entries.get(name)
        if entry is None or path is None or [*path] != [entry.folder] or not _is_unchanged(entry):
            return None
        loader = _Loader(name, entry.source, self)
        inside = [entry.inside] if entry.inside else None
        return spec_from_file_location(name, entry.source, loader=loader, submodule_search_locations=inside)

    def code(self, name: str) -> CodeType:
        """Return the code of a module that was found."""
        entry = self._entries[name]
        code: CodeType = marshal.loads(self._codes[entry.start : entry.end])
        return code

    def keep(self) -> None:
        """Write the file if many modules of the process are not in it, or were changed; those of other runs stay."""
        imported = {name: spec for name, module in [*sys.modules.items()] if (spec := _spec(name, module))}
        unchanged = {name: entry for name, entry in self._entries.items() if _is_unchanged(entry)}
        missing = imported.keys() - unchanged.keys()
        if len(missing) <= FEW:
            return
        found = {name: (entry, bytes(self._codes[entry.start : entry.end])) for name, entry in unchanged.items()}
        for name in missing:
            entry, loader = _entry(imported[name]), imported[name].loader
            if entry is not None and isinstance(loader, SourceFileLoader):
                found[name] = entry, marshal.dumps(loader.get_code(name))
        _write(self._path, found)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, source: str, store: ModuleStore) -> None:
        super().__init__(name, source)
        self._store = store

    def get_code(self, fullname: str) -> CodeType:
        return self._store.code(fullname)


def _spec(name: str, module: Any) -> ModuleSpec | None:
    """Return how a module of a package was loaded from a source file; None for any other module."""
    spec = getattr(module, "__spec__", None)
    if not isinstance(spec, ModuleSpec) or not isinstance(spec.loader, SourceFileLoader):
        return None
    return spec if name == spec.name == spec.loader.name and "." in name else None


def _entry(spec: ModuleSpec) -> Entry | None:
    """Return the entry of a module without the place of its code; None if its source file is gone."""
    source = Path(spec.origin or "")
    try:
        about = source.stat()
    except OSError:
        return None
    is_package = spec.submodule_search_locations is not None
    folder, inside = (source.parent.parent, str(source.parent)) if is_package else (source.parent, "")
    return Entry(str(source), str(folder), inside, _stamp(about))


def _is_unchanged(entry: Entry) -> bool:
    try:
        about = os.stat(entry.source)  # noqa: PTH116 (a Path takes longer, for hundreds of modules)
    except OSError:
        return False
    return _stamp(about) == entry.stamp


def _stamp(about: os.stat_result) -> Stamp:
    return about.st_mtime_ns, about.st_ctime_ns, about.st_size


def _read(path: Path) -> tuple[dict[str, Entry], memoryview]:
    """Return the entries and the content of a file; ValueError if it is not one, or not this user's alone."""
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        if hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & OTHERS_WRITE):
            raise ValueError("other users can write to it")
        # Windows can't replace a file that is mapped.
        content = memoryview(file.read() if os.name == "nt" else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    start = len(_BEGINNING) + 2 * _LENGTH
    whole, header = (int.from_bytes(content[at : at + _LENGTH], "little") for at in (len(_BEGINNING), start - _LENGTH))
    if content[: len(_BEGINNING)] != _BEGINNING or whole != len(content):
        raise ValueError("it is none, or damaged")
    codes = content[start + header :]
    entries = marshal.loads(content[start : start + header])
    return {name: Entry(*values) for name, values in entries.items()}, codes


def _write(path: Path, found: dict[str, tuple[Entry, bytes]]) -> None:
    """Write a file, whole or not at all; if that fails, the next run tries again."""
    from engine.core.atomic import write_bytes
    from engine.errors import TesseraError

    entries, codes, place = dict[str, tuple[Any, ...]](), list[bytes](), 0
    for name, (entry, code) in found.items():
        entries[name] = tuple(entry._replace(start=place, end=place + len(code)))
        codes.append(code)
        place += len(code)
    header = marshal.dumps(entries)
    whole = len(_BEGINNING) + 2 * _LENGTH + len(header) + place
    numbers = (number.to_bytes(_LENGTH, "little") for number in (whole, len(header)))
    with suppress(OSError, TesseraError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, b"".join((_BEGINNING, *numbers, header, *codes)), private=True)
        for other in path.parent.glob("*.code"):
            if time.time() - other.stat().st_mtime > STALE_SECONDS:
                other.unlink()


_STORES: list[ModuleStore] = []


def import_from_store() -> None:
    """Import modules of packages from the file of this environment from now on."""
    if not _STORES:
        about = repr((sys.version, sys.flags.optimize, sys.prefix, __file__))
        _STORES.append(ModuleStore(cache_folder() / "modules" / f"{zlib.crc32(about.encode()):08x}.code"))
        sys.meta_path.insert(0, _STORES[0])


def keep_modules() -> None:
    """Write what the process has imported, if modules are imported from the file."""
    for store in _STORES:
        store.keep()
