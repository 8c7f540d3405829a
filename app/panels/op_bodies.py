"""Selects the body of an op: a special one, or an editor for each field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.panels.bodies import Body, CdlBody, FieldsBody, LogWheelsBody, PrimaryBody, WhiteBalanceBody
from app.panels.curves_body import HueCurvesBody, RgbCurvesBody
from app.panels.tone_body import ToneBody
from engine import ops
from engine.kernel.op import Op


def _zones(op: Any, wheels: bool) -> Body:
    from app.panels.zone_body import ZoneBody  # loaded when first shown

    return ZoneBody(op, wheels)


def _log_wheels(op: Any, wheels: bool) -> Body:
    return LogWheelsBody(op) if wheels else FieldsBody(op)


def _split_tone(op: Any, wheels: bool) -> Body:
    from app.panels.colour_bodies import SplitToneBody

    return SplitToneBody(op) if wheels else FieldsBody(op)


def _six_vectors(op: Any, _wheels: bool) -> Body:
    from app.panels.colour_bodies import SixVectorBody

    return SixVectorBody(op)


def _tone_curve(op: Any, _wheels: bool) -> Body:
    from app.panels.tone_curve_body import ToneCurveBody

    return ToneCurveBody(op)


def _mixer(op: Any, _wheels: bool) -> Body:
    from app.panels.colour_bodies import MixerBody

    return MixerBody(op)


def _denoise(op: Any, _wheels: bool) -> Body:
    from app.panels.denoise_body import DenoiseBody

    return DenoiseBody(op)


def _warp(op: Any, _wheels: bool) -> Body:
    from app.panels.warper.warp_body import WarpBody

    return WarpBody(op)


def _grid(op: Any, _wheels: bool) -> Body:
    from app.panels.warper.grid_body import GridBody

    return GridBody(op)


Maker = Callable[[Any, bool], Body]

_BODIES: dict[type[Op], Maker] = {
    ops.Cdl: lambda op, wheels: CdlBody(op) if wheels else FieldsBody(op),
    ops.ColorWarp: _warp,
    ops.GradingPrimary: PrimaryBody,
    ops.GradingTone: ToneBody,
    ops.GradingHueCurve: lambda op, _wheels: HueCurvesBody(op),
    ops.GradingRgbCurve: lambda op, _wheels: RgbCurvesBody(op),
    ops.HdrWheels: _zones,
    ops.HueLumaGrid: _grid,
    ops.LogWheels: _log_wheels,
    ops.SplitTone: _split_tone,
    ops.SixVector: _six_vectors,
    ops.ChannelMixer: _mixer,
    ops.FilmicContrast: _tone_curve,
    ops.Recovery: _tone_curve,
    ops.Denoise: _denoise,
    ops.WhiteBalance: lambda op, _wheels: WhiteBalanceBody(op),
}
WITH_WHEELS = (ops.Cdl, ops.GradingPrimary, ops.GradingTone, ops.HdrWheels, ops.LogWheels, ops.SplitTone)


def body_for(op: Op, wheels: bool) -> Body:
    """Return a body for an op; with wheels if `wheels` is set and the op has them."""
    maker = _BODIES.get(type(op))
    return maker(op, wheels) if maker else FieldsBody(op)
