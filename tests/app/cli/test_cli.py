"""The command line as a whole: wrong usage, help, and how it ends when something fails."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import numpy as np
import OpenEXR
import pytest

from app.cli.commands import devices
from tests.app.command_line import CDL, QUICK, ROOT, forked, python, run, start
from tests.engine.limits import FOUND, needs_found


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
        ("bake", "a.json", "b.cube", "--domain", "0.5"),
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
    from app.model.option_values import size as parsed

    assert parsed(text) == size


def test_help_imports_nothing_heavy():
    code = """if True:
        import sys
        from app.cli.main import main
        try:
            main(["--help"])
        except SystemExit:
            pass
        heavy = {"PySide6", "numpy", "numba", "OpenEXR", "OpenImageIO", "PyOpenColorIO", "wgpu", "pyopencl"}
        heavy.add("engine.grade.grade")
        print("heavy:", sorted(heavy & set(sys.modules)))
        """
    assert python(code).splitlines()[-1] == "heavy: []"


def _failures(folder, shot, out):
    """Words of commands that fail, and what their line says."""
    (folder / "text.exr").write_text("not an image")
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
        "not an image": (("export", folder / "text.exr", out, *one), "text.exr: "),
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


ODD = ["\ud800.exr", "\udcff.exr", "a\0b.exr", "a" * 5000 + ".exr", "~nobody-of-that-name/a.exr", "\x1b[2J\n.exr"]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_names_that_no_file_can_have_are_one_line(name, shot, out, monkeypatch, capsys):
    monkeypatch.chdir(out.parent)
    look = name.replace(".exr", ".cube")
    for words in (
        ("export", name, out),
        ("export", shot, f"no such folder/{name}"),
        ("export", shot, out, "--lut", look),
        ("export", shot, out, "--cdl", f"{look}#id"),
        ("export", shot, out, "--grade", name.replace(".exr", ".json")),
        ("export", shot, out, "--config", name),
        ("export", shot, out, "--input", name),
        ("export", shot, out, "--view", name),
        ("export", shot, out, "--context", f"A={name}", "--exposure", "1", "--layer", name),
        ("export", shot, out, "--report", f"no such folder/{name}", "--exposure", "1"),
        ("export", name.replace(".", ".####."), out.with_name("a.####.exr")),
        ("info", name),
        ("info", look),
        ("bake", look, out.with_suffix(".cube")),
        ("bake", CDL, f"no such folder/{look}"),
        ("job", f"no such folder/{name.replace('.exr', '.yaml')}", shot, out),
        ("colorspaces", "--config", name),
        (name,),
    ):
        code = run(*words)
        said = capsys.readouterr()
        assert (code, said.out) == (1, ""), words
        assert said.err.startswith("tessera: ") and said.err.endswith("\n"), words
        assert said.err[:-1].isprintable(), words
        assert "unexpected" not in said.err, words
        assert list(out.parent.iterdir()) == [], words


@needs_found
@pytest.mark.parametrize("path", sorted(FOUND.glob("*.args")), ids=lambda path: path.name)
def test_words_that_did_harm_are_one_line(path, shot, out, monkeypatch, capsys):
    _, target, *options = json.loads(path.read_text())
    if any("65536" in word for word in options):
        pytest.skip("4.3 gigapixels take their time, and tell how far they are")
    monkeypatch.chdir(out.parent)
    assert run("export", shot, target, *options) == 1
    said = capsys.readouterr()
    assert said.err[:-1].isprintable()
    assert "unexpected" not in said.err
    assert list(out.parent.iterdir()) == []


@pytest.fixture
def chatty(tmp_path):
    """An EXR of whose first chunks the library prints several lines."""
    path, pixels = tmp_path / "chatty.exr", np.random.default_rng(3).random((160, 64)).astype(np.float16)
    OpenEXR.File({"compression": OpenEXR.HTJ2K32_COMPRESSION}, dict.fromkeys("RGB", pixels)).write(str(path))
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 4, len(data) // 2):
        data[place] ^= 0x55
    path.write_bytes(data)
    return path


def test_what_libraries_print_does_not_reach_the_terminal(chatty, out, tmp_path):
    words = (chatty, out, "--exposure", "1", *QUICK)
    process = start("export", *words)
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, said) == (1, "")
    assert errors.startswith(f"tessera: {chatty}: is cut off or damaged at scanline ")
    assert errors.count("\n") == 1
    process = start("export", *words, "--progress", "json", "--salvage", "--force")
    said, errors = process.communicate(timeout=60)
    assert [json.loads(line)["event"] for line in said.splitlines()][-1] == "done", "programs read this"
    out.unlink()
    report = tmp_path / "report.json"
    process = start("export", *words, "--salvage", "--progress", "none", "--report", report)
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    assert errors.count("\n") == 1 and "regions that could not be read are 0" in errors
    assert any("ojph error" in line for line in json.loads(report.read_text())["library_messages"])
    process = start("export", *words, "--force", env=os.environ | {"TESSERA_DEBUG": "1", "PYTHONPATH": str(ROOT)})
    assert "ojph error" in process.communicate(timeout=60)[1], "a developer sees all of it"


def test_a_library_that_prints_without_end_is_not_waited_for():
    code = """if True:
        import os, sys
        from app.cli import library_output
        library_output.keep()
        for _ in range(10_000):
            try:
                os.write(2, b"something is wrong here\\n")
            except BlockingIOError:
                pass
        print("still here", len(library_output.lines()) > 1000, file=sys.stderr)
        """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == "still here True\n"


@needs_found
@pytest.mark.parametrize("path", sorted(FOUND.glob("exr-*.exr")), ids=lambda path: path.name)
def test_files_that_made_libraries_chatter_are_one_line(path, out):
    done = forked("export", path, out, "--exposure", "1", *QUICK)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("tessera: ")


def test_a_link_in_a_circle_is_one_line(shot, out, capsys):
    for name in ("a", "b"):
        (out.parent / f"{name}.exr").symlink_to(out.parent / f"{'ab'.replace(name, '')}.exr")
    for words in (("export", out.parent / "a.exr", out), ("export", shot, out.parent / "a.exr", "--force")):
        assert run(*words) == 1
        assert "a.exr: is a link that leads back to itself" in capsys.readouterr().err


def test_an_error_of_the_system_names_its_file(monkeypatch, capsys):
    def fail(asked):
        raise OSError(errno.EROFS, "Read-only file system", "/show/look.json")

    monkeypatch.setattr(devices, "run", fail)
    assert run("devices") == 1
    assert capsys.readouterr().err == "tessera: /show/look.json: Read-only file system; check the name and the disk\n"


@pytest.mark.parametrize("problem", [ZeroDivisionError("odd\nthing"), MemoryError(), RuntimeError()])
def test_the_unexpected_is_one_line_too(problem, monkeypatch, capsys):
    def fail(asked):
        raise problem

    monkeypatch.setattr(devices, "run", fail)
    monkeypatch.delenv("TESSERA_DEBUG", raising=False)
    assert run("devices") == 1
    line = capsys.readouterr().err
    assert line.startswith("tessera: ")
    assert line.count("\n") == 1
    monkeypatch.setenv("TESSERA_DEBUG", "1")
    assert run("devices") == 1
    assert "Traceback" in capsys.readouterr().err


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


@pytest.mark.parametrize("value", ["-B", "-B,C", "A,-B", "none"])
def test_a_value_that_begins_with_a_minus_sign_is_taken_by_every_parser_of_a_command(value):
    """By the parser alone too, as a dialog uses it to check what was typed."""
    from app.cli.commands import export, job
    from app.model.option_table import named

    ends = {export: ["in.exr", "out.exr"], job: ["a.yaml", "in.#.exr", "out.#.exr"]}
    for command, names in ends.items():
        for words in (["--looks", value], [f"--looks={value}"], [named("looks").word(value)]):
            assert command.parser().parse_args([*names, *words]).looks == value
    assert export.parser().parse_args(["in", "out", "--frames", "-5--1"]).frames == "-5--1"


def test_two_dashes_are_no_value(capsys):
    assert run("export", "in.exr", "out.exr", "--output=--") == 2
    assert "argument --output: expected one argument" in capsys.readouterr().err


def test_an_option_and_its_value_as_one_word():
    from app.cli.commands import export
    from app.model.option_table import named

    assert named("max-memory").word("x") == "--max-memory=x"
    words = [named("output").word("--force"), named("layer").word("-a")]
    asked = export.parser().parse_args(["in", "out", *words])
    assert (asked.output, asked.layer, asked.force) == ("--force", ["-a"], False)


def test_what_a_job_passes_on_reads_the_same(tmp_path):
    from app.cli.commands import export, job

    asked = job.parser().parse_args(
        ["a.yaml", "in.#.exr", "out.#.exr", "--display", "d", "--looks", "-B", "--resize", "8x9"]
    )
    again = export.parser().parse_args(["in.#.exr", "out.#.exr", *job.words_of(asked)])
    assert (again.display, again.looks, again.resize) == ("d", "-B", (8, 9))
