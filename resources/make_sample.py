"""Make `sample.exr` and `looks/soft_film.cube` beside this script.

    python -m resources.make_sample [WIDTH [FILE]]

The script traces the distance fields of `scene.py` with NumPy; the result is deterministic: RGBA as half, depth `Z` as
float, the albedo of the surfaces in `albedo.R`, `.G` and `.B` and their position in `P.X`, `.Y` and `.Z` as half, and
the Cryptomatte layers `CryptoObject` and `CryptoMaterial`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
from numpy.typing import NDArray

from resources import sample_mattes, scene
from resources.scene import Array, F

HERE = Path(__file__).resolve().parent
EYE, TARGET, LENS = np.array([0.5, 2.35, -9.8], F), np.array([0.32, 1.42, 0.0], F), 2.05
MANY_STEPS = 400
"""Steps along rays for positions and objects: enough for those that graze a surface."""
SUB = 4
"""Rays along each side of a pixel on an edge."""
PLANES = ("R", "G", "B", "Z", "albedo.R", "albedo.G", "albedo.B")


def rays(x: Array, y: Array, width: int, height: int) -> Array:
    """Return ray directions through the points (x, y) of the image, in pixels."""
    ahead = scene.unit((TARGET - EYE)[:, None])
    side = scene.unit(np.array([ahead[2], ahead[0] * 0, -ahead[0]], F))
    above = np.cross(ahead, side, axis=0)
    u, v = (x - F(width / 2)) / F(width / 2), (F(height / 2) - y) / F(width / 2)
    return scene.unit(ahead * F(LENS) + side * u + above * v)


def march(origin: Array, direction: Array, start: float = 0.0, steps: int = 110) -> Array:
    """Return the distance to the first surface along each ray; Inf if there is none."""
    t = np.full(direction.shape[1], start, F)
    hit = np.full(direction.shape[1], np.inf, F)
    alive = np.arange(direction.shape[1])
    for _ in range(steps):
        if not alive.size:
            break
        d = scene.distance(origin[:, alive] + direction[:, alive] * t[alive])
        close = d < F(4e-4) * (1 + F(0.1) * t[alive])
        hit[alive[close]] = t[alive[close]]
        t[alive] += d
        alive = alive[~close & (t[alive] < F(scene.FAR))]
    return hit


def shadow(p: Array, direction: Array, reach: Array | float, softness: float, steps: int = 36) -> Array:
    """Return the fraction of a soft light that reaches `p`: 1 unoccluded, 0 in full shadow."""
    t = np.full(p.shape[1], 0.03, F)
    seen = np.ones(p.shape[1], F)
    for _ in range(steps):
        d = scene.distance(p + direction * t)
        seen = np.minimum(seen, F(0.5) + F(0.5) * d * F(softness) / t)
        t += np.clip(d, F(0.02), F(0.6))
        t = np.minimum(t, reach).astype(F)
    seen = np.clip(seen, 0, 1)
    return (seen * seen * (3 - 2 * seen)).astype(F)


def occlusion(p: Array, n: Array) -> Array:
    """Return the fraction of the sky that is visible from a surface (ambient occlusion)."""
    closed = np.zeros(p.shape[1], F)
    for i, reach in enumerate((0.04, 0.12, 0.28, 0.55, 0.95)):
        closed += (F(reach) - scene.distance(p + n * F(reach))) / F(reach) * F(0.42 * 0.72**i)
    return np.clip(1 - closed, 0.03, 1)


def fresnel(cosine: Array, gloss: Array) -> Array:
    """Return Schlick's approximation of the specular reflectance."""
    return gloss + (1 - gloss) * np.clip(1 - cosine, 0, 1) ** 5


