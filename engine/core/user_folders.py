"""The user's folders for settings, caches and files that the user made, where the operating system wants them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_data_path

NAME = "Tessera" if sys.platform in ("win32", "darwin") else "tessera"


def config_folder() -> Path:
    """Return the folder of the user's settings, presets and sessions, which TESSERA_CONFIG overrides."""
    named = os.environ.get("TESSERA_CONFIG")
    return Path(named) if named else user_config_path(NAME, appauthor=False, roaming=True)


def cache_folder() -> Path:
    """Return the folder of files that can be made again, which TESSERA_CACHE overrides."""
    named = os.environ.get("TESSERA_CACHE")
    return Path(named) if named else user_cache_path(NAME, appauthor=False)


def data_folder() -> Path:
    """Return the folder of files that the user made, such as stills, which TESSERA_DATA overrides."""
    named = os.environ.get("TESSERA_DATA")
    return Path(named) if named else user_data_path(NAME, appauthor=False)
