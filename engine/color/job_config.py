"""The OpenColorIO config of a job: one state of it for all images, on whichever machine they are made."""

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
