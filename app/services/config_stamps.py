"""The states that the files of OpenColorIO configs had before they were read: whoever follows them compares with these.

OpenColorIO opens the files that a config refers to when it first needs them, and keeps what it read.
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
    """Note the files of the config that a setup names, before anything is done with it; errors as of `load_config`."""
    if setup.config == RAW or not (setup.config or os.environ.get("OCIO")):
        return
    from engine.ocio.config_files import load_config

    note_files(load_config(setup.config), (setup.context,))


def note_files(config: Config, contexts: tuple[Context, ...]) -> None:
    """Note the files of a config under these values of its variables, each when it is first named."""
    from engine.ocio.config_files import files_of

    stamps = _STAMPS.setdefault(config, {})
    for path in files_of(config, contexts):
        stamps.setdefault(path, state_of(path))


def stamps_of(config: Config) -> Mapping[Path, State]:
    """The files that were noted."""
    return dict(_STAMPS.get(config, {}))
