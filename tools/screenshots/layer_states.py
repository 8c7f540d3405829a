"""States of the Layers panel: many layers, data in its range, and both eyes of a stereo image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR

from app.panels.layers.panel import LayersPanel
from app.shell.empty_state import SAMPLE
from engine.io import read_image
from tools.screenshots.files import many_layers
from tools.screenshots.window import Shown


def stereo_file(folder: Path) -> Path:
    """The sample in two views, with depth and normals made up for it."""
    pixels = read_image(SAMPLE).pixels[::2, ::2]
    y, x = np.mgrid[0 : pixels.shape[0], 0 : pixels.shape[1]].astype(np.float32)
    depth = np.where(y < 80, np.float32(1e10), 400.0 - y + 10.0 * np.sin(x / 20.0))
    across, down = np.sin(x / 30.0), np.cos(y / 30.0)
    planes = {name: pixels[..., n] for n, name in enumerate("RGB")} | {"Z": depth, "left.Z": np.roll(depth, 6, 1)}
    planes |= {f"left.{name}": np.roll(pixels[..., n], 6, 1) for n, name in enumerate("RGB")}
    planes |= {"N.X": across, "N.Y": down, "N.Z": np.sqrt(np.maximum(0.0, 1.0 - across**2 - down**2))}
    path = folder / "sc010_0040_stereo_v003.exr"
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "multiView": ["right", "left"]}
    OpenEXR.File(header, {name: np.ascontiguousarray(plane) for name, plane in planes.items()}).write(str(path))
    return path


def layers_panel(shown: Shown) -> None:
    shown.open(many_layers(shown.folder))
    shown.panel("layers", LayersPanel)


def layers_filtered(shown: Shown) -> None:
    layers_panel(shown)
    shown.panel("layers", LayersPanel).filter.setText("spec key")


def layers_empty(shown: Shown) -> None:
    shown.panel("layers", LayersPanel)


def data_depth(shown: Shown) -> None:
    show_layer(shown, "Z")


def data_false_colours(shown: Shown) -> None:
    show_layer(shown, "Z")
    shown.do("data_colours")


def data_normals(shown: Shown) -> None:
    show_layer(shown, "N")


def eyes_anaglyph(shown: Shown) -> None:
    show_layer(shown, "")
    shown.do("eyes_anaglyph")


def eyes_side_by_side(shown: Shown) -> None:
    show_layer(shown, "")
    shown.do("eyes_side_by_side")


def show_layer(shown: Shown, name: str) -> None:
    """Show a layer of the stereo image, and the panel."""
    path = stereo_file(shown.folder)
    shown.open(path)
    shown.workspace.files.open_image(path, 0, name)
    shown.panel("layers", LayersPanel)
    shown.wait()


LAYER_STATES = (
    layers_panel,
    layers_filtered,
    layers_empty,
    data_depth,
    data_false_colours,
    data_normals,
    eyes_anaglyph,
    eyes_side_by_side,
)
