"""OpenColorIO's transforms and files against the ops that they come apart into."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine import ocio as tessera_ocio
from engine.errors import UnsupportedTransform
from engine.ocio import (
    describe_look,
    ops_from_file,
    ops_from_processor,
    transforms,
)
from engine.ops import Exponent, Lut1d, Lut3d, Matrix
from tests.engine import ocio_corpus as corpus
from tests.typed import expect

INVERSE = ocio.TRANSFORM_DIR_INVERSE
FORWARD = ocio.TRANSFORM_DIR_FORWARD
RNG = np.random.default_rng(5)


def processor(*steps: ocio.Transform) -> ocio.Processor:
    return ocio.Config.CreateRaw().getProcessor(ocio.GroupTransform(list(steps)))


def built(kind, **values):
    """A transform of class `kind` with `setX(value)` for each X=value."""
    transform = kind()
    for name, value in values.items():
        getattr(transform, f"set{name}")(value)
    return transform


def lut1d(half: bool = False, size: int = 33) -> ocio.Lut1DTransform:
    transform = ocio.Lut1DTransform(65536 if half else size, half)
    curve = RNG.random((size, 3))
    if half:
        data = np.array(transform.getData(), np.float32).reshape(-1, 3)
        with np.errstate(invalid="ignore"):
            curve = np.sign(data) * np.abs(data) ** np.array([0.5, 1.0, 0.8], np.float32)
    transform.setData(curve.astype(np.float32).ravel())
    return transform


def lut3d(interpolation: ocio.Interpolation, size: int = 5) -> ocio.Lut3DTransform:
    transform = ocio.Lut3DTransform(size)
    transform.setData(RNG.random(size**3 * 3).astype(np.float32))
    transform.setInterpolation(interpolation)
    return transform


CURVE = {
    "Base": 10.0,
    "LogSideSlopeValue": [0.25, 0.3, 0.2],
    "LogSideOffsetValue": [0.38, 0.4, 0.5],
    "LinSideSlopeValue": [5.5, 4.0, 6.0],
    "LinSideOffsetValue": [0.05, 0.04, 0.02],
}
SOP = {"Slope": [1.2, 0.9, 0.7], "Offset": [0.03, -0.02, 0.0], "Power": [1.3, 0.8, 1.0], "Sat": 1.4}
MATRIX = [1.1, -0.2, 0.1, 0.0, 0.05, 0.9, 0.05, 0.0, 0.0, 0.1, 0.8, 0.0, 0.0, 0.0, 0.0, 1.0]
DIAGONAL = np.diag([1.5, 0.5, 2.0, 1.0]).ravel().tolist()

TRANSFORMS = {
    "matrix": built(ocio.MatrixTransform, Matrix=MATRIX, Offset=[0.1, 0.0, -0.2, 0.0]),
    "matrix inverse": built(ocio.MatrixTransform, Matrix=MATRIX, Offset=[0.1, 0.0, -0.2, 0.0], Direction=INVERSE),
    "matrix to alpha": built(ocio.MatrixTransform, Matrix=[*MATRIX[:12], 0.2, 0.3, 0.1, 0.5]),
    "matrix diagonal": built(ocio.MatrixTransform, Matrix=DIAGONAL),
    "matrix diagonal inverse": built(
        ocio.MatrixTransform, Matrix=DIAGONAL, Offset=[0.1, 0.2, 0.3, 0.0], Direction=INVERSE
    ),
    "range": built(ocio.RangeTransform, MinInValue=0.1, MaxInValue=0.9, MinOutValue=-0.2, MaxOutValue=1.5),
    "range inverse": built(
        ocio.RangeTransform, MinInValue=0.1, MaxInValue=0.9, MinOutValue=-0.2, MaxOutValue=1.5, Direction=INVERSE
    ),
    "range low": built(ocio.RangeTransform, MinInValue=0.1, MinOutValue=0.1),
    "range high": built(ocio.RangeTransform, MaxInValue=0.8, MaxOutValue=0.8),
    "range high inverse": built(ocio.RangeTransform, MaxInValue=0.8, MaxOutValue=0.8, Direction=INVERSE),
    "range no clamp": built(
        ocio.RangeTransform,
        MinInValue=0.1,
        MaxInValue=0.9,
        MinOutValue=0.0,
        MaxOutValue=1.0,
        Style=ocio.RANGE_NO_CLAMP,
    ),
    "log": built(ocio.LogTransform, Base=10.0),
    "log inverse": built(ocio.LogTransform, Base=2.0, Direction=INVERSE),
    "log affine": built(ocio.LogAffineTransform, **CURVE),
    "log affine inverse": built(ocio.LogAffineTransform, **CURVE, Direction=INVERSE),
    "lut1d": lut1d(),
    "lut1d half": lut1d(half=True),
    "lut3d trilinear": lut3d(ocio.INTERP_LINEAR),
    "lut3d default": lut3d(ocio.INTERP_DEFAULT),
    "lut3d tetrahedral": lut3d(ocio.INTERP_TETRAHEDRAL),
    "lut3d best": lut3d(ocio.INTERP_BEST),
    "exposure": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_LINEAR, exposure=1.5),
    "exposure video": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_VIDEO, exposure=-1.5),
}
for style in (ocio.CDL_NO_CLAMP, ocio.CDL_ASC):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"cdl {style.name} {direction.name}"] = built(
            ocio.CDLTransform, **SOP, Style=style, Direction=direction
        )
for negative in (ocio.NEGATIVE_CLAMP, ocio.NEGATIVE_MIRROR, ocio.NEGATIVE_PASS_THRU):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"exponent {negative.name} {direction.name}"] = built(
            ocio.ExponentTransform, Value=[2.2, 1.0, 0.6, 1.0], NegativeStyle=negative, Direction=direction
        )
for negative in (ocio.NEGATIVE_LINEAR, ocio.NEGATIVE_MIRROR):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"exponent with linear {negative.name} {direction.name}"] = built(
            ocio.ExponentWithLinearTransform,
            Gamma=[2.4, 3.0, 1.0, 1.0],
            Offset=[0.055, 0.16, 0.0, 0.0],
            NegativeStyle=negative,
            Direction=direction,
        )
for slope in ({}, {"LinearSlopeValue": [8.0, 6.0, 7.0]}):
    for direction in (FORWARD, INVERSE):
        camera = ocio.LogCameraTransform([0.01, 0.02, 0.0])
        for field, value in {**CURVE, **slope, "Direction": direction}.items():
            getattr(camera, f"set{field}")(value)
        TRANSFORMS[f"log camera {'given' if slope else 'matched'} {direction.name}"] = camera
for direction in (FORWARD, INVERSE):
    log = ocio.ExposureContrastTransform(
        style=ocio.EXPOSURE_CONTRAST_LOGARITHMIC, exposure=0.7, contrast=1.4, gamma=1.1, pivot=0.3, direction=direction
    )
    TRANSFORMS[f"exposure contrast log {direction.name}"] = log


@pytest.fixture
def no_op_for_logs(monkeypatch: pytest.MonkeyPatch) -> str:
    """As if OpenColorIO had a transform that Tessera does not know; it has none."""
    monkeypatch.delitem(transforms._CONVERTERS, ocio.LogTransform)
    return "Log"


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_gives_opencolorios_exact_answer(name: str) -> None:
    whole = processor(TRANSFORMS[name])
    outcome = corpus.compare(Path(name), ops_from_processor(whole), whole, corpus.reference)
    assert outcome.kind in ("matched", "rounding"), outcome.detail


@pytest.mark.parametrize("style", [ocio.EXPOSURE_CONTRAST_LINEAR, ocio.EXPOSURE_CONTRAST_VIDEO])
@pytest.mark.parametrize("direction", [FORWARD, INVERSE])
def test_exposure_contrast_is_right_where_opencolorio_approximates(style, direction) -> None:
    """OpenColorIO's power is off by up to 2e-5 there; its own matrices and exponent, from the same ops, are not."""
    transform = ocio.ExposureContrastTransform(style=style, exposure=0.5, contrast=1.3, pivot=0.2, direction=direction)
    whole = processor(transform)
    ops = ops_from_processor(whole)
    assert corpus.compare(Path("fast"), ops, whole, corpus.reference).kind == "approximated"
    exact = [
        built(ocio.MatrixTransform, Matrix=list(op.matrix), Offset=list(op.offset))
        if isinstance(op, Matrix)
        else built(ocio.ExponentTransform, Value=[*expect(Exponent, op).exponent, 1.0])
        for op in ops
    ]
    assert any(isinstance(op, Exponent) for op in ops)
    assert corpus.compare(Path("exact"), ops, processor(*exact), corpus.reference).kind in ("matched", "rounding")


