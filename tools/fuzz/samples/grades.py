"""Small grades as JSON, among them every op at its defaults."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from engine.kernel.op import REGISTRY, TableKind

Data = dict[str, Any]


def table(*shape: int) -> Data:
    """A table of that shape as a grade holds it."""
    values = np.linspace(0.0, 1.0, int(np.prod(shape))).astype("<f4")
    return {"shape": list(shape), "float32": base64.b64encode(zlib.compress(values.tobytes())).decode()}


TABLE: Data = {"op": "Lut1d", "curve": table(9, 3), "domain": [0.0, 1.0], "index": "uniform"}
PLAIN: Data = {
    "tessera": "grade",
    "version": 1,
    "entries": [
        {"op": "Exposure", "stops": 0.5},
        {
            "op": "Cdl",
            "slope": [1.1, 1.0, 0.9],
            "offset": [0.0, 0.01, 0.0],
            "power": [1.0, 1.0, 1.2],
            "saturation": 1.1,
        },
    ],
}
LAYERED: Data = {
    "tessera": "grade",
    "version": 2,
    "colour": {
        "config": "ocio://cg-config-v2.2.0_aces-v1.3_ocio-v2.4",
        "input": "ACEScg",
        "working": "ACEScct",
        "output": "ACEScg",
        "context": {"SHOT": "sc010"},
    },
    "entries": [
        {"entry": {"op": "Exposure", "stops": 1.0}, "enabled": False, "mix": 1.0, "solo": False},
        {"entry": {"op": "Saturation"}, "enabled": True, "mix": 0.5, "solo": False},
        {"file": "look.cube", "interpolation": "file", "ops": [{"op": "Lut3d", "cube": table(2, 2, 2, 3)}]},
    ],
}

_SWITCHES: Data = {"opacity": 1.0, "inverted": False, "enabled": True}
_WINDOW: Data = {"source": "Ellipse", "center": [9.0, 5.0], "size": [4.0, 3.0], "switches": _SWITCHES}
_PATH: Data = {"source": "Path", "points": [[1.0, 2.0, 0.0, 0.0, 1.0, 1.0], [9.0, 2.0, 0.0, 0.0, 0.0, 0.0]]}
KEYED: Data = {
    "tessera": "grade",
    "version": 4,
    "entries": [
        {
            "entry": {"op": "Cdl", "slope": [1.1, 1.0, 0.9]},
            "matte": {"root": {"mode": "union", "nodes": [_WINDOW, _PATH], "switches": _SWITCHES}, "feather": 2.0},
            "keys": {
                "mix": [[1, 1.0, "linear"], [9, 0.0, "smooth"]],
                "slope.0": [[-3, 1.0, "hold"], [1001, 1.2, "smooth"], [1010, 0.8, "smooth"]],
                "matte.feather": [[0, 0.0, "smooth"], [12, 3.5, "linear"]],
                "matte.tree.1.center.1": [[5, 2.0, "smooth"]],
                "matte.tree.2.points.1.0": [[5, 2.0, "smooth"], [6, 4.0, "smooth"]],
            },
        },
        {
            "group": "sky",
            "entries": [{"entry": {"op": "Range"}, "keys": {"max_in": [[0, 1.0, "smooth"], [7, 2.0, "smooth"]]}}],
            "keys": {"mix": [[0, 0.5, "hold"], [4, 1.0, "hold"]]},
        },
    ],
}


def every_op() -> list[Data]:
    """Each registered op with its default values, and with small tables where it has tables."""
    found = []
    for name, op in REGISTRY.items():
        data: Data = {"op": name}
        for field, kind in op.kinds().items():
            if isinstance(kind, TableKind):
                data[field] = table(2, 2, 2, 3) if kind.shape == "cube" else table(5, 3)
            else:
                data[field] = kind.default
        found.append(data)
    return found


def all_grades() -> list[tuple[str, Data]]:
    """(name, grade): plain, with layers and colour spaces, with keys, one for each op, and empty."""
    each = [(f"op {op['op']}", PLAIN | {"entries": [op]}) for op in every_op()]
    return [("plain", PLAIN), ("layered", LAYERED), ("keyed", KEYED), ("empty", PLAIN | {"entries": []}), *each]
