"""Loading of configs: from $OCIO, a file, an archive, a folder, or those built into OpenColorIO."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import PyOpenColorIO as ocio

from engine.core.file_errors import check_name, exists, is_dir, is_file
from engine.core.small_files import TRIES, State, changing, check_small, read_small, state_of
from engine.errors import GradeError, UnreadableFile
from engine.grade.colour_settings import RAW, Context
from engine.grade.config_pin import VARIABLE
from engine.ocio.config import Config
from engine.ocio.inspection import check_config_in_archive, check_config_size, check_text, is_archive
from engine.ocio.reasons import FAILURES, reason

NEWEST = "ocio://studio-config-latest"
IN_FOLDER = "config.ocio"
"""File name of the config in a folder."""
MOST_KEPT = 16
_KEPT: dict[str, tuple[tuple[int, ...], Config]] = {}
"""Configs by source, each with the state of its file when it was last read; the most recently read one is last."""


def load_config(where: str | Path | None = None) -> Config:
    """Return a config, read again only if its file changes; if that fails, the last one stays in use.

    `where` is an .ocio or .ocioz file, a folder with a config.ocio, or the name of a built-in config, with or without
    `ocio://`; `raw` converts nothing. None or '' is the config that $OCIO names, else the newest built-in studio
    config. Raises UnreadableFile, which names the file, if it is missing or not a config, and GradeError if there is no
    built-in config of that name.
    """
    if where is None or where == "":
        named = os.environ.get(VARIABLE, "")
        try:
            return _load(named or NEWEST)
        except UnreadableFile as error:
            do = f"correct ${VARIABLE}, or choose another config"
            raise UnreadableFile(error.path, f"{error.problem} (from ${VARIABLE})", do) from error
    return Config(ocio.Config.CreateRaw(), RAW) if where == RAW else _load(str(where))


def reload_config(last: Config, check: Callable[[Config], object]) -> Config:
    """Read a config again, with the files that it refers to, and use it from now on if `check` passes.

    Raises UnreadableFile, which names the config's file, if it is no longer a config or `check` raises a GradeError;
    then the last one stays in use until the file changes again.
    """
    source = last.source
    stamp = _stamp(Path(source))
    try:
        ocio.ClearAllCaches()
        config = _parsed(source)
        check(config)
    except UnreadableFile:
        _keep(source, stamp, last)
        raise
    except GradeError as error:
        _keep(source, stamp, last)
        raise UnreadableFile(source, error.what, "correct it, or choose another") from error
    return _keep(source, stamp, config)[1]


def read_config(source: str) -> Config:
    """Read a config and the files that it refers to as they are now, without using or changing the cache.

    Raises UnreadableFile if it is missing or not a config.
    """
    check_small(source)
    _stamp(Path(source))
    ocio.ClearAllCaches()
    return _parsed(source)


def files_of(config: Config, contexts: tuple[Context, ...] = ((),)) -> tuple[Path, ...]:
    """Return the config's own file, then the existing files that it refers to under these values of its variables.

    A built-in config has none.
    """
    if config.is_builtin or not is_file(config.source):
        return ()
    found = {Path(config.source): None}
    for context in contexts:
        try:
            found |= dict.fromkeys(config.references.found(config.context(context)))
        except GradeError:  # the config has no such variable
            continue
    return tuple(found)


def builtin_configs() -> dict[str, str]:
    """Return the names and descriptions of OpenColorIO's built-in configs, the recommended one first."""
    found = {
        f"ocio://{name}": (about, good) for name, about, good, _ in ocio.BuiltinConfigRegistry().getBuiltinConfigs()
    }
    return {name: found[name][0] for name in sorted(found, key=lambda name: not found[name][1])}


def _load(named: str) -> Config:
    check_name(named)
    builtin = named if named.startswith("ocio://") else f"ocio://{named}"
    resolved = str(ocio.ResolveConfigPath(builtin))
    if resolved in builtin_configs():
        return _read(resolved, ())
    if named.startswith("ocio://"):
        known = ", ".join(builtin_configs())
        raise GradeError(f"there is no built-in config {named.removeprefix('ocio://')!r}", f"available: {known}")
    path = Path(os.path.expanduser(named)).absolute()  # noqa: PTH111 (pathlib's raises where there is no such user)
    source = path / IN_FOLDER if is_dir(path) else path
    try:
        return _read(str(source), _stamp(source))
    except UnreadableFile:
        if str(source) not in _KEPT:
            raise
        return _KEPT[str(source)][1]


def _stamp(path: Path) -> State:
    """Return the state of a config's file, to tell whether it changed."""
    if not exists(path):
        raise UnreadableFile(path, "does not exist", "give an .ocio or .ocioz file, or a built-in config")
    return check_small(path)


def _read(source: str, stamp: tuple[int, ...]) -> Config:
    """Return the config as last read, if its file is unchanged; else read it."""
    kept = _KEPT.get(source)
    if kept is None or kept[0] != stamp:
        kept = _keep(source, stamp, _parsed(source))
    return kept[1]


def _keep(source: str, stamp: tuple[int, ...], config: Config) -> tuple[tuple[int, ...], Config]:
    _KEPT.pop(source, None)
    _KEPT[source] = stamp, config
    for oldest in list(_KEPT)[:-MOST_KEPT]:
        _KEPT.pop(oldest, None)
    return stamp, config


def _parsed(source: str) -> Config:
    try:
        config = Config(_opened(source), source)
        config.references.inspect(config.ocio.getCurrentContext())
        return config
    except FAILURES as error:
        what = reason(error).replace(f" '{source}'", "").replace(f" {source}", "")
        what = re.sub(r"^Error: Loading the OCIO profile failed\. ", "", what)
        what = re.sub(r".*(appear to have a valid version <null>|call on a scalar).*", "it states no version", what)
        raise UnreadableFile(source, f"is not a valid config: {what}", "correct it, or choose another") from error


def _opened(source: str) -> ocio.Config:
    """Open a built-in config, or that of a file as of one moment."""
    if source.startswith("ocio://"):
        return ocio.Config.CreateFromFile(source)
    path = Path(source)
    if is_archive(path):
        return _unpacked(path)
    check_config_size(path, check_small(path).size)
    config = ocio.Config.CreateFromStream(check_text(path, read_small(path)))
    config.setWorkingDir(str(path.parent))
    return config


def _unpacked(path: Path) -> ocio.Config:
    for _ in range(TRIES):
        before = check_small(path)
        check_config_in_archive(path)
        ocio.ClearAllCaches()  # it may have files of an earlier state of the archive
        config = ocio.Config.CreateFromFile(str(path))
        _check_names(path, config)
        if state_of(path) == before:
            return config
    raise changing(path)


def _check_names(path: Path, config: ocio.Config) -> None:
    """Raise UnreadableFile if OpenColorIO used a config in an archive other than the checked one, not in UTF-8."""
    try:
        config.serialize()
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "is not text in UTF-8", "save its config as UTF-8") from error
    except FAILURES:  # invalid: reported where it is used
        return
