"""Where the colour chart of the sample image is, projected from its scene, and the published colours as RGB."""

from __future__ import annotations

import numpy as np

from engine.core.colorimetry import PRIMARIES, aces_from
from engine.matching import ChartPlace
from engine.matching.chart_values import ACES_TO_D50, published_xyz
from resources import scene
from resources.make_sample import EYE, LENS, TARGET


def published(primaries="rec709"):
    """Published colours as scene-linear RGB, with the white adapted as anywhere else."""
    return published_xyz() @ np.linalg.inv(ACES_TO_D50 @ np.asarray(aces_from(PRIMARIES[primaries]))).T


def sample_chart(width: int = 1280, height: int = 720) -> ChartPlace:
    """The corners of the chart's field of patches in the sample image, in pixels."""
    across, down, depth = scene.CHART_HALF
    corners = [(-across, down), (across, down), (across, -down), (-across, -down)]
    yaw, pitch = scene.CHART_TURN
    to_chart = scene.turned(np.eye(3), yaw, pitch).astype(np.float64)
    ahead = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    side = np.cross(np.array([0.0, 1.0, 0.0]), ahead)
    side /= np.linalg.norm(side)
    above = np.cross(ahead, side)
    found = []
    for x, y in corners:
        away = scene.CHART_AT + to_chart.T @ np.array([x, y, -depth]) - EYE
        scale = LENS / float(away @ ahead) * width / 2.0
        found.append((width / 2.0 + float(away @ side) * scale, height / 2.0 - float(away @ above) * scale))
    return ChartPlace((found[0], found[1], found[2], found[3]))
