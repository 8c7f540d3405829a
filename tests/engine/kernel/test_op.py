"""Fields are checked when an op is made, ops are values, and the registry knows them all."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ops
from engine.errors import GradeError
from engine.kernel import op
from engine.kernel.op import REGISTRY, Choice, ColorOp, ImageOp, Op, Slider, Table, TableKind, color_ops
from tests.engine.images import any_color_op, cubes, curves, ops_of
from tests.thorough import examples

EVERY = [pytest.param(cls, id=name) for name, cls in REGISTRY.items()]


def test_registry_is_what_the_package_exports() -> None:
    exported = {name for name in ops.__all__ if inspect.isclass(getattr(ops, name))}
    assert exported == set(REGISTRY)
    assert all(getattr(ops, name) is cls for name, cls in REGISTRY.items())
    assert list(color_ops()) == [cls for cls in REGISTRY.values() if issubclass(cls, ColorOp)]
    assert all(issubclass(cls, (ColorOp, ImageOp)) for cls in REGISTRY.values())


@pytest.mark.parametrize("cls", EVERY)
def test_every_op_is_frozen_documented_and_of_known_fields(cls: type[Op]) -> None:
    assert dataclasses.is_dataclass(cls)
    assert (cls.__doc__ or "").strip()
    assert cls.title()
    for name, kind in cls.kinds().items():
        assert isinstance(kind, (Slider, Choice, TableKind)), name
        if isinstance(kind, Slider):
            numbers = kind.default if isinstance(kind.default, tuple) else (kind.default,)
            assert kind.low < kind.high
            assert kind.clean(name, kind.default) == kind.default
            assert kind.minimum is None or min(numbers) >= kind.minimum
        if isinstance(kind, Choice):
            assert kind.default == kind.options[0]
            assert len(set(kind.options)) == len(kind.options) > 1


@settings(max_examples=examples(20))
@given(op=any_color_op())
def test_ops_are_values(op: ColorOp) -> None:
    twin = op.replace()
    assert twin == op
    assert hash(twin) == hash(op)
    assert pickle.loads(pickle.dumps(op)) == op
    assert op.structure == twin.structure
    name = next(iter(op.kinds()), None)
    if name:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(op, name, 1.0)


@settings(max_examples=examples(20))
@given(op=any_color_op(), data=st.data())
def test_structure_is_choices_and_not_sliders(op: ColorOp, data: st.DataObject) -> None:
    other = data.draw(ops_of(type(op)))
    same_words = all(
        getattr(op, n) == getattr(other, n) for n, k in op.leaves().items() if isinstance(k, Choice)
    ) and all(
        getattr(op, n).channels == getattr(other, n).channels
        for n, k in op.kinds().items() if isinstance(k, TableKind)
    )  # fmt: skip
    assert (op.structure == other.structure) is same_words


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ops.Exposure("bright"), "Exposure.stops must be a finite number, not 'bright'"),
        (lambda: ops.Exposure(None), "Exposure.stops must be a finite number, not None"),
        (lambda: ops.Exposure(float("nan")), "Exposure.stops must be a finite number, not nan"),
        (lambda: ops.Exposure(float("inf")), "Exposure.stops must be a finite number, not inf"),
        (lambda: ops.Exposure((1.0, 2.0)), "Exposure.stops must be a finite number, not (1.0, 2.0)"),
        (lambda: ops.Cdl((1.0, 2.0)), "Cdl.slope must be 3 finite numbers, not (1.0, 2.0)"),
        (lambda: ops.Exposure((1.25,) * 100_000), f"number, not ({'1.25, ' * 12}1.25..."),
        (lambda: ops.Cdl(style="loud" * 100_000), "must be one of noclamp, asc, not 'loudloud"),
        (lambda: ops.Cdl(1.0), "Cdl.slope must be 3 finite numbers, not 1.0"),
        (lambda: ops.Cdl((1.0, 1.0, -0.5)), "Cdl.slope must be at least 0, not -0.5"),
        (lambda: ops.Cdl(power=(0.0, 1.0, 1.0)), "Cdl.power must be at least 1e-06, not 0"),
        (lambda: ops.Cdl(style="loud"), "Cdl.style must be one of noclamp, asc, not 'loud'"),
        (lambda: ops.Cdl(slope=(0.0, 1.0, 1.0), direction="reverse"), "can't be reversed"),
        (lambda: ops.Lut1d([[1.0]]), "Lut1d.curve must have the shape (size, 1|3) with at least 2 entries, not (1, 1)"),
        (lambda: ops.Lut1d(np.zeros((4, 2))), "Lut1d.curve must have the shape"),
        (lambda: ops.Lut1d([0.0, 1.0], (1.0, 1.0)), "must rise"),
        (lambda: ops.Lut1d([0.0, 1.0], index="half"), "needs 65536 entries, not 2"),
        (lambda: ops.Lut3d(np.zeros((2, 2, 3, 3))), "Lut3d.cube must have the shape"),
        (lambda: ops.Lut3d(np.zeros((2, 2, 2, 4))), "Lut3d.cube must have the shape"),
        (lambda: ops.Lut3d(np.zeros((130, 130, 130, 3), np.float16)), "130 entries along an axis; 129 is the most"),
        (lambda: ops.Lut3d(np.zeros((2, 2, 2, 3)), low=(0.0, 1.0, 0.0)), "must rise on every axis"),
        (lambda: ops.Matrix((1.0,) * 15), "Matrix.matrix must be 16 finite numbers"),
        (lambda: ops.Matrix((1.0,) * 16, form="diagonal"), "must be 0 off its diagonal"),
        (lambda: ops.Range(1.0, 0.0), "must rise"),
        (lambda: ops.Resize(1.5, 2.0), "1.5 x 2"),
        (lambda: ops.Resize(0.0, 2.0), "Resize.width must be at least 1, not 0"),
        (lambda: ops.Blur(-1.0), "Blur.radius must be at least 0, not -1"),
        (lambda: ops.Saturation(0.0).inverse(), "no inverse"),
        (lambda: ops.Matrix((0.0,) * 16).inverse(), "singular"),
        (lambda: ops.Lut3d(np.zeros((2, 2, 2, 3))).inverse().inverse(), "3D LUT, inverse has no exact inverse"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make: Any, says: str) -> None:
    with pytest.raises(GradeError) as caught:
        make()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_field_that_is_not_there_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError):
        ops.Exposure(brightness=1.0)


def test_numbers_are_taken_as_floats() -> None:
    assert ops.Exposure(np.float32(0.5)).stops == 0.5
    assert type(ops.Exposure(1).stops) is float
    assert ops.Cdl(np.array([1, 2, 3])).slope == (1.0, 2.0, 3.0)
    assert ops.Exposure("1.5") == ops.Exposure(1.5)


@settings(max_examples=examples(10))
@given(table=st.one_of(curves(), cubes()))
def test_tables_are_equal_by_content(table: Table) -> None:
    twin = Table(table.array.copy())
    assert twin == table
    assert hash(twin) == hash(table)
    assert twin.name == table.name
    changed = table.array.copy()
    changed.flat[-1] += 1.0
    assert Table(changed) != table
    assert Table(table.array[::-1].copy()) != table or (table.array[::-1] == table.array).all()
    assert Table.from_json(table.to_json()) == table


def test_a_table_can_not_be_changed_from_outside() -> None:
    array = np.array([0.0, 0.5, 1.0], np.float32)
    table = Table(array)
    array[0] = 9.0
    assert table.array[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        table.array[0] = 1.0


def test_tables_of_one_content_and_two_shapes_differ() -> None:
    values = np.arange(24, dtype=np.float32)
    assert Table(values.reshape(8, 3)) != Table(values.reshape(2, 2, 2, 3))


@pytest.mark.parametrize("name", ["space", "label", "pixel", "structure", "replace", "inverse"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: op.slider(1.0),
        lambda: op.choice("a", "b"),
        lambda: op.table("curve"),
        lambda: op.derived()(lambda op: 1.0),
    ],
)
def test_a_field_that_would_hide_an_attribute_of_every_op_is_refused(name: str, make: Any) -> None:
    value = make()
    fields = {name: "Any"} if isinstance(value, dataclasses.Field) else {}
    with pytest.raises(TypeError, match=rf"Hiding\.{name} would hide"):
        type("Hiding", (ColorOp,), {"__annotations__": fields, name: value})
    assert "Hiding" not in REGISTRY


def test_a_plain_field_that_would_hide_an_attribute_is_refused_in_ops_without_a_panel_too() -> None:
    with pytest.raises(TypeError, match=r"Hiding\.home would hide"):

        class Hiding(ColorOp, abstract=True):
            home: int  # type: ignore[misc, assignment]  # as the test wants it


def test_no_op_hides_what_every_op_has() -> None:
    common = {name for base in (Op, ColorOp, ImageOp) for name in vars(base) if not name.startswith("__")}
    for cls in REGISTRY.values():
        assert not common & set(cls.leaves()), cls


def test_a_new_op_is_one_class() -> None:
    from engine.kernel.op import slider

    try:

        class Twice(ColorOp):
            """Doubles."""

            gain: float = slider(2.0, 0.0, 4.0)

            def pixel(self, px: Any) -> Any:
                return px.rgb * self.gain

        assert REGISTRY["Twice"] is Twice
        rgba = np.array([[0.1, 0.2, 0.3, 0.4]])
        assert Twice().reference(rgba).tolist() == [[0.2, 0.4, 0.6, 0.4]]
        assert Op.from_json(Twice(3.0).to_json()) == Twice(3.0)
        with pytest.raises(GradeError, match="Twice has no exact inverse"):
            Twice().inverse()
        from engine import create_executor

        image = np.full((3, 5, 4), 0.25, np.float32)
        assert (create_executor("cpu").execute_color(image, [Twice(2.5)])[..., :3] == 0.625).all()
    finally:
        del REGISTRY["Twice"]
