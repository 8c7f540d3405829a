"""What the window remembers: settings with presets, keys and layout; and options of an export as a form gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from app.services.export_options import FIELDS, PRESETS, check, option_words
from tools.fuzz.kind import Kind, Operation, Seed, Task
from tools.fuzz.mutations import tree
from tools.fuzz.operations import window

SETTINGS = {
    "backend": "cpu",
    "memory_budget": 1 << 30,
    "config": "",
    "display": "sRGB - Display",
    "view": "Raw",
    "recent": ["/no/such/shot.1001.exr", "/no/such/last.tessera"],
    "keys": {"open": ["Ctrl+O"], "quit": [], "panel_grade": ["F5"]},
    "layout": "AAAA/wAAAAD9AAAAAA==",
    "drawing": "automatic",
    "export_presets": {"mine": {"type": "half", "compression": "zip"}},
    "export_last": {"type": "half", "crop": "data"},
    "playback_rate": 24.0,
    "playback_loop": True,
    "wheels": True,
    "wall.folder": "",
    "wall.favourites": ["/no/such/look.cube"],
    "scopes": {"panes": ["luma"], "values": "graded", "whole": False, "scale": "stops", "gain": 1.0, "intensity": 80.0},
    "probe": {"form": "float", "size": 3},
    "window": {"screen 1920x1080+0+0@1": {"screen": "screen", "geometry": [0, 0, 1280, 720], "maximised": True}},
}
FORMS = (
    *({"type": "half", "resize": "1920x1080", "crop": "1,2,3,4"}, {"frames": "1-10", "watch": "2", "resume": "yes"}),
    *({"context": "A=b, C=d", "layer": "diffuse, Z", "max-memory": "2GiB"}, *PRESETS.values()),
)


def seeds() -> Iterable[Seed]:
    return [Seed("settings", ".settings", json.dumps(SETTINGS).encode())]


def forms() -> Iterable[Seed]:
    every = {option.name: option.choices[-1] if option.choices else option.field.example for option in FIELDS}
    return [Seed(f"form {n}", ".form", json.dumps(data).encode()) for n, data in enumerate((*FORMS, every))]


def options(task: Task) -> None:
    """Check options as the export dialog does; its values are texts."""
    try:
        data = json.loads(task.data)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict):
        values = {str(name): value for name, value in data.items() if isinstance(value, str)}
        option_words(values)
        check(values)


OPERATIONS = (
    Operation("read", window.read_settings, 5.0),
    Operation("window", window.open_window, 0.02),
)
KINDS = (
    Kind("settings", seeds, tree.ALL, OPERATIONS, weight=1.5, suffixes=(".settings",)),
    Kind("form", forms, tree.ALL, (Operation("check", options, named=False),), weight=1.0, is_file=False),
)
