"""Generated motion to track: a textured plane that moves by a known similarity, with grain, blur and exposure change.

The texture is a sum of waves, so that its value, and that of its blurred image, is exact at any position and size.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tracking import Motion, Region

MOST_KEPT = 1 << 17
"""Frames of at most so many pixels are kept, since tests use them again."""
Path = Callable[[float], tuple[complex, complex]]
"""From a share 0..1 of the shot to a shift and to a factor, of which the phase is a rotation."""


def still(_share: float) -> tuple[complex, complex]:
    return 0.0j, 1.0 + 0.0j


@cache
def swinging(reach: float) -> Path:
    """A path that moves by up to `reach` pixels, turns by 25 degrees to both sides and zooms by a quarter."""

    def path(share: float) -> tuple[complex, complex]:
        turn = 2.0 * math.pi * share
        shift = reach * complex(math.sin(turn), 0.5 * math.sin(2.0 * turn + 0.5))
        return shift, cmath.rect(1.0 + 0.25 * math.sin(1.3 * turn), math.radians(25.0 * math.sin(0.8 * turn)))

    return path


@dataclass(frozen=True)
class Scene:
    """A shot of `count` frames. `grain` is relative to the luminance; `blur` (pixels) and `stops` grow to the end."""

    path: Path = still
    width: int = 192
    height: int = 128
    count: int = 12
    grain: float = 0.05
    blur: float = 1.0
    stops: float = 1.0
    seed: int = 1
    waves: int = 40

    @property
    def middle(self) -> complex:
        return complex(self.width / 2.0, self.height / 2.0)

    def frame(self, number: int) -> NDArray[np.float32]:
        """The luminance of a frame, scene-linear."""
        return _frame(self, number).copy() if self.width * self.height <= MOST_KEPT else self._made(number)

    def _made(self, number: int) -> NDArray[np.float32]:
        share = number / max(self.count - 1, 1)
        shift, factor = self.path(share)
        x, y = np.arange(self.width) + 0.5, np.arange(self.height) + 0.5
        random = np.random.default_rng(self.seed)
        lengths = np.exp(random.uniform(math.log(5.0), math.log(50.0), self.waves))
        directions, phases = random.uniform(0.0, math.tau, (2, self.waves))
        waves = math.tau / lengths * np.exp(1j * directions)
        total: Any = np.zeros((self.height, self.width))
        for wave, phase, length in zip(waves, phases, lengths, strict=True):
            seen = wave * factor / abs(factor) ** 2  # the same wave in the pixels of the frame
            size = math.sqrt(length) * math.exp(-0.5 * (abs(seen) * self.blur * share) ** 2)
            start = phase - (np.conj(seen) * (self.middle + shift)).real
            across, down = np.exp(1j * (seen.real * x + start)), np.exp(1j * seen.imag * y)
            total += size * (down.imag[:, None] * across.real + down.real[:, None] * across.imag)
        values = 0.18 * np.exp2(self.stops * share) * np.maximum(1.0 + 0.5 * total / np.sqrt(lengths.sum() / 2.0), 0.02)
        noise = np.random.default_rng((self.seed, number)).normal(size=values.shape)
        return np.asarray(values * (1.0 + self.grain * noise), np.float32)

    def motion(self, number: int, reference: int, pivot: complex) -> Motion:
        """Where the plane under `pivot` of the reference frame is in another one."""
        (start, first), (shift, factor) = (self.path(n / max(self.count - 1, 1)) for n in (reference, number))
        moved = (pivot - self.middle - start) / first * factor + self.middle + shift
        turn = factor / first
        angle = math.degrees(cmath.phase(turn))
        return Motion((moved - pivot).real, (moved - pivot).imag, abs(turn), angle)


@lru_cache(maxsize=64)
def _frame(scene: Scene, number: int) -> NDArray[np.float32]:
    return scene._made(number)


def worst_errors(found: list[Any], scene: Scene, region: Region) -> tuple[float, float, float]:
    """The largest errors of position in pixels, of scale in pixels at the edge of the window, and of rotation."""
    reference, edge = found[0].frame, max(region.rect.width, region.rect.height) / 2.0
    errors = []
    for each in found:
        true, got = scene.motion(each.frame, reference, complex(*region.pivot)), each.motion
        place = math.hypot(got.dx - true.dx, got.dy - true.dy)
        errors.append((place, abs(got.scale - true.scale) * edge, abs(got.rotation - true.rotation)))
    position, scale, rotation = np.max(errors, axis=0)
    return float(position), float(scale), float(rotation)
