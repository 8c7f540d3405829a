"""The sample image and looks are what the README, the window and the other tests take them for."""

from __future__ import annotations

import numpy as np
import pytest

import resources
from engine.core.geometry import Rect
from engine.grade.entries import layer_of
from engine.grade.grade import load_grade
from engine.grade.matte_planes import planes_of
from engine.io import describe, read_image
from engine.io.planes import PlaneReader, missing
from engine.kernel.op import ColorOp
from engine.mattes.planes import ChannelPlane, CoveragePlane
from engine.ocio import ops_from_file
from engine.ops import Cdl, Lut3d
from resources import make_sample, scene
from tests.typed import expect

SAMPLE = resources.path("sample.exr")


@pytest.fixture(scope="module")
def pixels():
    return read_image(SAMPLE).pixels.astype(np.float64)


def test_it_is_small_and_has_colour_depth_albedo_position_and_cryptomatte():
    part = describe(SAMPLE).parts[0]
    assert SAMPLE.stat().st_size < 6_000_000
    assert (part.width, part.height, part.compression) == (1280, 720, "zip")
    types = {channel.name: channel.type for channel in part.channels}
    half = ("R", "G", "B", "A", "albedo.R", "albedo.G", "albedo.B", "P.X", "P.Y", "P.Z")
    ranks = [f"{name}{n:02}.{c}" for name in ("CryptoObject", "CryptoMaterial") for n in range(2) for c in "RGBA"]
    assert types == dict.fromkeys(half, "half") | dict.fromkeys(["Z", *ranks], "float")


def test_it_has_highlights_and_deep_shadows_and_no_broken_pixel(pixels):
    assert np.isfinite(pixels).all()
    assert pixels.min() >= 0.0
    assert pixels[..., :3].max() > 100.0
    assert (pixels[..., :3].max(axis=2) > 2.0).mean() > 0.01
    assert (pixels[..., :3].max(axis=2) < 0.01).mean() > 0.005
    assert (pixels[..., 3] == 1.0).all()


def test_the_step_wedge_has_every_stop_exactly(pixels):
    grey = pixels[600:645, 90:970, :3].reshape(-1, 3)
    for stop in scene.STOPS:
        wanted = 0.18 * 2.0**stop
        close = np.abs(grey / wanted - 1.0).max(axis=1) < 1e-3
        assert close.sum() > 500, f"no patch of {stop:+d} stops"


def test_depth_and_albedo_belong_to_the_image():
    depth = read_image(SAMPLE, layer="Z").pixels[..., 0]
    albedo = read_image(SAMPLE, layer="albedo").pixels
    sky = depth > 1e9
    assert 0.2 < sky.mean() < 0.6
    assert depth[~sky].min() > 5.0
    assert depth[~sky].max() < scene.FAR
    assert (albedo[sky] == 0.0).mean() > 0.99  # edges are means of both
    assert 0.5 < albedo.max() <= 1.0


def test_positions_and_objects_belong_to_the_image():
    info = describe(SAMPLE)
    reader = PlaneReader(info, info.parts[0])
    everything = CoveragePlane("CryptoObject", ("*",)), CoveragePlane("CryptoObject", ("chrome_ball",))
    axes = [ChannelPlane(f"P.{axis}") for axis in "XYZ"]
    covered, ball, *place = np.moveaxis(reader.read((*everything, *axes), Rect(0, 0, 1280, 720)), -1, 0)
    depth = read_image(SAMPLE, layer="Z").pixels[..., 0]
    assert ((depth > 1e9) == (covered < 0.5))[covered != 0.5].mean() > 0.999
    inside = ball == 1.0
    away = np.linalg.norm(np.stack(place)[:, inside] - np.array([0.72, 0.92, 0.75])[:, None], axis=0)
    assert inside.sum() > 10_000
    np.testing.assert_allclose(away, 0.92, atol=0.02)
    assert set(reader.objects("CryptoMaterial").names) == set(scene.MATERIAL_NAMES)
    assert len(scene.OBJECTS) == len(scene.things(np.zeros((3, 1), np.float32)))


def test_the_script_makes_the_image_that_is_here(pixels):
    small = make_sample.sampled(np.array([640.5, 300.5, 1100.5]), np.array([100.5, 260.5, 280.5]), 1280, 720)
    here = pixels[[100, 260, 280], [640, 300, 1100], :3].T
    np.testing.assert_allclose(small[:3], here, rtol=0.02, atol=1e-3)


def test_the_cdl_is_one_op():
    (cdl,) = ops_from_file(resources.path("looks/warm_evening.cc"))
    assert isinstance(cdl, Cdl)
    assert cdl.slope == pytest.approx((1.05, 1.04, 1.01))
    assert cdl.saturation == pytest.approx(1.05)


def test_the_film_look_answers_light_above_one_and_keeps_mid_grey():
    ops = ops_from_file(resources.path("looks/soft_film.cube"))
    grey = np.geomspace(0.002, 16.0, 200)
    log = make_sample.to_log(grey)
    rgba = np.stack([log, log, log, np.ones_like(grey)], axis=1)
    for op in ops:
        rgba = expect(ColorOp, op).reference(rgba)
    rgba = make_sample.to_scene_linear(rgba)
    assert (np.diff(rgba[:, 1]) > 0.0).all()
    assert rgba[-1, 1] > 4.0
    assert np.interp(0.18, grey, rgba[:, 1]) == pytest.approx(0.18, rel=0.1)
    exact = make_sample.film(np.stack([grey, grey, grey], axis=1))
    np.testing.assert_allclose(rgba[:, :3], exact, rtol=0.08, atol=2e-3)


def test_the_film_look_is_the_scripts_own(tmp_path):
    make_sample.write_cube(tmp_path / "again.cube")
    ours = expect(Lut3d, ops_from_file(resources.path("looks/soft_film.cube"))[-1])
    again = expect(Lut3d, ops_from_file(tmp_path / "again.cube")[-1])
    np.testing.assert_allclose(ours.cube.array, again.cube.array, rtol=1e-3)


def test_a_resource_is_found_whatever_the_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert resources.path("sample.exr").is_file()


def test_the_example_of_mattes_suits_the_sample():
    grade = load_grade(resources.path("lantern_evening.json"))
    assert all(layer_of(entry).matte is not None for entry in grade.entries)
    assert missing(describe(SAMPLE), planes_of(grade)) == []
