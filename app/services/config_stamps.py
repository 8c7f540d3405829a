"""The states of the files of OpenColorIO configs from before they were read, to detect later changes.

OpenColorIO opens the files that a config refers to when it first needs them, and caches their contents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from engine.core.file_watch import State, state_of
from engine.grade.colour_settings import RAW, ColourSetup, Context

if TYPE_CHECKING:
    from engine.ocio.config import Config

_STAMPS: WeakKeyDictionary[Config, dict[Path, State]] = WeakKeyDictionary()


def note_setup(setup: ColourSetup) -> None:
    """Record the files of a setup's config before the config is used; raises the errors of `load_config`."""
    if setup.config == RAW or not (setup.config or os.environ.get("OCIO")):
        return
    from engine.ocio.config_files import load_config

    note_files(load_config(setup.config), (setup.context,))


def note_files(config: Config, contexts: tuple[Context, ...]) -> None:
    """Record the states of a config's files for these contexts, each file only the first time."""
    from engine.ocio.config_files import files_of

    stamps = _STAMPS.setdefault(config, {})
    for path in files_of(config, contexts):
        stamps.setdefault(path, state_of(path))


def stamps_of(config: Config) -> Mapping[Path, State]:
    """Return the recorded files and their states."""
    return dict(_STAMPS.get(config, {}))
