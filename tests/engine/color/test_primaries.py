"""Images whose chromaticities no space of a config has: converted by a matrix, and shown as any other image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import PyOpenColorIO as ocio
import pytest

from app.model.view_ops import grade_ops, view_ops
from engine import create_executor
from engine.color.management import manage
from engine.core.colorimetry import to_xyz
from engine.errors import GradeError
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.grade.grade import Grade
from engine.io import describe, read_image
from engine.luts.look_files import write_look
from engine.ocio import load_config
from engine.ops import Cdl, Exposure, Saturation
from engine.viewing import FrameMaker
from engine.viewing.levels import WholeLevels
from tests.engine import ocio_corpus as corpus
from tests.engine.io.exr import attributes
from tests.engine.shows import SHOW, write_show
from tests.engine.tagged import REC709, found, shot
from tests.shared import CORPUS, needs_corpus

CPU = ExportOptions(backend="cpu", threads=1, type="float", force=True)
OWN = (0.7, 0.28, 0.2, 0.75, 0.14, 0.03, 0.3333, 0.3471)
"""Primaries of nobody's, with a white between D60 and E."""
NAME = "primaries 0.7,0.28 0.2,0.75 0.14,0.03 0.3333,0.3471"
CIE_XYZ = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0)
LINEAR_709 = "Linear Rec.709 (sRGB)"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCIO", raising=False)


