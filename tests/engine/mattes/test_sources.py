"""Every source of mattes: its coverage against a formula of its own, its fields, its JSON, and any input."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pytest

from engine import mattes
from engine.errors import GradeError
from engine.kernel.codegen import trace
from engine.kernel.op import Choice, Slider
from engine.kernel.pixel import Pixel
from engine.mattes import SOURCES, Matte, MatteSource
from engine.mattes.planes import Plane
from tests.engine.mattes.examples import ALL, example, examples_of, plain_fields, scene
from tests.engine.mattes.formulas import FORMULAS, Scene, expected
from tests.thorough import examples

EVERY = [pytest.param(cls, id=cls.__name__) for cls in ALL]
FAMILIES = ("Windows", "Qualifiers", "Channels", "Cryptomatte", "Images")
FLATTENED = 0.16
"""What the straight lines of a path may make of a curve: their distance from it times the slope of the edge."""

CLOSE = 2e-7
"""What formulas lose where they take the angle of a cosine."""


def coverage(source: MatteSource, at: Scene) -> np.ndarray:
    """The coverage by the source itself, in float64."""
    planes = tuple(at.planes.T)[: len(source.planes)]
    px = Pixel(at.rgb[:, 0], at.rgb[:, 1], at.rgb[:, 2], np.ones_like(at.x), at.x, at.y, planes)
    with np.errstate(all="ignore"):
        return np.broadcast_to(source.exact().coverage(px), at.x.shape)


def test_registry_is_what_the_package_exports() -> None:
    exported = {name for name in mattes.__all__ if inspect.isclass(getattr(mattes, name))}
    assert exported - {"MatteSource", "Matte", "Leaf", "Branch"} == set(SOURCES)


def test_every_source_has_a_formula() -> None:
    assert set(FORMULAS) == set(SOURCES)


@pytest.mark.parametrize("cls", EVERY)
def test_coverage_is_that_of_the_formula(cls: type[MatteSource]) -> None:
    most, least = [], []
    for number, source in enumerate(examples_of(cls, examples(10))):
        at = scene(source, 1500, seed=number)
        got, wanted = coverage(source, at), expected(source, at)
        curved = any(any(point[2:]) for point in getattr(source, "points", ()))
        assert np.abs(got - wanted).max() <= (FLATTENED if curved else CLOSE), source
        most.append(wanted.max())
        least.append(wanted.min())
    assert np.mean(np.array(most) > 0.5) > 0.2, "the examples cover hardly anything"
    assert np.mean(np.array(least) < 0.5) > 0.2, "the examples cover nearly everything"


@pytest.mark.parametrize("cls", EVERY)
def test_coverage_is_within_0_and_1_for_any_input(cls: type[MatteSource]) -> None:
    odd = np.array((np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 1e-8, 0.18, 1.0, 65504.0, 3e38, -3e38))
    mixed = np.random.default_rng(3).choice(odd, (2000, 4))
    for source in examples_of(cls, 12):
        at = scene(source, len(mixed))
        at = Scene(at.x * 1e3, at.y, mixed[:, :3], np.resize(mixed, (len(mixed), max(len(source.planes), 1))))
        got = coverage(source, at)
        assert ((got >= 0.0) & (got <= 1.0)).all(), source
        if source.planes or source.reads:
            lost = np.isnan(at.planes if source.planes else at.rgb).any(axis=-1)
            assert (got[lost] == 0.0).all(), source


@pytest.mark.parametrize("cls", EVERY)
def test_coverage_reaches_both_ends_exactly(cls: type[MatteSource]) -> None:
    found = set[float]()
    for number, source in enumerate(examples_of(cls, 40)):
        at = scene(source, 500, seed=number)
        wide = dataclasses.replace(at, x=at.x * 3.0, planes=at.planes * 8.0)
        found |= {*coverage(source, at).tolist(), *coverage(source, wide).tolist()} & {0.0, 1.0}
        if len(found) == 2:
            return
    raise AssertionError(f"only {found}")


@pytest.mark.parametrize("cls", EVERY)
def test_json_round_trip(cls: type[MatteSource]) -> None:
    for source in examples_of(cls, 30):
        again = MatteSource.source_from_json(json.loads(json.dumps(source.to_json())))
        assert again == source
        assert hash(again) == hash(source)
        assert pickle.loads(pickle.dumps(source)) == source


JUNK: tuple[Any, ...] = (None, {}, {"a": 1}, [{}], [[[]]], [[1], "x"], "y" * 5000, float("nan"), float("inf"), 1e300)
NEVER: tuple[Any, ...] = ({"a": 1}, [{}], [[[]]], None)
"""Values that no field takes."""


@pytest.mark.parametrize("cls", EVERY)
def test_damaged_json_is_one_clear_line(cls: type[MatteSource]) -> None:
    good = json.loads(json.dumps(next(examples_of(cls, 1)).to_json()))
    for name in set(good) - {"source"}:
        for value in JUNK:
            try:
                MatteSource.source_from_json(good | {name: value})
            except GradeError as error:
                assert "\n" not in str(error)
                assert f"{cls.__name__}.{name}" in str(error)
                assert len(str(error)) < 6000
            else:
                assert value not in NEVER, name
    with pytest.raises(GradeError, match="has no field named 'colour'"):
        MatteSource.source_from_json(good | {"colour": 1})


@pytest.mark.parametrize("data", ["x" * 100_000, {"source": ["x"] * 9999}, {"source": "Ellipse", "x" * 100_000: 1}])
def test_long_names_are_shortened(data: Any) -> None:
    with pytest.raises(GradeError, match=r"\.\.\.") as caught:
        MatteSource.source_from_json(data)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("data", [None, [], "Elipse", {"source": "Elipse"}, {"source": ["Ellipse"]}, {}])
def test_an_unknown_source_is_named(data: Any) -> None:
    with pytest.raises(GradeError, match="there is no matte source named"):
        MatteSource.source_from_json(data)


@pytest.mark.parametrize("cls", EVERY)
def test_sliders_and_plain_fields_change_no_kernel(cls: type[MatteSource]) -> None:
    """But for the number of samples of a 3D key, which has a few kernels."""
    choices: dict[str, Any] = {name: kind.default for name, kind in cls.kinds().items() if isinstance(kind, Choice)}
    rng = np.random.default_rng(5)
    found: dict[Any, set[Any]] = {}
    for _ in range(12):
        source = example(cls, rng, (0.0, 0.0), **choices)
        found.setdefault(source.structure, set()).add(trace([source]).instructions)
    assert all(len(programs) == 1 for programs in found.values())
    assert len(found) == 1 or (cls is mattes.Key3d and len(found) <= 8)


@pytest.mark.parametrize("cls", EVERY)
def test_every_field_explains_itself(cls: type[MatteSource]) -> None:
    assert (cls.__doc__ or "").strip()
    assert cls.family in FAMILIES
    assert cls.title()
    assert dataclasses.is_dataclass(cls)
    for name, kind in cls.kinds().items():
        assert kind.help, name
        assert not kind.help.endswith("."), name
        if isinstance(kind, Slider):
            assert kind.low < kind.high
            assert kind.visible is None or kind.low <= kind.visible[0] < kind.visible[1] <= kind.high
            numbers = kind.default if isinstance(kind.default, tuple) else (kind.default,)
            assert kind.low <= min(numbers) <= max(numbers) <= kind.high
            assert kind.unit in ("px", "°", "units", ""), name
    assert all(isinstance(getattr(cls(), name), (str, tuple)) for name in plain_fields(cls))


@pytest.mark.parametrize("cls", EVERY)
def test_planes_and_images_that_a_source_reads(cls: type[MatteSource]) -> None:
    for source in examples_of(cls, 5):
        assert len(source.planes) <= 4
        assert all(isinstance(plane, Plane) for plane in source.planes)
        assert source.reads in ("", "source", "entry")
        assert bool(source.reads) == (cls.family == "Qualifiers")
        assert trace([source]).planes == len(source.planes)
        assert trace([source]).placed == (cls.family == "Windows")


@pytest.mark.parametrize("cls", EVERY)
def test_a_new_source_fits_the_frame(cls: type[MatteSource]) -> None:
    for width, height in ((1920, 1080), (1, 1), (65536, 3)):
        source = cls.for_frame(width, height)
        if cls.family != "Windows" or min(width, height) < 3:
            continue
        x, y = (each.ravel() for each in np.meshgrid(np.linspace(0, width, 61), np.linspace(0, height, 61)))
        got = coverage(source, Scene(x, y, np.zeros((len(x), 3)), np.zeros((len(x), 1))))
        assert 0.0 < got.mean() < 0.7
        assert got[len(x) // 2] > 0.4


@pytest.mark.parametrize("cls", EVERY)
def test_a_source_for_twice_the_size_covers_the_same(cls: type[MatteSource]) -> None:
    for source in examples_of(cls, 12):
        soft = {name: 5.0 for name in ("softness_in", "softness_out") if hasattr(source, name)}
        source = source.replace(**soft)  # wider than the pixel to which an edge is antialiased
        at = scene(source, 500)
        twice = dataclasses.replace(at, x=at.x * 2.0, y=at.y * 2.0)
        if getattr(source, "outer", 9.0) - getattr(source, "inner", 0.0) < 1.0:
            continue
        assert np.abs(coverage(source.scaled(2.0, 2.0), twice) - coverage(source, at)).max() < 0.02
        assert Matte(mattes.Leaf(source), frame=(100, 50)).fitted(100, 50).root == mattes.Leaf(source)
        if hasattr(source, "denoise") and source.reads:
            assert source.scaled(2.0, 2.0).denoise == min(2.0 * source.denoise, 64.0)


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("factors", [(1e-4, 1e-4), (1e4, 1e4), (1e-3, 1e4), (3.0, 0.5)])
def test_any_scale_gives_a_source(cls: type[MatteSource], factors: tuple[float, float]) -> None:
    for source in examples_of(cls, 6):
        scaled = source.scaled(*factors)
        assert MatteSource.source_from_json(json.loads(json.dumps(scaled.to_json()))) == scaled


@pytest.mark.parametrize(
    ("cls", "values", "said"),
    [
        (mattes.ObjectIds, {"ids": (1 << 32,)}, "ObjectIds.ids must be whole numbers from 0 to 4294967295"),
        (mattes.ObjectIds, {"ids": (-1,)}, "ObjectIds.ids must be whole numbers"),
        (mattes.Cryptomatte, {"ids": (True,)}, "Cryptomatte.ids must be whole numbers"),
        (mattes.Cryptomatte, {"ids": (1.5,)}, "Cryptomatte.ids must be whole numbers"),
        (mattes.Cryptomatte, {"names": ("",)}, "Cryptomatte.names must be names"),
        (mattes.Cryptomatte, {"names": "hero"}, "Cryptomatte.names must be a list, not 'hero'"),
        (mattes.Cryptomatte, {"layer": ""}, "Cryptomatte.layer must be a name, not ''"),
        (mattes.ChannelRange, {"channel": ""}, "ChannelRange.channel must be a name, not ''"),
        (mattes.PositionBox, {"channels": ("X", "Y")}, "PositionBox.channels must be 3 names, not 2"),
        (mattes.NormalFacing, {"direction": (0.0, 0.0, 0.0)}, "NormalFacing.direction must not be 0"),
        (mattes.DepthRange, {"far": 1e31}, "DepthRange.far must lie within -1e+30 and 1e+30"),
    ],
)
def test_values_outside_their_domain_are_refused(cls: Any, values: dict[str, Any], said: str) -> None:
    with pytest.raises(GradeError) as error:
        cls(**values)
    assert said in str(error.value)


def test_lists_become_tuples_of_different_values() -> None:
    chosen = mattes.Cryptomatte(names=["hero", "sky", "hero"], ids=[3, 3, 1])
    assert (chosen.names, chosen.ids) == (("hero", "sky"), (3, 1))
