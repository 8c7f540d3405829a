"""What OpenColorIO would open is looked at before: references, configs, archives and profiles that would do harm."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest

from engine.core.small_files import LARGEST
from engine.errors import GradeError, TesseraError, UnreadableFile
from engine.ocio import inspection, list_cdl_ids, load_config, look_from_file
from engine.ocio.config import Config
from engine.ops import Matrix
from tests.engine.limits import FOUND, MB, bounded, needs_found, needs_limits
from tests.typed import expect

CONFIG = """ocio_profile_version: 2
environment: {SHOT: a}
search_path: luts
roles: {default: raw, scene_linear: raw}
displays: {sRGB: [!<View> {name: Raw, colorspace: raw}]}
colorspaces:
  - !<ColorSpace> {name: raw}
  - !<ColorSpace> {name: graded, to_scene_reference: !<GroupTransform> {children: [!<FileTransform> {src: "SOURCE"}]}}
"""
LIST = '<?xml version="1.0"?>\n<ProcessList id="x" version="1.3">{}</ProcessList>'
REFERENCE = '<Reference inBitDepth="32f" outBitDepth="32f" path="{}"/>'
MATRIX = (
    '<Matrix inBitDepth="32f" outBitDepth="32f"><Array dim="3 3 3">2 0 0 0 2 0 0 0 2</Array></Matrix>'  # twice as much
)
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
needs_devices = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no /dev/zero")
READ_LOOK = "from engine.ocio import look_from_file; look_from_file(sys.argv[1])"
READ_CONFIG = "from engine.ocio import load_config; load_config(sys.argv[1]).ops_between('graded', 'raw')"
KINDS = ["ctf", "ocio", "archive", "ctf of a config", "ctf of an archive"]


def ctf(path: Path, *names: object, body: str = "") -> Path:
    path.write_text(LIST.format(body + "".join(REFERENCE.format(name) for name in names)))
    return path


def config(path: Path, source: object) -> Path:
    path.write_text(CONFIG.replace("SOURCE", str(source)))
    return path


def archive(path: Path, source: object, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("config.ocio", CONFIG.replace("SOURCE", str(source)))
        for name, text in members.items():
            packed.writestr(f"luts/{name}.ctf", text)
    return path


def leading_to(victim: Path, kind: str, folder: Path) -> Path:
    """A file that has OpenColorIO open another."""
    (folder / "luts").mkdir(exist_ok=True)
    if kind == "ctf":
        return ctf(folder / "look.ctf", victim)
    if kind == "ocio":
        return config(folder / "show.ocio", victim)
    if kind == "archive":
        return archive(folder / "show.ocioz", victim)
    if kind == "ctf of a config":
        ctf(folder / "luts" / "a.ctf", victim)
        return config(folder / "show.ocio", "${SHOT}.ctf")
    return archive(folder / "show.ocioz", "a.ctf", a=LIST.format(REFERENCE.format(victim)))


@needs_limits
@needs_devices
@pytest.mark.parametrize("kind", KINDS)
def test_a_device_is_not_read(kind: str, tmp_path: Path) -> None:
    path = leading_to(Path("/dev/zero"), kind, tmp_path)
    done = bounded(READ_LOOK if kind == "ctf" else READ_CONFIG, path)
    assert "refers to /dev/zero, which is not a file; correct it" in done.said
    assert done.peak < 400 * MB


@needs_pipes
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ctf")
    path = leading_to(tmp_path / "pipe.ctf", kind, tmp_path)
    with pytest.raises(UnreadableFile, match=r"refers to .*pipe\.ctf, which is not a file"):
        look_from_file(path) if kind == "ctf" else load_config(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_without_end_is_not_read(kind: str, tmp_path: Path) -> None:
    with (tmp_path / "endless.ctf").open("wb") as file:
        file.truncate(LARGEST + 1)
    path = leading_to(tmp_path / "endless.ctf", kind, tmp_path)
    with pytest.raises(UnreadableFile, match=r"endless\.ctf, which is too large"):
        look_from_file(path) if kind == "ctf" else load_config(path)


def test_references_are_followed_to_the_end_of_the_chain(tmp_path: Path) -> None:
    ctf(tmp_path / "c.ctf", body=MATRIX)
    ctf(tmp_path / "b.ctf", "c.ctf", tmp_path / "c.ctf")
    sound = look_from_file(ctf(tmp_path / "a.ctf", "b.ctf", body=MATRIX))
    assert len(sound.ops) == 3
    ctf(tmp_path / "c.ctf", tmp_path / "d.icc")
    (tmp_path / "d.icc").write_bytes(profile(b"desc", 1 << 32))
    with pytest.raises(UnreadableFile, match=r"c\.ctf: refers to .*d\.icc, which is damaged: its tags claim more"):
        look_from_file(tmp_path / "a.ctf")


@pytest.mark.parametrize(
    "reference",
    [
        REFERENCE.format("pipe/b").replace("Reference", "REFERENCE").replace("path", "PATH"),
        REFERENCE.format("&#112;ipe//../pipe/b"),
        "<!-- " + "x" * 3_000_000 + " -->" + REFERENCE.format("pipe/b"),
        REFERENCE.format("pipe/b") + "<broken",
    ],
    ids=["case", "entity", "far down", "broken later"],
)
def test_a_reference_is_found_however_it_is_written(reference: str, tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    (tmp_path / "a.cube").write_text(LIST.format(reference))
    with (tmp_path / "pipe" / "b").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(UnreadableFile, match=r"a\.cube: refers to .*b, which is too large"):
        look_from_file(tmp_path / "a.cube")


def test_what_is_sound_and_refers_to_what_is_not_there_is_left_to_opencolorio(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"look\.ctf: needs the file 'gone\.ctf', which is missing"):
        look_from_file(ctf(tmp_path / "look.ctf", "gone.ctf"))
    found = load_config(config(tmp_path / "show.ocio", "gone.ctf"))
    with pytest.raises(GradeError, match=r"needs the file 'gone\.ctf'"):
        found.ops_between("graded", "raw")


def test_what_a_variable_leads_to_is_looked_at_when_it_has_its_value(tmp_path: Path) -> None:
    (tmp_path / "luts").mkdir()
    ctf(tmp_path / "luts" / "a.ctf", body=MATRIX)
    with (tmp_path / "luts" / "b.ctf").open("wb") as file:
        file.truncate(LARGEST + 1)
    found = load_config(config(tmp_path / "show.ocio", "${SHOT}.ctf"))
    assert len(found.ops_between("graded", "raw")) == 1
    with pytest.raises(GradeError, match=r"show\.ocio: refers to .*b\.ctf, which is too large"):
        found.ops_between("graded", "raw", (("SHOT", "b"),))


def test_elements_that_end_the_process_are_refused(tmp_path: Path) -> None:
    for name in ("GradingRGBCurve", "GradingHueCurve"):
        element = f'<{name} inBitDepth="32f" outBitDepth="32f"/>'
        (tmp_path / "a.ctf").write_text(LIST.format(element).replace("1.3", "2.5"))
        with pytest.raises(UnreadableFile, match=rf"a\.ctf: has an element {name} without a style"):
            look_from_file(tmp_path / "a.ctf")


# -- profiles


def profile(kind: bytes, count: int, size: int = 40) -> bytes:
    """An ICC profile with one tag, which claims `count` entries."""
    head = bytearray(128)
    head[12:16], head[36:40] = b"mntr", b"acsp"
    entries = struct.pack(">I", min(count, (1 << 32) - 1))
    if kind == b"mluc":
        entries = struct.pack(
            ">2I2s2s2I", 1, 12, b"en", b"US", count & 0xFFFFFFFF, (1 << 32) - (count & 0xFFFFFFFF) + 28
        )
    tag = kind + bytes(4) + entries
    return bytes(head) + struct.pack(">I4s2I", 1, b"desc", 144, size) + tag.ljust(64, b"\0")


@pytest.mark.parametrize("kind", [b"desc", b"curv", b"mluc"])
def test_a_profile_that_claims_more_than_it_holds_is_refused(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "screen.icc"
    path.write_bytes(profile(kind, 1 << 31))
    for read in (look_from_file, list_cdl_ids):
        with pytest.raises(UnreadableFile, match=r"screen\.icc: is damaged: its tags claim more than it contains"):
            read(path)


@needs_limits
@needs_found
@pytest.mark.parametrize("name", ["desc_2GB.icc", "desc_4GB.icc", "look-f7504329.icc", "ref_devzero.ctf"])
def test_looks_that_took_gigabytes(name: str) -> None:
    done = bounded(READ_LOOK, FOUND / name)
    assert done.said.startswith(str(FOUND / name))
    assert done.peak < 300 * MB


# -- configs and archives


@needs_found
@pytest.mark.parametrize("path", sorted(FOUND.glob("*.ocio*")) or ["none"], ids=lambda path: Path(path).name)
def test_configs_that_are_not_text_are_one_line(path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"is not text in UTF-8 \(line \d+\)|not a valid config archive") as caught:
        load_config(path)
    assert str(caught.value).isprintable()


def test_an_archive_whose_config_is_not_text_is_one_line(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.ocioz", "w") as packed:
        packed.writestr("config.ocio", CONFIG.encode() + b"description: \xff\n")
    with pytest.raises(UnreadableFile, match=r"a\.ocioz: is not text in UTF-8 \(line 9\); save it as UTF-8"):
        load_config(tmp_path / "a.ocioz")


def test_an_archive_that_lists_no_config_is_one_line(tmp_path: Path) -> None:
    """OpenColorIO may find one in it all the same, which nobody has looked through."""
    path = tmp_path / "a.ocioz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("config.ocio", CONFIG.encode() + b"description: \xff\n")
    content = bytearray(path.read_bytes())
    content[-14:-10] = bytes(4)  # the number of entries at the end
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"a\.ocioz: (has no config|is not)"):
        load_config(path)


def test_a_config_as_long_as_a_film_is_refused(tmp_path: Path) -> None:
    long = CONFIG.replace("SOURCE", "a.ctf") + "#" * inspection.LARGEST_CONFIG
    (tmp_path / "show.ocio").write_text(long)
    with zipfile.ZipFile(tmp_path / "show.ocioz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("config.ocio", long)
    for name in ("show.ocio", "show.ocioz"):
        with pytest.raises(UnreadableFile, match=r"is too large for a config \(8 MB\)"):
            load_config(tmp_path / name)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "LARGEST_MEMBER", 1 << 20)
    path = archive(tmp_path / "show.ocioz", "a.ctf", a=LIST.format(MATRIX) + "\n" * (1 << 21))
    assert path.stat().st_size < 1 << 13
    with pytest.raises(UnreadableFile, match=r"show\.ocioz: holds 'luts/a\.ctf', which unpacks to 2 MB"):
        load_config(path)
    monkeypatch.undo()
    assert len(load_config(path).ops_between("graded", "raw")) == 1
    monkeypatch.setattr(inspection, "LARGEST_DIRECTORY", 64)
    with pytest.raises(UnreadableFile, match="has too many files for a config archive"):
        inspection.names_in_archive(path)


def test_archives_do_not_share_files_of_one_name(tmp_path: Path) -> None:
    paths = [
        archive(tmp_path / f"{gain}.ocioz", "a.ctf", a=LIST.format(MATRIX.replace("2 0", f"{gain} 0")))
        for gain in (3, 5)
    ]

    def gain_of(config: Config) -> float:
        return expect(Matrix, config.ops_between("graded", "raw")[0]).matrix[0]

    found = [load_config(path) for path in paths]
    assert [gain_of(config) for config in found] == [3.0, 5.0]
    archive(paths[0], "a.ctf", a=LIST.format(MATRIX.replace("2 0", "7 0")))
    assert gain_of(load_config(paths[0])) == 7.0


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "x" * 5000, "~nobody-of-that-name/a.ocio"])
def test_names_that_no_config_can_have_are_one_line(name: str) -> None:
    for given in (name, f"ocio://{name}"):
        with pytest.raises(TesseraError) as caught:
            load_config(given)
        assert str(caught.value).isprintable()


# -- files that change while they are read
