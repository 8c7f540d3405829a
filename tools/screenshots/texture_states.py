"""States of the filters of the category Texture: their cards."""

from __future__ import annotations

from collections.abc import Callable

from app.shell.empty_state import SAMPLE
from engine import ops
from engine.kernel.op import Op
from tools.screenshots.window import Shown


def texture_detail(shown: Shown) -> None:
    """Sharpen and clarity."""
    _grade(shown, ops.Sharpen(1.2, 6.0, 0.1, overshoot="limited"), ops.Clarity(0.5, 60.0))


def texture_glow(shown: Shown) -> None:
    """Bloom and halation."""
    _grade(shown, ops.Bloom(0.3, 2.0, 0.5, 240.0), ops.Halation(0.6, 2.5, 0.5, 50.0))


def texture_noise(shown: Shown) -> None:
    """Denoise and grain."""
    _grade(shown, ops.Denoise(1.0, 1.5, 0.1, (0.012, 0.01, 0.015), (0.03, 0.03, 0.04)), ops.Grain(0.12, 1.8))


def texture_lens(shown: Shown) -> None:
    """Vignette and chromatic aberration."""
    _grade(shown, ops.Vignette(1.5, falloff="cosine"), ops.ChromaticAberration(0.3, -0.2))


def _grade(shown: Shown, *entries: Op) -> None:
    shown.open(SAMPLE)
    document = shown.workspace.document
    document.edit(document.grade.with_entries(entries), "grade")
    shown.until(lambda: shown.window.panel.complete)
    shown.wait()


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each for each in (texture_detail, texture_glow, texture_noise, texture_lens)
}
