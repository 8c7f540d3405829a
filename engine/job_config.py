"""The OpenColorIO config of a job: one state of it for all images, on whichever machine they are made."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.colour import RAW, ColourSetup, Context

if TYPE_CHECKING:
    from engine.ocio.config import Config

VARIABLE = "OCIO"
"""The environment variable that names the config where nothing else does."""


def config_is_named(setup: ColourSetup) -> bool:
    """Whether a setup, or the environment, names a config: then its file rules are asked about images that say nothing
    of their colours."""
    return bool(setup.config or os.environ.get(VARIABLE))


@dataclass(frozen=True)
class ConfigPin:
    """Which config a job uses, as a value that can travel.

    `source` is what `load_config` finds it by, `named` as in `config_is_named`. With a `fingerprint`, as
    `engine.ocio.pinning` makes it, the config must have the same content where it is read, and `context` holds the
    values of the context variables that it uses; without, it is whatever is found, read once.
    """

    source: str = ""
    named: bool = False
    context: Context = ()
    fingerprint: str = ""


class JobConfig:
    """A pinned config, read when it is first needed. Safe to use from several threads."""

    def __init__(self, pin: ConfigPin) -> None:
        self.pin = pin
        self._config: Config | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, setup: ColourSetup) -> JobConfig:
        """For a job that this process does alone."""
        return cls(ConfigPin(setup.config, config_is_named(setup)))

    @property
    def config(self) -> Config:
        """UnreadableFile where it can't be read, or differs from what was pinned."""
        from engine.ocio.pinning import pinned_config

        with self._lock:
            if self._config is None:
                self._config = pinned_config(self.pin)
            return self._config


def pin_for_others(setup: ColourSetup) -> ConfigPin | None:
    """The config of a setup as it is here and now, for other processes and machines; None where nothing is converted.

    Raises as `load_config` does.
    """
    if setup.config == RAW:
        return None
    from engine.ocio.pinning import pin_config

    return pin_config(setup)
