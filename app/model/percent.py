"""Shares in percent."""

from __future__ import annotations


def percent(share: float) -> str:
    """Format a share, 0..1, in percent with two digits; with one if it is small."""
    value = 100.0 * share
    if value >= 99.5:
        return "100 %"
    return f"{value:.2g} %" if value >= 0.1 or value == 0.0 else f"{value:.1g} %"
