"""The keys of a window of a matte that was tracked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.model.track_options import TrackedWindow, TrackOptions
from engine.grade.curves import Curve, Key
from engine.grade.parameters import numbers_of_op
from engine.mattes import LinearGradient, MatteSource, Path
from engine.tracking import Motion, carried

FIELDS = {
    "position": ("center",),
    "scale": ("size", "inner", "outer"),
    "rotation": ("rotation",),
}
"""The fields of windows that each part of a motion changes; it changes all points of paths and linear gradients."""
Frames = Sequence[tuple[int, Motion]]
"""Frames with the motion of the window since the first of them."""


def tracked_curves(
    window: TrackedWindow, frames: Frames, options: TrackOptions, known: Mapping[str, Curve]
) -> dict[str, Curve]:
    """Return the curves of a window by their paths: a linear key for each tracked frame.

    They replace the keys of these frames in the `known` curves; other keys stay. Handles of a path that never change
    get no keys.
    """
    if not frames:
        return {}
    found = [(frame, numbers_of_op(_at(window, motion, options))) for frame, motion in frames]
    at_first = numbers_of_op(window.source)
    curves = dict[str, Curve]()
    for name in at_first:
        path = window.prefix + name
        values = [(frame, numbers[name]) for frame, numbers in found]
        moves = any(abs(value - at_first[name]) > 1e-9 for _, value in values)
        if _is_tracked(window.source, name, options) and (moves or path in known or not _is_handle(name)):
            curves[path] = _with_keys(known.get(path), values)
    return curves


def _at(window: TrackedWindow, motion: Motion, options: TrackOptions) -> MatteSource:
    """Return the source of a window after a motion, in the pixels of its matte."""
    moved = carried(window.in_image, motion, options.position, options.scale, options.rotation)
    return moved if window.fit == (1.0, 1.0) else moved.scaled(1.0 / window.fit[0], 1.0 / window.fit[1])


def _is_tracked(source: MatteSource, name: str, options: TrackOptions) -> bool:
    """Return whether tracking changes a number of a window."""
    if isinstance(source, Path | LinearGradient):
        return name.startswith(("points.", "start.", "end."))
    field = name.partition(".")[0]
    return any(getattr(options, part) and field in fields for part, fields in FIELDS.items())


def _is_handle(name: str) -> bool:
    """Return whether a number is of a handle of a vertex: the third to the sixth of a point."""
    return name.startswith("points.") and name.rpartition(".")[2] not in ("0", "1")


def _with_keys(curve: Curve | None, values: Sequence[tuple[int, float]]) -> Curve:
    tracked = {frame for frame, _ in values}
    others = [key for key in curve.keys if key.frame not in tracked] if curve is not None else []
    return Curve([*others, *(Key(frame, value, "linear") for frame, value in values)])
