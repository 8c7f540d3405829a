"""Exports of grades with keys: each frame is graded as at its number, and resumed if its own grade is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import Grade, Layer, ops
from engine.core.frame_numbers import frame_number_of
from engine.core.geometry import Place
from engine.errors import GradeError
from engine.export.image import export_image, preview_export
from engine.export.job import resolve
from engine.export.provenance import grade_from_image
from engine.export.sequence import export_sequence
from engine.grade import ColourSetup, Curve, Key
from engine.grade.curves import Keys
from engine.grade.keys import with_key
from engine.io import describe
from engine.mattes import Ellipse, Leaf, Matte
from tests.engine.drawn_frames import CPU, hashes, pixels
from tests.engine.export.test_export_mattes import channels_of
from tests.engine.matte_reference import graded, matte_coverage
from tests.tolerance import assert_close

RAW = replace(CPU, type="float", colour=ColourSetup("raw"))
WINDOW = Matte(Leaf(Ellipse(center=(20.0, 12.0), size=(9.0, 6.0), softness_in=3.0, softness_out=5.0)))


def keyed(**values: float) -> Grade:
    """A grade that changes over frames 1001 to 1006; `values` are those of its exposure at other frames."""
    stops = [Key(1001, 0.0, "linear"), Key(1006, 1.0)]
    stops += [Key(int(frame[1:]), value, "linear") for frame, value in values.items()]
    curves = {"matte.tree.0.center.0": Curve([Key(1001, 10.0), Key(1006, 30.0)])}
    curves |= {"matte.feather": Curve([Key(1002, 0.0, "linear"), Key(1004, 2.0)])}
    window = Layer(ops.Cdl((1.5, 1.0, 0.5)), matte=WINDOW, keys=Keys(curves))
    return Grade([Layer(ops.Exposure(), keys=Keys({"stops": Curve(stops)})), window])


GRADE = keyed()


def test_each_frame_is_graded_as_at_its_number(shot, out):
    assert export_sequence(shot, out, GRADE, RAW).made == (1001, 1002, 1003, 1004, 1005, 1006)
    for frame in range(1001, 1007):
        target, at = out.with_name(f"g.{frame}.exr"), GRADE.at(frame)
        expected = graded(pixels(shot.with_name(f"s.{frame}.exr")).astype(np.float64), at.settled, Place())
        assert_close(pixels(target), expected, "cpu", chain=True)
        recorded = grade_from_image(target)
        assert recorded is not None and recorded.entries == at.settled.entries, "plain, as others read it"


def test_grain_is_that_of_the_frame(shot, out):
    """Without keys; a frame is exported again only if its grain is another one."""
    grade = Grade([ops.Grain(0.3, seed=4.0)])
    assert export_sequence(shot, out, grade, RAW, frames="1001-1002").made == (1001, 1002)
    for frame in (1001, 1002):
        source = pixels(shot.with_name(f"s.{frame}.exr")).astype(np.float64)
        rgba = np.concatenate([source, np.ones_like(source[..., :1])], axis=-1)[..., :4]
        wanted = ops.Grain(0.3, seed=4.0, frame=frame).reference(rgba, Place())[..., : source.shape[-1]]
        assert_close(pixels(out.with_name(f"g.{frame}.exr")), wanted, "cpu", chain=True)
    assert export_sequence(shot, out, grade, RAW, frames="1001-1002", resume=True).made == ()
    other = Grade([ops.Grain(0.3, seed=5.0)])
    assert export_sequence(shot, out, other, RAW, frames="1001-1002", resume=True).made == (1001, 1002)


def test_the_frame_of_an_image_by_itself_is_the_number_in_its_name(shot, out):
    for name, frame in (("s.1004.exr", 1004), ("a/v2/sky_-7.exr", -7), ("sky.exr", 0), ("take2.mid.exr", 2)):
        assert frame_number_of(name) == frame
    single, named = out.with_name("single.exr"), shot.with_name("s.1006.exr")
    export_sequence(shot, out, GRADE, RAW, frames="1006")
    export_image(named, single, GRADE, RAW)
    assert pixels(single).tobytes() == pixels(out.with_name("g.1006.exr")).tobytes()
    export_image(named, single, GRADE, replace(RAW, force=True), frame=1002)
    assert pixels(single).tobytes() != pixels(out.with_name("g.1006.exr")).tobytes()
    grade = resolve(named, single, GRADE, RAW, frame=1001).grade
    assert grade.entries == GRADE.at(1001).entries
    assert preview_export(named, out.with_name("x.exr"), GRADE, RAW).after


def test_a_renumbered_sequence_keeps_the_frames_of_its_source(shot, out):
    target = out.with_name("g.1-6####.exr")
    assert export_sequence(shot, target, GRADE, RAW).made == (1001, 1002, 1003, 1004, 1005, 1006)
    recorded = grade_from_image(out.with_name("g.0004.exr"))
    assert recorded is not None and recorded.entries == GRADE.at(1004).settled.entries


def test_frames_whose_own_grade_is_the_same_are_kept(shot, out):
    export_sequence(shot, out, GRADE, RAW)
    before = hashes(out.parent)
    again = export_sequence(shot, out, GRADE, RAW, resume=True)
    assert len(again.kept) == 6 and hashes(out.parent) == before
    near = export_sequence(shot, out, keyed(_1003=0.4, _1004=0.3, _1005=0.8), RAW, resume=True)
    assert (near.kept, near.made) == ((1001, 1002, 1003, 1005, 1006), (1004,))
    far = keyed(_1003=0.4, _1004=0.3, _1005=0.8, _1007=9.0, _1010=-3.0)
    assert len(export_sequence(shot, out, far, RAW, resume=True).kept) == 6


def test_a_grade_that_is_the_same_without_keys_keeps_its_frame(shot, out):
    export_sequence(shot, out, GRADE, RAW)
    plain = GRADE.at(1001).settled
    report = export_sequence(shot, out, plain, RAW, resume=True, frames="1001-1002")
    assert (report.kept, report.made) == ((1001,), (1002,))


def test_values_that_contradict_each_other_fail_their_frames_alone(shot, out):
    ends = {"min_in": Curve([Key(1001, 0.0, "linear"), Key(1005, 4.0)]), "max_in": Curve([Key(1005, 5.0, "linear")])}
    ends["max_in"] = Curve([Key(1001, 1.0, "hold"), Key(1005, 5.0)])
    report = export_sequence(shot, out, Grade([Layer(ops.Range(), keys=Keys(ends))]), RAW)
    assert report.made == (1001, 1005, 1006)
    assert "Range at frame 1003: a range must rise, not go from 2 to 1; correct its keys" in report.failures[1][1]


def test_mattes_with_keys_are_written_as_channels(shot, out):
    options = replace(RAW, matte_channels=(("window", "2"),))
    export_sequence(shot, out, GRADE, options, frames="1002,1004")
    for frame in (1002, 1004):
        matte = GRADE.at(frame).entries[1].matte  # type: ignore[union-attr]
        assert matte is not None
        target = out.with_name(f"g.{frame}.exr")
        names = [channel.name for channel in describe(target).parts[0].channels]
        assert "window" in names
        source = pixels(shot.with_name(f"s.{frame}.exr")).astype(np.float64)
        covered = matte_coverage(matte, source, Place())
        assert np.abs(channels_of(target)["window"] - covered).max() < 1e-5


def test_a_key_that_does_nothing_at_a_frame_still_grades_it(shot, out):
    source = shot.with_name("s.1001.exr")
    report = export_image(source, out.with_name("one.exr"), Grade([with_key(ops.Exposure(), "stops", 0, 0.0)]), CPU)
    assert report.device != "none" and np.array_equal(pixels(out.with_name("one.exr")), pixels(source))


def test_keys_that_do_not_fit_are_errors_when_the_grade_is_read():
    data = GRADE.to_json()
    data["entries"][0]["keys"] = {"gain": [[1, 0.0, "smooth"]]}
    with pytest.raises(GradeError, match="Exposure has no number at 'gain' that keys can change; remove its keys"):
        Grade.from_json(data)
