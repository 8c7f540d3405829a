"""States of the ops for zones of tones and hues: their cards and large wheels; and of the gamut overlay."""

from __future__ import annotations

from collections.abc import Callable

from engine import ops
from tools.screenshots.window import Shown

HDR = ops.HdrWheels(
    dark=(0.1, 0.0, -0.15, 0.4, 1.0, -2.0, 2.0),
    highlight=(-0.1, 0.0, 0.2, -0.6, 1.2, 2.0, 1.5),
)
LOG = ops.LogWheels((0.1, 0.0, -0.1, 0.2), highlight=(-0.1, 0.0, 0.1, -0.3), offset=(2.0, 0.0, -1.0, 3.0))
VECTORS = ops.SixVector(
    (0.0, 0.0, 0.3, 0.0, 0.5, 0.0), (1.0, 1.2, 0.8, 1.0, 1.3, 1.0), (4.0, 0.0, -12.0, 0.0, 0.0, 6.0)
)


def zones_hdr(shown: Shown) -> None:
    """The card of the HDR wheels, with one zone open."""
    shown.grade(HDR)


def zones_hdr_sliders(shown: Shown) -> None:
    """The HDR wheels as sliders."""
    shown.workspace.settings.set("wheels", False)
    shown.grade(HDR)


def zones_hdr_wheels(shown: Shown) -> None:
    """The HDR wheels in the panel of large wheels."""
    shown.grade(HDR)
    shown.window.docks.show("wheels")


def zones_log(shown: Shown) -> None:
    """The card of the log wheels."""
    shown.grade(LOG)


def zones_log_wheels(shown: Shown) -> None:
    """The log wheels in the panel of large wheels."""
    shown.grade(LOG)
    shown.window.docks.show("wheels")


def zones_tint(shown: Shown) -> None:
    """Split tone, with a wheel for each tint, and recovery."""
    shown.grade(ops.SplitTone(215.0, 0.18, 38.0, 0.12), ops.Recovery(-1.5, 0.8))


def zones_vectors(shown: Shown) -> None:
    """The grid of the six vectors, and vibrance."""
    shown.grade(VECTORS, ops.Vibrance(0.4))


def zones_mixer(shown: Shown) -> None:
    """The channel mixer, and filmic contrast."""
    shown.grade(ops.ChannelMixer((0.8, 0.25, 0.0), neutrals=1.0), ops.FilmicContrast(1.3, shoulder=1.0))


def gamut_overlay(shown: Shown) -> None:
    """Colours outside of Rec.709, with the legend and the panel that has their share."""
    shown.grade(ops.Saturation(1.4))
    shown.workspace.show_panel("looking")
    shown.workspace.set_view(overlays=("gamut",))


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each
    for each in (
        zones_hdr,
        zones_hdr_sliders,
        zones_hdr_wheels,
        zones_log,
        zones_log_wheels,
        zones_tint,
        zones_vectors,
        zones_mixer,
        gamut_overlay,
    )
}
