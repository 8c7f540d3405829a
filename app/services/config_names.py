"""The names in an OpenColorIO config that menus offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.file_watch import State
from engine.core.records import dataclass

if TYPE_CHECKING:
    from engine.ocio.config import Config
    from engine.ocio.config_parts import Family, Look, View

CONFIG = "config"
"""The setting with the OpenColorIO config for grades that don't name one: a file or ocio://NAME; '' for $OCIO."""


@dataclass(frozen=True)
class Names:
    """The contents of a config, as menus show them.

    `displays` maps displays to their views. `inputs` and `workings` are the colour spaces for files and to work in, and
    `colours` all that hold colours, not data. `own` is the display that matches the monitor's profile; '' if there is
    none. `files` are the config file and the files that it refers to, with their states from before they were read.
    """

    config: Config
    displays: dict[str, tuple[View, ...]]
    looks: tuple[Look, ...]
    inputs: Family
    workings: Family
    colours: Family
    builtin: dict[str, str]
    own: str = ""
    files: Mapping[Path, State] = field(default_factory=dict)
