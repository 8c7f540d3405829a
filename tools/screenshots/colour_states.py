"""States of the window for images of unknown colour space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR

from app.services.colour_rules import Rule, add_rule
from app.shell.empty_state import SAMPLE
from engine.io import read_image
from tools.screenshots.window import Shown


def unknown_space(shown: Shown) -> None:
    """The bar with the likely spaces, one of them hinted at by the name."""
    shown.open(_untagged(shown.folder, "sc010_0040_logc4_beauty.1001.exr"))
    shown.until(lambda: bool(shown.workspace.space_question.current.choices))


def unknown_space_more(shown: Shown) -> None:
    """All spaces of the config."""
    unknown_space(shown)
    shown.workspace.colour.request_names()
    shown.until(lambda: shown.workspace.colour.names is not None)
    more = shown.window.colour_bar.more
    more.menu().popup(more.mapToGlobal(more.rect().bottomLeft()))


def space_given(shown: Shown) -> None:
    """The offer to remember a space."""
    unknown_space(shown)
    shown.do("space_2")
    shown.wait()


def space_by_rule(shown: Shown) -> None:
    """An image whose space is known by a rule, and the Colour panel that says so."""
    add_rule(shown.workspace.settings, Rule("ACEScg", folder=str(shown.folder)))
    shown.open(_untagged(shown.folder, "sc010_0040_beauty.1001.exr"))
    shown.workspace.show_panel("colour")


def xyz_primaries(shown: Shown) -> None:
    """An image of CIE XYZ, which a matrix is computed for."""
    xyz = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0)
    shown.open(_untagged(shown.folder, "beauty_xyz.exr", chromaticities=xyz))
    shown.workspace.show_panel("colour")


def rules(shown: Shown) -> None:
    """Rules for the page of the Preferences."""
    for rule in (
        Rule("ACEScg", folder="/show/sc010/renders"),
        Rule("ARRI LogC4", folder="/show/sc010/plates/a_camera"),
        Rule("ACES2065-1", pattern="*_diffuse.####.exr"),
    ):
        add_rule(shown.workspace.settings, rule)


def _untagged(folder: Path, name: str, **header: object) -> Path:
    """The sample without its colour attributes."""
    pixels = read_image(SAMPLE).pixels
    planes = {each: np.ascontiguousarray(pixels[..., n]) for n, each in enumerate("RGBA"[: pixels.shape[-1]])}
    path = folder / name
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, **header}, planes).write(str(path))
    return path
