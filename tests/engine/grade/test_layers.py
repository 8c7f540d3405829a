"""Entries that are bypassed, solo or taken in part: a mix is one fused op, right in every dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import FileLook, Grade, Layer, ops
from engine.compute.executor import TiledExecutor
from engine.compute.plan import PointStep, plan
from engine.errors import GradeError
from engine.export.provenance import record_of
from engine.grade.blending import Mix
from engine.grade.grade import layer_of, mixes
from engine.io.info import ChannelInfo, PartInfo
from engine.kernel.codegen import trace
from engine.kernel.dialects import CUDA, NUMBA, WGSL, print_body
from engine.kernel.op import ColorOp, Slider
from tests.engine.grade.test_grade import through_text
from tests.engine.host_cuda import COMPILER, HostCuda
from tests.engine.images import chains, plain, rgba64, wide
from tests.engine.kernel.test_generated_text import assert_right
from tests.engine.ops.test_parity import assert_parity
from tests.thorough import examples
from tests.tolerance import CHAIN

UP, RED = ops.Exposure(1.0), ops.Cdl((1.2, 1.0, 0.9))
LOOK = FileLook("looks/film.cube", (ops.Lut1d([0.0, 0.6, 1.0]), ops.Saturation(0.5)))
SOME = Mix((UP, RED, ops.Lut1d([0.0, 0.4, 1.0]), ops.Contrast(1.3)), 0.35)


@st.composite
def mixed(draw: st.DrawFn) -> Mix:
    return Mix(tuple(draw(chains(1, 3))), draw(st.integers(1, 64)) / 64)


def lerp(run: Any, rgba: Any, amount: float) -> Any:
    """What a mix is by its definition: the ops' float64 references, one after the other, and a weighted mean."""
    inner = rgba
    for op in run:
        inner = op.reference(inner)
    with np.errstate(invalid="ignore"):
        return rgba * (1.0 - amount) + inner * amount


@settings(max_examples=examples(10))
@given(mixed())
def test_a_mix_is_a_weighted_mean_of_the_image_and_what_the_ops_make_of_it(mix: Mix) -> None:
    rgba = rgba64(wide())
    with np.errstate(over="ignore"):
        assert np.allclose(mix.reference(rgba), lerp(mix.ops, rgba, mix.amount), 1e-12, 1e-300, equal_nan=True)


def test_a_mix_on_every_backend(backend: str, executor: TiledExecutor) -> None:
    @settings(max_examples=2)
    @given(mixed())
    def check(mix: Mix) -> None:
        assert_parity(executor, [mix], backend, [(np.float32, 4)])

    check()
    assert_parity(executor, [SOME, UP], backend, [(np.float16, 3)])


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_the_cuda_text_of_mixes_on_the_host(tmp_path: Path) -> None:
    runs: list[list[ColorOp]] = [[SOME], [UP, SOME, RED]]

    @settings(max_examples=2)
    @given(mixed())
    def take(mix: Mix) -> None:
        if not mix.is_identity():  # it is never run
            runs.append([mix])

    take()
    host, image = HostCuda(runs, tmp_path), wide()
    for number, run in enumerate(runs):
        assert_right(run, image, host(number, run, image), CHAIN)


@pytest.mark.parametrize("dialect", [NUMBA, WGSL, CUDA])
def test_sliders_within_a_mix_and_its_amount_are_uniforms(dialect: dict[str, str]) -> None:
    moved = Mix((ops.Exposure(-3.0), ops.Cdl((0.2, 2.0, 1.0)), ops.Lut1d([0.0, 0.5, 0.9, 1.0]), *SOME.ops[3:]), 0.9)
    assert moved.structure == SOME.structure
    program = trace([SOME])
    assert print_body(program, dialect) == print_body(trace([moved]), dialect)
    assert (program.arguments.uniform_values([moved]) != program.arguments.uniform_values([SOME])).any()
    assert program.arguments.table_values([moved]) == [moved.ops[2].curve]  # type: ignore[attr-defined]
    assert Mix(SOME.ops[:2], 0.35).structure != SOME.structure


def test_moving_a_slider_of_a_mix_compiles_nothing(executor: TiledExecutor) -> None:
    executor.prepare([SOME])
    assert executor.prepared([SOME.replace(amount=0.1)])
    assert executor.prepared([Mix((ops.Exposure(2.0), *SOME.ops[1:]), 0.8)])


