"""The menus of panes: the trace, marks of the vectorscope, parts of the diagram, the space of the scatter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget, QWidgetAction

from app.panels.picker import add_choice
from app.panels.scopes.scope_settings import DRAWN, GAIN_RANGE, INTENSITY_RANGE, PaneChoices, Trace
from app.panels.scopes.trace_slider import TraceSlider
from engine.kernel.op import Slider

Choose = Callable[..., object]
SPACES = {
    "rgb": ("RGB cube", "R, G and B on the scale of the panel"),
    "hsv": ("HSV cone", "Hue around, saturation times value outwards, value upwards"),
    "lab": ("CIE L*a*b*", "CIE 1976, D65 white: a* and b* across, L* upwards"),
    "oklab": ("Oklab", "a and b across, L upwards"),
}
COORDINATES = {
    "xy": ("CIE 1931 x, y", "Chromaticities of the CIE 1931 standard observer"),
    "uv": ("CIE 1976 u′, v′", "The uniform chromaticity scale: distances are closer to perceived differences"),
}
NEUTRALS = {
    "D65": ("Neutral at D65", "Gamuts with another white are adapted to D65 (Bradford)"),
    "ACES": ("Neutral at the ACES white", "Gamuts with another white are adapted to that of ACES (Bradford)"),
}
TOGGLES = {
    "zoom": ("Zoom to the gamut", "Show the region around the gamut that is selected above the scopes"),
    "background": ("Coloured background", "Show the colour of each chromaticity behind the trace"),
    "whites": ("White points", "Show D65, D50, the ACES and DCI whites, E and A, which are not adapted"),
}
MARKS = {
    "bars_75": ("Targets at 75 %", "Boxes at the places of colour bars of 75 %"),
    "bars_100": ("Targets at 100 %", "Boxes at the places of colour bars of 100 %"),
    "skin": ("Skin tone line", "The line near which all skin tones lie"),
}
GAIN = Slider(0.0, *GAIN_RANGE, "EV", None, "Brightness of sparse traces; the brightness is logarithmic in the count")
INTENSITY = Slider(100.0, *INTENSITY_RANGE, "%", INTENSITY_RANGE[0], "Brightness of the densest trace, below white")
TRACES = {"gain": ("Gain", GAIN, 0.5), "intensity": ("Intensity", INTENSITY, 5.0)}
"""Label, range and step of the fields of a trace."""


def fill_options(menu: QMenu, choices: PaneChoices, gamut: str, choose: Choose) -> None:
    """Fill the menu of a pane; `choose` takes changes of its choices.

    `gamut` is the one that is chosen above the panes.
    """
    _add_traces(menu, choices.trace, choose)
    if choices.kind == "vectorscope":
        menu.addSeparator()
        for name, words in MARKS.items():
            _add_toggle(menu, words, choices, "vectorscope", name, choose)
    elif choices.kind == "chromaticity":
        menu.addSeparator()
        _fill_diagram(menu, choices, gamut, choose)
    elif choices.kind == "scatter":
        menu.addSeparator()
        _add_group(menu, SPACES, choices, "scatter", "space", choose)


def _add_traces(menu: QMenu, trace: Trace, choose: Choose) -> None:
    """Add sliders for the look of the trace, which change it while the menu is open."""
    shown = asdict(trace)

    def edit(name: str, value: float) -> None:
        shown[name] = value
        choose(trace=Trace(**shown))

    for name, (label, kind, step) in TRACES.items():
        slider = TraceSlider(label, kind, step)
        slider.set_number(shown[name])
        slider.edited.connect(partial(edit, name))
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(8, 3, 8, 3)
        row.addWidget(slider)
        holder.setFocusProxy(slider)
        action = QWidgetAction(menu)
        action.setText(label)
        action.setDefaultWidget(holder)
        menu.addAction(action)


def _fill_diagram(menu: QMenu, choices: PaneChoices, gamut: str, choose: Choose) -> None:
    _add_group(menu, COORDINATES, choices, "diagram", "coordinates", choose)
    menu.addSeparator()
    for name, words in TOGGLES.items():
        _add_toggle(menu, words, choices, "diagram", name, choose)
    menu.actions()[-len(TOGGLES)].setEnabled(bool(gamut))
    menu.addSeparator()
    for each, text in DRAWN.items():
        drawn = choices.diagram.gamuts
        others = tuple(name for name in DRAWN if (name in drawn) != (name == each))
        _add_item(menu, text, f"Show the gamut {text}", each in drawn, choices, ("diagram", "gamuts", others), choose)
    menu.addSeparator()
    _add_group(menu, NEUTRALS, choices, "diagram", "neutral", choose)


def _add_group(
    menu: QMenu, items: dict[str, tuple[str, str]], choices: PaneChoices, part: str, name: str, choose: Choose
) -> None:
    """Add items of which one is chosen."""
    for value, (text, tip) in items.items():
        chosen = getattr(getattr(choices, part), name) == value
        _add_item(menu, text, tip, chosen, choices, (part, name, value), choose)


def _add_toggle(
    menu: QMenu, words: tuple[str, str], choices: PaneChoices, part: str, name: str, choose: Choose
) -> None:
    is_on = getattr(getattr(choices, part), name)
    _add_item(menu, *words, is_on, choices, (part, name, not is_on), choose)


def _add_item(
    menu: QMenu,
    text: str,
    tip: str,
    chosen: bool,
    choices: PaneChoices,
    change: tuple[str, str, Any],
    choose: Choose,
) -> None:
    part, name, value = change
    changed = replace(getattr(choices, part), **{name: value})
    add_choice(menu, text, tip, chosen, lambda: choose(**{part: changed}))
