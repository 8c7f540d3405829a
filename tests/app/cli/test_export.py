"""`tessera export`: what it grades and writes."""

from __future__ import annotations

import json
import os
import re
import sys

import numpy as np
import pytest

from engine import Grade, save_grade
from engine.grade.colour_settings import ColourSetup
from engine.io import describe, read_image
from engine.movies.movie_options import MovieOptions
from engine.ops import Cdl, Exposure
from tests.app.command_line import CDL, LUT, QUICK, forked, python, run, write_exr
from tests.engine.deep import deep_part, joined, read_by_openexr, same_samples, write_deep
from tests.thorough import cases


def test_an_export_never_imports_qt(shot, out):
    code = f"""if True:
        import sys
        from app.cli.main import main
        code = main(["export", {str(shot)!r}, {str(out)!r}, "--exposure", "1", "--backend", "cpu"])
        print(code, "PySide6" in sys.modules)
        """
    assert python(code).split() == ["0", "False"]


def test_the_look_is_applied_in_its_order(shot, out, tmp_path):
    save_grade(Grade([Cdl(offset=(0.1, 0.1, 0.1))]), tmp_path / "look.json")
    lut = tmp_path / "swap.cube"  # red and blue change places
    colours = [(b, g, r) for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    lut.write_text("LUT_3D_SIZE 2\n" + "\n".join(f"{b} {g} {r}" for b, g, r in colours) + "\n")
    look = ("--lut", lut, "--cdl", CDL, "--exposure", "-2", "--grade", tmp_path / "look.json")
    assert run("export", shot, out, *look, "--type", "float", *QUICK) == 0
    rgba = np.concatenate([read_image(shot).pixels, np.ones((30, 40, 1))], axis=-1).astype(np.float64)
    warm = Cdl((1.05, 1.04, 1.01), (-0.006, -0.0125, -0.015), (1.01, 1.01, 1.01), 1.05)
    for op in (Cdl(offset=(0.1, 0.1, 0.1)), Exposure(-2.0), warm):
        rgba = op.reference(rgba)
    wanted = np.clip(rgba[..., 2::-1], 0.0, 1.0)
    np.testing.assert_allclose(read_image(out).pixels, wanted, atol=2e-5)


def test_options_reach_the_export(shot, out, tmp_path, monkeypatch):
    seen = {}

    def record(source, target, grade, options, **_):
        seen.update(vars(options) | {"grade": grade, "source": source})
        raise KeyboardInterrupt

    import engine.export.image

    monkeypatch.setattr(engine.export.image, "export_image", record)
    words = "--type half --compression dwaa:30 --backend cpu --threads 2 --max-memory 1GiB --tile 128 --part 1"
    words += " --encoder cpu --only-graded --crop 1,-2,30,40 --resize 80x60 --filter area --storage tiled:32 --salvage"
    words += " --layer albedo --layer spec --force --exposure 2 --alpha unpremultiplied"
    words += " --skip-missing --matte-channel hero=1 --matte-channel a=b=2.1"
    attributes = tmp_path / "attributes.json"
    attributes.write_text('{"owner": "Ada, 1", "comments": ""}')
    code = run("export", shot, out, *words.split(), "--attributes", attributes)
    assert code == 130
    assert seen.pop("grade") == Grade([Exposure(2.0)])
    assert seen == {
        "source": str(shot),
        "type": "half",
        "compression": "dwaa:30",
        "backend": "cpu",
        "threads": 2,
        "max_memory": 1024**3,
        "tile": 128,
        "part": "1",
        "layer": ("albedo", "spec"),
        "force": True,
        "only_graded": True,
        "crop": "1,-2,30,40",
        "resize": (80, 60),
        "filter": "area",
        "storage": "tiled:32",
        "salvage": True,
        "colour": ColourSetup(),
        "viewing": None,
        "encoder": "cpu",
        "alpha": "unpremultiplied",
        "skip_missing": True,
        "matte_channels": (("hero", "1"), ("a=b", "2.1")),
        "attributes": (("owner", "Ada, 1"), ("comments", "")),
        "movie": MovieOptions(),
        "planes": None,
    }


def test_cdl_id_style_and_interpolation_choose(shot, out, tmp_path):
    collection = tmp_path / "shots.ccc"
    sop = "<SOPNode><Slope>{} 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>"
    entry = "<ColorCorrection id='{}'>" + sop + "</ColorCorrection>"
    body = entry.format("a", 2) + entry.format("b", 3)
    collection.write_text(f"<ColorCorrectionCollection xmlns='urn:ASC:CDL:v1.2'>{body}</ColorCorrectionCollection>")
    assert run("export", shot, out, "--cdl", f"{collection}#b", "--type", "float", *QUICK) == 0
    source = read_image(shot).pixels.astype(np.float64)
    np.testing.assert_allclose(read_image(out).pixels[..., 0], source[..., 0] * 3, rtol=1e-5)
    words = ("--cdl", f"{collection}#b", "--cdl-style", "asc", "--type", "float", "--force", *QUICK)
    assert run("export", shot, out, *words) == 0
    assert read_image(out).pixels.max() == 1.0


def test_the_ending_says_the_format(shot, out):
    for suffix in (".tif", ".png", ".dpx", ".jpg"):
        assert run("export", shot, out.with_suffix(suffix), "--exposure", "-3", *QUICK) == 0
        assert describe(out.with_suffix(suffix)).format != "openexr"


def test_no_look_is_a_copy(shot, out, tmp_path):
    assert run("export", shot, out, "--report", tmp_path / "report.json") == 0
    assert out.read_bytes() == shot.read_bytes()
    assert json.loads((tmp_path / "report.json").read_text())["strategy"] == "copy"


def test_an_existing_file_needs_force(shot, out, capsys):
    out.write_bytes(b"mine")
    assert run("export", shot, out, "--exposure", "1", *QUICK) == 1
    assert capsys.readouterr().err == f"tessera: {out}: already exists; use --force to replace it\n"
    assert out.read_bytes() == b"mine"
    assert run("export", shot, out, "--exposure", "1", "--force", *QUICK) == 0
    assert describe(out).format == "openexr"


def test_json_progress_and_report(shot, out, tmp_path, capsys):
    report = tmp_path / "report.json"
    words = ("--exposure", "1", "--progress", "json", "--tile", "8", "--report", report, *QUICK)
    assert run("export", shot, out, *words) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    *steps, last = events
    assert steps[-1]["event"] == "progress"
    assert steps[-1]["done"] == 1.0
    assert steps[-1]["seconds"] > 0.0
    assert last == {"event": "done", "report": json.loads(report.read_text())}
    assert last["report"]["backend"] == "cpu"
    assert last["report"]["pixels"] == 1200
    assert last["report"]["peak_memory"] > 2**20


def test_a_bar_on_standard_error_only(shot, out, capsys):
    assert run("export", shot, out, "--exposure", "1", "--progress", "bar", *QUICK) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "100%" in said.err
    *_, how, colour = said.err.splitlines()
    assert how.startswith(f"{out}: 0.0 megapixels in ")
    assert colour == f"{out}: colour space unknown: graded as it is"


def test_what_could_not_be_kept_is_reported(tmp_path, out, capsys):
    grey = np.zeros((4, 4), np.float16)
    path = write_exr(tmp_path / "deep.exr", R=grey, G=grey, B=grey, Z=grey.astype(np.float32))
    assert run("export", path, out.with_suffix(".png"), "--exposure", "1", *QUICK) == 0
    assert "can't hold them: channels Z." in capsys.readouterr().err


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """An image of 8192 x 512 pixels with noise."""
    plane = (np.linspace(0, 1, 8192) + np.random.default_rng(2).normal(0, 0.02, (512, 8192))).astype(np.float16)
    planes = {name: np.roll(plane, 2000 * n) for n, name in enumerate("RGBA")}
    return write_exr(tmp_path_factory.mktemp("wide") / "wide.exr", **planes)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other ways")
@pytest.mark.parametrize("compression", cases(["zip", "dwab"], "dwaa", "htj2k32"))
def test_the_least_memory_is_enough_and_is_kept_to(compression, wide, out):
    """What libraries take to code chunks counts: DWA takes 14 MB for each, at any size, and two for each thread."""
    words = (wide, out, "--exposure", "1", "--backend", "cpu", "--threads", "2", "--compression", compression)
    (found,) = re.findall(r"allow at least (\d+) MB", forked("export", *words, "--max-memory", "100MB").err)
    least = int(found) + 2
    done = forked("export", *words, "--max-memory", f"{least}MB", "--progress", "json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out.splitlines()[-1])["report"]["peak_memory"] <= least * 1_000_000


def test_a_report_never_replaces_what_another_option_names(shot, out, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("OCIO", raising=False)
    files = {"--grade": tmp_path / "g.json", "--cdl": tmp_path / "a.cc", "--lut": tmp_path / "b.cube"}
    save_grade(Grade([Exposure(1.0)]), files["--grade"])
    files["--cdl"].write_bytes(CDL.read_bytes())
    files["--lut"].write_bytes(LUT.read_bytes())
    (tmp_path / "show").mkdir()
    (tmp_path / "show" / "config.ocio").write_bytes(b"a config")
    (tmp_path / "link").symlink_to(shot)
    named = {**files, "IN": shot, "OUT": out, "--config": tmp_path / "show" / "config.ocio"}
    words = [str(word) for pair in files.items() for word in pair] + ["--config", str(tmp_path / "show")]
    before = {path: path.read_bytes() for path in named.values() if path.exists()}
    for option, path in [*named.items(), ("IN", tmp_path / "link"), ("OUT", out.parent / ".." / "out" / out.name)]:
        assert run("export", shot, out, *words, *QUICK, "--report", path) == 1
        said = capsys.readouterr().err
        assert said == f"tessera: {path}: is also the file that {option} names; give the report another name\n"
        assert not out.exists()
    monkeypatch.setenv("OCIO", str(tmp_path / "show"))
    assert run("export", shot, out, *QUICK, "--report", tmp_path / "show" / "config.ocio") == 1
    assert "is also the file that $OCIO names" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_report_follows_links_and_refuses_pipes(shot, out, tmp_path, capsys):
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert run("export", shot, out, "--exposure", "1", *QUICK, "--report", tmp_path / "link.json") == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["backend"] == "cpu"
    os.mkfifo(tmp_path / "pipe.json")
    assert run("export", shot, out, "--force", "--exposure", "1", *QUICK, "--report", tmp_path / "pipe.json") == 1
    assert "pipe.json: is a device or pipe; give a file name" in capsys.readouterr().err
    assert (tmp_path / "pipe.json").is_fifo()


def test_a_report_that_can_not_be_written_fails(shot, out, tmp_path, capsys):
    assert run("export", shot, out, "--report", tmp_path / "no" / "report.json") == 1
    assert "report.json: its folder does not exist; make it first" in capsys.readouterr().err
    assert not out.exists(), "known before the work"


def test_a_deep_image_is_graded_sample_by_sample(tmp_path, capsys):
    source, target = write_deep(tmp_path / "deep.exr", deep_part()), tmp_path / "graded.exr"
    assert run("export", source, target, "--exposure", "1", "--alpha", "unpremultiplied", *QUICK) == 0
    before, after = read_by_openexr(source), read_by_openexr(target)
    assert same_samples(before, after, {"A", "Z", "ZBack", "id"})
    np.testing.assert_allclose(joined(after, ("R", "G", "B")), 2 * joined(before, ("R", "G", "B")), rtol=2e-3)
    capsys.readouterr()
    assert run("export", source, tmp_path / "small.exr", "--resize", "4x4", *QUICK) == 1
    assert "would hold deep samples after Resize, which only a flat image can have" in capsys.readouterr().err