def test_alpha_is_carried_bit_for_bit_unless_the_ops_touch_it(executor: TiledExecutor) -> None:
    image = plain()
    assert (executor.execute_color(image, [SOME])[..., 3] == image[..., 3]).all()
    halved = ops.Matrix((1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert executor.execute_color(image, [Mix((halved,), 0.5)])[..., 3] == pytest.approx(image[..., 3] / 2)


def test_a_mix_of_a_long_look_does_not_exhaust_the_stack() -> None:
    assert trace([Mix((RED, ops.Contrast(1.1)) * 60, 0.5)]).instructions


def test_a_mix_is_fused_with_its_neighbours() -> None:
    grade = Grade([UP, Layer(LOOK, mix=0.5), RED])
    (step,) = plan(grade).steps
    assert isinstance(step, PointStep)
    assert step.ops == (UP, Mix(LOOK.ops, 0.5), RED)  # type: ignore[arg-type]


def test_an_entry_that_is_bypassed_does_not_run() -> None:
    assert Grade([UP, Layer(RED, enabled=False), LOOK]).effective == (UP, *LOOK.ops)
    assert Grade([Layer(ops.Blur(3.0), enabled=False)]).effective == ()
    assert Grade([UP, Layer(RED, mix=0.0)]).effective == (UP,)


def test_solo_silences_the_others() -> None:
    grade = Grade([UP, Layer(RED, solo=True), LOOK, Layer(UP, enabled=False, solo=True)])
    assert grade.effective == (RED,)
    assert grade.running == (False, True, False, False)
    assert grade.without_solo() == Grade(
        [Layer(UP, enabled=False), RED, Layer(LOOK, enabled=False), Layer(UP, enabled=False)]
    )
    assert grade.without_solo().effective == grade.effective


def test_a_layer_that_is_no_more_than_its_entry_is_the_entry() -> None:
    assert Grade([Layer(UP)]) == Grade([UP])
    assert Grade([Layer(UP)]).entries == (UP,)
    assert layer_of(UP) == Layer(UP)


def test_what_resizes_has_no_mix() -> None:
    assert mixes(ops.Blur(2.0))
    assert not mixes(ops.Resize(2.0, 2.0))
    with pytest.raises(GradeError, match="can't be mixed with its input"):
        Layer(ops.Resize(2.0, 2.0), mix=0.5)


@settings(max_examples=examples(10))
@given(st.lists(st.tuples(st.sampled_from([UP, RED, LOOK]), st.booleans(), st.integers(0, 8), st.booleans())))
def test_layers_survive_json(parts: list[tuple[Any, bool, int, bool]]) -> None:
    grade = Grade(Layer(entry, enabled, eighths / 8, solo) for entry, enabled, eighths, solo in parts)
    again = Grade.from_json(through_text(grade.to_json()))
    assert again == grade
    assert again.structure == grade.structure


def test_the_form_on_disk_is_stable() -> None:
    data = Grade([UP, Layer(RED, False, 0.25, True)]).to_json()
    layer = {"entry": RED.to_json(), "enabled": False, "mix": 0.25, "solo": True}
    assert data == {"tessera": "grade", "version": 2, "entries": [UP.to_json(), layer]}
    assert Grade([UP]).to_json()["version"] == 1, "an older Tessera reads it"
    assert Grade.from_json(data | {"entries": [{"entry": RED.to_json()}]}) == Grade([RED])


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        ({"entry": {"op": "Exposure"}, "mix": 1.5}, "the mix of an entry must be a number from 0 to 1, not 1.5"),
        ({"entry": {"op": "Exposure"}, "mix": "x"}, "the mix of an entry must be a number"),
        ({"entry": {"op": "Exposure"}, "mix": True}, "the mix of an entry must be a number"),
        ({"entry": {"op": "Exposure"}, "enabled": 1}, "must be true or false"),
        ({"entry": {"op": "Resize", "width": 2.0}, "mix": 0.5}, "can't be mixed with its input"),
        ({"entry": {"entry": {"op": "Exposure"}}}, "there is no op named None"),
        ({"entry": None}, "there is no op named None"),
    ],
)
def test_what_is_wrong_with_a_layer_is_said(layer: Any, says: str) -> None:
    with pytest.raises(GradeError) as caught:
        Grade.from_json({"tessera": "grade", "version": 2, "entries": [layer]})
    assert says in str(caught.value)


def test_a_cdl_can_not_say_a_mix_but_takes_what_is_bypassed_for_nothing() -> None:
    from engine.ocio.cdl_files import as_one_cdl

    assert as_one_cdl(Grade([Layer(ops.Contrast(2.0), enabled=False), RED])) == RED
    with pytest.raises(GradeError, match="a CDL can't store a mix of 25 % here"):
        as_one_cdl(Grade([Layer(RED, mix=0.25)]))


def test_the_header_tells_of_mixes_and_keeps_solo_to_its_own_grade() -> None:
    part = PartInfo(0, "", "scanline", (ChannelInfo("R", "half"),), (0, 0, 1, 1), (0, 0, 1, 1))
    record = dict(record_of(Grade([Layer(RED, mix=0.25), Layer(LOOK, False)]), part, ("",))[0])
    assert record["tessera:cdl"].startswith("slope 1.2 1 0.9 ")
    assert record["tessera:cdl"].endswith(" mix 0.25")
    assert '"enabled":false' in record["tessera:grade"]


def test_a_baked_mix_is_within_the_bake_of_its_ops(tmp_path: Path) -> None:
    from engine.luts.baking import bake

    report = bake(Grade([Layer(RED, mix=0.5)]), tmp_path / "half.cube", 17, domain=(0.0, 1.0))
    assert report.max_error < 1e-6, "a mix of a linear op is linear"


def test_moves_and_kinds_of_a_mix() -> None:
    assert list(Mix.kinds()) == ["amount"]
    assert isinstance(Mix.kinds()["amount"], Slider)
    assert Mix((UP,), 0.0).is_identity()
    assert Mix((ops.Exposure(),), 0.5).is_identity()
    assert not SOME.is_identity()
    with pytest.raises(AttributeError):
        _ = SOME.nothing
