"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import OpenEXR
import pytest

import app
import resources
from app import commands
from app.cli import main
from engine import Grade, save_grade
from engine.io import describe, read_picture
from engine.ops import Cdl, Exposure

ROOT = Path(__file__).resolve().parents[2]
CDL = resources.path("looks/warm_evening.cc")
LUT = resources.path("looks/soft_film.cube")
QUICK = ("--backend", "cpu", "--threads", "1")


def write_exr(path, width=40, height=30, **channels):
    ramp = np.linspace(0.0, 4.0, width * height, dtype=np.float32).reshape(height, width)
    planes = channels or {name: (ramp / (n + 1)).astype(np.float16) for n, name in enumerate("RGB")}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "owner": "a person"}, planes).write(str(path))
    return path


@pytest.fixture
def shot(tmp_path):
    return write_exr(tmp_path / "shot.exr")


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "graded.exr"


def run(*words):
    """The exit code of a command, as a shell would see it."""
    try:
        return main([str(word) for word in words])
    except SystemExit as left:
        return left.code or 0


def start(*words, **kwargs):
    """The command in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "app", *map(str, words)]
    return subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs
    )


def python(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


# What it takes


@pytest.mark.parametrize(
    "words",
    [
        ("--nonsense",),
        ("one.exr", "two.exr"),
        ("export",),
        ("export", "a.exr"),
        ("export", "a.exr", "b.exr", "--type", "double"),
        ("export", "a.exr", "b.exr", "--backend", "abacus"),
        ("export", "a.exr", "b.exr", "--backend", "cpu:1"),
        ("export", "a.exr", "b.exr", "--max-memory", "much"),
        ("export", "a.exr", "b.exr", "--max-memory", "0"),
        ("export", "a.exr", "b.exr", "--threads", "0"),
        ("export", "a.exr", "b.exr", "--tile", "-4"),
        ("export", "a.exr", "b.exr", "--exposure", "nan"),
        ("export", "a.exr", "b.exr", "--exposure", "bright"),
        ("export", "a.exr", "b.exr", "--progress", "loud"),
        ("info",),
        ("bake", "a.json"),
        ("bake", "a.json", "b.cube", "--highest", "0.5"),
    ],
    ids=" ".join,
)
def test_misuse_ends_with_2(words, capsys):
    assert run(*words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("usage: tessera")


@pytest.mark.parametrize("command", ["", "export", "info", "devices", "bake"])
def test_help_tells_and_ends_with_0(command, capsys):
    assert run(*command.split(), "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: tessera {command}".rstrip())


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("512MB", 512_000_000), ("2GiB", 2 * 1024**3), ("1.5g", 1_500_000_000), ("64 KiB", 65536)],
)
def test_sizes(text, size):
    from app.cli import _size

    assert _size(text) == size


def test_help_imports_nothing_heavy():
    code = """if True:
        import sys
        from app.cli import main
        try:
            main(["--help"])
        except SystemExit:
            pass
        heavy = {"PySide6", "numpy", "numba", "OpenEXR", "OpenImageIO", "PyOpenColorIO", "wgpu", "engine"}
        print("heavy:", sorted(heavy & set(sys.modules)))
        """
    assert python(code).splitlines()[-1] == "heavy: []"


def test_an_export_never_imports_qt(shot, out):
    code = f"""if True:
        import sys
        from app.cli import main
        code = main(["export", {str(shot)!r}, {str(out)!r}, "--exposure", "1", "--backend", "cpu"])
        print(code, "PySide6" in sys.modules)
        """
    assert python(code).split() == ["0", "False"]


# The window


@pytest.fixture
def window(monkeypatch):
    """Stands in for app.main_window; gathers what `run` is called with."""
    calls = []
    fake = SimpleNamespace(run=lambda *given: calls.append(given) or 0)
    monkeypatch.setitem(sys.modules, "app.main_window", fake)
    monkeypatch.setattr(app, "main_window", fake, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    return calls


def test_no_command_opens_the_window(window, shot):
    assert run() == 0
    assert run(shot, "--backend", "cpu", "--threads", "3") == 0
    assert window == [(None, "auto", 0), (shot, "cpu", 3)]


def test_a_missing_picture_opens_no_window(window, capsys):
    assert run("gone.exr") == 1
    assert capsys.readouterr().err == "tessera: gone.exr: does not exist; check the name\n"
    assert window == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a display is a matter of DISPLAY on Linux only")
def test_without_a_display_the_window_says_so(window, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert run() == 1
    assert "no display" in capsys.readouterr().err
    assert window == []


# Export


def test_the_look_is_applied_in_its_order(shot, out, tmp_path):
    save_grade(Grade([Cdl(offset=(0.1, 0.1, 0.1))]), tmp_path / "look.json")
    lut = tmp_path / "swap.cube"  # red and blue change places
    colours = [(b, g, r) for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    lut.write_text("LUT_3D_SIZE 2\n" + "\n".join(f"{b} {g} {r}" for b, g, r in colours) + "\n")
    look = ("--lut", lut, "--cdl", CDL, "--exposure", "-2", "--grade", tmp_path / "look.json")
    assert run("export", shot, out, *look, "--type", "float", *QUICK) == 0
    rgba = np.concatenate([read_picture(shot).pixels, np.ones((30, 40, 1))], axis=-1).astype(np.float64)
    warm = Cdl(slope=(1.14, 1.0, 0.84), offset=(0, 0, 0.002), power=(1.06, 1.05, 1.02), saturation=1.08)
    for op in (Cdl(offset=(0.1, 0.1, 0.1)), Exposure(-2.0), warm):
        rgba = op.reference(rgba)
    wanted = np.clip(rgba[..., 2::-1], 0.0, 1.0)
    np.testing.assert_allclose(read_picture(out).pixels, wanted, atol=2e-5)


def test_options_reach_the_export(shot, out, tmp_path, monkeypatch):
    seen = {}

    def record(source, target, grade, options, **_):
        seen.update(vars(options) | {"grade": grade, "source": source})
        raise KeyboardInterrupt

    import engine.export

    monkeypatch.setattr(engine.export, "export_picture", record)
    words = "--type half --compression dwaa:30 --backend cpu --threads 2 --max-memory 1GiB --tile 128 --part 1"
    words += " --only-graded --crop 1,-2,30,40 --resize 80x60 --filter area --storage tiled:32 --salvage"
    words += " --layer albedo --layer spec --force --exposure 2"
    code = run("export", shot, out, *words.split())
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
        "output_space": None,
        "salvage": True,
    }


def test_cdl_id_style_and_interpolation_choose(shot, out, tmp_path):
    collection = tmp_path / "shots.ccc"
    sop = "<SOPNode><Slope>{} 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>"
    entry = "<ColorCorrection id='{}'>" + sop + "</ColorCorrection>"
    body = entry.format("a", 2) + entry.format("b", 3)
    collection.write_text(f"<ColorCorrectionCollection xmlns='urn:ASC:CDL:v1.2'>{body}</ColorCorrectionCollection>")
    assert run("export", shot, out, "--cdl", f"{collection}#b", "--type", "float", *QUICK) == 0
    source = read_picture(shot).pixels.astype(np.float64)
    np.testing.assert_allclose(read_picture(out).pixels[..., 0], source[..., 0] * 3, rtol=1e-5)
    words = ("--cdl", f"{collection}#b", "--cdl-style", "asc", "--type", "float", "--force", *QUICK)
    assert run("export", shot, out, *words) == 0
    assert read_picture(out).pixels.max() == 1.0


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
    assert said.err.splitlines()[-1].startswith(f"{out}: 0.0 megapixels in ")


def test_what_could_not_be_kept_is_told(tmp_path, out, capsys):
    grey = np.zeros((4, 4), np.float16)
    path = write_exr(tmp_path / "deep.exr", R=grey, G=grey, B=grey, Z=grey.astype(np.float32))
    assert run("export", path, out.with_suffix(".png"), "--exposure", "1", *QUICK) == 0
    assert "can't hold them: channels Z." in capsys.readouterr().err


# Failures


def _failures(folder, shot, out):
    """Words of commands that fail, and what their line says."""
    (folder / "text.exr").write_text("not a picture")
    (folder / "empty.exr").write_bytes(b"")
    (folder / "cut.exr").write_bytes(shot.read_bytes()[:-200])
    (folder / "bad.cube").write_text("LUT_3D_SIZE 2\n0 0 nonsense\n")
    (folder / "bad.json").write_text("{")
    (folder / "new.json").write_text('{"tessera": "grade", "version": 99, "entries": []}')
    (folder / "odd.json").write_text('{"tessera": "grade", "version": 1, "entries": [{"op": "Sparkle"}]}')
    one = ("--exposure", "1", *QUICK)
    return {
        "missing": (("export", folder / "gone.exr", out, *one), "gone.exr: does not exist"),
        "folder": (("export", folder, out, *one), "is a folder"),
        "not a picture": (("export", folder / "text.exr", out, *one), "text.exr: "),
        "empty": (("export", folder / "empty.exr", out, *one), "empty.exr: is empty"),
        "cut": (("export", folder / "cut.exr", out, *one), "cut.exr: "),
        "cut copy": (("export", folder / "cut.exr", out), "cut.exr: "),
        "no lut": (("export", shot, out, "--lut", folder / "gone.cube"), "gone.cube: "),
        "bad lut": (("export", shot, out, "--lut", folder / "bad.cube"), "bad.cube: "),
        "no cdl": (("export", shot, out, "--cdl", folder / "gone.cc#x"), "gone.cc: "),
        "bad grade": (("export", shot, out, "--grade", folder / "bad.json"), "bad.json: is not JSON"),
        "new grade": (("export", shot, out, "--grade", folder / "new.json"), "new.json: "),
        "odd grade": (("export", shot, out, "--grade", folder / "odd.json"), "Sparkle"),
        "no folder": (("export", shot, out.parent / "no" / "a.exr", *one), "a.exr: its folder does not exist"),
        "suffix": (("export", shot, out.with_suffix(".doc"), *one), "graded.doc: "),
        "part": (("export", shot, out, "--part", "4", *one), "shot.exr: has no part '4'"),
        "layer": (("export", shot, out, "--layer", "no", *one), "shot.exr: has no layer 'no'"),
        "compression": (("export", shot, out, "--compression", "shrink", *one), "shrink"),
        "memory": (("export", shot, out, "--max-memory", "1KB", *one), "memory"),
        "info missing": (("info", folder / "gone.exr"), "gone.exr: does not exist"),
        "info bad": (("info", folder / "text.exr"), "text.exr: "),
        "info lut": (("info", folder / "bad.cube"), "bad.cube: "),
        "info grade": (("info", folder / "bad.json"), "bad.json: "),
        "bake missing": (("bake", folder / "gone.json", out.with_suffix(".cube")), "gone.json: "),
        "bake suffix": (("bake", CDL, out.with_suffix(".txt")), "graded.txt: "),
        "bake size": (("bake", CDL, out.with_suffix(".cube"), "--size", "500"), "500"),
    }


def test_every_failure_is_one_line(tmp_path, shot, out, capsys):
    for name, (words, telling) in _failures(tmp_path, shot, out).items():
        code = run(*words)
        said = capsys.readouterr()
        assert code == 1, name
        assert said.out == "", name
        assert said.err.startswith("tessera: "), name
        assert said.err.count("\n") == 1, said.err
        assert telling in said.err, name
        assert list(out.parent.iterdir()) == [], name


@pytest.mark.parametrize("problem", [ZeroDivisionError("odd\nthing"), MemoryError(), RuntimeError()])
def test_the_unexpected_is_one_line_too(problem, monkeypatch, capsys):
    def fail(asked):
        raise problem

    monkeypatch.setattr(commands, "devices", fail)
    monkeypatch.delenv("TESSERA_DEBUG", raising=False)
    assert run("devices") == 1
    line = capsys.readouterr().err
    assert line.startswith("tessera: ")
    assert line.count("\n") == 1
    monkeypatch.setenv("TESSERA_DEBUG", "1")
    assert run("devices") == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_report_that_can_not_be_written_fails(shot, out, tmp_path, capsys):
    assert run("export", shot, out, "--report", tmp_path / "no" / "report.json") == 1
    assert "report.json: " in capsys.readouterr().err


# Stopping


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A picture that takes seconds to export."""
    path = tmp_path_factory.mktemp("large") / "large.exr"
    ramp = np.linspace(0.0, 2.0, 6000, dtype=np.float16)
    plane = np.ascontiguousarray(np.broadcast_to(ramp, (4000, 6000)))
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, dict.fromkeys("RGBA", plane)).write(str(path))
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
@pytest.mark.parametrize("look", [("--exposure", "1"), ()], ids=["graded", "as it is"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_in_the_middle_leaves_the_target_as_it_was(name, look, large, out):
    import signal

    out.write_bytes(b"mine")
    words = (*look, "--force", "--tile", "64", "--progress", "json", "--type", "float", *QUICK)
    process = start("export", large, out, *words)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert first["event"] == "progress"
    beside = [path.name for path in out.parent.iterdir() if path != out]
    process.send_signal(getattr(signal, name))
    rest, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said == "tessera: cancelled\n"
    assert '"done", "report"' not in rest
    assert len(beside) == 1, "the signal came before the work had begun"
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert out.read_bytes() == b"mine"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_a_signal_in_a_copy_of_bytes_leaves_the_target_as_it_was(shot, out, monkeypatch, capsys):
    import shutil
    import signal

    def interrupted(source, target):
        Path(target).write_bytes(b"half of it")
        os.kill(os.getpid(), signal.SIGTERM)

    out.write_bytes(b"mine")
    monkeypatch.setattr(shutil, "copyfile", interrupted)
    assert run("export", shot, out, "--force") == 130
    assert capsys.readouterr().err == "tessera: cancelled\n"
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert out.read_bytes() == b"mine"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently on Windows")
def test_a_reader_that_goes_away_is_no_accident(shot):
    process = start("info", shot)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert said == ""


# Info, devices, bake


def test_info_of_a_picture(shot, capsys):
    assert run("info", shot) == 0
    text = capsys.readouterr().out
    for telling in ("40 x 30", "scanline", "zip", "half", "(0, 0) - (39, 29)", "a person"):
        assert telling in text
    assert run("info", shot, "--json") == 0
    part = json.loads(capsys.readouterr().out)["parts"][0]
    assert (part["width"], part["height"]) == (40, 30)
    assert {channel["name"]: channel["type"] for channel in part["channels"]} == dict.fromkeys("RGB", "half")
    assert part["layers"][0]["channels"] == ["R", "G", "B"]


def test_info_of_looks_and_grades(tmp_path, capsys):
    assert run("info", CDL) == 0
    assert "slope (1.14, 1, 0.84)" in capsys.readouterr().out
    assert run("info", LUT, "--json") == 0
    ops = json.loads(capsys.readouterr().out)["ops"]
    assert ops[-1]["op"] == "Lut3d"
    assert ops[-1]["cube"]["size"] == 33
    save_grade(Grade([Exposure(0.5)]), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    assert "Exposure: stops 0.5" in capsys.readouterr().out


def test_info_survives_odd_metadata(tmp_path, capsys):
    path = tmp_path / "odd.exr"
    header = {"nan": float("nan"), "note": "two\nlines \x1b[31m", "long": "x" * 5000}
    OpenEXR.File(header, {"Y": np.zeros((2, 2), np.float32)}).write(str(path))
    assert run("info", path) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 200
    assert run("info", path, "--json") == 0
    json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))


def test_devices(capsys):
    assert run("devices", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    found = {backend["name"]: backend for backend in about["backends"]}
    assert set(found) == {"cpu", "wgpu", "cuda"}
    assert found["cpu"]["usable"]
    assert found[about["auto"]]["usable"]
    assert all(backend["usable"] or backend["reason"] for backend in found.values())
    assert run("devices") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert sum("<- auto" in line for line in lines) == 1


def test_bake(tmp_path, capsys):
    target = tmp_path / "look.cube"
    save_grade(Grade([Exposure(-1.0)]), tmp_path / "g.json")
    assert run("bake", tmp_path / "g.json", target, "--size", "5") == 0
    assert "5 entries" in capsys.readouterr().out
    lines = target.read_text().splitlines()
    assert "LUT_3D_SIZE 5" in lines
    assert [float(x) for x in lines[-1].split()] == [0.5, 0.5, 0.5]
    before = target.read_bytes()
    assert run("bake", CDL, target) == 1
    assert target.read_bytes() == before
    assert run("bake", CDL, target, "--force", "--size", "3", "--highest", "16") == 0
    assert "LUT_1D_INPUT_RANGE 0 16" in target.read_text()
