"""ColorWarp."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from engine.kernel.op import ColorOp, Numbers, choice, derived, derived_choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, exp2
from engine.ops import warp_pins
from engine.ops.warp_pins import CAPACITIES, MOST, Pin, Warp
from engine.ops.warp_space import HOME, Responses

NO_PIN = (0.0,) * len(Pin._fields)
"""The numbers of a pin that is not used."""


def _pin() -> Any:
    """Define a pin; one with a radius of 0 is not used."""
    listed = "hue, saturation, lightness, to hue, to saturation, to lightness, radius, strength"
    return slider(NO_PIN, 0.0, 100.0, help=f"A colour and where it goes: {listed}")


class ColorWarp(ColorOp):
    """Move colours: each of up to 16 pins takes one to another, and its neighbours along. Scene-linear Rec.709 in and
    out, unbounded.

    A pin is a hue (degrees), saturation (%) and lightness (stops about mid grey), the same of its target, a radius (%
    of saturation; 1 % is also 0.08 stops) at which a lone pin moves colours half as far, and a strength (%). A pin that
    goes nowhere keeps its colour in place. Mode hue_saturation ignores lightness and keeps the luminance of the pins'
    colours; mode 3d moves it, too.

    At position p, in the space of `warp_space`, the displacement is a sum of vectors v_i with the weights of a softmax,
    in which an anchor of weight 1 keeps colours far from every pin in place:
    w_i = g_i / (1 + sum g_j), g_i = 3 ** -(|p - p_i| / r_i) ** 2. The v_i solve the linear system in which each pin
    reaches its target. The map is smooth (of class C-infinity). Where it folds, `folds` in `warp_pins` tells.
    """

    label = "Colour warp"
    home = HOME

    mode: str = choice("hue_saturation", "3d", help="Whether pins affect only hue and saturation, or lightness as well")
    pin_1: Numbers = _pin()
    pin_2: Numbers = _pin()
    pin_3: Numbers = _pin()
    pin_4: Numbers = _pin()
    pin_5: Numbers = _pin()
    pin_6: Numbers = _pin()
    pin_7: Numbers = _pin()
    pin_8: Numbers = _pin()
    pin_9: Numbers = _pin()
    pin_10: Numbers = _pin()
    pin_11: Numbers = _pin()
    pin_12: Numbers = _pin()
    pin_13: Numbers = _pin()
    pin_14: Numbers = _pin()
    pin_15: Numbers = _pin()
    pin_16: Numbers = _pin()

    @classmethod
    def of(cls, *pins: Pin, mode: str = "hue_saturation") -> ColorWarp:
        """Return a warp with these pins."""
        return cls(mode, *pins)

    @cached_property
    def pins(self) -> dict[int, Pin]:
        """The pins in use, by number."""
        found = {number: Pin(*getattr(self, field_of(number))) for number in range(1, MOST + 1)}
        return {number: pin for number, pin in found.items() if pin.radius > 0.0}

    @cached_property
    def warp(self) -> Warp:
        return warp_pins.solved(self.pins, self.mode == "3d")

    @derived_choice
    def capacity(self) -> str:
        """The number of pins that the kernel has room for."""
        return str(next(size for size in CAPACITIES if size >= max(self.pins, default=0)))

    @derived(3 * MOST)
    def places(self) -> tuple[float, ...]:
        return tuple(self.warp.places.ravel().tolist())

    @derived(MOST)
    def tightness(self) -> tuple[float, ...]:
        return tuple(self.warp.tightness.tolist())

    @derived(3 * MOST)
    def moves(self) -> tuple[float, ...]:
        return tuple(self.warp.responses.ravel().tolist())

    def is_identity(self) -> bool:
        return not self.warp.moves.any()

    def to_json(self) -> dict[str, Any]:
        """Return the op without the pins that are not used."""
        unused = {field_of(number) for number in range(1, MOST + 1)} - {field_of(number) for number in self.pins}
        return {name: value for name, value in super().to_json().items() if name not in unused}

    def pixel(self, px: Pixel) -> Value:
        responses = Responses(px.rgb)
        position = Vec(responses.position(lightness=self.mode == "3d"))
        weights, by = 1.0, Vec((0.0, 0.0, 0.0))
        for at in range(int(self.capacity)):
            away = position - Vec(tuple(self.places)[3 * at : 3 * at + len(position)])
            squared = sum((x * x for x in away), start=0.0)
            weight = exp2(-(squared * self.tightness[at]))
            weights = weights + weight
            by = by + Vec(tuple(self.moves)[3 * at : 3 * at + 3]) * weight
        return responses.moved(by / weights)


def field_of(number: int) -> str:
    """Return the field of a pin, counted from 1."""
    return f"pin_{number}"
