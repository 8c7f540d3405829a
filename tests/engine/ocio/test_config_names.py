"""Names in configs: what is not active, aliases, looks, context variables; and what is said of parts that fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.color.management import manage
from engine.errors import GradeError, UnreadableFile
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.ocio import Config, load_config
from engine.ops import Exposure
from tests.engine.ocio_corpus import reference
from tests.engine.shows import SHOW, write_show

LIGHT = np.array([[0.18, 0.5, 0.02, 1.0]])


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


def show(folder: Path, *changes: tuple[str, str]) -> Config:
    """The show with other words in its text."""
    text = SHOW
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return load_config(write_show(folder, text))


def test_what_is_not_active_is_found_by_name(tmp_path, monkeypatch):
    second = "displays:\n  Wall:\n    - !<View> {name: Flat, colorspace: Plate}\n"
    whole = show(tmp_path / "whole", ("displays:\n", second))
    assert whole.displays() == ("Wall", "Monitor")
    few = show(
        tmp_path / "few",
        ("displays:\n", second),
        ("view_transforms:", "active_displays: [Monitor]\nactive_views: [Film]\nview_transforms:"),
        ("displays:\n", "inactive_colorspaces: [AP0]\ndisplays:\n"),
    )
    assert few.displays() == ("Monitor",)
    assert [view.name for view in few.views("Monitor")] == ["Film"]
    assert "AP0" not in [space.name for space in few.spaces()]
    assert few.view_ops("Plate", "wall", "flat") == whole.view_ops("Plate", "Wall", "Flat")
    assert few.view_ops("AP0", "Monitor", "VIDEO") == whole.view_ops("AP0", "Monitor", "Video")
    with pytest.raises(GradeError, match="has no display 'Walls'; available: Monitor"):
        few.view("Walls")
    with pytest.raises(GradeError, match="has no view 'Videos'; available: Film"):
        few.view("Monitor", "Videos")
    monkeypatch.setenv("OCIO_ACTIVE_DISPLAYS", "Wall")
    by_variable = show(tmp_path / "by variable", ("displays:\n", second))
    assert by_variable.displays() == ("Wall",)
    assert by_variable.view_ops("Plate", "Monitor", "Film") == whole.view_ops("Plate", "Monitor", "Film")


def test_a_view_of_another_display_is_reported():
    with pytest.raises(
        GradeError, match=r"sRGB - Display has no view 'ACES 2.0 - HDR 1000 nits \(P3 D65\)'; .* have it"
    ):
        load_config().view("", "ACES 2.0 - HDR 1000 nits (P3 D65)")


def test_displays_and_views_have_aliases(tmp_path):
    newest = load_config()
    assert newest.display("P3-D65 - Display") == "Gamma 2.6 P3-D65 - Display"
    config = show(
        tmp_path,
        ("ocio_profile_version: 2.3\n", "ocio_profile_version: 2.6\nuse_display_aliases: true\n"),
        ("looks: Shot}", "looks: Shot, aliases: [film_view]}"),
        ("name: Monitor\n", "name: Monitor\n    aliases: [monitor_display]\n"),
    )
    assert config.view("MONITOR_DISPLAY", "Film_View") == config.view("Monitor", "Film")
    assert config.view_ops("Plate", "monitor_display", "film_view") == config.view_ops("Plate", "Monitor", "Film")


def test_the_default_view_of_a_space_may_be_one_that_is_not_active(tmp_path):
    config = show(
        tmp_path,
        ("shared_views:", "viewing_rules:\n  - !<Rule> {name: Light, encodings: [scene-linear]}\nshared_views:"),
        ("looks: Shot}", "looks: Shot, rule: Light}"),
        ("view_transforms:", "active_views: [Film]\nview_transforms:"),
    )
    assert config.view(source="Plate").name == "Film"
    assert config.view(source="Plate Log").name == config.ocio.getDefaultView("Monitor", "Plate Log") == "Video"


def test_names_of_looks(tmp_path):
    config = show(
        tmp_path, ("display_colorspaces:", "  - !<Look> {name: Warm-, process_space: Plate}\ndisplay_colorspaces:")
    )
    assert config.look_ops("Warm-, +shot", "Plate") == config.look_ops("SHOT", "Plate")
    assert config.look_ops("-Warm-|Shot", "Plate") == ()
    with pytest.raises(GradeError, match="has no look 'none'; available: Shot"):
        config.look_ops("Shot, none", "Plate")
    with pytest.raises(GradeError, match="has no look 'nome'; available: Shot"):
        config.look_ops("nome", "Plate")


def test_context_variables_by_any_letters_and_no_others(tmp_path):
    config = show(tmp_path)
    by_name = config.look_ops("Shot", "Plate", context=(("SHOT", "sc020"),))
    assert config.look_ops("Shot", "Plate", context=(("shot", "sc020"),)) == by_name
    used = show(tmp_path / "used", ("SHOT: sc010, ", ""))
    assert used.look_ops("Shot", "Plate", context=(("SHOT", "sc020"),)) == by_name
    with pytest.raises(GradeError, match="no context variable 'SHOTS'; available: GAIN"):
        used.look_ops("Shot", "Plate", context=(("SHOTS", "sc020"),))
    with pytest.raises(GradeError, match=r"the file 'look_\$SHOT.cc', in which SHOT has no value"):
        used.look_ops("Shot", "Plate")
    with pytest.raises(GradeError, match="no context variable 'SHOT'; it has none"):
        load_config().ops_between("ACEScg", "ACEScct", (("SHOT", "a"),))


def test_a_view_by_a_named_transform_takes_what_the_image_holds(tmp_path):
    config = show(tmp_path, ("name: Values, colorspace: Mask", "name: Values, colorspace: Curve"))
    still, lifted = (config.view_ops("Plate Log", view="Values", exposure=stops) for stops in (0.0, 1e-6))
    assert any(isinstance(op, Exposure) for op in lifted)
    np.testing.assert_allclose(reference(still, LIGHT), reference(lifted, LIGHT), rtol=1e-4)


def test_a_named_transform_gives_light_to_a_view(tmp_path):
    config = show(tmp_path)
    shown = config.view_ops("crv", view="Video")
    assert shown == (*config.ops_between("Curve", "Plate"), *config.view_ops("Plate", view="Video"))
    assert config.view_ops("CRV", view="Video", exposure=1.0)[1] == Exposure(1.0)
    bare = show(tmp_path / "bare", ("name: Values, colorspace: Mask", "name: Values, colorspace: Curve"))
    seen, decoded = bare.view_ops("crv", view="Values"), bare.ops_between("crv", "Plate")
    np.testing.assert_allclose(reference(seen, LIGHT), reference(decoded, LIGHT), rtol=1e-6)
    assert not config.is_linear("crv") and not config.is_data("crv") and not config.has("crv")


CUBE = "LUT_3D_SIZE 2\n0 0 0\n"


@pytest.mark.parametrize(
    ("transform", "said"),
    [
        ("!<FileTransform> {src: cut.cube}", "the file 'cut.cube' is not valid: "),
        ("!<FileTransform> {src: look_sc010.cc, cccid: two}", ""),
        ("!<FileTransform> {src: two.ccc, cccid: three}", "the file 'two.ccc' has no correction named 'three'"),
        ("!<FileTransform> {src: ../luts}", "the file 'luts' is not a LUT that OpenColorIO reads"),
        ("!<ColorSpaceTransform> {src: Old Plate, dst: AP0}", "it refers to itself, in a cycle"),
        ("!<MatrixTransform> {matrix: [.inf, 0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}", "has a Matrix out of range"),
        ("!<ColorSpaceTransform> {src: gone, dst: AP0}", "Color space 'gone' could not be found"),
    ],
)
def test_a_part_that_fails_is_reported_in_few_words(tmp_path, transform, said):
    config = show(tmp_path, ("!<FileTransform> {src: missing.spi1d}", transform))
    (tmp_path / "luts" / "cut.cube").write_text(CUBE)
    (tmp_path / "luts" / "two.ccc").write_text("<ColorCorrectionCollection/>".replace("/>", ">") + CCC)
    if not said:
        assert config.ops_between("Old Plate", "AP0")
        return
    with pytest.raises(GradeError) as problem:
        config.ops_between("Old Plate", "AP0")
    line = str(problem.value)
    assert line.startswith(f"show: from Old Plate to AP0: {said}")
    assert line.endswith("; choose another")
    assert str(tmp_path) not in line
    assert "\n" not in line
    assert config.ops_between("Plate", "AP0")


CCC = (
    "<ColorCorrection id='two'><SOPNode><Slope>2 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>"
    "</ColorCorrection></ColorCorrectionCollection>"
)


def test_a_role_that_leads_nowhere_is_none(tmp_path):
    config = show(tmp_path, ("scene_linear: Plate", "scene_linear: Nowhere"))
    assert "Nowhere" in config.problem
    assert config.role("scene_linear", "default") == "Plate"
    assert config.linear == "AP0"


def test_a_later_version_is_reported_without_the_path(tmp_path):
    with pytest.raises(
        UnreadableFile, match=r"is not a valid config: This \.ocio config is version 2\.9\. "
    ) as problem:
        show(tmp_path, ("2.3", "2.9"))
    assert str(problem.value).count(str(tmp_path)) == 1


def test_names_that_no_terminal_should_see_are_printed_without_their_control_characters(tmp_path):
    strange = "Mon\u0093itor"
    config = show(tmp_path, ("  Monitor:", f'  "{strange}":'))
    managed = manage(ColourSetup(input="Plate"), viewing=Viewing(strange, "Video"), config=config)
    assert strange in config.displays()
    assert managed.describe().isprintable() and "Mon?itor" in managed.describe()
