"""Mattes in sequences: worker processes, farms and jobs carry them with their options, and `resume` knows them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import ExportOptions, Grade, Group, ops
from engine.export import farm, frame_workers
from engine.export.frames import FrameExporter, Recipe
from engine.export.sequence import export_sequence
from engine.export.worker_pool import WorkerPlan
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Layer
from engine.mattes.channels import ChannelRange
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.qualifiers import Key3d
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Path as Outline
from tests.engine.drawn_frames import hashes
from tests.engine.export.test_export_mattes import PICKED, channels_of, make

OUTLINE = Leaf(Outline(points=((10.0, 5.0, 0, 0, 0, 0), (60.0, 8.0, 0, 0, 0, 0), (30.0, 50.0, 0, 0, 9.0, 0))))
GRADE = Grade(
    [
        Layer(ops.Exposure(1.0), matte=Matte(Leaf(Cryptomatte("CryptoObject", PICKED)), feather=2.0)),
        Group((Layer(ops.Cdl(slope=(0.5, 1.5, 1.0)), matte=Matte(Leaf(Key3d(added=((0.5,) * 3,))))),), "in", mix=0.5),
        Layer(ops.Saturation(0.2), matte=Matte(Branch("union", (OUTLINE, Leaf(ChannelRange("no such")))))),
    ]
)
OPTIONS = ExportOptions(
    backend="cpu",
    threads=1,
    colour=ColourSetup(config="raw"),
    skip_missing=True,
    matte_channels=(("hero", "1"), ("key", "2.1")),
)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    for folder in ("in", "here", "there"):
        (tmp_path / folder).mkdir()
    for frame in (1, 2):
        make(tmp_path / "in" / f"s.{frame:04}.exr")
    return tmp_path / "in" / "s.####.exr"


def exported_here(shot: Path) -> dict[str, str]:
    here = shot.parent.parent / "here"
    report = export_sequence(shot, here / "g.####.exr", GRADE, OPTIONS)
    assert report.made == (1, 2) and all("Skipped an entry with a matte" in note for note in report.notes)
    assert {"hero", "key"} < set(channels_of(here / "g.0001.exr"))
    return hashes(here)


def test_a_recipe_is_the_same_after_the_way_to_another_process() -> None:
    recipe = Recipe(GRADE, OPTIONS)
    there = pickle.loads(pickle.dumps(recipe))
    assert there == recipe and there.digest() == recipe.digest()
    assert list(there.grade) == list(GRADE)


def test_worker_processes_carry_them(shot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = exported_here(shot)
    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: WorkerPlan(1, 1, 1, ["cpu"]))
    monkeypatch.setattr(FrameExporter, "run", None)  # this process exports nothing
    there = shot.parent.parent / "there"
    report = export_sequence(shot, there / "g.####.exr", GRADE, OPTIONS)
    assert report.made == (1, 2) and hashes(there) == wanted


def test_a_farm_carries_them(shot: Path) -> None:
    distributed: Any = pytest.importorskip("distributed")
    wanted = exported_here(shot)
    there = shot.parent.parent / "there"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        report = farm.export_on_farm(shot, there / "g.####.exr", GRADE, OPTIONS, address=cluster.scheduler_address)
    assert report.made == (1, 2) and hashes(there) == wanted


CHANGED: dict[str, tuple[Grade, ExportOptions]] = {
    "a matte": (GRADE.with_entry(0, Layer(ops.Exposure(1.0), matte=Matte(Leaf(Cryptomatte("CryptoObject"))))), OPTIONS),
    "the name of a channel": (GRADE, replace(OPTIONS, matte_channels=(("hero2", "1"), ("key", "2.1")))),
    "the entry of a channel": (GRADE, replace(OPTIONS, matte_channels=(("hero", "2.1"), ("key", "2.1")))),
    "no channels": (GRADE, replace(OPTIONS, matte_channels=())),
}


@pytest.mark.parametrize("changed", CHANGED)
def test_frames_with_other_mattes_are_exported_again(shot: Path, changed: str) -> None:
    exported_here(shot)
    target, (grade, options) = shot.parent.parent / "here" / "g.####.exr", CHANGED[changed]
    assert export_sequence(shot, target, GRADE, OPTIONS, resume=True).kept == (1, 2)
    assert export_sequence(shot, target, grade, options, resume=True).made == (1, 2)


@pytest.mark.parametrize("missing", ["hold", "black"])
def test_stand_ins_have_the_channels_of_mattes(shot: Path, missing: str) -> None:
    shot.with_name("s.0003.exr").write_bytes(shot.with_name("s.0002.exr").read_bytes())
    shot.with_name("s.0002.exr").unlink()
    there = shot.parent.parent / "there"
    export_sequence(shot, there / "g.####.exr", GRADE, OPTIONS, frames="1-3", missing=missing)
    names = [set(channels_of(there / f"g.000{frame}.exr")) for frame in (1, 2, 3)]
    assert names[0] == names[2] and {"hero", "key"} < names[1]
    hero = [channels_of(there / f"g.000{frame}.exr")["hero"] for frame in (1, 2)]
    assert (hero[1] == (hero[0] if missing == "hold" else 0.0)).all() and hero[0].max() > 0.9