def independent(chromaticities: tuple[float, ...]) -> np.ndarray:
    """RGB to ACES2065-1, from the formulas, written down once more: primaries to XYZ, Bradford, XYZ to AP0."""

    def rgb_to_xyz(numbers: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        xy = np.array(numbers).reshape(4, 2)
        xyz = np.array([[x / y, 1.0, (1.0 - x - y) / y] for x, y in xy])
        scale = np.linalg.inv(xyz[:3].T) @ xyz[3]
        return xyz[:3].T * scale, xyz[3]

    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    ours, white = rgb_to_xyz(chromaticities)
    aces, aces_white = rgb_to_xyz((0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767))
    gain = np.diag((bradford @ aces_white) / (bradford @ white))
    return np.linalg.inv(aces) @ np.linalg.inv(bradford) @ gain @ bradford @ ours


# -- what is found


def test_cie_xyz_is_the_space_of_xyz_that_configs_have(tmp_path: Path) -> None:
    """Its white of 1/3, 1/3 is that of the axes; what is neutral in it is D65."""
    space = "primaries 1,0 0,1 0,0 0.33333334,0.33333334"
    assert found(shot(tmp_path / "a.exr", chromaticities=CIE_XYZ)) == InputSpace(space, "from chromaticities", True)
    config: Any = load_config()
    (matrix,) = config.ops_between(space, "CIE XYZ-D65 - Scene-referred")  # which menus leave out
    assert np.abs(np.array(matrix.matrix).reshape(4, 4) - np.eye(4)).max() < 1e-5


def test_other_primaries_are_a_space_of_their_own(tmp_path: Path) -> None:
    assert found(shot(tmp_path / "a.exr", chromaticities=OWN)) == InputSpace(NAME, "from chromaticities", True)
    show = write_show(tmp_path / "show")
    assert found(shot(tmp_path / "b.exr", chromaticities=REC709), str(show)).space.startswith("primaries 0.64,0.33 ")


@pytest.mark.parametrize(
    "numbers",
    [
        (0.0,) * 8,
        (0.3, 0.3, 0.4, 0.4, 0.5, 0.5, 0.33, 0.33),
        (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.0),
        (float("nan"),) * 8,
        (float("inf"), 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329),
        (1e30, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329),
        (0.64, 0.33, 0.64, 0.330001, 0.15, 0.06, 0.3127, 0.329),
    ],
)
def test_what_are_no_primaries_is_unknown(tmp_path: Path, numbers: tuple[float, ...]) -> None:
    assert found(shot(tmp_path / "a.exr", chromaticities=numbers)) == InputSpace()


def test_a_config_that_has_no_way_to_aces_leaves_them_unknown(tmp_path: Path) -> None:
    path = tmp_path / "odd.ocio"
    path.write_text(
        "ocio_profile_version: 2\nroles: {default: a}\ndisplays: {d: [!<View> {name: v, colorspace: a}]}\n"
        "colorspaces:\n  - !<ColorSpace> {name: a}\n"
        "  - !<ColorSpace>\n    name: b\n    to_scene_reference: !<LogTransform> {base: 2}\n",
        encoding="utf-8",
    )
    assert found(shot(tmp_path / "a.exr", chromaticities=OWN), str(path)) == InputSpace()


def test_a_name_of_primaries_is_a_space_wherever_one_is_wanted(tmp_path: Path) -> None:
    config: Any = load_config()
    assert config.resolve("Primaries 0.70,0.28  0.2,0.75 0.14,0.03 .3333,.3471") == NAME
    assert config.has(NAME) and config.is_linear(NAME) and not config.is_data(NAME)
    assert config.space(NAME).name == NAME
    managed = manage(ColourSetup(input=NAME, output="ACES2065-1"))
    assert (managed.input, managed.working, managed.result_id) == (NAME, "ACEScct", "lin_ap0_scene")
    for wrong in ("primaries 0.7,0.28", "primaries 0,0 0,0 0,0 0,0", "primaries", "primaries of mine"):
        assert not config.has(wrong)
        with pytest.raises(GradeError, match="has no colour space"):
            config.resolve(wrong)


# -- what is computed


def test_the_matrix_is_the_one_of_the_formulas() -> None:
    config: Any = load_config()
    light = np.concatenate([np.eye(3), np.full((1, 3), 0.18), [[4.0, -0.1, 0.7]]])
    rgba = np.concatenate([light, np.ones((5, 1))], axis=1)
    wanted = light @ independent(OWN).T
    assert np.abs(corpus.reference(config.ops_between(NAME, "ACES2065-1"), rgba)[:, :3] - wanted).max() < 1e-6
    back = corpus.reference(config.ops_between("ACES2065-1", NAME), np.column_stack([wanted, np.ones(5)]))
    assert np.abs(back[:, :3] - light).max() < 2e-6
    assert config.ops_between(NAME, NAME) == ()
    there = config.ops_between(NAME, "primaries 0.64,0.33 0.3,0.6 0.15,0.06 0.3127,0.329")
    assert len(there) == 1
    plain = np.linalg.inv(independent(REC709)) @ independent(OWN)
    assert np.abs(corpus.reference(there, rgba)[:, :3] - light @ plain.T).max() < 1e-6


def test_primaries_of_a_known_space_by_name_are_that_space() -> None:
    config: Any = load_config()
    (matrix,) = config.ops_between("primaries 0.64,0.33 0.3,0.6 0.15,0.06 0.3127,0.329", LINEAR_709)
    assert np.abs(np.array(matrix.matrix).reshape(4, 4) - np.eye(4)).max() < 2e-3  # the config adapts by CAT02


def test_linear_ops_stay_in_the_image_s_primaries_and_others_are_converted(tmp_path: Path) -> None:
    source, target = shot(tmp_path / "a.exr", chromaticities=OWN), tmp_path / "b.exr"
    pixels = read_image(source).pixels
    report = export_image(source, target, Grade([Exposure(1.0)]), CPU)
    assert report.colour == f"{NAME} (from chromaticities) -> ACEScct -> {NAME}"
    assert np.array_equal(read_image(target).pixels, 2.0 * pixels)
    assert attributes(target)["chromaticities"] == attributes(source)["chromaticities"]
    cdl = Cdl((1.2, 1.0, 0.9), (0.01, 0.0, -0.01), (1.1, 1.0, 0.95), 0.8)
    export_image(source, target, Grade([cdl]), CPU)
    assert np.abs(read_image(target).pixels - graded(pixels, cdl)).max() < 2e-5
    assert found(target) == found(source)


def graded(pixels: np.ndarray, cdl: Cdl) -> np.ndarray:
    """A CDL in ACEScct, the conversions by OpenColorIO and by the formulas."""
    config = ocio.Config.CreateFromFile("ocio://studio-config-latest")
    to_aces = independent(OWN)

    def converted(values: np.ndarray, source: str, target: str) -> np.ndarray:
        processor = config.getProcessor(source, target).getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE)
        values = np.ascontiguousarray(values, np.float32)
        processor.applyRGB(values)
        return values.astype(np.float64)

    log = converted(pixels.reshape(-1, 3).astype(np.float64) @ to_aces.T, "ACES2065-1", "ACEScct")
    after = cdl.reference(np.column_stack([log, np.ones(len(log))]))[:, :3]
    return (converted(after, "ACEScct", "ACES2065-1") @ np.linalg.inv(to_aces).T).reshape(pixels.shape)