def test_an_unsupported_transform_is_named(no_op_for_logs: str) -> None:
    with pytest.raises(UnsupportedTransform) as caught:
        ops_from_processor(processor(ocio.LogTransform()))
    assert caught.value.transform == no_op_for_logs
    assert str(caught.value) == f"needs the transform {no_op_for_logs}, which Tessera does not support"


def test_every_transform_that_a_processor_is_made_of_has_an_op() -> None:
    made_of_others = ("Allocation", "Builtin", "ColorSpace", "DisplayView", "File", "Group", "Look", "View")
    names = {name for name in dir(ocio) if name.endswith("Transform") and name not in ("Transform", "NamedTransform")}
    names -= {f"{name}Transform" for name in made_of_others}
    assert {kind.__name__ for kind in transforms._CONVERTERS} == names


def test_a_value_that_no_op_takes_is_unsupported_and_named() -> None:
    beyond = {
        "LogCamera": ocio.LogCameraTransform([-1.0] * 3),
        "ExposureContrast VIDEO": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_VIDEO, exposure=1e9),
    }
    for name, transform in beyond.items():
        with pytest.raises(UnsupportedTransform, match=f"has a {name} out of range"):
            ops_from_processor(processor(transform))


def test_entries_of_a_table_that_are_not_finite_become_so_as_in_opencolorio() -> None:
    transform = ocio.Lut1DTransform(4, False)
    transform.setData(np.array([0, 0, 0, np.nan, 1, np.inf, 1, -np.inf, 2, 1, 1, 1], np.float32))
    whole = processor(transform)
    outcome = corpus.compare(Path("table"), ops_from_processor(whole), whole, corpus.reference)
    assert outcome.kind in ("matched", "rounding"), outcome.detail


