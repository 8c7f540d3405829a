"""Groups of entries and entries with mattes: values, switches, JSON, and what can't hold them."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import FileLook, Grade, Group, Layer, create_executor, ops
from engine.color.management import manage
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.core.geometry import Place
from engine.errors import GradeError
from engine.export.job import changes_alpha
from engine.export.provenance import record_of
from engine.grade import ColourSetup
from engine.grade.blending import Mix
from engine.grade.grade import bare, layer_of, mixes, name_of
from engine.grade.masking import Blend, Masked, matted_name, planes_read
from engine.io.info import ChannelInfo, PartInfo
from engine.kernel.codegen import trace
from engine.luts.look_files import write_look
from engine.mattes import Cryptomatte, Leaf, Matte
from engine.mattes.coverage import Cover
from engine.mattes.planes import ChannelPlane, CoveragePlane, Plane
from tests.engine.grade.test_grade import through_text
from tests.engine.images import plain, rgba64
from tests.engine.matte_grades import FAR, HERO, LUT, RED, SKIN, SKIN_AFTER, SOFT, UP, branch
from tests.engine.matte_reference import graded
from tests.tolerance import assert_close

MATTE = Matte(branch("union", SOFT, HERO), feather=2.0)


# --- values and switches ------------------------------------------------------------------------------------------


def test_a_group_without_switches_is_its_entries() -> None:
    group = Group((UP, Layer(RED, mix=0.5), Group((LUT,), "look")), "base")
    assert Grade([group]).effective == (UP, Mix((RED,), 0.5), *LUT.ops)
    assert Grade([Group(())]).effective == ()
    assert Grade([replace(group, enabled=False), UP]).effective == (UP,)


def test_switches_of_groups_become_one_op() -> None:
    assert Grade([Group((UP, RED), mix=0.5)]).effective == (Mix((UP, RED), 0.5),)
    (masked,) = Grade([Group((UP, RED), "faces", mix=0.5, matte=MATTE)]).effective
    assert masked == Masked((UP, RED), Cover(MATTE), 0.5)
    assert (masked.amount, matted_name(masked)) == (0.5, "faces")
    (blend,) = Grade([Group((UP, ops.Blur(2.0), Layer(RED, matte=MATTE)), mix=0.25)]).effective
    assert blend == Blend((UP, ops.Blur(2.0), Masked((RED,), Cover(MATTE))), None, 0.25)
    assert matted_name(blend) == RED.title()


def test_a_layer_around_a_group_is_the_group() -> None:
    group = Group((UP, RED), "base", enabled=False, mix=0.5, matte=MATTE, solo=True)
    assert layer_of(group) == Layer(Group((UP, RED), "base"), False, 0.5, True, MATTE)
    assert bare(group) == Group((UP, RED), "base")
    assert bare(bare(group)) == bare(group)
    assert Grade([layer_of(group)]).entries == (group,)
    changed = Grade([replace(layer_of(group), mix=0.75)])
    assert changed.entries == (replace(group, mix=0.75),)
    assert Layer(Group((UP,), mix=0.5), mix=0.5).mix == 0.25
    with pytest.raises(GradeError, match="can't have two mattes"):
        Layer(group, matte=MATTE)
    assert Grade([Group((Layer(UP),))]) == Grade([Group((UP,))])


def test_names_of_entries() -> None:
    named: list[Any] = [UP, LUT, Layer(RED, mix=0.5), Group((UP,), "sky"), Group((UP,))]
    assert [name_of(entry) for entry in named] == ["Exposure", "film.cube", RED.title(), "sky", "a group"]


def test_solo_counts_over_all_groups() -> None:
    quiet = Group((UP, Layer(RED, solo=True), Group((LUT, Layer(UP, solo=True), Layer(RED, enabled=False, solo=True)))))
    grade = Grade([RED, quiet, Group((UP, LUT), "all", solo=True), Group((UP,))])
    assert grade.running == (False, True, True, False)
    assert grade.effective == (RED, UP, UP, *LUT.ops)
    assert grade.without_solo().effective == grade.effective
    assert not any(layer_of(entry).solo for entry in grade.without_solo().entries)
    assert grade.active == (Group((RED, Group((UP,)))), Group((UP, LUT), "all"))
    assert Grade([RED, Group((Layer(UP, enabled=False, solo=True),))]).effective == ()


def test_groups_do_not_lie_too_deep() -> None:
    group = Group((UP,))
    for _ in range(15):
        group = Group((group,))
    with pytest.raises(GradeError, match="more than 16 deep"):
        Group((group,))
    data: Any = UP.to_json()
    for _ in range(3000):
        data = {"group": "", "entries": [data]}
    with pytest.raises(GradeError, match="more than 16 deep"):
        Grade.from_json({"tessera": "grade", "version": 3, "entries": [data]})


def test_what_resizes_has_neither_mix_nor_matte() -> None:
    resize = ops.Resize(9.0, 9.0)
    assert not mixes(Group((UP, Group((resize,)))))
    assert mixes(Group((UP, ops.Blur(2.0))))
    assert not mixes(Group((Layer(resize, enabled=False),)))
    with pytest.raises(GradeError, match="can't have a matte; remove its matte"):
        Layer(resize, matte=MATTE)
    with pytest.raises(GradeError, match="can't have a matte; remove its matte"):
        Group((UP, Group((resize,))), matte=MATTE)
    with pytest.raises(GradeError, match="can't be mixed with its input; set its mix to 1"):
        Group((Layer(resize, enabled=False),), mix=0.5)
    with pytest.raises(GradeError, match="the matte of an entry must be a matte, not Leaf"):
        Group((UP,), matte=SOFT)  # type: ignore[arg-type]


# --- JSON ---------------------------------------------------------------------------------------------------------


def test_the_form_of_groups_and_mattes_on_disk_is_stable() -> None:
    matte = Matte(Leaf(HERO.source, 0.5), 2.0, frame=(1920, 1080))
    data = Grade([Group((UP, Layer(RED, matte=matte)), "sky", mix=0.5)]).to_json()
    source = {"source": "Cryptomatte", "layer": "CryptoObject", "names": ("hero*",), "ids": ()}
    node = source | {"switches": {"opacity": 0.5, "inverted": False, "enabled": True}}
    wanted = {"root": node, "feather": 2.0, "grow": 0.0, "gain": 1.0, "gamma": 1.0, "inverted": False}
    layer = {"entry": RED.to_json(), "enabled": True, "mix": 1.0, "solo": False}
    layer["matte"] = wanted | {"frame": [1920, 1080]}
    group = {"group": "sky", "entries": [UP.to_json(), layer], "enabled": True, "mix": 0.5, "solo": False}
    assert data == {"tessera": "grade", "version": 3, "entries": [group]}
    assert Grade.from_json(through_text(data)).to_json() == data


@pytest.mark.parametrize(
    ("entries", "version"),
    [
        ([UP], 1),
        ([Layer(RED, mix=0.5)], 2),
        ([Layer(ops.Blur(2.0), mix=0.5)], 3),
        ([Layer(ops.Blur(2.0), enabled=False)], 2),
        ([Layer(RED, matte=MATTE)], 3),
        ([Group((UP,))], 3),
    ],
)
def test_a_grade_has_the_first_version_that_knows_its_entries(entries: list[Any], version: int) -> None:
    data = Grade(entries).to_json()
    assert data["version"] == version
    assert Grade.from_json(through_text(data)) == Grade(entries)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"group": "sky"}, "the group 'sky' has no list of entries"),
        ({"group": 7, "entries": []}, "the name of a group must be text"),
        ({"group": "", "entries": [{}]}, "there is no op named None"),
        ({"group": "", "entries": [], "mix": 2.0}, "the mix of an entry must be a number from 0 to 1, not 2.0"),
        ({"group": "", "entries": [], "enabled": 1}, "must be true or false"),
        ({"group": "", "entries": [], "matte": 7}, "a matte has no root"),
        ({"entry": {"op": "Exposure"}, "matte": {"root": {"source": "Sun"}}}, "there is no matte source named 'Sun'"),
        ({"entry": {"op": "Resize"}, "matte": MATTE.to_json()}, "can't have a matte; remove its matte"),
        ({"group": "", "entries": [{"op": "Resize"}], "mix": 0.5}, "can't be mixed with its input; set its mix to 1"),
        (
            {"group": "", "entries": [{"op": "Resize"}], "matte": MATTE.to_json()},
            "can't have a matte; remove its matte",
        ),
        ({"group": "", "entries": [], "mate": {}}, "an entry has no field named 'mate'"),
        ({"entry": {"op": "Exposure"}, "mate": {}}, "an entry has no field named 'mate'"),
        ({"entry": {"op": "Exposure"}, "entries": []}, "an entry has no field named 'entries'"),
        ({"entry": {"entry": {"group": "", "entries": []}}}, "there is no op named None"),
    ],
)
def test_what_is_wrong_with_a_group_or_a_matte_is_said(entry: Any, says: str) -> None:
    with pytest.raises(GradeError) as caught:
        Grade.from_json(through_text({"tessera": "grade", "version": 3, "entries": [entry]}))
    assert says in str(caught.value)


# --- ops with mattes ----------------------------------------------------------------------------------------------


def test_sliders_of_mattes_are_uniforms() -> None:
    def of(size: float, opacity: float, gain: float, mix: float, stops: float) -> Masked:
        window = Leaf(SOFT.source.replace(size=(size, size)), opacity)
        return Masked((ops.Exposure(stops),), Cover(Matte(branch("union", window, HERO), gain=gain, gamma=gain)), mix)

    one, other = of(10.0, 1.0, 0.9, 1.0, 0.5), of(77.0, 0.0, 2.0, 0.3, -2.0)
    assert one.structure == other.structure
    program = trace([one])
    assert program.instructions == trace([other]).instructions
    assert (program.arguments.uniform_values([one]) != program.arguments.uniform_values([other])).sum() >= 5
    assert getattr(one, "matte.1.opacity") == 1.0
    assert getattr(other, "matte.gain") == 2.0
    assert getattr(other, "0.stops") == -2.0
    for wrong in ("nothing", "matte.nothing", "x.stops"):
        with pytest.raises((AttributeError, ValueError)):
            getattr(one, wrong)


def test_other_trees_are_other_kernels() -> None:
    trees: list[Any] = [SOFT, Leaf(SOFT.source, inverted=True), branch("union", SOFT), branch("union", SOFT, HERO)]
    trees += [branch("intersection", SOFT, HERO), branch("union", SOFT, Leaf(HERO.source, enabled=False)), FAR]
    found = {Masked((UP,), Cover(Matte(tree))).structure for tree in trees}
    assert len(found) == len(trees)
    assert Masked((UP,), Cover(Matte(SOFT, inverted=True))).structure not in found
    assert Masked((UP,), Cover(Matte(SOFT, feather=2.0))).structure not in found


def test_the_reference_of_an_op_with_a_matte() -> None:
    """`reference` takes the planes in the order of the matte."""
    image = rgba64(plain(20, 30))
    planes = np.random.default_rng(1).random((20, 30, 2))
    matte = Matte(branch("intersection", HERO, FAR), gain=3.0)
    named: dict[Plane, Any] = {
        CoveragePlane("CryptoObject", ("hero*",)): planes[..., 0],
        ChannelPlane("Z"): 8.0 * planes[..., 1],
    }
    op = Masked((RED,), Cover(matte), 0.75)
    got = op.reference(image, None, np.stack([planes[..., 0], 8.0 * planes[..., 1]], axis=-1))
    assert np.allclose(got, graded(image, [op], planes=named), rtol=1e-6)


def test_planes_that_a_grade_reads() -> None:
    grade = Grade([Layer(RED, matte=Matte(FAR)), Group((UP, Layer(LUT, matte=MATTE)), "sky", matte=Matte(FAR))])
    hero = CoveragePlane("CryptoObject", ("hero*",))
    assert planes_read(grade) == {ChannelPlane("Z"): RED.title(), hero: "film.cube"}
    assert planes_read(Grade([Layer(RED, False, matte=MATTE)])) == {}


def test_grades_with_mattes_go_to_other_processes() -> None:
    grade = Grade([Group((UP, Layer(RED, matte=MATTE), Layer(ops.Blur(2.0), matte=MATTE)), "sky", matte=Matte(FAR))])
    assert grade.effective
    again = pickle.loads(pickle.dumps(grade))
    assert again == grade
    assert again.effective == grade.effective
    assert again.structure == grade.structure


def test_alpha_is_kept_whatever_a_matte_reads() -> None:
    many = branch("union", *(Leaf(Cryptomatte(names=(f"object {n}",))) for n in range(12)))
    halved = ops.Matrix((1.0, *[0.0] * 4, 1.0, *[0.0] * 4, 1.0, *[0.0] * 4, 0.5))
    assert not changes_alpha((Masked((RED,), Cover(Matte(many))),))
    assert changes_alpha((Masked((halved,), Cover(Matte(many))),))


# --- colour management --------------------------------------------------------------------------------------------


def managed_ops(grade: Grade) -> tuple[Any, ...]:
    return manage(ColourSetup(input="ACEScg")).expanded(grade)


def test_entries_with_mattes_are_converted_like_others() -> None:
    found = managed_ops(Grade([Layer(RED, matte=Matte(SOFT))]))
    (masked,) = [op for op in found if isinstance(op, Masked)]
    assert (masked.ops, masked.cover.entry, masked.cover.source) == ((RED,), (), ())
    assert tuple(RED if op is masked else op for op in found) == managed_ops(Grade([RED]))


def test_qualifiers_read_scene_linear_values() -> None:
    """In a grade that works in ACEScct, a qualifier of the entry's input gets what it gets without management."""
    (masked,) = [op for op in managed_ops(Grade([Layer(RED, matte=Matte(SKIN_AFTER))])) if isinstance(op, Masked)]
    assert masked.cover.entry
    assert not masked.cover.source
    image, matte, executor = plain(31, 37), Matte(SKIN_AFTER), create_executor("cpu")
    expected = graded(image, managed_ops(Grade([UP, Layer(RED, matte=matte)])))
    got = executor.execute_color(image, managed_ops(Grade([UP, Layer(RED, matte=matte)])))
    assert_close(got, expected, executor.name, chain=True)