def lit(p: Array, n: Array, kind: NDArray[np.intp], albedo: Array) -> Array:
    """Return the diffuse reflection of a surface, lit by sun, lantern, sky and bounce light from the table."""
    skin = scene.SKIN[kind]
    lifted = p + n * F(4e-3)
    facing = np.einsum("i...,i->...", n, scene.SUN)
    wrap = np.clip((facing + skin) / (1 + skin), 0, 1)
    sun = scene.SUN[:, None] * np.ones_like(p)
    through = shadow(lifted, sun, 14.0, 9.0)
    light = scene.SUN_LIGHT[:, None] * np.where(skin > 0, wrap * np.maximum(through, skin * F(0.3)), wrap * through)
    if (soft := skin > 0).any():
        edge = np.clip(wrap * (1 - np.clip(facing, 0, 1)), 0, 1) * soft
        light = light * (1 + np.array([0.5, 0.0, -0.15], F)[:, None] * edge)
    to_lamp = scene.LANTERN[:, None] - p
    away = scene.length(to_lamp)
    lamp = to_lamp / away
    warm = np.clip(np.einsum("i...,i...->...", n, lamp) + F(0.15), 0, 1) / np.maximum(away * away, F(0.5))
    warm = warm * shadow(lifted, lamp, away - F(0.85), 5.0, 24) * (kind != 13)
    light = light + scene.LANTERN_LIGHT[:, None] * F(2.2) * warm
    open_ = occlusion(p, n)
    above = F(0.5) + F(0.5) * n[1]
    cool, back = np.array([0.115, 0.15, 0.235], F)[:, None], np.array([0.12, 0.075, 0.04], F)[:, None]
    light = light + (cool * above + back * (1 - above)) * open_
    return albedo * light


