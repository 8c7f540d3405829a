"""Configs: where they come from, what they hold, their conversions as ops, and what is said of broken ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.errors import GradeError, TesseraError, UnreadableFile
from engine.kernel.op import Op
from engine.ocio import Config, builtin_configs, load_config
from engine.ops import Exponent, Exposure
from tests.engine import ocio_corpus as corpus
from tests.engine.shows import SHOW, write_show
from tests.tolerance import CHAIN

PIXELS = np.column_stack([np.random.default_rng(3).uniform(0.0, 1.0, (500, 3)), np.ones(500)]).astype(np.float32)


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


@pytest.fixture
def show(tmp_path) -> Config:
    return load_config(write_show(tmp_path / "show"))


def same(ops: tuple[Op, ...], processor: ocio.Processor) -> None:
    """The ops do what OpenColorIO does exactly, as far as float32 knows."""
    rgba = PIXELS.astype(np.float64)
    error, disagree = corpus.errors(corpus.reference(ops, rgba), corpus.exact(processor, rgba))
    assert not disagree.any()
    over = error > CHAIN
    assert (error[over] <= 4.0 * corpus.rounding(ops, rgba[over])).all()


# -- where from


def test_the_newest_studio_config_is_the_default():
    config = load_config()
    assert config.source == "ocio://studio-config-v5.0.0_aces-v2.1_ocio-v2.6" or "studio-config" in config.source
    assert config.is_builtin
    assert load_config("") is config
    assert load_config("ocio://studio-config-latest") is config
    assert load_config(config.name) is config


def test_the_variable_names_a_config(tmp_path, monkeypatch):
    path = write_show(tmp_path)
    monkeypatch.setenv("OCIO", str(path))
    assert load_config().name == "show"
    assert load_config("cg-config-latest").is_builtin
    monkeypatch.setenv("OCIO", "ocio://cg-config-latest")
    assert "cg-config" in load_config().source
    monkeypatch.setenv("OCIO", str(tmp_path / "gone.ocio"))
    with pytest.raises(UnreadableFile, match=r"gone\.ocio: does not exist \(from \$OCIO\); correct \$OCIO"):
        load_config()


def test_a_file_a_folder_and_an_archive(tmp_path):
    path = write_show(
        tmp_path / "show", SHOW.replace("missing.spi1d", "look_sc010.cc").replace("gone.cube", "look_sc010.cc")
    )
    archive = tmp_path / "show.ocioz"
    ocio.Config.CreateFromFile(str(path)).archive(str(archive))
    shutil.move(tmp_path / "show", tmp_path / "moved")
    by_folder, by_archive = load_config(tmp_path / "moved"), load_config(str(archive))
    assert by_folder.source == str(tmp_path / "moved" / "config.ocio")
    wanted = by_folder.look_ops("Shot", "Plate", context=(("SHOT", "sc020"),))
    assert by_archive.look_ops("Shot", "Plate", context=(("SHOT", "sc020"),)) == wanted
    assert any(getattr(op, "slope", (0,))[0] == 3.0 for op in wanted)


def test_a_config_is_read_again_when_its_file_changes(tmp_path):
    path = write_show(tmp_path)
    before = load_config(path)
    assert load_config(path) is before
    write_show(tmp_path, SHOW.replace("name: show", "name: changed show"))
    assert load_config(path).name == "changed show"
    assert before.name == "show"


@pytest.mark.parametrize("name", list(builtin_configs()))
def test_every_built_in_config_loads_and_is_sound(name):
    config = load_config(name)
    assert config.problem == ""
    assert config.displays()
    assert config.view_ops("ACEScg")
    assert {space.name for space in config.spaces()} >= {"ACES2065-1", "ACEScg", "ACEScct"}


def test_raw_converts_nothing():
    raw = load_config("raw")
    assert [space.name for space in raw.spaces()] == ["raw"]
    assert raw.ops_between("raw", "raw") == ()


BROKEN = {
    "missing.ocio": (None, "does not exist; give an .ocio"),
    "yaml.ocio": (SHOW + "  - [", "is not a valid config: yaml-cpp: error at line"),
    "text.ocio": ("hello", "is not a valid config: it states no version; correct it"),
    "empty.ocio": ("", "is not a valid config: it states no version; correct it"),
    "bytes.ocio": (b"\xff\xfe\x00\x80", "is not text in UTF-8 (line 1); save it as UTF-8"),
    "late.ocio": (SHOW.replace("2.3", "9.0", 1), "is not a valid config: "),
    "zip.ocioz": ("PK", "is not a valid config archive "),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_config_is_one_line(tmp_path, name):
    content, telling = BROKEN[name]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UnreadableFile) as problem:
        load_config(path)
    line = str(problem.value)
    assert line.startswith(f"{path}: ")
    assert line.count(str(path)) == 1
    assert telling in line
    assert "\n" not in line


def test_a_folder_without_a_config_and_no_such_built_in(tmp_path):
    with pytest.raises(UnreadableFile, match=r"config\.ocio: does not exist"):
        load_config(tmp_path)
    with pytest.raises(GradeError, match=r"no built-in config 'nope'; available: ocio://cg-config"):
        load_config("ocio://nope")


# -- what there is


def test_spaces_families_and_roles(show):
    spaces = {space.name: space for space in show.spaces()}
    assert list(spaces)[:2] == ["Monitor", "XYZ"]
    assert spaces["Plate"].family == ("Plates", "Linear")
    assert spaces["Plate"].aliases == ("plate_lin",)
    assert spaces["Old Plate"].description == "behind a LUT that is not there"
    assert (spaces["Mask"].is_data, spaces["Monitor"].is_display, spaces["Plate"].encoding) == (
        True,
        True,
        "scene-linear",
    )
    assert [space.name for space in show.spaces("working-space")] == [name for name in spaces if name != "Plate"]
    assert [space.name for space in load_config().spaces("working-space")][:2] == ["ACEScct", "ACEScg"]
    assert load_config().spaces("no such") == load_config().spaces()
    assert "Mask" in str(show.menu()) and "Mask" not in str(show.colours())
    menu = show.menu()
    assert [space.name for space in menu.spaces] == ["Graded"]
    assert [family.name for family in menu.families] == ["Screens", "Reference", "Plates", "Data"]
    plates = menu.families[2]
    assert [space.name for space in plates.spaces] == ["Old Plate"]
    assert [(f.name, f.spaces[0].name) for f in plates.families] == [("Linear", "Plate"), ("Log", "Plate Log")]
    assert show.roles()["scene_linear"] == "Plate"
    assert show.role("nothing", "scene_linear") == "Plate"
    assert show.role("nothing") == ""


def test_displays_views_looks_and_the_rest(show):
    assert show.displays() == ("Monitor",)
    views = {view.name: view for view in show.views("monitor")}
    assert list(views) == ["Video", "Values", "Film"]
    assert (views["Film"].space, views["Film"].transform, views["Film"].looks) == (
        "Monitor",
        "Plain",
        "Shot",
    )
    assert [look.name for look in show.looks()] == ["Shot", "Broken"]
    assert show.looks()[0].process_space == "Plate Log"
    assert [(x.name, x.aliases) for x in show.named_transforms()] == [("Curve", ("crv",))]
    assert show.space_of_view("Monitor", "Film") == "Monitor"
    assert show.view().name == "Video"


def test_names(show):
    for name in ("Plate", "plate", "plate_lin", "PLATE_LIN", "scene_linear", "default"):
        assert show.resolve(name) == "Plate"
    assert show.has("plate_lin")
    assert not show.has("Plates")
    assert show.is_linear("Plate")
    assert not show.is_linear("Plate Log")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda c: c.resolve("Plat"), "has no colour space 'Plat'; available: Plate, "),
        (lambda c: c.resolve(""), "has no colour space ''; available: "),
        (lambda c: c.views("Monitr"), "has no display 'Monitr'; available: Monitor"),
        (lambda c: c.view("Monitor", "Flim"), "the display Monitor has no view 'Flim'; available: Film"),
        (lambda c: c.look_ops("-Shott", "Plate"), "has no look 'Shott'; available: Shot"),
        (lambda c: c.resolve("Curv"), "has no colour space 'Curv'; available: Curve"),
        (
            lambda c: c.ops_between("Plate", "AP0", (("SHOTT", "1"),)),
            "has no context variable 'SHOTT'; available: SHOT",
        ),
        (lambda c: c.ops_between("Old Plate", "AP0"), "from Old Plate to AP0: needs the file 'missing.spi1d', which"),
        (lambda c: c.look_ops("Broken", "Plate"), "the look Broken: needs the file 'gone.cube', which is missing"),
        (
            lambda c: c.look_ops("Shot", "Plate", context=(("SHOT", "sc9"),)),
            "needs the file 'look_sc9.cc', which",
        ),
    ],
)
def test_what_is_not_there_is_one_line(show, ask, said):
    with pytest.raises(GradeError) as problem:
        ask(show)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)
    assert show.ops_between("Plate", "AP0")


def test_a_config_that_is_partly_broken_still_gives_the_rest(tmp_path):
    text = SHOW.replace("display_colorspace: Monitor}", "display_colorspace: Gone}")
    config = load_config(write_show(tmp_path, text))
    assert "Gone" in config.problem
    assert "\n" not in config.problem
    assert config.view_ops("Plate", view="Film")
    with pytest.raises(TesseraError, match="the view Video of Monitor"):
        config.view_ops("Plate", view="Video")


def test_context_variables(show, monkeypatch):
    assert show.variables() == {"SHOT": "sc010", "GAIN": "2"}
    by_default, other = (
        show.look_ops("Shot", "Plate Log"),
        show.look_ops("Shot", "Plate Log", context=(("SHOT", "sc020"),)),
    )
    assert [op.slope[0] for op in (*by_default, *other)] == [1.5, 3.0]
    assert show.look_ops("Shot", "Plate Log", context=(("SHOT", "sc010"),)) is by_default


def test_file_rules(show):
    assert show.space_for_file("/a/b_log.0001.exr") == ("Plate Log", "Log plates")
    assert show.space_for_file("/a/b_matte_1.tif") == ("Mask", "Mattes")
    assert show.space_for_file("/a/plate log/1.tif") == ("Plate Log", "ColorSpaceNamePathSearch")
    assert show.space_for_file("/a/b.exr") == ("", "")
    assert load_config().space_for_file("/a/b.exr") == ("", "")


# -- ops


def test_conversions_are_opencolorios(show):
    ask = show.ocio.getProcessor
    same(show.ops_between("Plate", "Plate Log"), ask("Plate", "Plate Log"))
    same(show.ops_between("Plate Log", "Monitor"), ask("Plate Log", "Monitor"))
    assert show.ops_between("Plate", "plate_lin") == ()
    assert show.ops_between("Mask", "Plate") == ()
    same(show.ops_between("crv", "Plate"), ask("Curve", ocio.TRANSFORM_DIR_FORWARD))
    same(show.ops_between("Plate Log", "Curve"), ask("Curve", ocio.TRANSFORM_DIR_INVERSE))
    same(show.look_ops("Shot", "Plate"), ask(ocio.LookTransform("Plate", "Plate", "Shot")))
    same(show.look_ops("Shot, -Shot", "Plate", "AP0"), ask(ocio.LookTransform("Plate", "AP0", "Shot, -Shot")))


def viewed(show: Config, view: str, looks: str | None = None, **changes: float) -> ocio.Processor:
    """OpenColorIO's own viewing pipeline."""
    pipeline = ocio.LegacyViewingPipeline()
    pipeline.setDisplayViewTransform(ocio.DisplayViewTransform("Plate Log", "Monitor", view))
    if looks is not None:
        pipeline.setLooksOverrideEnabled(True)
        pipeline.setLooksOverride("" if looks == "none" else looks)
    if "exposure" in changes:
        gain = 2.0 ** changes["exposure"]
        pipeline.setLinearCC(ocio.MatrixTransform(np.diag([gain, gain, gain, 1.0]).ravel().tolist()))
    if "gamma" in changes:
        power = ocio.ExponentTransform([1.0 / changes["gamma"]] * 3 + [1.0])
        power.setNegativeStyle(ocio.NEGATIVE_MIRROR)
        pipeline.setDisplayCC(power)
    return pipeline.getProcessor(show.ocio)


