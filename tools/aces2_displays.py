"""Writes the tables of the displays of OpenColorIO's built-in configs to `resources/aces2_displays.npy`.

python -m tools.aces2_displays
"""

from __future__ import annotations

import numpy as np

from engine.ocio import load_config
from engine.ocio.config import Config
from engine.ops.aces2_rendering import Aces2Display
from engine.ops.aces2_shipped import FILE, row_of
from engine.ops.aces2_tables import compute_gamut_tables

CONFIGS = ("ocio://studio-config-latest", "ocio://cg-config-latest")


def displays(config: Config) -> set[tuple[float, tuple[float, ...]]]:
    """Return the peaks and primaries that the views of a config render for."""
    views = [(display, view.name) for display in config.displays() for view in config.views(display)]
    found = [op for display, view in views for op in config.view_ops("ACEScg", display, view)]
    return {(op.peak, tuple(op.primaries)) for op in found if isinstance(op, Aces2Display)}


def main() -> None:
    found = sorted(set[tuple[float, tuple[float, ...]]]().union(*(displays(load_config(name)) for name in CONFIGS)))
    np.save(FILE, np.stack([row_of(*display, compute_gamut_tables(*display)) for display in found]))
    print(f"{FILE}: {len(found)} displays")


if __name__ == "__main__":
    main()
