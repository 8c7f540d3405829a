"""What makes the screen differ from the export, as a list of chips: what each says, and how it is ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from app.model.comparison_target import SOURCE, EyeTarget
from app.model.data_view import DataView
from app.model.view_state import GAMUT_NAMES, ViewState

LUT, TRIAL, PROXY, MISSING = "lut", "trial", "proxy", "missing"
"""The names of the chips of a LUT and of an entry that are being tried, of frames below full resolution, and of missing
ops."""
EYES = {"side by side": "eyes_side_by_side", "anaglyph": "eyes_anaglyph"}
"""The commands of comparisons whose names differ."""
LONGEST = 32
"""The most characters of a name in a chip."""
SCREEN = " Exports are not affected."
MARKS = {
    "nan": ("NaN and Inf marked", f"Pixels with NaN or infinite values are painted over.{SCREEN}"),
    "negative": ("Negative marked", f"Pixels with negative values are painted over.{SCREEN}"),
    "clipped": ("Clipped marked", f"Pixels that clip on the display are painted over.{SCREEN}"),
    "gamut": ("Gamut marked", f"Colours outside of a gamut are painted over.{SCREEN}"),
    "zebra": ("Zebra", f"Bright areas are striped.{SCREEN}"),
    "focus peaking": ("Focus peaking", f"Sharp edges are marked.{SCREEN}"),
    "false colour": ("False colour", f"Colours show the distance of each pixel from mid grey, in stops.{SCREEN}"),
}
"""The text and tip of each overlay."""
MATTES = {
    "alone": ("Matte alone", f"The matte of the current entry is shown as grey.{SCREEN}"),
    "overlay": ("Matte overlay", f"The matte of the current entry is painted over the image in red.{SCREEN}"),
    "cut-out": ("Matte cut-out", f"Only what the matte of the current entry covers is shown.{SCREEN}"),
}
"""The text and tip of each way to show a matte."""


class Chip(NamedTuple):
    """One reason why the screen differs from the export.

    `name` identifies it. `command` is the name of the command that ends it; '' if it has none. `changes` are fields of
    ViewState and their values that end it; without any, it is no option of the view.
    """

    name: str
    text: str
    tip: str
    command: str = ""
    changes: tuple[tuple[str, Any], ...] = ()


def missing_chip(lines: Sequence[str]) -> Chip:
    """Return the chip of entries whose ops are missing; `lines` say which and why."""
    text = f"{len(lines)} ops missing" if len(lines) > 1 else f"Missing: {shortened(lines[0].partition(':')[0])}"
    tip = "The image is shown without what is missing; exports stop, unless they skip it."
    return Chip(MISSING, text, "\n".join([*lines, tip]))


def viewer_chips(
    view: ViewState, lut: str = "", sides: tuple[str, str] = ("", ""), proxy: bool = False, trial: str = ""
) -> list[Chip]:
    """Return the chips of a view.

    `lut` and `trial` are the names of the LUT and of the entry that are being tried, or ''. `sides` are the labels of a
    comparison. `proxy` is whether the frame is below full resolution.
    """
    found = []
    if lut:
        tip = f"{lut} is shown, but it is not in the grade. Exports ask whether to include it."
        found.append(Chip(LUT, f"Trying LUT: {shortened(lut)}", tip))
    if trial:
        tip = f"{trial} is shown, but it is not in the grade until it is applied.{SCREEN}"
        found.append(Chip(TRIAL, f"Trying: {shortened(trial)}", tip))
    found += [*_compared(view, sides), *_shown(view), *_adjusted(view)]
    if proxy:
        found.append(Chip(PROXY, "Proxy", PROXY_TIP))
    return found


PROXY_TIP = (
    "This frame has fewer pixels than the screen, or an approximate view: something moves, or the image is still being "
    "read. The exact frame follows by itself; more memory in the Preferences lets large images stay decoded."
)


def data_chip(text: str, views_as_image: tuple[DataView, ...]) -> Chip:
    """Return the chip of a layer of data; ending it shows the layer as colours."""
    tip = f"The layer holds data: it is shown without grade and display view. Ending this shows it as colours.{SCREEN}"
    return Chip("data", text, tip, "", (("data_views", views_as_image),))


def shortened(name: str) -> str:
    """Return a name with its middle left out if it is longer than LONGEST."""
    if len(name) <= LONGEST:
        return name
    head = LONGEST * 3 // 5
    return f"{name[:head]}…{name[head + 1 - LONGEST :]}"


def _compared(view: ViewState, sides: tuple[str, str]) -> Iterator[Chip]:
    ours, theirs = (shortened(name) for name in sides)
    off: tuple[tuple[str, Any], ...] = (("compare", ""),)
    if isinstance(view.against, EyeTarget):
        off = (*off, ("against", SOURCE))  # the next comparison is with the source again
    if view.compare == "source":
        yield Chip("compare", "Grade bypassed", f"The image is shown without its grade.{SCREEN}", "compare", off)
    elif view.compare == "difference":
        tip = f"The difference of {sides[0]} and {sides[1]} is shown.{SCREEN}"
        yield Chip("compare", f"Difference: {ours} − {theirs}", tip, "difference", off)
    elif view.compare:
        text, tip = f"{view.compare.capitalize()}: {ours} | {theirs}", f"{sides[0]} is shown beside {sides[1]}.{SCREEN}"
        yield Chip("compare", text, tip, EYES.get(view.compare, view.compare), off)


def _shown(view: ViewState) -> Iterator[Chip]:
    for name, (text, tip) in MARKS.items():
        text = f"Outside of {GAMUT_NAMES[view.gamut]}" if name == "gamut" else text
        if name in view.overlays:
            kept = tuple(each for each in view.overlays if each != name)
            yield Chip(name, text, tip, f"overlay_{name.replace(' ', '_')}", (("overlays", kept),))
    if view.matte:
        text, tip = MATTES[view.matte]
        yield Chip("matte", text, tip, f"matte_{view.matte.replace('-', '')}", (("matte", ""),))
    if view.inside_matte:
        tip = f"Scopes and probes count only what the matte of the current entry covers by half or more.{SCREEN}"
        yield Chip("inside matte", "Values inside the matte", tip, "inside_matte", (("inside_matte", False),))
    if view.channel:
        text = "Luma" if view.channel == "luma" else f"{view.channel.capitalize()} channel"
        yield Chip("channel", text, f"{text} alone is shown, as grey.{SCREEN}", view.channel, (("channel", ""),))


def _adjusted(view: ViewState) -> Iterator[Chip]:
    if view.exposure != 0.0:
        text = f"Viewer {view.exposure:+.3g} EV".replace("-", "−")
        tip = f"The viewer exposure makes the image brighter or darker.{SCREEN}"
        yield Chip("exposure", text, tip, "view_reset", (("exposure", 0.0),))
    if view.gamma != 1.0:
        text = f"Viewer gamma {view.gamma:.3g}"
        yield Chip("gamma", text, f"The viewer gamma changes the image.{SCREEN}", "view_reset", (("gamma", 1.0),))
