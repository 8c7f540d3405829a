"""The order of a grade: the input space of an image, conversions around the ops, the way to a display."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.color.management import Managed, manage
from engine.compute.devices import create_executor
from engine.errors import GradeError, UnreadableFile
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.grade.grade import FileLook, Grade, Group, Layer
from engine.grade.masking import inner_ops
from engine.kernel.op import Op
from engine.mattes import HslQualifier, Leaf, Matte
from engine.ocio import Config, builtin_configs, load_config
from engine.ops import Blur, Cdl, CieCoordinates, Contrast, Exposure, GradingPrimary, Lut1d, Saturation, WhiteBalance
from tests.engine import ocio_configs as configs
from tests.engine import ocio_corpus as corpus
from tests.engine.ocio_grades import CDL, GRADE, by_opencolorio, light, seen
from tests.engine.shows import SHOW, write_show
from tests.engine.tagged import AP0, REC709, found, shot

OF_ITS_OWN = "primaries 0.5,0.3 0.3,0.5 0.2,0.2 0.33,0.33"
AWG4 = (0.7347, 0.2653, 0.1424, 0.8576, 0.0991, -0.0308, 0.3127, 0.329)


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


def space_of(name: str, metadata: dict[str, Any], config: Config) -> str:
    return manage(ColourSetup(config.source), name, metadata).found.space


def test_every_op_of_the_working_space_is_placed_there():
    managed = manage(ColourSetup(), "a.exr", {"chromaticities": REC709})
    for op in (CieCoordinates("uvY"), CieCoordinates("Luv", "reverse"), Cdl()):
        assert op.space == "working"
        assert managed.place(op, managed.input) == "ACEScct"


def test_a_group_without_mix_and_matte_keys_as_its_entries():
    managed = manage(ColourSetup(), "a.exr", {"chromaticities": REC709})
    matte = Matte(Leaf(HslQualifier(input="entry")))
    for entries in ((CDL, Layer(Exposure(1.0), matte=matte)), (Exposure(0.3), Layer(CDL, matte=matte))):
        grade, ops = managed.expanded(Grade(entries)), managed.expanded(Grade([Group((Group(entries),))]))
        assert ops == grade
    inner = managed.expanded(Grade([Layer(CDL, matte=matte)]))[1]
    mixed = managed.expanded(Grade([Group((Exposure(0.3), Layer(CDL, matte=matte)), mix=0.5)]))
    assert any(inner in inner_ops(op) for op in mixed)


# -- the input space


@pytest.mark.parametrize(
    ("name", "header", "space", "origin"),
    [
        ("a", {"colorInteropID": "lin_rec709_scene"}, "Linear Rec.709 (sRGB)", "from colorInteropID lin_rec709_scene"),
        ("a", {"colorInteropID": "ocio:acescct_ap1_scene"}, "ACEScct", "from colorInteropID ocio:acescct_ap1_scene"),
        ("a", {"colorInteropID": "data"}, "Raw", "from colorInteropID data"),
        ("a", {"acesImageContainerFlag": 1}, "ACES2065-1", "from acesImageContainerFlag"),
        ("a", {"chromaticities": REC709}, "Linear Rec.709 (sRGB)", "from chromaticities"),
        ("a", {"chromaticities": AWG4}, "Linear ARRI Wide Gamut 4", "from chromaticities"),
        ("a", {"chromaticities": (0.5, 0.3, 0.3, 0.5, 0.2, 0.2, 0.33, 0.33)}, OF_ITS_OWN, "from chromaticities"),
        ("a", {"chromaticities": (0.5, 0.3, 0.3, 0.5, 0.2, 0.2, 0.1, 0.1)}, "", "unknown"),
        ("a", {"chromaticities": (0.0,) * 8}, "", "unknown"),
        ("a", {"colorInteropID": "unknown"}, "", "unknown"),
        ("a", {"colorInteropID": "nobody:knows"}, "", "unknown"),
        ("a", {"acesImageContainerFlag": 0}, "", "unknown"),
        ("a", {}, "", "unknown"),
        # of several statements, the first in the order counts
        (
            "a",
            {"colorInteropID": "lin_ap1_scene", "acesImageContainerFlag": 1, "chromaticities": REC709},
            "ACEScg",
            "from colorInteropID lin_ap1_scene, contradicting its acesImageContainerFlag",
        ),
        (
            "a",
            {"colorInteropID": "lin_ap1_scene", "chromaticities": REC709},
            "ACEScg",
            "from colorInteropID lin_ap1_scene, contradicting its chromaticities, those of Linear Rec.709 (sRGB)",
        ),
        (
            "a",
            {"colorInteropID": "ocio:acescct_ap1_scene", "chromaticities": AP0},
            "ACEScct",
            "from colorInteropID ocio:acescct_ap1_scene",
        ),
        (
            "a",
            {"acesImageContainerFlag": 1, "chromaticities": AP0},
            "ACES2065-1",
            "from acesImageContainerFlag",
        ),
        (
            "a",
            {"colorInteropID": "nobody:knows", "chromaticities": REC709},
            "Linear Rec.709 (sRGB)",
            "from chromaticities",
        ),
        (
            "a",
            {"acesImageContainerFlag": 1, "chromaticities": REC709},
            "ACES2065-1",
            "from acesImageContainerFlag, contradicting its chromaticities, those of Linear Rec.709 (sRGB)",
        ),
    ],
)
def test_an_image_says_its_space(tmp_path, name, header, space, origin):
    assert found(shot(tmp_path / f"{name}.exr", **header)) == InputSpace(space, origin, bool(space))


@pytest.mark.parametrize(
    ("name", "header", "space", "origin"),
    [
        ("a_log.exr", {}, "Plate Log", "from the file rule Log plates"),
        ("a_log.exr", {"chromaticities": AP0}, "Plate Log", "from the file rule Log plates"),
        ("a_log.exr", {"acesImageContainerFlag": 1}, "AP0", "from acesImageContainerFlag"),
        ("a_matte_1.exr", {}, "Mask", "from the file rule Mattes"),
        ("a.exr", {"chromaticities": AP0}, "AP0", "from chromaticities"),
        ("a.exr", {"colorInteropID": "lin_ap0_scene"}, "AP0", "from colorInteropID lin_ap0_scene"),
        ("a.exr", {"colorInteropID": "lin_rec709_scene"}, "", "unknown"),
        ("a.exr", {}, "", "unknown"),
    ],
)
def test_a_config_has_rules_for_names(tmp_path, monkeypatch, name, header, space, origin):
    config, image = write_show(tmp_path / "show"), shot(tmp_path / name, **header)
    wanted = InputSpace(space, origin, bool(space))
    assert found(image, str(config)) == wanted
    monkeypatch.setenv("OCIO", str(config))
    assert found(image) == wanted


def test_rules_see_the_whole_path(tmp_path, monkeypatch):
    rule = '{name: Mattes, regex: ".*/plates/[^/]*", colorspace: Plate Log}'
    config = write_show(tmp_path, SHOW.replace('{name: Mattes, regex: ".*_matte_.*", colorspace: Mask}', rule))
    (tmp_path / "plates").mkdir()
    monkeypatch.chdir(tmp_path / "plates")
    for name in ("a.exr", tmp_path / "plates" / "a.exr"):
        assert manage(ColourSetup(str(config)), name, {}).found.space == "Plate Log"


def test_no_chromaticities_are_too_odd():
    config, numbers = load_config(), np.random.default_rng(1)
    odd: list[Any] = [0.0, 1.0, -1.0, 1e-30, 3.4e38, "nan", "inf", 0.3127, 0.329]
    for _ in range(600):
        space = space_of("a", {"chromaticities": [odd[i] for i in numbers.integers(0, len(odd), 8)]}, config)
        for op in config.ops_between(space, "ACES2065-1") if space else ():
            assert space.startswith("primaries ") and np.isfinite(op.matrix).all()  # type: ignore[attr-defined]
    for statement in ({"chromaticities": "damaged chromaticities"}, {"colorInteropID": 3}, {"chromaticities": [0.3]}):
        assert space_of("a", statement, config) == ""


def test_who_opens_the_image_may_know_better(tmp_path):
    metadata = {"colorInteropID": "lin_rec709_scene"}
    given = manage(ColourSetup(input="lin_ap1"), "a.exr", metadata)
    assert given.found == InputSpace("ACEScg", "as given", False)
    assert manage(ColourSetup(input="lin_rec709"), "a.exr", metadata).found.stated
    assert manage(ColourSetup(config="raw"), "a.exr", metadata).found == InputSpace("", "not managed")
    with pytest.raises(GradeError, match="no colour space 'ACESgc'; available: ACEScg"):
        manage(ColourSetup(input="ACESgc"), "a.exr", {})
    with pytest.raises(UnreadableFile, match="does not exist"):
        manage(ColourSetup(config=str(tmp_path / "gone.ocio")), "a.exr", metadata)


@pytest.mark.parametrize("name", list(builtin_configs()))
def test_ids_and_chromaticities_are_known_in_every_built_in_config(name):
    config = load_config(name)
    ids = ("lin_ap0_scene", "lin_ap1_scene", "lin_rec709_scene", "lin_rec2020_scene", "srgb_rec709_scene", "data")
    spaces = [space_of("a", {"colorInteropID": one}, config) for one in ids]
    assert spaces[:4] == ["ACES2065-1", "ACEScg", "Linear Rec.709 (sRGB)", "Linear Rec.2020"]
    assert spaces[4].startswith("sRGB") and spaces[5] == "Raw"
    assert space_of("a", {"chromaticities": REC709}, config) == "Linear Rec.709 (sRGB)"
    for one, space in zip(ids, spaces, strict=True):
        back = Managed(ColourSetup(name, output=space), InputSpace("ACEScct")) if space != "Raw" else None
        assert back is None or back.interop_id() == one


# -- the order of a grade


def kinds(ops: tuple[Op, ...], *wanted: type[Op]) -> list[str]:
    """The names of these ops, and `...` for what stands between."""
    names: list[str] = []
    for op in ops:
        name = type(op).__name__ if isinstance(op, wanted) else "..."
        names += [] if name == "..." and names[-1:] == ["..."] else [name]
    return names


def managed(**setup: Any) -> Managed:
    return manage(ColourSetup(**{"input": "ACEScg", **setup}), "a.exr", {})


def test_conversions_stand_where_neighbours_differ():
    way, log = managed(), GradingPrimary(brightness=(1.0,) * 4)
    grade = Grade([Exposure(1.0), Cdl(slope=(2, 1, 1)), Saturation(0.5), log, Exposure(1.0), Contrast(1.2)])
    types = (Exposure, Cdl, Saturation, GradingPrimary, Contrast)
    wanted = ["Exposure", "...", "Cdl", "Saturation", "GradingPrimary", "...", "Exposure", "Contrast"]
    assert kinds(way.expanded(grade), *types) == wanted
    assert kinds(managed(working="ACEScg").expanded(grade), *types) == [word for word in wanted if word != "..."]
    linear = Grade([log, log.replace(style="linear")])
    assert kinds(way.expanded(linear), GradingPrimary) == ["...", "GradingPrimary", "...", "GradingPrimary"]


def test_a_named_transform_is_a_way_in_or_out():
    way = managed(input="sRGB - Curve", output="ACEScg")
    assert kinds(way.expanded(Grade([CDL])), Cdl) == ["...", "Cdl", "..."]
    decode = load_config().ops_between("sRGB - Curve", "ACEScg")
    assert way.expanded(Grade([Exposure(1.0)])) == (*decode, Exposure(1.0))
    assert (way.interop_id(), managed(output="sRGB - Curve").interop_id()) == ("lin_ap1_scene", "unknown")
    assert managed(output="sRGB - Curve").describe() == "ACEScg (as given) -> ACEScct -> sRGB - Curve"


def test_the_default_view_of_what_a_named_transform_reads_is_that_of_the_display(tmp_path):
    managed = manage(ColourSetup(write_show(tmp_path).as_posix(), "Curve"), "a.exr", viewing=Viewing())
    assert managed.result == "Monitor / Video"


def test_ops_of_light_stay_in_any_linear_space():
    way = managed(input="Linear Rec.709 (sRGB)")
    assert way.expanded(Grade([Exposure(1.0), Blur(2.0)])) == (Exposure(1.0), Blur(2.0))
    assert way.expanded(Grade([WhiteBalance(5000.0)])) == (WhiteBalance(5000.0),)
    assert kinds(managed().expanded(Grade([WhiteBalance(5000.0)])), WhiteBalance) == ["...", "WhiteBalance", "..."]
    assert kinds(way.expanded(Grade([Contrast(2.0)])), Contrast) == ["...", "Contrast", "..."]
    encoded = managed(input="ACEScct").expanded(Grade([Exposure(1.0)]))
    assert kinds(encoded, Exposure) == ["...", "Exposure", "..."]


def test_what_a_file_holds_works_in_the_working_space_whole():
    curve = Lut1d(np.linspace(0.0, 1.0, 5)[:, None] ** 2.0)
    look = FileLook("a.clf", (Exposure(1.0), curve))
    assert kinds(managed().expanded(Grade([look])), Exposure, Lut1d) == ["...", "Exposure", "Lut1d", "..."]


def test_what_does_nothing_costs_nothing():
    way = managed()
    assert way.expanded(Grade([Exposure(0.0), Cdl(), Layer(CDL, enabled=False)])) == ()
    assert way.expanded(Grade([Layer(CDL, mix=0.0)])) == ()
    assert kinds(way.expanded(Grade([Layer(Exposure(1.0), mix=0.5), CDL])), Cdl)[-2:] == ["Cdl", "..."]
    assert managed(output="ACEScg").expanded(Grade()) == ()


def test_values_are_no_part_of_what_is_compiled():
    """Exposure, contrast, gamma and grading values, of the grade and of the viewer: one structure for all of them."""
    rng = np.random.default_rng(3)
    structures = set()
    for _ in range(6):
        a, b, c = rng.uniform(0.5, 1.9, 3).tolist()
        tones = GradingPrimary(brightness=(a, b, c, 0.1), gamma=(b, a, c, 1.1))
        grade = Grade(
            [Exposure(a), Cdl(slope=(a, b, c), saturation=b), Contrast(c), tones, WhiteBalance(4000.0 + 500 * a)]
        )
        view = Viewing("sRGB - Display", exposure=b, gamma=c + 1.0)
        ops = manage(ColourSetup(input="ACEScg"), viewing=view).expanded(grade)
        structures.add(tuple(op.structure for op in ops))
    assert len(structures) == 1


def test_nobody_knows_or_it_is_data():
    grade = Grade([Exposure(1.0), CDL])
    for way in (manage(ColourSetup(), "a.exr", {}), managed(input="Raw"), managed(config="raw")):
        assert not way.converts
        assert way.expanded(grade) == (Exposure(1.0), CDL)
        assert way.interop_id() is None
    assert managed(input="Raw").displayed(Viewing()) == ()
    for setup, viewing in ((ColourSetup(output="ACEScg"), None), (ColourSetup(), Viewing())):
        with pytest.raises(GradeError, match=r"colour space is unknown, so it can't be .*; specify its input space"):
            manage(setup, "a.exr", {}, viewing).expanded(grade)
    with pytest.raises(GradeError, match="Raw is a data space, not a colour space to work in"):
        managed(working="Raw").expanded(grade)
    with pytest.raises(GradeError, match="Raw is a data space, not a colour space to convert to"):
        managed(output="Raw").expanded(grade)


def test_a_view_of_data_leaves_the_space(tmp_path):
    metadata = {"colorInteropID": "lin_ap1_scene"}
    assert manage(ColourSetup(), "a.exr", metadata, Viewing("", "Raw")).interop_id() is None
    ways = (
        manage(ColourSetup(output=name), "a.exr", metadata, Viewing("", "Raw")) for name in ("ACEScct", "ACES2065-1")
    )
    assert [way.interop_id() for way in ways] == ["ocio:acescct_ap1_scene", "lin_ap0_scene"]
    assert manage(ColourSetup(), "a.exr", metadata, Viewing()).interop_id() == "srgb_rec709_display"


def test_the_default_working_space(tmp_path):
    assert managed().working == "ACEScct"
    config = str(write_show(tmp_path))
    assert manage(ColourSetup(config, "AP0"), "a.exr", {}).working == "Plate Log"
    data = write_show(tmp_path / "data", SHOW.replace("compositing_log: Plate Log", "compositing_log: Mask"))
    assert manage(ColourSetup(str(data), "AP0"), "a.exr", {}).working == "Plate"
    assert managed(working="compositing_log").working == "ACEScct"


WAYS = [
    ("", "ACEScg", "", "", Viewing("sRGB - Display", "ACES 2.0 - SDR 100 nits (Rec.709)")),
    ("", "ARRI LogC4", "", "ACES2065-1", None),
    ("", "ACES2065-1", "ARRI LogC4", "Linear Rec.709 (sRGB)", Viewing("Rec.2100-PQ - Display", "Un-tone-mapped")),
    ("", "sRGB Encoded Rec.709 (sRGB)", "ACEScg", "Rec.1886 Rec.709 - Display", None),
    ("studio-config-v1.0.0_aces-v1.3_ocio-v2.1", "S-Log3 S-Gamut3.Cine", "ACEScc", "", None),
    (
        "cg-config-v2.2.0_aces-v1.3_ocio-v2.4",
        *("Linear Rec.2020", "", "ACEScg"),
        Viewing("Rec.1886 Rec.709 - Display", "ACES 1.0 - SDR Video", "ACES 1.3 Reference Gamut Compression"),
    ),
]


@pytest.mark.parametrize("named", WAYS, ids=lambda way: f"{way[1]} to {way[3] or way[1]}")
def test_a_grade_gives_opencolorios_answer(named):
    name, source, working, output, viewing = named
    way = manage(ColourSetup(name, source, working, output), "a.exr", {}, viewing)
    ops = list(way.expanded(GRADE))
    rgba = seen(way, light(500))
    ours = create_executor("cpu").execute_color(rgba.astype(np.float32)[None], ops)[0].astype(np.float64)
    theirs = corpus.exact(by_opencolorio(way.config, way), rgba)
    result = configs.judge(ops, rgba, ours, theirs)
    assert result.outcome in ("matched", "explained"), result


def test_a_config_of_version_1_without_roles(tmp_path):
    (tmp_path / "config.ocio").write_text(
        "ocio_profile_version: 1\nroles: {default: encoded}\ndisplays: {S: [!<View> {name: V, colorspace: encoded}]}\n"
        "colorspaces:\n  - !<ColorSpace> {name: light}\n"
        "  - !<ColorSpace> {name: encoded, from_reference: !<ExponentTransform> {value: [0.5, 0.5, 0.5, 1]}}\n"
    )
    config = str(tmp_path)
    way = manage(ColourSetup(config, "encoded"), "a.exr", {})
    assert way.working == "light"
    assert kinds(way.expanded(Grade([Exposure(1.0), CDL])), Exposure, Cdl) == ["...", "Exposure", "Cdl", "..."]
    assert kinds(way.displayed(Viewing(exposure=1.0)), Exposure) == ["...", "Exposure", "..."]
    assert manage(ColourSetup(config), "a.exr", {"acesImageContainerFlag": 1}).found == InputSpace()
    assert manage(ColourSetup(config), "b_encoded.exr", {}).found.space == "encoded"
