"""Looks, configs and grades that change while they are read."""

from __future__ import annotations

from pathlib import Path

import PyOpenColorIO as ocio
import pytest

from engine.errors import GradeError, UnreadableFile
from engine.ocio import cdl_files, config_files, load_config, look_from_file
from engine.ops import Matrix
from tests.engine.ocio.test_inspection import LIST, MATRIX, config, ctf
from tests.typed import expect


def growing(path: Path, texts: list[str]):
    """A stand-in for OpenColorIO's reading during which another program writes the file."""

    def wrapped(true):
        def read(*arguments):
            try:
                return true(*arguments)
            finally:
                if texts:
                    path.write_text(texts.pop(0))

        return read

    return wrapped


class Changing:
    """A config or class of OpenColorIO one of whose methods is followed by a change of a file."""

    def __init__(self, true, method: str, wrap) -> None:
        self._true, self._method, self._wrap = true, method, wrap

    def __getattr__(self, name: str):
        found = getattr(self._true, name)
        return self._wrap(found) if name == self._method else found


def test_a_look_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ctf(tmp_path / "a.ctf", body=MATRIX)
    after = LIST.format(MATRIX + MATRIX)
    true = ocio.Config.CreateRaw
    wrap = growing(path, ["half of it", after])
    monkeypatch.setattr(ocio.Config, "CreateRaw", lambda: Changing(true(), "getProcessor", wrap))
    assert len(look_from_file(path).ops) == 2
    wrap = growing(path, [after + " " * n for n in range(1, 20)])
    with pytest.raises(UnreadableFile, match=r"a\.ctf: changes while it is read; wait until"):
        look_from_file(path)


def test_corrections_that_change_while_they_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, text = (
        tmp_path / "a.ccc",
        '<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">{}</ColorCorrectionCollection>',
    )
    one = '<ColorCorrection id="{}"><SatNode><Saturation>1</Saturation></SatNode></ColorCorrection>'
    path.write_text(text.format(one.format("one")))
    after = text.format(one.format("one") + one.format("two"))
    wrap = growing(path, ["half of it", after])
    changing = Changing(ocio.CDLTransform, "CreateGroupFromFile", wrap)
    monkeypatch.setattr(ocio, "CDLTransform", changing)
    assert [each["id"] for each in cdl_files.list_cdl_ids(path)] == ["one", "two"]
    wrap = growing(path, [after + " " * n for n in range(1, 20)])
    monkeypatch.setattr(ocio, "CDLTransform", Changing(changing._true, "CreateGroupFromFile", wrap))
    with pytest.raises(UnreadableFile, match=r"a\.ccc: changes while it is read"):
        cdl_files.list_cdl_ids(path)


def test_a_lut_of_a_config_that_changes_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "luts").mkdir()
    lut = ctf(tmp_path / "luts" / "a.ctf", body=MATRIX)
    found = load_config(config(tmp_path / "show.ocio", "a.ctf"))
    after = LIST.format(MATRIX + MATRIX.replace("2 0", "3 0"))
    found._conversions._config = Changing(found.ocio, "getProcessor", growing(lut, ["half", after]))
    changed = found.ops_between("graded", "raw")
    assert changed == config_files.reload_config(found, lambda config: None).ops_between("graded", "raw")
    assert expect(Matrix, changed[0]).matrix[0] == 6.0
    found = config_files.reload_config(found, lambda config: None)
    found._conversions._config = Changing(
        found.ocio, "getProcessor", growing(lut, [after + " " * n for n in range(1, 20)])
    )
    with pytest.raises(GradeError, match=r"show\.ocio: changes while it is read"):
        found.ops_between("graded", "raw")


def test_a_grade_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.core import small_files

    path = tmp_path / "look.json"
    path.write_bytes(b"one")
    texts = [b"three", b"four."]
    true = small_files.open_regular

    def opened(name):
        file = true(name)
        if texts:
            path.write_bytes(texts.pop(0))
        return file

    monkeypatch.setattr(small_files, "open_regular", opened)
    assert small_files.read_small(path) == b"four."
    texts += [b"x" * n for n in range(40, 60)]
    with pytest.raises(UnreadableFile, match=r"look\.json: changes while it is read"):
        small_files.read_small(path)
