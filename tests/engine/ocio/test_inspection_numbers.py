"""Files that OpenColorIO reads for ever, or in which one number that is none makes it write where it must not."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from engine.errors import UnreadableFile
from engine.ocio import load_config, look_from_file
from tests.engine.limits import bounded, needs_limits

CURVE = (
    '<?xml version="1.0"?>\n<ProcessList id="x" version="2.0"><GradingRGBCurve inBitDepth="32f" outBitDepth="32f" '
    'style="log"><Red><ControlPoints>0 0 {} 0.3 0.6 0.7 1 1</ControlPoints><Slopes>1 1 1 1</Slopes></Red>'
    "</GradingRGBCurve></ProcessList>"
)
CONFIG = """ocio_profile_version: 2.1
roles: {{default: raw}}
colorspaces:
  - !<ColorSpace> {{name: raw}}
  - !<ColorSpace>
    name: graded
    to_scene_reference: !<GradingRGBCurveTransform>
      style: log
      red: {{control_points: [0, 0, {}, 0.3, 0.6, 0.7, 1, 1], slopes: [1, 1, 1, 1]}}
"""
READ_LOOK = "from engine.ocio import look_from_file\nfor _ in range(40): look_from_file(sys.argv[1])"
READ_CONFIG = "from engine.ocio import load_config\nfor _ in range(40): load_config(sys.argv[1])"
CSP = "CSPLUTV100\n3D\n\n{}\n2\n0 1\n0 1\n2\n0 1\n0 1\n2\n0 1\n0 1\n\n2 2 2\n" + "0 0 0\n" * 8


@needs_limits
def test_a_curve_with_a_point_that_is_no_number_is_refused_before_it_harms(tmp_path: Path) -> None:
    path = tmp_path / "curve.ctf"
    path.write_text(CURVE.format("nan"))
    assert "is damaged: a curve has a point that is not a number" in bounded(READ_LOOK, path).said


@pytest.mark.parametrize("number", ["nan", "NaN", "-nan", "NAN(7)", "&#110;an", "<![CDATA[nan]]>"])
def test_a_point_that_is_no_number_is_found_however_it_is_written(number: str, tmp_path: Path) -> None:
    path = tmp_path / "curve.cube"  # OpenColorIO goes by what is in it
    path.write_text(CURVE.format(number))
    with pytest.raises(UnreadableFile, match=r"curve\.cube: is damaged: a curve has a point that is not a number"):
        look_from_file(path)


def test_a_sound_curve_is_read(tmp_path: Path) -> None:
    path = tmp_path / "curve.ctf"
    path.write_text(CURVE.format("0.25"))
    assert look_from_file(path).ops


@needs_limits
def test_a_config_with_such_a_curve_is_refused_before_it_harms(tmp_path: Path) -> None:
    path = tmp_path / "show.ocio"
    path.write_text(CONFIG.format(".nan"))
    assert "contains NaN (line 9)" in bounded(READ_CONFIG, path).said


@pytest.mark.parametrize("number", [".nan", ".NaN", ".NAN", '".nan"', "'.nan'", r'"\x2enan"', r'"\u002En\x61n"'])
def test_it_is_found_in_a_config_however_it_is_written(number: str, tmp_path: Path) -> None:
    path = tmp_path / "show.ocio"
    path.write_text(CONFIG.format(number))
    with pytest.raises(UnreadableFile, match="contains NaN"):
        load_config(path)
    with zipfile.ZipFile(tmp_path / "show.ocioz", "w") as archive:
        archive.write(path, "config.ocio")
    with pytest.raises(UnreadableFile, match=r"show\.ocioz: contains NaN"):
        load_config(tmp_path / "show.ocioz")


def test_a_config_whose_names_look_like_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "show.ocio"
    path.write_text(CONFIG.format("0.25") + '  - !<ColorSpace> {name: "grandma.nan", description: a .nano film}\n')
    assert load_config(path).has("grandma.nan")


@needs_limits
def test_a_csp_whose_metadata_has_no_end_is_refused_instead_of_read_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "look.csp"
    path.write_text(CSP.format("BEGIN METADATA\nmade for a test\n"))
    assert "is cut off: its metadata has no end" in bounded(READ_LOOK, path).said


@pytest.mark.parametrize("metadata", ["", "BEGIN METADATA\nmade for a test\nEND METADATA\n"])
def test_a_sound_csp_is_read(metadata: str, tmp_path: Path) -> None:
    path = tmp_path / "look.csp"
    path.write_text(CSP.format(metadata))
    assert look_from_file(path).ops
