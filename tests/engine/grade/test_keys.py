"""Keys of entries: which numbers have them, the grade at a frame, JSON, edits that keep them, and what is refused."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import pytest

import engine
from engine import FileLook, Grade, ops
from engine.color.management import manage
from engine.errors import GradeError
from engine.grade import ColourSetup, Curve, Key
from engine.grade.grade import VERSION, layer_of
from engine.grade.keys import (
    animatable,
    keyed_frames,
    keys_of,
    numbers_of,
    value_at_path,
    with_curve,
    with_key,
    with_matte,
    with_op,
    with_value,
    without_key,
    without_keys,
)
from engine.grade.parameters import Parts, numbers_of_op
from engine.kernel.op import REGISTRY
from engine.mattes import SOURCES, Leaf, Matte, NormalFacing, Path
from tests.engine.grade.test_grade import through_text
from tests.engine.matte_grades import BOX, HERO, RAMP, RED, SKIN_AFTER, SOFT, UP, branch

Layer: Any = engine.Layer  # keys are also given as dictionaries
Group: Any = engine.Group
VERTICES = tuple((x, y, 0.0, 0.0, 0.0, 0.0) for x, y in ((10.0, 10.0), (90.0, 10.0), (90.0, 90.0), (10.0, 90.0)))
ROTO = Leaf(Path(points=VERTICES))
TREE: Any = Matte(branch("union", SOFT, branch("subtraction", BOX, ROTO)), feather=2.0)


def ramp(low=0.0, high=1.0, frames=(0, 10), kind="linear"):
    return Curve(Key(frame, value, kind) for frame, value in zip(frames, (low, high), strict=True))


def test_names_of_numbers_are_never_those_of_switches():
    for cls in (*REGISTRY.values(), *SOURCES.values()):
        assert not {"mix", "matte", "opacity", "tree"} & set(cls.kinds())


def test_each_number_of_an_entry_has_a_path_and_can_have_a_key():
    layer = Layer(RED, matte=TREE)
    paths = animatable(layer)
    assert {"slope.0", "slope.2", "saturation", "mix", "matte.feather", "matte.gamma"} <= set(paths)
    assert {"matte.tree.0.opacity", "matte.tree.1.center.1", "matte.tree.4.points.3.5"} <= set(paths)
    assert "style" not in paths and "matte.tree.1.enabled" not in paths
    values = numbers_of(layer)
    for path in paths:
        at: Any = Grade([with_key(layer, path, 3, values[path])]).at(8)
        assert at.settled == Grade([layer]) and at.entries[0].varying == {path}
    changed: Any = with_value(layer, "matte.tree.4.points.3.1", 95.0)
    assert value_at_path(changed, "matte.tree.4.points.3.1") == 95.0 and changed.entry == RED
    assert value_at_path(with_value(UP, "stops", 2.0), "stops") == 2.0
    assert animatable(ops.Resize(3, 3)) == () and animatable(FileLook("a.cube", (UP,))) == ("mix",)
    assert animatable(Group((UP,), matte=Matte(SOFT)))[:2] == ("mix", "matte.feather")


def test_a_grade_at_a_frame_is_plain():
    inner = Layer(RED, keys={"slope.1": ramp(1.0, 3.0), "mix": ramp()})
    group = Group(
        (inner, UP), "look", matte=TREE, keys={"mix": ramp(1.0, 0.5), "matte.tree.1.center.0": ramp(0.0, 8.0)}
    )
    grade = Grade([UP, Layer(group, enabled=False), Layer(UP, keys={"stops": ramp(-1.0, 1.0)})])
    at = grade.at(5)
    entries: Any = at.entries
    assert grade.is_animated and not at.is_animated and grade.at(5) is at
    first, second, last = entries
    assert first is UP and last.entry == ops.Exposure(0.0)
    assert second.mix == 0.75 and second.matte.root.nodes[0].source.center[0] == 4.0
    assert second.entries[0].entry.slope == (1.2, 2.0, 0.9) and not second.enabled
    assert at.settled.to_json() == at.to_json() and Grade.from_json(through_text(at.to_json())) == at.settled
    assert at.settled.entries[2] == ops.Exposure(0.0)
    plain = Grade([UP, Group((UP, Layer(RED, mix=0.5)), "a")])
    assert plain.at(7) is plain and plain.settled is plain


def test_values_at_a_frame_never_change_the_structure():
    keys = {"stops": ramp(-1.0, 1.0), "mix": ramp(0.0, 1.0)}
    soft = {"matte.feather": ramp(0.0, 4.0), "matte.grow": ramp(-4.0, 4.0), "matte.gamma": ramp(0.5, 1.5)}
    shaped = {"matte.gain": ramp(), "matte.tree.0.opacity": ramp()}
    grade = Grade([
        Layer(UP, keys=keys),
        Layer(ops.Matrix(), keys={"offset.0": ramp(-1.0, 1.0)}),
        ops.Matrix(offset=(0.1, 0.0, 0.0, 0.0)),
        Layer(ops.Blur(2.0), keys={"radius": ramp(0.0, 4.0)}),
        Layer(ops.Blur(2.0), keys={"mix": ramp()}),
        Layer(RED, matte=TREE, keys=soft | shaped),
    ])  # fmt: skip
    assert len({grade.at(frame).structure for frame in (0, 3, 5, 10)}) == 1
    assert [len(grade.at(frame).effective) for frame in (0, 5, 10)] == [6, 6, 6]


def test_conversions_are_the_same_at_every_frame():
    managed = manage(ColourSetup(input="ACEScg", output="ACES2065-1"))
    group = Group((Layer(UP, keys={"stops": ramp()}), Layer(RED, keys={"mix": ramp()})), keys={"mix": ramp(1.0, 0.0)})
    window = Layer(ops.Cdl(), matte=Matte(SKIN_AFTER), keys={"slope.0": ramp(1.0, 2.0), "matte.gain": ramp()})
    grade = Grade([Layer(ops.Cdl(style="noclamp"), keys={"offset.1": ramp()}), group, window])
    found = [managed.expanded(grade.at(frame)) for frame in (0, 5, 10)]
    assert len({tuple(op.structure for op in each) for each in found}) == 1
    assert len(managed.expanded(grade.at(0).settled)) < len(found[0])
    with pytest.raises(GradeError, match="a grade with keys has values at a frame alone"):
        managed.expanded(grade)


def test_json_has_version_4_only_with_keys():
    layer = Layer(UP, matte=TREE, keys={"stops": ramp(), "matte.tree.4.points.3.1": ramp(1.0, 9.0, kind="hold")})
    for entry in (layer, Group((layer,)), Group((UP,), keys={"mix": ramp()})):
        grade = Grade([entry])
        assert grade.to_json()["version"] == VERSION == 4
        read = Grade.from_json(through_text(grade.to_json()))
        assert read == grade and hash(read) == hash(grade)
        assert pickle.loads(pickle.dumps(grade)) == grade
        assert grade.at(4).to_json()["version"] == 3
    assert Grade([Layer(UP, keys={"stops": ramp()})]).at(3).to_json()["version"] == 1
    assert "keys" not in json.dumps(Grade([Layer(UP, mix=0.5)]).to_json())


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"gain": ramp()}, "Exposure has no number at 'gain' that keys can change"),
        ({"slope.0": ramp()}, "has no number at 'slope.0'"),
        ({"matte.tree.9.opacity": ramp()}, "has no number at 'matte.tree.9.opacity'"),
        ({"matte.tree.01.opacity": ramp()}, "has no number at 'matte.tree.01.opacity'"),
        ({"matte.tree.4.points": ramp()}, "has no number at 'matte.tree.4.points'"),
        ({"matte.inverted": ramp()}, "has no number at 'matte.inverted'"),
        ({"mix": ramp(0.0, 2.0)}, "the key of mix at frame 10: it must be a number from 0 to 1, not 2"),
        ({"matte.feather": ramp(-1.0, 0.0)}, "the key of matte.feather at frame 0: it must be a number from 0 to 1024"),
        ({"matte.tree.0.opacity": ramp(0.0, 3.0)}, "matte.tree.0.opacity at frame 10: it must be a number from 0 to 1"),
        ({"matte.tree.1.size.0": ramp()}, "matte.tree.1.size.0 at frame 0: Ellipse.size must be at least 0.5, not 0"),
        ({"matte.tree.4.points.0.0": ramp(0.0, 1e7)}, "must be a number from -1e+06 to 1e+06, not 1e+07"),
        ({"stops": 3.0}, "must be curves by the paths"),
    ],
)
def test_keys_that_do_not_fit_are_errors(keys, says):
    with pytest.raises(GradeError) as caught:
        Layer(UP, matte=TREE, keys=keys)
    assert says in str(caught.value)


def test_values_are_judged_together_with_those_of_other_keys():
    layer = Layer(ops.Range(), keys={"min_in": ramp(0.0, 5.0), "max_in": ramp(1.0, 6.0)})
    assert value_at_path(Grade([layer]).at(5).entries[0], "min_in") == 2.5
    with pytest.raises(GradeError, match="the key of min_in at frame 10: a range must rise"):
        Layer(ops.Range(), keys={"min_in": ramp(0.0, 5.0)})
    turning = {"matte.tree.0.direction.1": ramp(1.0, -1.0)}
    facing = Grade([Layer(UP, matte=Matte(Leaf(NormalFacing())), keys=turning)])
    with pytest.raises(GradeError, match=r"Exposure at frame 5: NormalFacing\.direction must not be 0"):
        facing.at(5)
    with pytest.raises(GradeError, match="resizes the image can't have keys"):
        Layer(ops.Resize(4, 4), keys={"width": ramp(1.0, 4.0)})
    with pytest.raises(GradeError, match="can't have two mixes"):
        Layer(Group((UP,), keys={"mix": ramp()}), mix=0.5)


def test_another_switch_does_not_check_keys_again(monkeypatch: pytest.MonkeyPatch):
    grade = Grade([with_key(UP, "stops", 1, 1.0), with_key(Group((UP,)), "mix", 1, 0.5)])
    monkeypatch.setattr(Parts, "check", lambda *_: pytest.fail("checked again"))
    solo = grade.with_entries(replace(layer_of(entry), solo=True, enabled=False) for entry in grade.entries)
    assert len(grade.active) == 2 and not solo.active and len(grade.at(3).entries) == 2
    with pytest.raises(pytest.fail.Exception, match="checked again"):
        with_value(grade.entries[0], "stops", 2.0)


def test_edits_of_keys():
    entry = with_key(with_key(UP, "stops", 5, 1.0, "hold"), "stops", 9, 2.0)
    assert keys_of(entry)["stops"] == Curve([Key(5, 1.0, "hold"), Key(9, 2.0)])
    assert keyed_frames(Grade([Group((entry,)), with_key(RED, "mix", 7, 0.5)])) == (5, 7, 9)
    entry = without_key(entry, "stops", 5)
    assert without_key(entry, "stops", 9) == ops.Exposure(2.0) == without_keys(entry, "stops", 0)
    assert with_curve(entry, "stops", None) == UP
    group = with_key(Group((UP,), "a"), "mix", 1, 0.5)
    assert isinstance(group, Group) and value_at_path(with_value(group, "mix", 0.25), "mix") == 0.25
    assert keys_of(with_op(entry, ops.Exposure(0.1))) == keys_of(entry) and not keys_of(with_op(entry, RED))
    with pytest.raises(GradeError, match="no number at 'slope'"):
        with_key(RED, "slope", 1, 1.0)
    with pytest.raises(GradeError, match="no number at 'slope'"):
        value_at_path(RED, "slope")


def test_keys_follow_the_nodes_of_a_matte():
    keyed = "stops", "matte.feather", "matte.tree.1.center.0", "matte.tree.3.opacity"
    layer = Layer(UP, matte=TREE, keys=dict.fromkeys(keyed, ramp()))

    def paths(matte):
        return set(keys_of(with_matte(layer, matte)))

    both = {"stops", "matte.feather"}
    soft, inner = TREE.root.nodes
    more = replace(TREE, root=branch("union", HERO, branch("union", soft, HERO, opacity=0.5), inner))
    assert paths(more) == {*both, "matte.tree.3.center.0", "matte.tree.6.opacity"}
    assert paths(replace(TREE, root=replace(TREE.root, nodes=(inner, soft)))) == {
        *both, "matte.tree.4.center.0", "matte.tree.2.opacity"
    }  # fmt: skip
    switched = replace(soft, opacity=0.3, source=soft.source.replace(rotation=3.0))
    assert paths(replace(TREE, root=replace(TREE.root, nodes=(switched, inner)))) == set(keys_of(layer))
    assert paths(Matte(BOX)) == {*both, "matte.tree.0.opacity"} and paths(Matte(RAMP)) == both
    assert paths(None) == {"stops"}


def test_keys_follow_the_vertices_of_a_path():
    layer = Layer(UP, matte=Matte(ROTO), keys={f"matte.tree.0.points.{n}.0": ramp(n, n + 1.0) for n in (0, 2, 3)})

    def paths(points):
        found = keys_of(with_matte(layer, Matte(Leaf(Path(points=points)))))
        return {int(path.split(".")[4]): curve.at(0) for path, curve in found.items()}

    extra = ((90.0, 50.0, 0.0, 0.0, 0.0, 0.0),)
    assert paths((*VERTICES[:2], *extra, *VERTICES[2:])) == {0: 0.0, 2: 46.0, 3: 2.0, 4: 3.0}
    assert paths((*VERTICES, *extra)) == {0: 0.0, 2: 2.0, 3: 3.0, 4: 81.5}
    assert paths((*VERTICES[:2], *VERTICES[3:])) == {0: 0.0, 2: 3.0}
    assert paths(VERTICES[1:]) == {1: 2.0, 2: 3.0}


def test_a_new_vertex_moves_as_those_beside_it():
    keys = {"matte.tree.0.points.0.0": ramp(10.0, 30.0), "matte.tree.0.points.1.0": ramp(90.0, 130.0, (0, 20))}
    layer = Layer(RED, matte=Matte(ROTO), keys=keys)
    middle = (50.0, 10.0, 0.0, 0.0, 0.0, 0.0)
    found = keys_of(with_matte(layer, Matte(Leaf(Path(points=(VERTICES[0], middle, *VERTICES[1:]))))))
    assert set(found) == {f"matte.tree.0.points.{place}.0" for place in (0, 1, 2)}
    assert [found["matte.tree.0.points.1.0"].at(frame) for frame in (0, 10, 20)] == [50.0, 70.0, 80.0]
    beside = Matte(Leaf(Path(points=(*VERTICES[:3], middle, VERTICES[3]))))
    assert set(keys_of(with_matte(layer, beside))) == set(keys)  # its neighbours have no keys


def test_a_copy_of_a_node_has_its_keys():
    layer = Layer(RED, matte=Matte(branch("union", SOFT, BOX)), keys={"matte.tree.1.opacity": ramp()})
    found = keys_of(with_matte(layer, Matte(branch("union", SOFT, BOX, SOFT))))
    assert dict(found) == {f"matte.tree.{number}.opacity": ramp() for number in (1, 3)}


def test_nodes_are_found_again_by_their_values():
    ends = Matte(branch("union", Leaf(Path(points=VERTICES)), Leaf(Path(points=VERTICES[:3]))))
    layer = Layer(RED, matte=ends, keys={"matte.tree.1.opacity": ramp()})
    turned = Matte(branch("union", Leaf(Path(points=VERTICES[:3])), Leaf(Path(points=VERTICES))))
    assert set(keys_of(with_matte(layer, turned))) == {"matte.tree.2.opacity"}


def test_keys_follow_the_size_of_the_display_window():
    matte = replace(TREE, frame=(200, 100))
    layer = Layer(UP, matte=matte, keys={"matte.tree.1.center.0": ramp(10.0, 20.0), "matte.feather": ramp(1.0, 2.0)})
    found = keys_of(with_matte(layer, matte.fitted(400, 200)))
    assert found["matte.tree.1.center.0"] == ramp(20.0, 40.0) and found["matte.feather"] == ramp(2.0, 4.0)


def test_every_source_and_op_has_numbers_that_can_be_set_again():
    for cls in SOURCES.values():
        source = cls.for_frame(640, 480)
        matte = Matte(Leaf(source))
        layer = Layer(UP, matte=matte)
        assert {f"matte.tree.0.{path}" for path in numbers_of_op(source)} <= set(animatable(layer))
        keys = {path: Curve([Key(0, value)]) for path, value in numbers_of(layer).items()}
        assert Grade([Layer(UP, matte=matte, keys=keys)]).at(0).settled == Grade([layer])
