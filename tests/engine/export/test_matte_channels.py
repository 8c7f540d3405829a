"""Mattes of a grade as channels of the exported EXR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine import ExportOptions, Grade, Group, ops
from engine.core.geometry import Place, Rect
from engine.core.system import resident_memory
from engine.errors import UnsupportedFile
from engine.export.device_frames import Obstacle, early_obstacle
from engine.export.image import export_image, preview_export
from engine.export.job import resolve
from engine.export.matte_channels import MOST_BYTES
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Layer
from engine.io import describe, open_output
from engine.mattes.channels import DepthRange
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.images import ImageMatte
from engine.mattes.planes import ChannelPlane, CoveragePlane, Plane
from engine.mattes.qualifiers import HslQualifier, Key3d
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.engine.export.test_export_mattes import DATA, PICKED, channels_of, depth, make, pixels
from tests.engine.io.cryptomatte_files import layer
from tests.engine.matte_reference import graded, matte_coverage

OBJECTS = Matte(Leaf(Cryptomatte("CryptoObject", PICKED)), feather=2.0, frame=(80, 60))
WINDOW = Matte(Leaf(Ellipse(center=(40.0, 25.0), size=(18.0, 12.0), softness_out=6.0), inverted=True), frame=(80, 60))
FAR = Leaf(DepthRange(channel="Z", near=4.0, far=12.0, falloff_near=2.0, falloff_far=3.0))
GRADE = Grade(
    [
        Layer(ops.Exposure(1.0), matte=OBJECTS),
        Layer(ops.Cdl(slope=(0.5, 1.5, 1.0)), enabled=False, matte=Matte(FAR, frame=(80, 60))),
        Group((ops.Exposure(0.0), Layer(ops.Exposure(0.5), matte=WINDOW)), "in a group"),
    ]
)
CHANNELS = (("hero", "1"), ("matte.far", "2"), ("zz", "3.2"))
OPTIONS = ExportOptions(backend="cpu", type="float", colour=ColourSetup(config="raw"))


def options(channels: tuple[tuple[str, str], ...] = CHANNELS, **more: Any) -> ExportOptions:
    return ExportOptions(**{**vars(OPTIONS), "matte_channels": channels, **more})


def coverage_of(matte: Matte, grade: Grade | None = None) -> np.ndarray:
    crypto = layer(size=pixels().shape[1::-1])
    ids = [int(crypto.manifest[name], 16) for name in PICKED]
    planes: dict[Plane, np.ndarray] = {
        CoveragePlane("CryptoObject", PICKED): crypto.coverage(ids),
        ChannelPlane("Z"): depth(),
    }
    image = np.asarray(pixels(), np.float64)
    if grade is not None:
        image = graded(image, grade.effective)
    return matte_coverage(matte, image, Place(column=DATA[0], row=DATA[1]), planes)


MATTES = {"hero": OBJECTS, "matte.far": Matte(FAR), "zz": WINDOW}


@pytest.mark.parametrize("more", [{}, {"tile": 5}, {"storage": "tiled:16", "tile": 16}, {"max_memory": 1}], ids=str)
def test_channels_are_the_coverage_of_mattes_and_all_else_is_the_same(tmp_path: Path, more: dict[str, Any]):
    if "max_memory" in more:
        more = {"max_memory": resident_memory() + (64 << 20)}
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "plain.exr", GRADE, options((), **more))
    export_image(source, tmp_path / "out.exr", GRADE, options(**more))
    made, plain = channels_of(tmp_path / "out.exr"), channels_of(tmp_path / "plain.exr")
    assert set(made) == {*plain, *MATTES}
    for name, matte in MATTES.items():
        assert made[name].dtype == np.float32
        np.testing.assert_allclose(made[name], coverage_of(matte), rtol=0, atol=2e-6, err_msg=name)
        assert 0.0 <= made[name].min() < 0.1 and 0.9 < made[name].max() <= 1.0
    for name in plain:
        assert (made[name].view(np.uint8) == plain[name].view(np.uint8)).all(), name


def test_bands_and_tiles_give_the_same_bits(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    found = []
    cut: list[dict[str, Any]] = [{}, {"tile": 3}, {"storage": "tiled:8"}]
    for number, more in enumerate(cut):
        export_image(source, tmp_path / f"{number}.exr", GRADE, options(**more))
        found.append(channels_of(tmp_path / f"{number}.exr"))
    for name in found[0]:
        assert all((each[name].view(np.uint8) == found[0][name].view(np.uint8)).all() for each in found), name


def test_half_like_the_layer(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "out.exr", GRADE, options(type="source"))
    made = channels_of(tmp_path / "out.exr")
    for name, matte in MATTES.items():
        assert made[name].dtype == np.float16
        np.testing.assert_allclose(made[name], coverage_of(matte), rtol=0, atol=2.0**-11)


@pytest.mark.parametrize("alone", [False, True], ids=["carried", "only graded"])
def test_a_grade_that_changes_nothing_still_writes_its_mattes(tmp_path: Path, alone: bool):
    source = make(tmp_path / "shot.exr")
    bypassed = Grade([Layer(ops.Exposure(1.0), enabled=False, matte=WINDOW)])
    export_image(source, tmp_path / "out.exr", bypassed, options((("w", "1"),), type="source", only_graded=alone))
    made, before = channels_of(tmp_path / "out.exr"), channels_of(source)
    np.testing.assert_allclose(made.pop("w"), coverage_of(WINDOW), rtol=0, atol=2.0**-11)
    assert set(made) == (set("RGBA") if alone else set(before))
    for name in made:
        assert (made[name].view(np.uint8) == before[name].view(np.uint8)).all(), name


@pytest.mark.parametrize("of", ["entry", "source"])
@pytest.mark.parametrize("kind", [Key3d, HslQualifier])
def test_a_qualifier_reads_the_image_before_its_entry(tmp_path: Path, of: str, kind: type):
    source = make(tmp_path / "shot.exr")
    fields = {"added": ((0.9, 0.4, 1.0),)} if kind is Key3d else {"luma": (0.4, 0.6, 0.05, 0.05)}
    matte = Matte(Leaf(kind(input=of, **fields)))
    first = ops.Cdl(slope=(2.0, 0.5, 0.25))
    grade = Grade([first, Layer(ops.Exposure(1.0), matte=matte), ops.Exposure(3.0)])
    export_image(source, tmp_path / "out.exr", grade, options((("key", "2"),)))
    wanted = coverage_of(matte, Grade([first]) if of == "entry" else None)
    np.testing.assert_allclose(channels_of(tmp_path / "out.exr")["key"], wanted, rtol=0, atol=2e-4)
    assert wanted.max() > 0.3 > wanted.min()


def test_crop_and_resize_act_on_mattes_as_on_the_image(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "cropped.exr", GRADE, options(crop="10,2,20,11"))
    made = channels_of(tmp_path / "cropped.exr")
    top, left = 2 - DATA[1], 10 - DATA[0]
    for name, matte in MATTES.items():
        wanted = coverage_of(matte)[top : top + 11, left : left + 20]
        np.testing.assert_allclose(made[name], wanted, rtol=0, atol=2e-6, err_msg=name)
    export_image(source, tmp_path / "small.exr", GRADE, options(resize=(20, 15), filter="area"))
    made = channels_of(tmp_path / "small.exr")
    for name, matte in MATTES.items():
        image = np.repeat(coverage_of(matte)[..., None], 4, -1)
        wanted = graded(image, [ops.Resize(20, 15, "area")])[..., 0]
        np.testing.assert_allclose(made[name], wanted, rtol=0, atol=4e-6, err_msg=name)


def test_an_exr_made_from_another_format_has_them_too(tmp_path: Path):
    written = open_output(tmp_path / "shot.tif", None)
    written.init(61, 47, 4)
    written.write_region(Rect(0, 0, 61, 47), np.asarray(pixels(), np.float32))
    written.finish()
    grade = Grade([Layer(ops.Exposure(1.0), matte=WINDOW)])
    export_image(tmp_path / "shot.tif", tmp_path / "out.exr", grade, options((("w", "1"),)))
    made = channels_of(tmp_path / "out.exr")
    wanted = matte_coverage(WINDOW.fitted(61, 47), np.asarray(pixels(), np.float64))
    assert set(made) == {*"RGBA", "w"}
    np.testing.assert_allclose(made["w"], wanted, rtol=0, atol=2e-6)


def test_mip_levels_of_mattes_are_made(tmp_path: Path):
    image = oiio.ImageBuf(np.ascontiguousarray(pixels()))
    image.set_write_format("half")
    image.write(str(tmp_path / "flat.exr"))
    oiio.ImageBufAlgo.make_texture(oiio.MakeTxTexture, str(tmp_path / "flat.exr"), str(tmp_path / "shot.exr"))
    grade = Grade([Layer(ops.Exposure(1.0), matte=WINDOW)])
    export_image(tmp_path / "shot.exr", tmp_path / "out.exr", grade, options((("w", "1"),)))
    (part,) = describe(tmp_path / "out.exr").parts
    assert part.levels > 1 and part.channel("w").type == "float"
    level = oiio.ImageBuf(str(tmp_path / "out.exr"), 0, 1)
    values = np.asarray(level.get_pixels())[..., level.spec().channelnames.index("w")]
    assert 0.2 < values.mean() < 1.0 and values.std() > 0.1


REFUSED = [
    ((("m", "4"),), {}, "out.exr", "can't have the channel 'm': the grade has no entry 4; number entries from 1"),
    ((("m", "0"),), {}, "out.exr", "the grade has no entry 0"),
    ((("m", "1.1"),), {}, "out.exr", "the grade has no entry 1.1"),
    ((("m", "3.1"),), {}, "out.exr", "entry 3.1, Exposure, has no matte"),
    ((("m", "3"),), {}, "out.exr", "entry 3, in a group, has no matte"),
    ((("Z", "1"),), {}, "out.exr", "has a channel 'Z' already, so no matte can be written as that"),
    ((("m", "1"), ("m", "2")), {}, "out.exr", "has a channel 'm' already"),
    ((("R", "1"),), {"only_graded": True}, "out.exr", "has a channel 'R' already"),
    ((("a\nb", "1"),), {}, "out.exr", "can't have a channel named 'a"),
    ((("", "1"),), {}, "out.exr", "can't have a channel named ''"),
    ((("m" * (MOST_BYTES + 1), "1"),), {}, "out.exr", "choose another name"),
    ((("m", "1"),), {}, "out.tif", "is TIF, which can't hold mattes as channels; write an EXR"),
]


@pytest.mark.parametrize(("channels", "more", "target", "line"), REFUSED)
def test_what_can_not_be_written_is_refused_at_once(tmp_path: Path, channels, more, target, line):
    source = make(tmp_path / "shot.exr")
    with pytest.raises(UnsupportedFile) as raised:
        export_image(source, tmp_path / target, GRADE, options(channels, **more))
    assert line in str(raised.value) and "\n" not in str(raised.value)
    assert not (tmp_path / target).exists()


def test_a_channel_that_is_left_out_gives_its_name_free(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "out.exr", GRADE, options((("CryptoObject00.R", "1"),), only_graded=True))
    assert set(channels_of(tmp_path / "out.exr")) == {*"RGBA", "CryptoObject00.R"}


def test_a_grade_that_resizes_is_refused(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    grade = GRADE.with_entries((*GRADE.entries, ops.Resize(20, 20)))
    with pytest.raises(UnsupportedFile, match="the grade resizes the image; use --resize"):
        export_image(source, tmp_path / "out.exr", grade, options())


def test_what_a_channel_lacks_stops_the_export_or_leaves_the_channel_out(tmp_path: Path):
    source = make(tmp_path / "shot.exr", Z=None)
    grade = GRADE.with_entries((*GRADE.entries, Layer(ops.Exposure(1.0), enabled=False, matte=Matte(FAR))))
    with pytest.raises(UnsupportedFile, match=r"shot\.exr: .*Z.*--skip-missing"):
        export_image(source, tmp_path / "out.exr", grade, options((("far", "4"),)))
    report = export_image(source, tmp_path / "out.exr", grade, options((("far", "4"), ("w", "3.2")), skip_missing=True))
    (note,) = report.notes
    assert note.startswith("Left out the channel 'far', a matte: ") and "Z" in note
    assert {"w"} == set(channels_of(tmp_path / "out.exr")) - set(channels_of(source))


def test_a_device_leaves_them_to_the_path_through_main_memory(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    jobs = [resolve(source, tmp_path / "out.exr", GRADE, options(each)) for each in (CHANNELS, ())]
    found = [early_obstacle(job) for job in jobs]
    assert found == [Obstacle("mattes as channels are not"), None]


def test_the_preview_lists_them(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    preview = preview_export(source, tmp_path / "out.exr", GRADE, options())
    before, after = "\n".join(preview.before), "\n".join(preview.after)
    assert all(name in after and name not in before for name in MATTES)


def test_mattes_of_unpremultiplied_grades_read_what_the_entry_reads(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    matte = Matte(Leaf(HslQualifier(input="entry", luma=(0.4, 0.6, 0.05, 0.05))))
    grade = Grade([Layer(ops.Exposure(1.0), matte=matte)])
    export_image(source, tmp_path / "out.exr", grade, options((("key", "1"),), alpha="unpremultiplied"))
    image = np.asarray(pixels(), np.float64)
    image[..., :3] /= image[..., 3:]
    wanted = matte_coverage(matte, image)
    np.testing.assert_allclose(channels_of(tmp_path / "out.exr")["key"], wanted, rtol=0, atol=2e-3)
    assert not np.allclose(wanted, coverage_of(matte), atol=0.1)


def test_an_image_beside_the_source_is_a_matte(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    mask = np.zeros((60, 80), np.float32)
    mask[:, 40:] = 1.0
    OpenEXR.File({}, {"Y": mask}).write(str(tmp_path / "mask.exr"))
    matte = Matte(Branch("union", (Leaf(ImageMatte("mask.exr", "Y")),)))
    grade = Grade([Layer(ops.Exposure(1.0), matte=matte)])
    export_image(source, tmp_path / "out.exr", grade, options((("g", "1"),)))
    made = channels_of(tmp_path / "out.exr")["g"]
    assert set(np.unique(made)) == {0.0, 1.0} and (made[10, 40 - DATA[0] :] == 1.0).all()
