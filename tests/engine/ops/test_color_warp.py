"""The colour warp: its space, what its pins promise, where it folds, and what a move costs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine import Grade, ops
from engine.compute.executor import TiledExecutor
from engine.core.colorimetry import LUMA
from engine.errors import GradeError
from engine.kernel.codegen import trace
from engine.kernel.op import ColorOp
from engine.luts.baking import bake
from engine.ocio import ops_from_file
from engine.ocio.to_transforms import transforms_of_op
from engine.ops import ColorWarp
from engine.ops.warp_pins import Pin, folds, numbers_at, place_of
from engine.ops.warp_space import _OPPONENT, _TO_CONES, TOE, colour_at, position_of
from tests.engine.host_cuda import HostCuda
from tests.engine.images import plain, rgba64
from tests.engine.kernel.test_codegen import needs_compiler
from tests.thorough import cases
from tests.tolerance import CHAIN, ONE_OP, assert_close, policy_error
from tests.typed import expect

MODES = ("hue_saturation", "3d")
SKIN = Pin(40.0, 20.0, 0.5, 55.0, 26.0, 1.0, 15.0)
TEAL = Pin(200.0, 30.0, -1.0, 185.0, 45.0, -1.5, 25.0, 60.0)
STAYS = Pin(70.0, 25.0, 0.5, 70.0, 25.0, 0.5, 15.0)
MANY = [
    Pin(360.0 * at / 16, 20.0 + 45.0 * (at % 2), at / 4 - 2, 360.0 * at / 16 + 8, 25.0 + 35.0 * (at % 2), 1.0, 12.0)
    for at in range(16)
]


def colours(pins: list[Pin], stops: float = 0.0) -> np.ndarray:
    """The colours of the pins' sources as RGBA, so many stops brighter."""
    rgb = colour_at(np.stack([pin.source for pin in pins])) * 2.0**stops
    return np.column_stack([rgb, np.ones(len(pins))])


def moved(op: ColorWarp, positions: np.ndarray) -> np.ndarray:
    """Where the op itself takes positions."""
    rgb = colour_at(positions)
    return position_of(op.reference(np.column_stack([rgb, np.ones(len(rgb))]))[:, :3])


def test_space_is_neutral_there_and_back_and_has_the_hues_of_oklab() -> None:
    rgb = np.random.default_rng(1).normal(0.3, 1.0, (200, 3)) * (1.0, 1.0, 10.0)
    assert colour_at(position_of(rgb)) == pytest.approx(rgb, abs=1e-12)
    greys = position_of(np.repeat([[0.0], [1e-3], [0.18], [50.0]], 3, axis=1))
    assert np.abs(greys[:, :2]).max() < 1e-8
    assert greys[2, 2] == pytest.approx(0.0, abs=1e-8)
    bright = position_of(np.array([[0.5, 0.3, 0.2]]) * [[1.0], [16.0]])
    assert bright[1] - bright[0] == pytest.approx([0.0, 0.0, 0.5], abs=1e-4)  # four stops are half of eight
    assert numbers_at(position_of([0.0, 0.0, 1.0]))[1] == pytest.approx(100.0, abs=0.2)
    cubic = np.cbrt(np.eye(3) @ _TO_CONES.T) @ _OPPONENT.T
    chroma, hue = np.hypot(*cubic.T), np.degrees(np.arctan2(cubic[:, 1], cubic[:, 0])) % 360.0
    assert chroma == pytest.approx([0.25768, 0.29483, 0.31321], abs=1e-4)  # Oklab's, as in CSS Color 4
    assert hue == pytest.approx([29.23, 142.50, 264.05], abs=0.02)


@pytest.mark.parametrize("mode", MODES)
def test_pins_reach_their_targets(mode: str, executor: TiledExecutor) -> None:
    for pins in ([SKIN, TEAL, STAYS], MANY):
        op, pixels = ColorWarp.of(*pins, mode=mode), colours(pins)
        wanted = np.stack([pin.source + (pin.target - pin.source) * pin.strength / 100.0 for pin in pins])
        axes = 3 if mode == "3d" else 2
        exact = position_of(op.reference(pixels)[:, :3])
        assert exact[:, :axes] == pytest.approx(wanted[:, :axes], abs=1e-9)
        found = executor.execute_color(pixels[None].astype(np.float32), [op])[0]
        assert position_of(found[:, :3])[:, :axes] == pytest.approx(wanted[:, :axes], abs=1e-5)
    still = executor.execute_color(colours([STAYS])[None].astype(np.float32), [ColorWarp.of(SKIN, STAYS, mode=mode)])
    assert still[0] == pytest.approx(colours([STAYS]), abs=1e-5)


