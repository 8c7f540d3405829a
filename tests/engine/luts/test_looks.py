"""A grade as a look file of every format: what is read back is the grade, and what can't be said is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.color.management import Managed, manage
from engine.errors import GradeError, UnsupportedFile, WriteFailed
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import Grade
from engine.luts.look_files import LOOK_FORMATS, LookOptions, write_look
from engine.ocio import list_cdl_ids, load_config, ops_from_file
from engine.ocio.amf import AMF, CDL, transform_ids
from engine.ops import Blur, Cdl, Contrast, Exposure, PqCurve, Saturation
from tests.engine import ocio_corpus as corpus
from tests.engine.conditioning import answer
from tests.engine.ocio_writing import ALLOWED

SHOT = Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (1.1, 1.0, 0.95), 1.2)
ACES_13 = "ocio://studio-config-v2.2.0_aces-v1.3_ocio-v2.4"


def colours(**names: Any) -> Managed:
    return manage(ColourSetup(**names))


def light() -> np.ndarray:
    rgb = np.random.default_rng(3).uniform(0.0, 1.0, (150, 3)) ** 3 * 16.0
    return np.column_stack([rgb, np.ones(150)]).astype(np.float32).astype(np.float64)


def read_back(path: Path) -> np.ndarray:
    ocio.ClearAllCaches()
    return corpus.exact(corpus.processor_of(path), light())


def test_these_are_the_formats() -> None:
    baked, exact, cdls = {".cube", ".csp", ".spi3d", ".3dl"}, {".clf", ".ctf"}, {".cc", ".ccc", ".cdl", ".amf"}
    assert set(LOOK_FORMATS) == baked | exact | cdls


@pytest.mark.parametrize("suffix", [".clf", ".ctf"])
def test_an_exact_file_holds_the_whole_way_of_the_grade(tmp_path: Path, suffix: str) -> None:
    managed = colours(input="Linear Rec.709 (sRGB)", output="ACES2065-1")
    grade = Grade([Exposure(0.5), SHOT, Contrast(1.1)])
    text = write_look(grade, tmp_path / f"look{suffix}", managed).text
    assert text == "exact, from Linear Rec.709 (sRGB) to ACES2065-1"
    right = answer(managed.expanded(grade), light())
    assert right.error(read_back(tmp_path / f"look{suffix}"), ALLOWED).max() <= ALLOWED


def test_a_baked_file_tells_its_error_and_its_way(tmp_path: Path) -> None:
    managed = colours(input="ACEScg")
    text = write_look(Grade([SHOT]), tmp_path / "look.cube", managed, LookOptions(size=17, domain=(0.0, 16.0))).text
    mean, most = (float(x) for x in re.findall(r"error (\S+) on average, (\S+) at most", text)[0])
    assert text.startswith("17 entries per axis after a shaper")
    assert text.endswith("from ACEScg to ACEScg")
    error, _ = corpus.errors(
        read_back(tmp_path / "look.cube"), corpus.reference(managed.expanded(Grade([SHOT])), light())
    )
    assert error.mean() < 3.0 * mean
    assert error.max() <= most * 1.1


def test_an_encoded_image_is_baked_over_0_to_1(tmp_path: Path) -> None:
    assert "for values of 0..1;" in write_look(Grade([SHOT]), tmp_path / "a.cube", colours(input="ARRI LogC4")).text


def test_a_view_may_end_the_look(tmp_path: Path) -> None:
    managed = manage(ColourSetup(input="ACEScg"), viewing=Viewing("sRGB - Display"))
    text = write_look(Grade([SHOT]), tmp_path / "look.ctf", managed).text
    assert "from ACEScg to sRGB - Display / ACES 2.0" in text
    got = read_back(tmp_path / "look.ctf")
    assert corpus.errors(got, corpus.reference(managed.expanded(Grade([SHOT])), light()))[0].max() < 1e-5


@pytest.mark.parametrize("suffix", [".cc", ".ccc", ".cdl"])
def test_a_cdl_says_its_space_in_words(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"look{suffix}"
    text = write_look(Grade([SHOT, Saturation(0.5)]), path, colours(input="ACEScg")).text
    assert text == "one CDL that works in ACEScct"
    assert ops_from_file(path) == [SHOT.replace(saturation=0.6)]
    assert list_cdl_ids(path) == [{"id": "look", "descriptions": ["in ACEScct"]}]
    assert write_look(Grade([Exposure(1.0), SHOT]), path).text == "one CDL"
    clamping = Grade([SHOT.replace(style="asc")])
    assert write_look(clamping, path).text == "one CDL; its clamp to 0..1 is not stored"


def amf_transform(path: Path, config: ocio.Config) -> ocio.GroupTransform:
    """What an .amf says, by the transform ids of a config."""
    names = {"a": AMF, "c": CDL}
    pipeline = Xml.parse(path).getroot().find("a:pipeline", names)
    assert pipeline is not None

    def space(element: str) -> str:
        transform_id = pipeline.findtext(f"{element}/a:transformId", None, names)
        assert transform_id
        spaces = [s for s in config.getColorSpaces() if transform_id in text(s)]
        assert len(spaces) == 1
        return str(spaces[0].getName())

    def text(about: ocio.ColorSpace) -> list[str]:
        return f"{about.getInterchangeAttributes().get('amf_transform_ids', '')} {about.getDescription()}".split()

    def numbers(name: str) -> list[float]:
        return [float(x) for x in (pipeline.findtext(f"a:lookTransform/c:{name}", "", names)).split()]

    aces, look = "ACES2065-1", "a:lookTransform/a:cdlWorkingSpace"
    sop = [numbers(f"ASC_SOP/c:{name}") for name in ("Slope", "Offset", "Power")]
    return ocio.GroupTransform([
        ocio.ColorSpaceTransform(space("a:inputTransform"), aces),
        ocio.ColorSpaceTransform(aces, space(f"{look}/a:toCdlWorkingSpace")),
        ocio.CDLTransform(*sop, numbers("ASC_SAT/c:Saturation")[0]),
        ocio.ColorSpaceTransform(space(f"{look}/a:fromCdlWorkingSpace"), aces),
    ])  # fmt: skip


@pytest.mark.parametrize(("config", "working", "version"), [
    ("", "", "2.0.0"),
    ("", "ACEScc", "2.0.0"),
    (ACES_13, "ACEScct", "1.3.0"),
])  # fmt: skip
def test_an_amf_says_the_cdl_and_its_working_space(tmp_path: Path, config: str, working: str, version: str) -> None:
    managed = colours(config=config, input="ACEScg", working=working, output="ACES2065-1")
    path = tmp_path / "sc010 <a>.amf"
    text = write_look(Grade([SHOT]), path, managed).text
    assert text == f"one CDL that works in {working or 'ACEScct'}; the conversion to ACES2065-1 is not stored"
    transform = amf_transform(path, managed.config.ocio)
    theirs = corpus.exact(managed.config.ocio.getProcessor(transform), light())
    assert answer(managed.expanded(Grade([SHOT])), light()).error(theirs, ALLOWED).max() <= ALLOWED
    root = Xml.parse(path).getroot()
    assert root.tag == f"{{{AMF}}}acesMetadataFile"
    assert ".".join(e.text or "" for e in root.iter() if e.tag.endswith(("rVersion", "hVersion"))) == version
    order = [e.tag.rpartition("}")[2] for e in root.find(f"{{{AMF}}}pipeline")]  # type: ignore[union-attr]
    assert order == ["pipelineInfo", "inputTransform", "lookTransform"]
    assert root.findtext(f"{{{AMF}}}amfInfo/{{{AMF}}}description") == "sc010 <a>"


def test_an_amf_leaves_out_an_input_that_aces_has_no_name_for_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "look.amf"
    assert (
        "an .amf has no name for Linear P3-D65" in write_look(Grade([SHOT]), path, colours(input="Linear P3-D65")).text
    )
    assert "inputTransform" not in path.read_text()
    assert write_look(Grade([SHOT]), path, colours(input="ACES2065-1")).text == "one CDL that works in ACEScct"
    assert "inputTransform" not in path.read_text()


def test_an_id_that_the_schema_does_not_take_for_an_input_is_none() -> None:
    ids = transform_ids(load_config(ACES_13), "DaVinci Intermediate WideGamut")
    assert (ids.to_aces.rpartition(":")[2], ids.input) == (
        "ACEScsc.Academy.DaVinci_Intermediate_WideGamut_to_ACES.a1.v1",
        "",
    )


def test_numbers_of_an_amf_have_no_exponent(tmp_path: Path) -> None:
    write_look(Grade([Cdl(offset=(1e-7, -2.5e-6, 0.0))]), tmp_path / "look.amf", colours(input="ACEScg"))
    assert "<cdl:Offset>0.0000001 -0.0000025 0</cdl:Offset>" in (tmp_path / "look.amf").read_text()


def test_transform_ids_are_those_of_the_config() -> None:
    cameras = transform_ids(load_config(ACES_13), "ARRI LogC4")
    assert cameras.input == "urn:ampas:aces:transformId:v1.5:IDT.ARRI.ARRI-LogC4.a1.v1"
    assert cameras.to_aces == "urn:ampas:aces:transformId:v1.5:ACEScsc.Academy.LogC4_to_ACES.a1.1.0"
    ours = transform_ids(load_config("ocio://studio-config-latest"), "ACEScct")
    assert (ours.to_aces, ours.from_aces) == (
        "urn:ampas:aces:transformId:v2.0:CSC.Academy.ACEScct_to_ACES.a2.v1",
        "urn:ampas:aces:transformId:v2.0:CSC.Academy.ACES_to_ACEScct.a2.v1",
    )


def test_a_config_without_ids_has_those_of_its_equals(tmp_path: Path) -> None:
    to_ap0 = "[0.6954522, 0.1406787, 0.1638691, 0, 0.0447946, 0.8596711, 0.0955343, 0, -0.0055259, 0.0040252, 1.0015007"
    (tmp_path / "config.ocio").write_text(
        "ocio_profile_version: 2.1\nroles: {aces_interchange: AP0, scene_linear: AP1, default: AP1}\n"
        "displays: {S: [!<View> {name: V, colorspace: AP1}]}\nfile_rules: [!<Rule> {name: Default, colorspace: AP1}]\n"
        "colorspaces:\n  - !<ColorSpace> {name: AP0}\n  - !<ColorSpace> {name: AP1, to_scene_reference: "
        f"!<MatrixTransform> {{matrix: {to_ap0}, 0, 0, 0, 0, 1]}}}}\n"
    )
    managed = colours(config=str(tmp_path), input="AP1")
    assert write_look(Grade([SHOT]), tmp_path / "look.amf", managed).text == "one CDL that works in AP1"
    assert "v2.0:CSC.Academy.ACEScg_to_ACES.a2.v1" in (tmp_path / "look.amf").read_text()


KNOWN = ColourSetup(input="ACEScg")


@pytest.mark.parametrize(("grade", "name", "options", "says"), [
    (Grade([SHOT, Blur(2.0)], KNOWN), "look.clf", {}, "Blur reads neighbouring pixels"),
    (Grade([SHOT, Blur(2.0)], KNOWN), "look.cube", {}, "Blur reads neighbouring pixels"),
    (Grade([SHOT, PqCurve()], KNOWN), "look.clf", {}, "a .clf has no process node for PQ curve; write a .ctf"),
    (Grade([SHOT, Contrast(1.1)]), "look.cc", {}, "a CDL can't store Contrast here"),
    (Grade([Exposure(1.0), SHOT], KNOWN), "look.ccc", {}, "Exposure works in ACEScg and CDL in ACEScct, which one CDL"),
    (Grade([SHOT, SHOT], KNOWN), "look.cdl", {}, "a CDL can't store CDL here"),
    (Grade([SHOT, Blur(2.0)], KNOWN), "look.amf", {}, "a CDL can't store Blur here"),
    (Grade([SHOT]), "look.amf", {}, "specify the input space"),
    (Grade([SHOT], ColourSetup(input="ACEScg", working="Linear P3-D65")), "look.amf", {}, "no ACES transform id for"),
    (Grade([SHOT]), "look.clf", {"size": 33}, "a .clf is not baked, so it has no size, domain or interpolation"),
    (Grade([SHOT]), "look.amf", {"interpolation": "tetrahedral"}, "a .amf is not baked"),
    (Grade([SHOT], KNOWN), "look.spi3d", {"domain": (0.0, 16.0)}, "a .spi3d covers values of 0..1 only"),
    (Grade([SHOT], ColourSetup(input="nowhere")), "look.cube", {}, "has no colour space 'nowhere'"),
])  # fmt: skip
def test_what_cannot_be_said_is_refused_and_nothing_is_written(tmp_path: Path, grade, name, options, says) -> None:
    with pytest.raises(GradeError, match=re.escape(says)):
        write_look(grade, tmp_path / name, options=LookOptions(**options))
    assert list(tmp_path.iterdir()) == []


def test_a_cdl_can_not_say_a_view(tmp_path: Path) -> None:
    managed = manage(KNOWN, viewing=Viewing("sRGB - Display"))
    with pytest.raises(GradeError, match="one CDL can't store a display and a view"):
        write_look(Grade([SHOT]), tmp_path / "look.amf", managed)


def test_a_suffix_that_is_none_of_a_look_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match=r"end it in \.clf, \.ctf, \.cube"):
        write_look(Grade([SHOT]), tmp_path / "look.txt")
    for suffix in set(LOOK_FORMATS) - {".csp", ".cube"}:
        with pytest.raises(WriteFailed, match=rf"no/look\{suffix}"):
            write_look(Grade([SHOT], KNOWN if suffix == ".amf" else None), tmp_path / "no" / f"look{suffix}")