def test_another_output_space_leaves_them(tmp_path: Path) -> None:
    source, target = shot(tmp_path / "a.exr", chromaticities=OWN), tmp_path / "b.exr"
    export_image(source, target, Grade([], ColourSetup(output="ACES2065-1")), CPU)
    wanted = read_image(source).pixels.astype(np.float64) @ independent(OWN).T
    assert np.abs(read_image(target).pixels - wanted).max() < 4e-6
    assert attributes(target)["colorInteropID"] == "lin_ap0_scene"
    assert found(target).space == "ACES2065-1"


def test_a_look_file_for_such_an_image(tmp_path: Path) -> None:
    managed = manage(ColourSetup(output=LINEAR_709), tmp_path / "a.exr", {"chromaticities": OWN})
    report = write_look(Grade([Saturation(0.5)], managed.setup), tmp_path / "a.clf", managed)
    assert report.text == f"exact, from {NAME} to {LINEAR_709}"
    report = write_look(Grade([Cdl((1.1, 1.0, 0.9))]), tmp_path / "a.amf", managed)
    assert f"no name for {NAME}" in report.text


# -- real images


@needs_corpus
def test_an_image_of_xyz_exports_as_the_same_one_of_rec709(tmp_path: Path) -> None:
    xyz, rec709 = (CORPUS / "exr" / "Chromaticities" / name for name in ("XYZ.exr", "Rec709.exr"))
    wanted = read_image(rec709).pixels.astype(np.float64)
    by_path = "  - !<Rule> {name: ColorSpaceNamePathSearch}\n"  # which finds XYZ in the name
    assert by_path in SHOW
    for config in ("", str(write_show(tmp_path / "show", SHOW.replace(by_path, "")))):
        output = LINEAR_709 if not config else "primaries 0.64,0.33 0.3,0.6 0.15,0.06 0.3127,0.329"
        grade = Grade([], ColourSetup(config, output=output))
        export_image(xyz, tmp_path / "b.exr", grade, CPU)
        found = read_image(tmp_path / "b.exr").pixels
        off = np.abs(found - wanted).max(axis=-1) / np.maximum(1.0, wanted.max(axis=-1))
        assert off.max() < 4e-3, config  # both files are half floats
        assert off.mean() < 3e-4


@needs_corpus
@pytest.mark.parametrize("viewing", [Viewing(), Viewing("sRGB - Display", "Un-tone-mapped")])
def test_an_image_of_xyz_is_shown_as_the_same_one_of_rec709(viewing: Viewing) -> None:
    folder = CORPUS / "exr" / "Chromaticities"
    frames = [
        shown(folder / "XYZ.exr", ColourSetup(), viewing),
        shown(folder / "Rec709.exr", ColourSetup(input=LINEAR_709), viewing),
    ]
    apart = np.abs(frames[0].astype(int) - frames[1].astype(int))
    assert apart.max() <= 3
    assert apart.mean() < 0.05


def shown(path: Path, setup: ColourSetup, viewing: Viewing) -> np.ndarray:
    """The frame of a whole image at its own size."""
    managed = manage(setup, path, describe(path).parts[0].metadata)
    pixels = read_image(path).pixels
    height, width = pixels.shape[:2]
    maker = FrameMaker(create_executor("cpu"), WholeLevels(pixels))
    region = (0.0, 0.0, float(width), float(height))
    grade: Any = grade_ops(managed, Grade([Exposure(0.25)]))
    frame = maker.exact(region, width, height, grade, view_ops(managed, viewing), lambda: False)  # type: ignore[arg-type]
    assert frame is not None
    return frame.pixels


def test_the_independent_matrix_agrees_with_a_known_one() -> None:
    assert np.abs(np.linalg.inv(to_xyz(REC709)) @ to_xyz(REC709) - np.eye(3)).max() < 1e-12
    assert np.abs(independent(REC709) @ np.ones(3) - np.ones(3)).max() < 1e-9
