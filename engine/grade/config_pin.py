"""Which OpenColorIO config a job uses, as a value."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engine.grade.colour_settings import ColourSetup, Context

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