def surface(p: Array, kind: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return albedo and emission of a surface."""
    albedo = scene.ALBEDO[kind].T.copy()
    albedo[:, kind == 0] = scene.table_colour(p[:, kind == 0])
    chart, glow = scene.patches(p)
    albedo[:, kind == 2] = chart[:, kind == 2]
    own = np.zeros_like(albedo)
    own[:, kind == 3] = glow[kind == 3]
    return albedo, own


def trace(origin: Array, direction: Array, bounces: int = 2, start: float = 0.0) -> tuple[Array, Array, Array]:
    """Return radiance, distance and albedo along each ray."""
    t = march(origin, direction, start)
    light = scene.sky(direction)
    albedo = np.zeros_like(light)
    there = np.flatnonzero(np.isfinite(t))
    if not there.size:
        return light, t, albedo
    d = direction[:, there]
    p = origin[:, there] + d * t[there]
    n = scene.normal(p)
    kind = scene.material(p)
    albedo[:, there], own = surface(p, kind)
    metal = scene.METAL[kind]
    facing = np.clip(-np.einsum("i...,i...->...", n, d), 0, 1)
    shade = np.where(metal, 0, lit(p, n, kind, albedo[:, there])) + own
    ribs = 1 - F(0.45) * np.abs(np.sin((p[1] - scene.LANTERN[1]) * F(17))) ** 24
    shade += scene.GLOW[kind] * albedo[:, there] * (F(0.12) + F(0.88) * facing**1.5) * ribs
    share = np.where(metal, albedo[:, there], fresnel(facing, scene.GLOSS[kind]) * (scene.GLOSS[kind] > 0))
    mirror = np.flatnonzero((share.max(axis=0) > F(0.004)) & (bounces > 0) & (kind != 13))
    if mirror.size:
        bent = d[:, mirror] - 2 * np.einsum("i...,i...->...", n, d)[mirror] * n[:, mirror]
        seen, _, _ = trace(p[:, mirror] + n[:, mirror] * F(6e-3), bent, bounces - 1, 0.01)
        clamped = np.where(metal[mirror], seen, np.minimum(seen, F(150)))
        shade[:, mirror] += clamped * np.where(metal[mirror], share[:, mirror], np.minimum(share[:, mirror], F(0.3)))
    light[:, there] = shade
    return light, t, albedo


def sampled(x: Array, y: Array, width: int, height: int) -> Array:
    """Return the seven planes at points of the image."""
    direction = rays(x, y, width, height)
    light, t, albedo = trace(EYE[:, None] + direction * 0, direction)
    return np.concatenate([light, depth_of(t, direction)[None], albedo]).astype(F)


def band(task: tuple[int, int, int, int]) -> Array:
    """Render rows `top`..`bottom` of the image; average many rays in pixels on edges, except for depth."""
    top, bottom, width, height = task
    y, x = np.mgrid[top - 1 : bottom + 1, -1 : width + 1].astype(F) + F(0.5)
    base = sampled(x.ravel(), y.ravel(), width, height).reshape(7, *x.shape)
    shown = np.log2(base[:3] + F(0.02)) * F(0.12)
    look = np.concatenate([shown, base[4:], np.log2(base[3:4]) * F(0.4)])
    spread = np.zeros(x.shape, F)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        step = np.abs(look - np.roll(look, (dy, dx), (1, 2))).max(axis=0)
        spread = np.maximum.reduce([spread, step, np.roll(step, (-dy, -dx), (0, 1))])
    rows, columns = np.nonzero(spread[1:-1, 1:-1] > F(0.035))
    image = base[:, 1:-1, 1:-1].copy()
    total = np.zeros((7, rows.size), F)
    for i in range(SUB * SUB):
        right, down = (i % SUB + F(0.5)) / SUB, (i // SUB + F(0.5)) / SUB
        total += sampled(columns + right, rows + top + down, width, height) / F(SUB * SUB)
    image[:3, rows, columns], image[4:, rows, columns] = total[:3], total[4:]
    return image


def things_at(x: Array, y: Array, width: int, height: int) -> tuple[Array, NDArray[np.int8]]:
    """Return X, Y, Z and depth of surfaces at points of the image, and the numbers of object and material (-1: sky)."""
    direction = rays(x, y, width, height)
    t = march(EYE[:, None] + direction * 0, direction, steps=MANY_STEPS)
    hit = np.isfinite(t)
    place = np.where(hit, EYE[:, None] + direction * np.where(hit, t, F(0)), F(0)).astype(F)
    numbers = np.where(hit, np.stack(scene.nearest(place)), -1).astype(np.int8)
    return np.concatenate([place, depth_of(t, direction)[None]]), numbers


def depth_of(t: Array, direction: Array) -> Array:
    """Return the depth of points at the distance `t` along rays."""
    ahead = scene.unit((TARGET - EYE)[:, None])
    return np.where(np.isfinite(t), t * (direction * ahead).sum(axis=0), scene.NO_HIT_DEPTH).astype(F)


def band_of_things(task: tuple[int, int, int, int]) -> tuple[Array, NDArray[np.int8]]:
    """Return X, Y, Z and depth at centres of pixels, (4, rows, width), and numbers (SUB * SUB, 2, rows, width)."""
    top, bottom, width, height = task
    y, x = np.mgrid[top - 1 : bottom + 1, -1 : width + 1].astype(F) + F(0.5)
    flat, kinds = things_at(x.ravel(), y.ravel(), width, height)
    place, numbers = flat.reshape(4, *x.shape), kinds.reshape(2, *x.shape)
    edge = np.zeros(x.shape, bool)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        differs = (numbers != np.roll(numbers, (dy, dx), (1, 2))).any(axis=0)
        edge |= differs | np.roll(differs, (-dy, -dx), (0, 1))
    rows, columns = np.nonzero(edge[1:-1, 1:-1])
    seen = np.repeat(numbers[None, :, 1:-1, 1:-1], SUB * SUB, axis=0)
    for i in range(SUB * SUB):
        right, down = (i % SUB + F(0.5)) / SUB, (i // SUB + F(0.5)) / SUB
        seen[i][:, rows, columns] = things_at(columns + right, rows + top + down, width, height)[1]
    return place[:, 1:-1, 1:-1], seen


def in_bands(work: Callable[[tuple[int, int, int, int]], Any], width: int, height: int) -> list[Any]:
    """Return what `work` makes of every band of the image, on two cores."""
    tasks = [(y, min(y + 24, height), width, height) for y in range(0, height, 24)]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(work, tasks))


def render(width: int, height: int) -> Array:
    """Render the whole image, (7, height, width)."""
    return np.concatenate(in_bands(band, width, height), axis=1)


def find_things(width: int, height: int) -> tuple[Array, NDArray[np.int8]]:
    """Return the results of `band_of_things` for the whole image."""
    places, numbers = zip(*in_bands(band_of_things, width, height), strict=True)
    return np.concatenate(places, axis=1), np.concatenate(numbers, axis=2)


def write_image(planes: Array, places: Array, numbers: NDArray[np.int8], path: Path) -> None:
    """Write the planes, positions and Cryptomatte layers as a ZIP-compressed EXR."""
    channels: dict[str, NDArray[Any]] = {
        name: p.astype(np.float16) for name, p in zip(PLANES, planes, strict=True) if name != "Z"
    }
    channels["Z"] = np.ascontiguousarray(places[3])
    channels["A"] = np.ones(planes.shape[1:], np.float16)
    channels |= {f"P.{axis}": p.astype(np.float16) for axis, p in zip("XYZ", places[:3], strict=True)}
    header: dict[str, Any] = {
        "compression": OpenEXR.ZIP_COMPRESSION,
        "chromaticities": (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290),
        "comments": "Tessera's sample: rendered by resources/make_sample.py",
    }
    for n, (name, names) in enumerate((("CryptoObject", scene.OBJECTS), ("CryptoMaterial", scene.MATERIAL_NAMES))):
        matte, metadata = sample_mattes.layer(name, names, numbers[:, n])
        channels |= matte
        header |= metadata
    OpenEXR.File(header, channels).write(str(path))


def film(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Apply a soft film look to ACEScg values: a gentle tone curve that keeps mid grey, cool shadows, warm and
    desaturated highlights."""
    luma = np.maximum(rgb @ [0.2722, 0.6741, 0.0537], 0.0)
    pale = 1.0 / (1.0 + (luma / 6.0) ** 1.5)
    rgb = luma[:, None] + (rgb - luma[:, None]) * (0.94 * pale)[:, None]
    rgb = 0.18 * (np.maximum(rgb, 0.0) / 0.18) ** 1.12
    rgb = rgb * 9.0 / (rgb + 9.0) * (9.18 / 9.0)
    tone = np.clip(luma / (luma + 0.18), 0.0, 1.0)[:, None]
    return rgb * ((1 - tone) * [0.95, 1.0, 1.07] + tone * [1.06, 1.0, 0.92]) + (1 - tone) ** 4 * [0.001, 0.0015, 0.002]


def to_log(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert ACEScg values to ACEScct (Academy S-2016-001)."""
    straight = 10.5402377416545 * light + 0.0729055341958355
    return np.where(light <= 0.0078125, straight, (np.log2(np.maximum(light, 1e-9)) + 9.72) / 17.52)


def to_scene_linear(log: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert ACEScct to ACEScg values, the inverse of `to_log`."""
    straight = (log - 0.0729055341958355) / 10.5402377416545
    return np.where(log <= 0.155251141552511, straight, 2.0 ** (log * 17.52 - 9.72))


def write_cube(path: Path, size: int = 33) -> None:
    """Write `film` as a .cube from ACEScct to ACEScct, the default working space of grades."""
    grid = to_scene_linear(np.linspace(0.0, 1.0, size))
    b, g, r = np.meshgrid(grid, grid, grid, indexing="ij")
    cube = to_log(film(np.stack([r.ravel(), g.ravel(), b.ravel()], axis=1)))
    lines = ["# Soft film, from ACEScct to ACEScct", f"LUT_3D_SIZE {size}"]
    lines += [" ".join(f"{v:.5g}" for v in colour) for colour in cube]
    path.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")


def main() -> None:
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 1280
    target = HERE / "sample.exr" if len(sys.argv) < 3 else Path(sys.argv[2])
    write_cube(HERE / "looks" / "soft_film.cube")
    height = width * 9 // 16
    write_image(render(width, height), *find_things(width, height), target)


if __name__ == "__main__":
    main()
