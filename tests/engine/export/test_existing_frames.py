"""Frames that are there already: resumed, skipped, replaced by agreement alone."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from engine.errors import TargetExists
from engine.export.frames import recorded_digest
from engine.export.sequence import export_sequence
from engine.grade.grade import Grade
from engine.ops import Exposure
from tests.engine.drawn_frames import CPU, GRADE, hashes


def test_resume_redoes_what_has_to_be(shot, out):
    export_sequence(shot, out, GRADE, CPU)
    before = hashes(out.parent)
    names = {frame: out.with_name(f"g.{frame}.exr") for frame in range(1001, 1007)}
    names[1001].unlink()  # missing
    names[1002].write_bytes(names[1002].read_bytes()[:-40])  # incomplete
    os.utime(names[1003], (1, 1))  # older than its source
    options = replace(CPU, force=True)
    export_sequence(shot, out, Grade([Exposure(0.25)]), options, frames="1004")  # another grade
    export_sequence(shot, out, GRADE, replace(options, type="float"), frames="1005")  # other options
    report = export_sequence(shot, out, GRADE, CPU, resume=True)
    assert report.made == (1001, 1002, 1003, 1004, 1005)
    assert report.kept == (1006,)
    assert hashes(out.parent) == before
    # How it is computed is not what it is.
    again = export_sequence(shot, out, GRADE, replace(CPU, threads=1, tile=16, max_memory=1 << 40), resume=True)
    assert again.made == ()


def test_a_grade_that_does_nothing_is_a_copy_and_known_again(shot, out):
    report = export_sequence(shot, out, Grade(), CPU)
    assert report.made == tuple(range(1001, 1007))
    first, same = shot.with_name("s.1001.exr"), out.with_name("g.1001.exr")
    assert first.read_bytes() == same.read_bytes()
    assert len(export_sequence(shot, out, Grade(), CPU, resume=True).kept) == 6
    assert len(export_sequence(shot, out, GRADE, CPU, resume=True).made) == 6
    assert len(export_sequence(shot, out, Grade(), CPU, resume=True).made) == 6


@pytest.mark.parametrize("suffix", ["png", "tif", "dpx", "jpg"])
def test_other_formats_are_known_again(suffix, shot, out):
    target = out.with_name(f"g.####.{suffix}")
    export_sequence(shot, target, GRADE, CPU, frames="1001-1002")
    assert len(recorded_digest(target.with_name(f"g.1001.{suffix}"))) == 32
    assert export_sequence(shot, target, GRADE, CPU, frames="1001-1002", resume=True).kept == (1001, 1002)
    assert export_sequence(shot, target, Grade([Exposure(1.0)]), CPU, frames="1001", resume=True).made == (1001,)
    cut = target.with_name(f"g.1002.{suffix}")
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    assert export_sequence(shot, target, Grade([Exposure(1.0)]), CPU, frames="1002", resume=True).made == (1002,)


def test_what_is_there_is_not_replaced_unasked(shot, out):
    export_sequence(shot, out, GRADE, CPU, frames="1002-1003")
    before = hashes(out.parent)
    with pytest.raises(TargetExists, match=r"g\.1002\.exr: already exists \(and 1 more\); use --resume"):
        export_sequence(shot, out, Grade([Exposure(1.0)]), CPU)
    assert hashes(out.parent) == before


def test_frames_that_are_there_are_skipped(shot, out):
    export_sequence(shot, out, GRADE, CPU, frames="1002-1003")
    before = hashes(out.parent)
    report = export_sequence(shot, out, Grade([Exposure(1.0)]), CPU, existing="skip")
    assert (report.made, report.kept) == ((1001, 1004, 1005, 1006), (1002, 1003))
    after = hashes(out.parent)
    assert {name: after[name] for name in before} == before


def test_the_frames_that_were_agreed_to_are_replaced_and_no_others(shot, out):
    export_sequence(shot, out, GRADE, CPU, frames="1002-1003")
    before, other = hashes(out.parent), Grade([Exposure(1.0)])
    with pytest.raises(TargetExists, match=r"g\.1003\.exr: already exists"):
        export_sequence(shot, out, other, CPU, existing=frozenset({1002}))
    assert hashes(out.parent) == before
    report = export_sequence(shot, out, other, CPU, existing=frozenset({1002, 1003}))
    assert report.made == tuple(range(1001, 1007))
    assert hashes(out.parent)["g.1002.exr"] != before["g.1002.exr"]
    assert export_sequence(shot, out, other, CPU, existing="replace").made == report.made


@pytest.mark.parametrize("existing", ["", "fail", frozenset({1002})])
def test_a_frame_that_comes_into_being_meanwhile_is_not_replaced(shot, out, existing):
    late = out.with_name("g.1006.exr")

    def progress(state):
        if state.done == 0:
            late.write_bytes(b"from another program")

    report = export_sequence(shot, out, GRADE, replace(CPU, threads=1), existing=existing, progress=progress)
    assert late.read_bytes() == b"from another program"
    ((frame, line, _),) = report.failures
    assert frame == 1006 and ("in the meantime" in line or "already exists" in line)


def test_resume_replaces_no_frame_that_was_not_agreed_to(shot, out):
    export_sequence(shot, out, GRADE, CPU, frames="1001-1003")
    for frame in (1002, 1003):
        out.with_name(f"g.{frame}.exr").write_bytes(b"from another program")
    report = export_sequence(shot, out, GRADE, CPU, resume=True, existing=frozenset({1002}))
    assert (report.kept, report.made) == ((1001,), (1002, 1004, 1005, 1006))
    assert [frame for frame, _, _ in report.failures] == [1003]
    assert out.with_name("g.1003.exr").read_bytes() == b"from another program"
