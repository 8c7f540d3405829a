"""The OpenColorIO config of a job: the same state of it for all images, on every machine."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from engine.grade.colour_settings import RAW, ColourSetup
from engine.grade.config_pin import ConfigPin, config_is_named

if TYPE_CHECKING:
    from engine.ocio.config import Config


class JobConfig:
    """A pinned config, read when it is first needed. Safe to use from several threads."""

    def __init__(self, pin: ConfigPin) -> None:
        self.pin = pin
        self._config: Config | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, setup: ColourSetup) -> JobConfig:
        """Return the config for a job that runs in this process only."""
        return cls(ConfigPin(setup.config, config_is_named(setup)))

    @property
    def config(self) -> Config:
        """The config. Raises UnreadableFile if it can't be read or differs from the pinned one."""
        from engine.ocio.pinning import pinned_config

        with self._lock:
            if self._config is None:
                self._config = pinned_config(self.pin)
            return self._config


def pin_for_others(setup: ColourSetup) -> ConfigPin | None:
    """Pin the current config of a setup for other processes and machines; return None if nothing is converted.

    Raises as `load_config` does.
    """
    if setup.config == RAW:
        return None
    from engine.ocio.pinning import pin_config

    return pin_config(setup)
