"""Which OpenColorIO config a job uses, as a value."""

from __future__ import annotations

import os

from engine.core.records import dataclass
from engine.grade.colour_settings import ColourSetup, Context

VARIABLE = "OCIO"
"""The environment variable that names the config if nothing else does."""


def config_is_named(setup: ColourSetup) -> bool:
    """Return whether a setup or the environment names a config.

    If so, its file rules decide for images that do not state a colour space.
    """
    return bool(setup.config or os.environ.get(VARIABLE))


@dataclass(frozen=True)
class ConfigPin:
    """Which config a job uses, as a value that can be sent to other processes.

    `source` is the argument for `load_config`, `named` the result of `config_is_named`. With a `fingerprint` from
    `engine.ocio.pinning`, the config must have the same content wherever it is read, and `context` holds the values of
    the context variables that it uses. Without one, whatever config is found is read once.
    """

    source: str = ""
    named: bool = False
    context: Context = ()
    fingerprint: str = ""
