"""Dumping of generated kernels: their source is written to the folder that TESSERA_DUMP names."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine.core.atomic import write_text


def is_dumping() -> bool:
    """Return whether a folder is named."""
    return bool(os.environ.get("TESSERA_DUMP"))


def dump(name: str, text: str) -> None:
    """Write generated code to the folder, if one is named; the code's hash is added to `name` before the suffix."""
    if folder := os.environ.get("TESSERA_DUMP"):
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        write_text(path.with_name(f"{path.stem}_{digest}{path.suffix}"), text)
