"""Grades as .clf and .ctf: read back by OpenColorIO they are the same, and what they can't say is refused by name."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from engine import ops
from engine.errors import GradeError
from engine.grade.grade import Grade, Layer
from engine.kernel.op import ColorOp
from engine.ocio import ops_from_file
from engine.ocio.process_lists import PROCESS_LISTS, process_list
from engine.ocio.to_transforms import transforms_of_op
from tests.engine import ocio_corpus as corpus
from tests.engine.images import ops_of, structures
from tests.engine.ocio_writing import ALLOWED, IN_CLF, NO_EQUIVALENT, chains_in, examples, image_for, round_trip

STRUCTURES = [
    pytest.param(cls, words, id="-".join([cls.__name__, *words.values()]))
    for cls, words in structures()
    if words.get("entries", "65536") == "65536"  # how large a curve is at least says nothing about its file
]


def written(cls: type[ColorOp], words: dict[str, str]) -> ColorOp:
    """An op of a structure that OpenColorIO takes."""
    for (op,) in reversed(examples(ops_of(cls, words).map(lambda op: [op]), 2)):
        try:
            transforms_of_op(op)
        except GradeError:
            continue
        return op
    return cls(**words)


@pytest.mark.parametrize(("cls", "words"), STRUCTURES)
def test_every_op_is_the_same_when_it_is_read_back(tmp_path: Path, cls: type[ColorOp], words: dict[str, str]) -> None:
    op = written(cls, words)
    rgba = image_for([op], np.random.default_rng(1))
    for suffix in PROCESS_LISTS:
        try:
            found = round_trip(
                [op], tmp_path / f"look{suffix}", rgba, judged=suffix == ".clf" and "half" not in words.values()
            )
        except GradeError as error:
            assert suffix == ".clf" or cls in NO_EQUIVALENT
            assert cls not in IN_CLF or "alpha" in str(error)
            continue
        assert found.text <= ALLOWED, f"{suffix}: {found} for {op}"
        assert found.ours <= ALLOWED, f"{suffix}: {found} for {op}"
        assert found.theirs <= ALLOWED, f"{suffix}: {found} for {op}"


@pytest.mark.parametrize("suffix", PROCESS_LISTS)
def test_chains_are_the_same_when_they_are_read_back(tmp_path: Path, suffix: str) -> None:
    count = 0
    for run in examples(chains_in(suffix), 8):
        try:
            found = round_trip(run, tmp_path / f"look{suffix}", image_for(run, np.random.default_rng(2)))
        except GradeError:
            continue
        count += 1
        assert found.text <= ALLOWED, f"{found} for {run}"
    assert count >= 4


def nodes(*run: ColorOp) -> list[str]:
    """The process nodes of the .clf of some ops."""
    return [
        node.tag.rpartition("}")[2] for node in Xml.fromstring(process_list(run, ".clf")) if "inBitDepth" in node.attrib
    ]


@pytest.mark.parametrize(("op", "expected"), [
    (ops.Exposure(0.5), ["Matrix"]),
    (ops.Saturation(0.5), ["Matrix"]),
    (ops.ChannelMixer((0.8, 0.2, 0.0), monochrome=0.5), ["Matrix"]),
    (ops.WhiteBalance(5000.0), ["Matrix"]),
    (ops.Contrast(1.2), ["Matrix", "Exponent", "Matrix"]),
    (ops.Cdl((1.2, 1.0, 0.9)), ["ASC_CDL"]),
    (ops.LogCamera(), ["Log"]),
    (ops.ExponentWithLinear(), ["Exponent"]),
    (ops.Range(), ["Range"]),
    (ops.Range(0.1, bounds="low", min_out=0.2), ["Matrix", "Range"]),
    (ops.Lut1d([0.0, 0.2, 1.0]), ["LUT1D"]),
    (ops.Lut1d([0.0, 0.2, 1.0], (-1.0, 2.0)), ["Matrix", "LUT1D"]),
    (ops.Lut3d(np.random.default_rng(0).random((2, 2, 2, 3))), ["LUT3D"]),
])  # fmt: skip
def test_an_op_becomes_the_nodes_that_are_it(op: ColorOp, expected: list[str]) -> None:
    assert nodes(op) == expected


def test_matrices_become_one_and_none_where_they_cancel_out(tmp_path: Path) -> None:
    rows = (1.1, 0.2, 0.1, 0.0, 0.0, 0.9, 0.1, 0.0, 0.3, 0.0, 1.2, 0.0, 0.0, 0.0, 0.0, 1.0)
    matrix = ops.Matrix(rows, (0.1, 0.0, 0.2, 0.0))
    assert nodes(matrix, ops.Saturation(0.5), ops.Exposure(1.0), ops.Cdl()) == ["Matrix", "ASC_CDL"]
    assert nodes(ops.Cdl(), matrix, matrix.inverse(), ops.Cdl()) == ["ASC_CDL", "ASC_CDL"]
    run = [matrix, ops.Saturation(0.5), ops.Exposure(1.0), matrix.inverse()]
    found = round_trip(run, tmp_path / "look.clf", image_for(run, np.random.default_rng(4)))
    assert found.ours < 1e-13
    assert found.text <= ALLOWED


def test_the_points_of_curves_come_back_to_the_last_digit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    curves = [np.column_stack([np.sort(rng.random((4, 2)), axis=0), rng.random(4)]) for _ in range(8)]
    run = [ops.GradingHueCurve(*curves), ops.GradingRgbCurve(*curves[:4]), ops.Lut1d(rng.normal(0.0, 100.0, (33, 3)))]
    (tmp_path / "look.ctf").write_text(process_list([*run, ops.Exposure(1.0)], ".ctf"))
    assert ops_from_file(tmp_path / "look.ctf")[:3] == run


def test_the_interpolation_and_the_style_are_in_the_file() -> None:
    cube = np.random.default_rng(0).random((2, 2, 2, 3))
    assert 'interpolation="tetrahedral"' in process_list([ops.Lut3d(cube)], ".clf")
    assert 'interpolation="trilinear"' in process_list([ops.Lut3d(cube, interpolation="trilinear")], ".clf")
    assert 'style="FwdNoClamp"' in process_list([ops.Cdl(power=(2.0,) * 3)], ".clf")
    assert 'style="Rev"' in process_list([ops.Cdl(power=(2.0,) * 3, style="asc", direction="reverse")], ".clf")


def test_a_grade_that_changes_nothing_is_a_file_that_changes_nothing(tmp_path: Path) -> None:
    for suffix in PROCESS_LISTS:
        path = tmp_path / f"look{suffix}"
        path.write_text(process_list([], suffix))
        rgba = image_for([ops.Exposure()], np.random.default_rng(3))
        assert (corpus.exact(corpus.processor_of(path), rgba) == rgba).all()


@pytest.mark.parametrize(("op", "suffix", "says"), [
    (ops.Blur(3.0), ".clf", "Blur reads neighbouring pixels, which no look file can; leave it out"),
    (ops.Blur(3.0), ".ctf", "Blur reads neighbouring pixels"),
    (ops.PqCurve(), ".clf", "a .clf has no process node for PQ curve; write a .ctf"),
    (ops.GradingPrimary(saturation=0.5), ".clf", "a .clf has no process node for Primary grading; write a .ctf"),
    (ops.Lut1d([0.0, 0.5, 1.0]).inverse(), ".clf", "a .clf has no process node for 1D LUT, inverse; write a .ctf"),
    (ops.Exponent(channels="rgba", alpha=2.0), ".clf", "no process node for Exponent that changes or reads alpha"),
    (ops.Range(0.0, 1.0, 1.0, 0.0), ".ctf", "Range has values that OpenColorIO does not accept"),
    (ops.Aces2OutputTransform(100.5), ".ctf", "ACES 2 output transform has values that OpenColorIO does not accept"),
    (Grade([Layer(ops.Exposure(1.0), mix=0.5)]).effective[0], ".ctf", "OpenColorIO has no equivalent of a mix of 50 %"),
])  # fmt: skip
def test_what_a_format_cannot_say_is_refused_by_name(op: ColorOp, suffix: str, says: str) -> None:
    with pytest.raises(GradeError, match=re.escape(says)):
        process_list([ops.Exposure(1.0), op], suffix)


def test_the_description_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "look.clf"
    path.write_text(process_list([ops.Exposure(1.0)], ".clf", "<shot> & \x07 take"))
    assert [element.text for element in Xml.parse(path).iter() if "Description" in element.tag] == ["<shot> & take"]
    assert len(ops_from_file(path)) == 1
