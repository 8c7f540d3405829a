"""Presets of burn-ins: those that come with Tessera, and the user's own, each a JSON file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from engine.core.atomic import write_text
from engine.core.file_errors import exists
from engine.core.json_files import load_json
from engine.core.user_folders import config_folder
from engine.errors import TesseraError, UnreadableFile, shown
from engine.movies.burn_in import BurnIn, Text

STANDARD = BurnIn(
    (Text("{shot}"), Text("{date}", "top right"), Text("{frame}", "bottom left"), Text("{timecode}", "bottom right"))
)
"""The preset that comes with Tessera."""
BUILT_IN = {"standard": STANDARD, "slate": replace(STANDARD, slate=1)}


def presets_folder() -> Path:
    """Return the folder of the user's presets."""
    return config_folder() / "burn-ins"


def preset_names() -> list[str]:
    """Return the names of all presets: those of Tessera, then the user's own."""
    try:
        own = sorted(path.stem for path in presets_folder().glob("*.json"))
    except OSError:
        own = []
    return [*BUILT_IN, *(name for name in own if name not in BUILT_IN)]


def portable_name(name: str) -> str:
    """Return a name that means the same preset on other machines: the file of one of the user's own."""
    own = presets_folder() / f"{name}.json"
    is_own = name not in BUILT_IN and Path(name).name == name and exists(own)
    return str(own if is_own else Path(name).absolute() if exists(name) else name)


def load_burn_in(name: str) -> BurnIn:
    """Return a preset by its name, or from a JSON file. Raises UnreadableFile."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    own = presets_folder() / f"{name}.json"
    path = own if Path(name).name == name and exists(own) else Path(name)
    if path != own and not exists(path):
        raise UnreadableFile(
            name, "is neither a burn-in nor a file", f"use a file, or one of {', '.join(preset_names())}"
        )
    return load_json(path, BurnIn.from_json, "choose a burn-in that Tessera saved")


def save_burn_in(burn_in: BurnIn, name: str) -> Path:
    """Save a preset under a name and return its file. Raises TesseraError for a name that can't be used."""
    if not re.fullmatch(r"[\w .()-]{1,60}", name) or name.strip(". ") != name or name in BUILT_IN:
        raise TesseraError(f"{shown(name)} can't be the name of a preset", "use letters, digits and spaces")
    folder = presets_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    write_text(path, json.dumps(burn_in.to_json(), indent=1) + "\n")
    return path