def test_ops_come_in_the_order_of_the_transforms() -> None:
    ops = ops_from_processor(processor(TRANSFORMS["lut1d"], TRANSFORMS["matrix"], TRANSFORMS["lut3d best"]))
    assert [type(op) for op in ops] == [Lut1d, Matrix, Lut3d]


def test_every_file_of_the_corpus_matches_or_says_why_not() -> None:
    files = corpus.corpus_files()
    if not files:
        pytest.skip("the corpus is not here")
    outcomes = [corpus.compare_file(path) for path in files]
    assert not [o.detail for o in outcomes if o.kind == "missed"]
    kinds = [o.kind for o in outcomes]
    assert kinds.count("matched") >= 67
    assert kinds.count("rounding") <= 5
    for outcome in outcomes:
        refused = False
        try:
            corpus.processor_of(outcome.path)
        except ocio.Exception:
            refused = True
        assert refused == (outcome.kind == "rejected"), outcome
        assert "\n" not in outcome.detail


def test_describing_what_has_no_op_names_the_transforms(tmp_path: Path, no_op_for_logs: str) -> None:
    path = tmp_path / "a.ctf"
    group = ocio.GroupTransform([TRANSFORMS["matrix"], ocio.LogTransform()])
    path.write_text(group.write(formatName="Color Transform Format", config=ocio.Config.CreateRaw()))
    about = describe_look(path)
    assert about["transforms"] == ["Matrix", "Log"]
    assert no_op_for_logs in about["error"]
    with pytest.raises(UnsupportedTransform, match=r"a\.ctf: needs the transform Log"):
        ops_from_file(path)


def test_public_names_are_there() -> None:
    assert {"ops_from_processor", "ops_from_file", "write_cdl"} <= set(tessera_ocio.__all__)


def test_the_package_loads_no_module_of_its_own() -> None:
    """Two threads that load modules of it at the same time would else wait for each other, and one import fails."""
    line = "import sys, engine.ocio; print([each for each in sys.modules if each.startswith('engine.ocio.')])"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
