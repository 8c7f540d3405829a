"""Hue restoration after per-channel curves: shared by the 1D LUTs."""

from __future__ import annotations

from engine.kernel.pixel import Scalar, Vec, select, where_equal


def with_hue_of(before: Vec, after: Vec) -> Vec:
    """Return `after` with its middle channel moved to the relative place that it has in `before`: this keeps the hue.

    `before` decides which channels are the largest, middle and smallest; of equal channels, the later one counts as
    larger. Source: OpenColorIO's documentation of HUE_DW3; the Academy's CTL before release 0.7,
    `restore_hue_dw3`.
    """
    r, g, b = before

    def middle(low: int, mid: int, high: int) -> Scalar:
        chroma = before[high] - before[low]
        share = where_equal(chroma, 0.0, 0.0, (before[mid] - before[low]) / chroma)
        return share * (after[high] - after[low]) + after[low]

    def by_order(rgb: Scalar, rbg: Scalar, brg: Scalar, grb: Scalar, gbr: Scalar, bgr: Scalar) -> Scalar:
        """Return the argument named by the channels in descending order."""
        r_first = select(g > b, rgb, select(r > b, rbg, brg))
        g_first = select(g > b, select(r > b, grb, gbr), bgr)
        return select(r > g, r_first, g_first)

    red = by_order(after.r, after.r, middle(1, 0, 2), middle(2, 0, 1), after.r, after.r)
    green = by_order(middle(2, 1, 0), after.g, after.g, after.g, after.g, middle(0, 1, 2))
    blue = by_order(after.b, middle(1, 2, 0), after.b, after.b, middle(0, 2, 1), after.b)
    return Vec((red, green, blue))
