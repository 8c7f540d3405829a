"""A config as it is at one moment: identified by its content, and found again elsewhere."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine.errors import UnreadableFile
from engine.grade.colour_settings import ColourSetup, Context
from engine.grade.config_pin import ConfigPin, config_is_named
from engine.ocio.config import Config
from engine.ocio.config_files import files_of, load_config, read_config

ENVIRONMENT = ("OCIO_ACTIVE_DISPLAYS", "OCIO_ACTIVE_VIEWS", "OCIO_INACTIVE_COLORSPACES", "OCIO_OPTIMIZATION_FLAGS")
"""Environment variables that change how OpenColorIO reads a config, besides those of its context."""


def pin_config(setup: ColourSetup) -> ConfigPin:
    """Pin the config of a setup as it is now. Raises as `load_config` does."""
    config = load_config(setup.config)
    context = config.values(setup.context)
    return ConfigPin(config.source, config_is_named(setup), context, fingerprint(config, context))


def pinned_config(pin: ConfigPin) -> Config:
    """Return the pinned config. Raises UnreadableFile if it is missing or has changed."""
    if not pin.fingerprint:
        return load_config(pin.source)
    config = load_config(pin.source) if pin.source.startswith("ocio://") else read_config(pin.source)
    if fingerprint(config, pin.context) != pin.fingerprint:
        what = "differs from the config of the job, in itself, in a file it refers to, or by an OCIO_ variable"
        raise UnreadableFile(pin.source, what, "make it the same on every machine")
    return config


def fingerprint(config: Config, context: Context = ()) -> str:
    """Return a hash of a config's content: its file, the files it refers to, values of variables, the environment.

    Raises UnreadableFile if a file can't be read.
    """
    digest = hashlib.sha256(repr([os.environ.get(name) for name in ENVIRONMENT]).encode())
    digest.update(repr(config.values(context)).encode("utf-8", "surrogateescape"))
    for path in files_of(config, (context,)):
        digest.update(_content(path))
    return digest.hexdigest()[:32]


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise UnreadableFile(path, error.strerror or "can't be read", "change its permissions") from error