def test_hue_and_saturation_move_at_every_exposure_and_keep_the_luminance_of_pins() -> None:
    op = ColorWarp.of(SKIN, TEAL)
    for stops in (-3.0, 0.0, 5.0):
        before = colours([SKIN, TEAL], stops)
        after = op.reference(before)
        assert after[:, :3] @ LUMA == pytest.approx(before[:, :3] @ LUMA, rel=0.01 if stops < 0.0 else 2e-4)
        hue, saturation, _ = numbers_at(position_of(after[0, :3]))
        assert (hue, saturation) == pytest.approx((SKIN.to_hue, SKIN.to_saturation), abs=1.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_lone_pin_moves_less_with_distance_and_far_colours_not_at_all(
    mode: str, backend: str, executor: TiledExecutor
) -> None:
    pin = SKIN._replace(to_lightness=SKIN.lightness)
    op = ColorWarp.of(pin, mode=mode)
    away = np.linspace(0.0, 0.9, 200)
    for direction in ((1.0, 0.0, 0.0), (-0.6, 0.8, 0.0), (0.0, 0.0, 1.0))[: None if mode == "3d" else 2]:
        line = pin.source + away[:, None] * direction
        length = np.linalg.norm((moved(op, line) - line)[:, :2], axis=1)
        assert (np.diff(length) <= 1e-12).all()
        assert np.interp(0.01 * pin.radius, away, length) == pytest.approx(0.5 * length[0], rel=1e-3)
    image, small = plain(), op.replace(pin_1=pin._replace(radius=5.0))
    far = np.linalg.norm((position_of(image[..., :3]) - pin.source)[..., :2], axis=-1) > 0.25
    assert 0.1 < far.mean() < 0.9
    found = executor.execute_color(image, [small])
    assert_close(found[far], image[far], backend)
    assert backend == "wgpu" or np.array_equal(found[far], image[far])


def test_what_moves_nothing_is_left_out_and_keeps_each_bit(executor: TiledExecutor) -> None:
    assert ColorWarp().is_identity()
    assert ColorWarp.of(STAYS, SKIN._replace(strength=0.0), mode="3d").is_identity()
    assert not ColorWarp.of(SKIN).is_identity()
    image = plain()
    tiny = ColorWarp.of(Pin(0.0, 9000.0, 0.0, 1.0, 9000.0, 0.0, 5.0))  # its kernel runs, far from every colour
    assert not tiny.is_identity()
    assert executor.execute_color(image, [tiny]).tobytes() == image.tobytes()


def test_moving_and_adding_pins_compiles_nothing_within_a_capacity() -> None:
    one, two = ColorWarp.of(SKIN), ColorWarp.of(SKIN._replace(to_hue=90.0), TEAL, STAYS)
    assert one.structure == two.structure
    assert trace([one]).instructions == trace([two]).instructions
    sizes = [ColorWarp.of(*MANY[:count]).capacity for count in (0, 1, 4, 5, 8, 9, 16)]
    assert sizes == ["4", "4", "4", "8", "8", "16", "16"]
    assert one.structure != one.replace(mode="3d").structure


@pytest.mark.parametrize("mode", MODES)
def test_folds_are_where_finite_differences_turn_over(mode: str) -> None:
    gentle = ColorWarp.of(SKIN, TEAL, mode=mode)
    wild = ColorWarp.of(SKIN._replace(to_hue=200.0, to_saturation=60.0), TEAL, mode=mode)
    assert not folds(gentle.warp).any()
    assert folds(wild.warp).any()
    rng = np.random.default_rng(3)
    places = rng.uniform((-0.5, -0.5, -0.2), (0.5, 0.5, 0.2), (300, 3))
    step = 1e-5
    for op in (gentle, wild):
        columns = [
            (moved(op, places + step * axis) - moved(op, places - step * axis)) / (2 * step) for axis in np.eye(3)
        ]
        wanted = np.linalg.det(np.stack(columns, axis=-1))
        assert op.warp.determinants(places) == pytest.approx(wanted, abs=1e-5)
    assert (wanted < -0.01).any()
    assert (wanted > 0.9).any()


def test_a_drag_beyond_about_the_radius_folds() -> None:
    def folded(by: float) -> bool:
        return bool(folds(ColorWarp.of(Pin(0.0, 0.0, 0.0, 0.0, by, 0.0, 30.0)).warp, 96).any())

    assert [folded(by) for by in (15.0, 33.0, 40.0, 60.0)] == [False, False, True, True]


def test_bright_negative_and_invalid_pixels(executor: TiledExecutor) -> None:
    op = ColorWarp.of(SKIN._replace(radius=80.0), TEAL)
    odd = [[np.nan, 0.2, 0.1], [np.inf, 0.2, 0.1], [-np.inf, 1.0, 1.0], [1e20, 1.0, 0.0]]
    fine = [[-0.5, 0.2, 0.1], [60000.0, 30000.0, 20000.0], [0.0, 0.0, 0.0], [-1e-4, 1e-4, 0.0]]
    image = np.array([[[*rgb, 1.0] for rgb in (*odd, *fine)]], np.float32)
    found = executor.execute_color(image, [op])
    assert np.array_equal(found[:, :4], image[:, :4], equal_nan=True)
    assert np.isfinite(found[:, 4:]).all()
    assert (found[0, 4:6] != image[0, 4:6]).any()
    assert np.abs(found[0, 6:] - image[0, 6:]).max() < TOE


def test_json_names_the_pins_in_use_alone() -> None:
    op = ColorWarp(pin_2=SKIN, mode="3d")
    data = json.loads(json.dumps(op.to_json()))
    assert data == {"op": "ColorWarp", "mode": "3d", "pin_2": list(SKIN)}
    assert ColorWarp.from_json(data) == op
    assert ColorWarp.from_json(ColorWarp().to_json()) == ColorWarp()


def test_place_and_numbers_are_each_others_inverse() -> None:
    assert numbers_at(place_of(200.0, 35.0, -1.5)) == pytest.approx((200.0, 35.0, -1.5))
    with pytest.raises(GradeError, match="finite"):
        ColorWarp(pin_1=(np.nan,) * 8)


@needs_compiler
def test_cuda_text_of_pins_on_the_host(tmp_path: Path) -> None:
    runs = [[ColorWarp.of(SKIN, TEAL)], *cases([[ColorWarp.of(*MANY, mode="3d")]])]
    host, image = HostCuda(runs, tmp_path), plain()
    for number, run in enumerate(runs):
        assert_close(host(number, run, image), run[0].reference(rgba64(image)), "cuda", chain=True)


def test_sixteen_pins_are_within_the_policy(backend: str, executor: TiledExecutor) -> None:
    op, image = ColorWarp.of(*MANY, mode="3d"), plain()
    assert_close(executor.execute_color(image, [op]), op.reference(rgba64(image)), backend, chain=True)
    assert ONE_OP < CHAIN


def test_no_look_file_has_it_and_a_baked_one_comes_close(tmp_path: Path) -> None:
    op = ColorWarp.of(SKIN, TEAL)
    with pytest.raises(GradeError, match="equivalent of Colour warp; bake it"):
        transforms_of_op(op)
    path = tmp_path / "warp.cube"
    report = bake(Grade([ops.Exposure(0.2), op]), path, 33, domain=(0.0, 4.0))
    assert report.mean_error < 2e-3
    rgba = np.column_stack([np.random.default_rng(5).uniform(0.05, 2.0, (200, 3)), np.ones(200)])
    wanted = op.reference(ops.Exposure(0.2).reference(rgba))
    found = rgba
    for each in ops_from_file(path):
        found = expect(ColorOp, each).reference(found)
    assert policy_error(found, wanted).mean() < 5e-3