def test_a_group_is_blended_in_the_space_of_its_first_entry(executor: TiledExecutor) -> None:
    group = Group((UP, RED, ops.Blur(2.0)), "look", mix=0.5, matte=Matte(SOFT))
    found = managed_ops(Grade([group]))
    (blend,) = [op for op in found if isinstance(op, Blend)]
    assert blend.ops[0] == UP, "exposure works in any scene-linear space: nothing is converted before the group"
    assert found.index(blend) == 0
    assert RED in blend.ops
    image, place = plain(31, 37), Place(0.0, 0.0, 10.0, 10.0)
    got = executor.execute_color(image, found, MatteInputs(place))
    assert_close(got, graded(image, found, place), executor.name, chain=True)
    untouched = graded(image, managed_ops(Grade([replace(group, mix=0.0)])), place)
    assert (untouched == rgba64(image)).all()


def test_groups_without_switches_convert_no_more_than_their_entries() -> None:
    assert managed_ops(Grade([Group((UP, RED)), Group((RED,))])) == managed_ops(Grade([UP, RED, RED]))


# --- files that can't hold them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".clf", ".ctf", ".cube", ".cc", ".cdl"])
@pytest.mark.parametrize("entry", [Layer(RED, matte=MATTE), Group((UP, Layer(RED, matte=MATTE)), mix=0.5)])
def test_a_look_file_names_the_entry_with_a_matte(suffix: str, entry: Any, tmp_path: Path) -> None:
    with pytest.raises(GradeError) as caught:
        write_look(Grade([UP, entry]), tmp_path / f"look{suffix}")
    assert str(caught.value).startswith(f"{RED.title()} has a matte, which ")
    assert list(tmp_path.iterdir()) == []


