"""Coverages of trees as an op: on every backend what the float64 reference gives, and a kernel for each structure."""

from __future__ import annotations

import numpy as np
import pytest

from engine import Grade, Layer
from engine.compute.executor import TiledExecutor
from engine.core.geometry import Place
from engine.kernel.codegen import trace
from engine.kernel.op import REGISTRY
from engine.mattes import SOURCES, Branch, Cryptomatte, Leaf, Matte
from engine.mattes.coverage import Cover, Coverage, Held, HeldCoverage, SourceChannel, constant
from tests.engine.images import rgba64
from tests.engine.matte_grades import BOX, FAR, HERO, PLACE, RED, SKIN, SOFT, TREE, branch, matte_image, planes_for
from tests.engine.matte_reference import matte_coverage
from tests.tolerance import assert_close

MATTES = (Matte(TREE, gain=1.4, gamma=0.7, inverted=True), Matte(SOFT), Matte(branch("union", FAR, BOX), gain=0.5))


def test_up_to_four_mattes_are_the_channels(executor: TiledExecutor) -> None:
    image = matte_image()
    op = Coverage(tuple(Cover(matte, direct=True) for matte in MATTES))
    refs = tuple(dict.fromkeys(ref for cover in op.covers for ref in cover.refs))
    planes = planes_for(Grade(Layer(RED, matte=matte) for matte in MATTES))
    given = np.zeros((*image.shape[:2], 4), np.float32)
    for channel, ref in enumerate(refs):
        assert not isinstance(ref, SourceChannel | Held)
        given[..., channel] = planes[ref]
    device = executor.primitives
    target = device.allocate(image.shape[1], image.shape[0])
    device.exec_point(device.upload(image), target, [op.wired(refs)], PLACE, [device.upload(given)])
    wanted = [matte_coverage(matte, rgba64(image), PLACE, planes) for matte in MATTES]
    assert_close(device.download(target), np.stack([*wanted, wanted[-1]], axis=-1), executor.name, chain=True)


def test_sliders_change_uniforms_alone_and_switches_the_kernel() -> None:
    def of(opacity: float, gain: float, **switches: bool) -> Coverage:
        return Coverage((Cover(Matte(branch("union", Leaf(HERO.source, opacity, **switches), FAR), gain=gain)),))

    one, other = of(1.0, 1.0), of(0.25, 3.0)
    assert one.structure == other.structure
    program = trace([one])
    assert program.instructions == trace([other]).instructions
    changed = program.arguments.uniform_values([one]) != program.arguments.uniform_values([other])
    assert changed.sum() == 2
    assert getattr(other, "0.gain") == 3.0
    assert getattr(other, "0.1.opacity") == 0.25
    assert len({op.structure for op in (one, of(1.0, 1.0, inverted=True), of(1.0, 1.0, enabled=False))}) == 3
    with pytest.raises(AttributeError):
        _ = one.gain


def test_a_gamma_of_1_takes_no_power() -> None:
    """But for coverage that was evaluated before, whose kernel is the same for any gamma."""

    def powers(matte: Matte) -> int:
        return sum(each.op == "pow" for each in trace([Coverage((Cover(matte),))]).instructions)

    held = Leaf(HeldCoverage(Held(-1, 0)))
    assert [powers(Matte(HERO)), powers(Matte(HERO, gamma=2.0)), powers(Matte(held))] == [0, 1, 1]
    assert Cover(Matte(held)).structure == Cover(Matte(held, gamma=2.0)).structure


def test_refs_are_the_planes_of_enabled_leaves() -> None:
    off = Leaf(FAR.source, enabled=False)
    cover = Cover(Matte(branch("union", HERO, HERO, off, branch("union", FAR, enabled=False), SKIN)))
    assert cover.refs[:-4] == HERO.source.planes
    assert Cover(cover.matte, direct=True).refs == HERO.source.planes
    held = Leaf(HeldCoverage(Held(-1, 0)))
    assert Cover(Matte(branch("union", held, HERO))).refs == (Held(-1, 0), *HERO.source.planes)


def test_large_trees_do_not_exhaust_the_stack() -> None:
    leaves = [Leaf(HERO.source, opacity=0.5) for _ in range(230)]
    assert trace([Coverage((Cover(Matte(branch("subtraction", *leaves), gamma=0.5)),))]).instructions
    deep: Branch | Leaf = SOFT
    for _ in range(15):
        deep = branch("intersection", deep, BOX, opacity=0.9, inverted=True)
    op = Coverage((Cover(Matte(deep)),))
    px = np.zeros((3, 4, 4))
    expected = matte_coverage(Matte(deep), px, Place(100.0, 90.0, 9.0, 9.0))
    assert np.allclose(op.reference(px, Place(100.0, 90.0, 9.0, 9.0))[..., 0], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("node", "coverage"),
    [
        (SOFT, None),
        (Leaf(SOFT.source, opacity=0.0), 0.0),
        (Leaf(SOFT.source, enabled=False), 0.0),
        (Leaf(SOFT.source, opacity=0.0, inverted=True), 0.0),
        (Branch("union", ()), 0.0),
        (Branch("union", (), inverted=True), 1.0),
        (Branch("union", (Leaf(SOFT.source, enabled=False),), 0.5, True), 0.5),
        (Branch("union", (Branch("union", (), 0.25, True), Branch("union", (), 0.5, True))), 0.5),
        (Branch("subtraction", (Branch("union", (), 1.0, True), Branch("union", (), 0.25, True))), 0.75),
        (Branch("intersection", (SOFT, Branch("union", ()))), None),
    ],
)
def test_coverage_that_no_source_changes(node: Branch | Leaf, coverage: float | None) -> None:
    assert constant(node) == coverage
    if coverage is not None:
        assert (matte_coverage(Matte(node), np.zeros((2, 3, 4))) == coverage).all()
        assert (Coverage((Cover(Matte(node)),)).reference(np.zeros((2, 3, 4))) == coverage).all()


def test_they_are_neither_ops_of_a_grade_nor_sources() -> None:
    assert "Coverage" not in REGISTRY
    assert "HeldCoverage" not in SOURCES
    assert Cover(Matte(Leaf(Cryptomatte()))).refs
