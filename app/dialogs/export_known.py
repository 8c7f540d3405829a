"""Suggestions for the fields of the export dialog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.model.movie_options import PIXELS
from app.services.export_options import COMPRESSIONS
from engine.movies.burn_presets import preset_names


def known_values(image: Any, names: Any, display: Callable[[], str]) -> dict[str, Callable[[], Sequence[str]]]:
    """Return what lists the suggestions, by the name that the table of options gives a list.

    `image` is the open one and `names` are those of the config, each None if there is none; `display` returns the
    display of the window.
    """
    info = image.info if image is not None else None
    return {
        "compressions": lambda: COMPRESSIONS,
        "parts": lambda: [part.name or str(part.index) for part in info.parts] if info else [],
        "layers": lambda: [layer.name for layer in image.part.layers if layer.name] if image else [],
        "spaces": lambda: [space.name for space in names.config.spaces()] if names else [],
        "displays": lambda: list(names.displays) if names else [],
        "views": lambda: [view.name for view in names.displays.get(display(), ())] if names else [],
        "looks": lambda: ["none", *(look.name for look in names.looks)] if names else [],
        "backends": lambda: ("cpu", "wgpu", "cuda", "opencl"),
        "pixel formats": lambda: PIXELS,
        "burn-ins": preset_names,
    }