def test_a_look_file_names_the_group_with_a_matte(tmp_path: Path) -> None:
    look = FileLook("looks/film.cube", LUT.ops)
    with pytest.raises(GradeError, match="faces has a matte, which a LUT can't store; export the image, or bypass"):
        write_look(Grade([Group((UP, look), "faces", matte=MATTE)]), tmp_path / "look.cube")
    with pytest.raises(GradeError, match=r"film\.cube has a matte"):
        write_look(Grade([Layer(look, matte=MATTE)]), tmp_path / "look.cube")
    assert write_look(Grade([UP, Group((RED,), "base"), Group((Layer(LUT, False, matte=MATTE),))]), tmp_path / "a.clf")


def test_the_header_tells_of_mattes() -> None:
    part = PartInfo(0, "", "scanline", (ChannelInfo("R", "half"),), (0, 0, 1, 1), (0, 0, 1, 1))
    group = Group((UP, Layer(RED, mix=0.25, matte=MATTE)), "sky", mix=0.5)
    record = dict(record_of(Grade([group, RED]), part, ("",))[0])
    first, second = record["tessera:cdl"].split("; ")
    assert first.startswith("slope 1.2 1 0.9 ")
    assert first.endswith(" mix 0.25 in a matte mix 0.5 of several ops")
    assert second.endswith("saturation 1")
    assert '"Cryptomatte"' in record["tessera:grade"]


def test_the_header_joins_no_grade_that_keys_the_image_before_it() -> None:
    part = PartInfo(0, "", "scanline", (ChannelInfo("R", "half"),), (0, 0, 1, 1), (0, 0, 1, 1))
    before, _ = record_of(Grade([UP]), part, ("",))
    part = replace(part, metadata=dict(before))
    for leaf, count in ((SKIN, 1), (SKIN_AFTER, 2)):
        record, notes = record_of(Grade([Group((Layer(RED, matte=Matte(leaf)),), mix=0.5)]), part, ("",))
        assert len(json.loads(dict(record)["tessera:grade"])["entries"]) == count
        assert notes == (
            ["The header records only this grade: a matte reads the image before it."] if count == 1 else []
        )