@pytest.mark.parametrize(
    ("view", "looks"),
    [
        ("Values", ""),
        *((view, looks) for view in ("Video", "Film") for looks in ("", "Shot", "-Shot", "none")),
    ],
)
@pytest.mark.parametrize("changes", [{}, {"exposure": 1.5}, {"exposure": -2.0, "gamma": 2.2}], ids=str)
def test_views_are_those_of_opencolorios_pipeline(show, view, looks, changes):
    ops = show.view_ops("Plate Log", "Monitor", view, looks, **changes)
    same(ops, viewed(show, view, looks or None, **changes))
    assert ([op for op in ops if isinstance(op, Exposure)] != []) == ("exposure" in changes)
    assert show.view_ops("Plate Log", "Monitor", view, looks, **changes) is ops  # kept for the frames of a drag


def test_a_view_of_data(show):
    assert show.view_ops("Mask") == ()
    assert [type(op) for op in show.view_ops("Mask", exposure=1.0, gamma=2.0)] == [Exposure, Exponent]
    assert show.view_ops("Plate", view="Values") == ()


def test_ops_are_kept_by_what_they_are(show):
    once = show.ops_between("Plate", "Plate Log")
    assert show.ops_between("scene_linear", "compositing_log") is once
    assert show.view_ops("Plate", view="Video") == show.view_ops("plate_lin", "monitor", "video")


def test_a_path_with_a_hash(tmp_path: Path):
    assert load_config(write_show(tmp_path / "a #1 $HOME")).name == "show"
