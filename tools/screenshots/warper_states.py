"""States of the editors of colour warps."""

from __future__ import annotations

from collections.abc import Callable

from app.panels.warper.panel import WarperPanel
from app.panels.warper.warp_body import WarpBody
from engine.kernel.op import Op
from engine.ops import ColorWarp, HueLumaGrid
from engine.ops.warp_pins import Pin
from tools.screenshots.window import Shown

SKIN = Pin(35.0, 42.0, 0.0, 55.0, 40.0, 0.5, 18.0)
SKY = Pin(262.0, 30.0, 0.0, 232.0, 42.0, 0.0, 22.0)
STAYS = Pin(60.0, 10.0, 0.0, 60.0, 10.0, 0.0, 10.0)


def warp(shown: Shown) -> None:
    """A colour warp of three pins, one of which keeps its colour in place."""
    _grade(shown, ColorWarp.of(SKIN, SKY, STAYS))


def warp_3d(shown: Shown) -> None:
    """A colour warp of hue, saturation and lightness, with half the saturation at the rim."""
    _grade(shown, ColorWarp.of(SKIN, SKY, mode="3d"))
    shown.window.panel.cards[0].body.reaches[0.5].click()


def warp_folds(shown: Shown) -> None:
    """A pin that takes its colour further than its radius allows."""
    _grade(shown, ColorWarp.of(SKIN._replace(to_hue=120.0, to_saturation=70.0)))


def warp_new(shown: Shown) -> None:
    """A colour warp without pins."""
    _grade(shown, ColorWarp())


def warp_panel(shown: Shown) -> None:
    """The Warper panel below the image."""
    warp(shown)
    panel = shown.panel("warper", WarperPanel)
    shown.until(lambda: isinstance(panel.body, WarpBody) and panel.body.disc.has_samples)
    shown.wait()


def warp_grid(shown: Shown) -> None:
    """A grid of hues and lightness with moved nodes."""
    nodes = {"hue_3": {1: 12.0, 2: 8.0, 9: -20.0}, "hue_4": {1: 8.0, 9: -14.0}, "light_3": {9: 1.0}}
    fields = {name: tuple(moved.get(at, 0.0) for at in range(12)) for name, moved in nodes.items()}
    _grade(shown, HueLumaGrid(**fields, saturation_3=(0.0,) * 9 + (60.0, 0.0, 0.0)))
    shown.window.panel.cards[0].body.mesh.select((2, 9))


def _grade(shown: Shown, *entries: Op) -> None:
    shown.grade(*entries)
    body = shown.window.panel.cards[0].body
    shown.until(lambda: body.first_control().has_samples)
    shown.wait()


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each for each in (warp, warp_3d, warp_folds, warp_new, warp_panel, warp_grid)
}
