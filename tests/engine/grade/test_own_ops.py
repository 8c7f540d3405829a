"""Ops of the user's: executed only when allowed, like ours when they are, and harmless when they are bad."""

from __future__ import annotations

import os
import pickle
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.compute.executor import TiledExecutor
from engine.errors import GradeError, TesseraError, UnreadableFile, UnsupportedFile
from engine.export.frames import Recipe
from engine.export.provenance import digest_of
from engine.grade.curves import Curve, Key, Keys
from engine.grade.entries import Layer, layer_of
from engine.grade.grade import Grade
from engine.grade.missing import MissingOp, adopted
from engine.grade.own_execution import RESERVED, execute, load
from engine.grade.own_ops import OwnFile, allow, forbid, is_allowed, loaded_files, read_own_file, unload
from engine.grade.own_permissions import (
    FILE,
    OwnPermissions,
    is_hash,
    load_permissions,
    own_files,
    save_permissions,
)
from engine.grade.own_template import write_template
from engine.grade.renewal import own_files_of, renewed
from engine.kernel.op import REGISTRY, ColorOp, Op
from tests.own_op import allowed, cleaned, example, gain, write
from tests.tolerance import assert_close

CHOICE = 'way: str = choice("up", "down", help="Which way")'


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    with cleaned():
        yield


def test_nothing_is_executed_before_it_is_allowed(tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    text = gain() + f"open({str(marker)!r}, 'w').close()\n"
    file = write(tmp_path / "ops", text)
    found, lines = own_files(tmp_path / "ops")
    assert (found, lines) == ((file,), ())
    data = {"op": "own:Gain", "own": {"file": "gain.py", "sha256": file.sha256}, "gain": 3.0}
    grade = Grade.from_json({"tessera": "grade", "version": 1, "entries": [data]})
    assert isinstance(grade.entries[0], MissingOp)
    with pytest.raises(UnsupportedFile, match=f"gain.py: is not allowed .SHA-256 {file.sha256}.; allow it"):
        execute(file)
    another = file.sha256[:-1] + ("1" if file.sha256.endswith("0") else "0")
    allow([another, "", file.name])
    with pytest.raises(UnsupportedFile):
        load(file)
    assert not marker.exists()
    allowed(file)
    assert marker.exists()


def test_what_runs_is_what_was_hashed(tmp_path: Path) -> None:
    """A file that changes after it was read, or after it was allowed, runs as it was, or not at all."""
    file = write(tmp_path, gain())
    allow([file.sha256])
    write(tmp_path, gain(default=4.0))
    assert load(file).classes[0]().gain == 2.0  # type: ignore[attr-defined]
    changed = read_own_file(file.path)
    assert changed.sha256 != file.sha256
    with pytest.raises(UnsupportedFile, match="is not allowed"):
        load(changed)
    assert REGISTRY["own:Gain"]().gain == 2.0  # type: ignore[attr-defined]


def test_an_own_op_is_like_ours(tmp_path: Path) -> None:
    file = write(tmp_path, gain(more=CHOICE))
    cls = allowed(file)
    op = cls(gain=3.0)
    data = {"op": "own:Gain", "own": {"file": "gain.py", "sha256": file.sha256}, "gain": 3.0, "way": "up"}
    assert op.to_json() == data
    assert Op.from_json(data) == op == pickle.loads(pickle.dumps(op))
    grade = Grade([Layer(op, mix=0.5, keys=Keys({"gain": Curve([Key(1, 1.0), Key(3, 5.0)])}))])
    assert Grade.from_json(grade.to_json()) == grade
    assert layer_of(grade.at(2).entries[0]).entry == cls(gain=3.0)
    assert own_files_of(grade) == (file,) == loaded_files()
    other = allowed(write(tmp_path, gain(more=CHOICE, maths=" + 0.1")))
    assert other(gain=3.0).structure != op.structure  # another kernel
    assert digest_of(other(gain=3.0)) != digest_of(op)  # another result to resume


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("class Gain(ColorOp:\n", "line 1: "),
        ("\n\nimport nothing_of_that_name\n", "line 3: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "line 1: SystemExit: 3"),
        ("x = 1\x00", "line 1 has a control character, which can hide what it does; remove it"),
        ("x = 1\n# \u202e hidden", "line 2 has a control character"),
        ("# coding: utf-7\n# +AAo-raise SystemExit(9)", "defines no op"),  # no line break in UTF-8, as it was shown
        ("x = 1", "defines no op; derive a class from ColorOp"),
        (gain("Saturation"), "defines Saturation, as Tessera does; give the op another name"),
        (gain("Größe"), "has an op named Größe; use letters"),
        (gain(more="x: int = 3"), "Gain.x is not a slider or a choice"),
        (gain(more="space: float = slider(0.0)"), "Gain.space would hide an attribute that every op has"),
        (gain(more="own_source: float = slider(0.0)"), "would hide an attribute"),
        (gain(maths=" + nothing"), "Gain: line 13: NameError: name 'nothing' is not defined; correct the file"),
        (gain(maths=" if self.gain > 1 else px.rgb"), "Gain: line 13: "),
        (gain(more=CHOICE, maths=" * (1.0 if self.way == 'up' else nothing)"), "name 'nothing' is not defined"),
        (gain().replace("px.rgb * self.gain", "px.r * self.gain"), "Gain: "),
        (gain().replace("slider(2.0, 0.0, 8.0", "table('curve'").replace("choice, slider", "table"), "not a slider"),
        *((gain(more=f"{name}: float = slider(0.0)"), f"has a field named {name}") for name in RESERVED),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_and_harms_nothing(tmp_path: Path, text: str, says: str) -> None:
    good = allowed(write(tmp_path, gain("Good"), "good.py"))
    before = dict(REGISTRY)
    file = write(tmp_path, text, "bad.py")
    allow([file.sha256])
    with pytest.raises(UnsupportedFile) as caught:
        load(file)
    line = str(caught.value)
    assert line.startswith(f"{file.path}: ")
    assert says in line
    assert "; " in line
    assert "\n" not in line
    assert before == REGISTRY
    assert REGISTRY["own:Good"] is good


FILTER = """\
from engine.kernel.filter_op import Computed, FilterOp, Gaussian
from engine.kernel.op import slider


class Glow(FilterOp):
    radius: float = slider(8.0, 0.0, 100.0, unit="px", help="How far it reaches")

    def side_images(self):
        return (Gaussian(Computed("bright"), self.radius),)

    def bright(self, px):
        return px.rgb * 0.5

    def pixel(self, px):
        r, g, b, _, *_ = px.planes
        return px.r + r, px.g + g, px.b + b
"""


def test_a_filter_with_side_images_is_tried_whole(tmp_path: Path) -> None:
    assert allowed(write(tmp_path, FILTER, "glow.py"))().halo() >= 8
    file = write(tmp_path, FILTER.replace("px.rgb * 0.5", "px.rgb * half"), "glow.py")
    with pytest.raises(UnsupportedFile, match=r"glow.py: Glow: line 12: NameError: name 'half' is not defined"):
        allowed(file)


def test_names_of_two_files_may_not_clash(tmp_path: Path) -> None:
    allowed(write(tmp_path, gain(), "one.py"))
    with pytest.raises(UnsupportedFile, match=r"two.py: defines Gain, as one.py does; rename one of them"):
        allowed(write(tmp_path, gain(default=3.0), "two.py"))
    assert REGISTRY["own:Gain"]().gain == 2.0  # type: ignore[attr-defined]
    unload("one.py")
    allowed(write(tmp_path, gain(default=3.0), "two.py"))


def test_a_mistake_that_shows_later_names_the_file(tmp_path: Path) -> None:
    text = gain() + "\n    def is_identity(self):\n        return 1.0 / (self.gain - 3.0) == 0.0\n"
    op = allowed(write(tmp_path, text))
    assert not op().is_identity()
    with pytest.raises(
        GradeError, match=r"Gain in gain.py: line 16: ZeroDivisionError: float division by zero; correct"
    ):
        op(gain=3.0).is_identity()


def test_values_that_a_file_refuses_leave_the_op_missing(tmp_path: Path) -> None:
    more = "def __post_init__(self):\n        super().__post_init__()\n        assert self.gain < 5.0, 'too much'"
    op = allowed(write(tmp_path, gain(more=more)))
    (found,) = Grade.from_json(Grade([op()]).to_json() | {"entries": [op().to_json() | {"gain": 6.0}]}).entries
    assert isinstance(found, MissingOp)
    assert "too much" in found.line


def test_files_that_can_be_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "large.py").write_text("#" * (1 << 20) + "\n")
    (tmp_path / "folder.py").mkdir()
    for name, says in (("notes.txt", "is not a Python file"), ("large.py", "is larger"), ("folder.py", "is a folder")):
        with pytest.raises(TesseraError, match=says):
            read_own_file(tmp_path / name)
    files, lines = own_files(tmp_path)
    assert not files
    assert len(lines) == 2
    assert own_files(tmp_path / "none") == ((), ())


def test_a_changed_file_replaces_the_op_and_grades_keep_values_by_name(tmp_path: Path) -> None:
    old = allowed(write(tmp_path, gain(more="lift: float = slider(0.0, -1.0, 1.0)\n    " + CHOICE)))
    keys = Keys({"gain": Curve([Key(1, 3.0)]), "lift": Curve([Key(1, 0.5)]), "mix": Curve([Key(1, 0.5)])})
    grade = Grade([Layer(old(gain=3.0, lift=0.5, way="down"), keys=keys), old(gain=5.0)])
    assert renewed(grade) is grade
    new = allowed(write(tmp_path, gain(more='way: str = choice("left", "right")')))
    found = renewed(grade)
    animated = layer_of(found.entries[0])
    assert type(animated.entry) is new
    assert animated.entry == new(gain=3.0, way="left")
    assert set(animated.keys) == {"gain", "mix"}
    assert found.entries[1] == new(gain=5.0)
    assert Grade.from_json(found.to_json()) == found


def test_ops_that_are_forbidden_are_missing_and_come_back(tmp_path: Path) -> None:
    file = write(tmp_path, gain())
    op = allowed(file)
    grade = Grade([Layer(op(gain=3.0), enabled=False, keys=Keys({"gain": Curve([Key(1, 3.0)])})), op()])
    data = grade.to_json()
    unload("gain.py")
    forbid([file.sha256])
    gone = renewed(grade)
    assert all(isinstance(layer_of(entry).entry, MissingOp) for entry in gone.entries)
    assert gone.to_json() == data
    assert gone.effective == ()
    assert Grade.from_json(data) == gone
    assert renewed(gone) is gone
    allowed(file)
    back = renewed(gone)
    assert back.to_json() == data
    assert back.entries[1] == REGISTRY["own:Gain"]()


def test_a_grade_of_another_content_is_not_silently_another_grade(tmp_path: Path) -> None:
    """A content that was allowed once may be replaced; one that never was may not."""
    foreign = write(tmp_path / "theirs", gain(maths=" + 1.0"))
    own = {"file": "gain.py", "sha256": foreign.sha256}
    data = {"tessera": "grade", "version": 1, "entries": [{"op": "own:Gain", "own": own, "gain": 3.0, "lift": 1.0}]}
    cls = allowed(write(tmp_path, gain()))
    (entry,) = Grade.from_json(data).entries
    assert isinstance(entry, MissingOp)
    assert "another gain.py than the one that is allowed" in entry.line
    assert adopted(entry) == cls(gain=3.0)
    allow([foreign.sha256])
    (entry,) = Grade.from_json(data).entries
    assert isinstance(entry, MissingOp)  # it would lose a value
    assert "has no field named 'lift', since gain.py has changed" in entry.line
    del data["entries"][0]["lift"]  # type: ignore[index]
    assert Grade.from_json(data).entries == (cls(gain=3.0),)


@pytest.mark.parametrize("own", [None, {}, {"file": "a.py"}, {"file": 1, "sha256": "x"}, "a.py"])
def test_an_own_op_names_its_file(own: object) -> None:
    with pytest.raises(GradeError, match="names no file"):
        Grade.from_json({"tessera": "grade", "version": 1, "entries": [{"op": "own:Gain", "own": own}]})


def test_a_recipe_carries_its_files_to_other_processes(tmp_path: Path) -> None:
    file = write(tmp_path, gain())
    recipe = Recipe(Grade([allowed(file)(gain=3.0)]))
    sent = pickle.dumps(recipe)
    assert file.content in sent
    unload("gain.py")
    forbid([file.sha256])
    Path(file.path).unlink()
    received = pickle.loads(sent)
    assert received.grade.to_json() == recipe.grade.to_json()
    assert is_allowed(file.sha256)
    unload("gain.py")
    with pytest.raises(GradeError, match=r"Gain of gain.py is not loaded here; allow the file"):
        pickle.loads(pickle.dumps(recipe.grade.entries[0]))
    assert b"gain.py" not in pickle.dumps(Recipe(Grade()))


def test_a_worker_takes_the_file_of_the_next_job(tmp_path: Path) -> None:
    sent = pickle.dumps(Recipe(Grade([allowed(write(tmp_path, gain()))(gain=3.0)])))
    unload("gain.py")
    allowed(write(tmp_path, gain(default=4.0), "renamed.py"))  # what an earlier job left
    (op,) = pickle.loads(sent).grade.entries
    assert op.own_source.file == "gain.py"
    assert [file.name for file in loaded_files()] == ["gain.py"]


def test_permissions_are_private_and_asked_for_each_content(tmp_path: Path) -> None:
    file, other = write(tmp_path, gain()), write(tmp_path, gain(default=3.0))
    assert load_permissions(tmp_path) == OwnPermissions(False, ())
    permissions = OwnPermissions().with_file(file)
    assert not permissions.hashes  # off by default
    permissions = OwnPermissions(True, permissions.allowed)
    (tmp_path / FILE).write_text("{}")
    os.chmod(tmp_path / FILE, 0o644)  # noqa: PTH101
    save_permissions(permissions, tmp_path)
    assert load_permissions(tmp_path) == permissions
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert permissions.allows(file)
    assert permissions.knows(other)
    assert not permissions.allows(other)
    both = permissions.with_file(other).with_file(other)
    assert both.hashes == {file.sha256, other.sha256}
    assert not both.without(file).hashes
    renamed = read_own_file(Path(file.path).rename(tmp_path / "other.py"))  # its content is allowed under another name
    assert renamed == OwnFile(str(tmp_path / "other.py"), other.content)
    assert both.knows(renamed)
    assert both.without(renamed).hashes == {file.sha256}
    for damaged in ("[]", '{"on": 1, "allowed": []}', '{"on": true, "allowed": [{"sha256": "x", "file": "a"}]}', "{"):
        (tmp_path / FILE).write_text(damaged)
        with pytest.raises(UnreadableFile, match=FILE):
            load_permissions(tmp_path)
    assert is_hash(file.sha256)
    assert not is_hash(file.sha256.upper())


def test_the_template_is_an_op(tmp_path: Path) -> None:
    path = write_template("SoftContrast", tmp_path / "ops")
    assert path.name == "soft_contrast.py"
    op = allowed(read_own_file(path))
    assert (op.__name__, op.title()) == ("SoftContrast", "Soft contrast")
    assert allowed(read_own_file(write_template("glow", tmp_path))).__name__ == "Glow"
    with pytest.raises(TesseraError, match="already exists"):
        write_template("SoftContrast", tmp_path / "ops")
    for name in ("", "1st", "a b", "../x", "é"):
        with pytest.raises(TesseraError, match="is not a valid name for an op"):
            write_template(name, tmp_path)


@pytest.mark.parametrize("falloff", ["smooth", "straight"])
def test_the_worked_example_is_the_same_everywhere(
    tmp_path: Path, falloff: str, backend: str, executor: TiledExecutor
) -> None:
    cls = allowed(write(tmp_path, example(), "shadow_tint.py"))
    assert issubclass(cls, ColorOp)
    op = cls(tint=(0.02, -0.01, 0.04), falloff=falloff)
    image = np.random.default_rng(3).normal(0.1, 0.2, (24, 32, 4)).astype(np.float32)
    exact = image.astype(np.float64)
    weight = np.clip(1.0 - exact[..., :3] @ [0.2126, 0.7152, 0.0722] / 0.18, 0.0, 1.0)
    weight = np.where(falloff == "smooth", weight**2 * (3.0 - 2.0 * weight), weight)[..., None]
    wanted = np.concatenate([exact[..., :3] + np.array([0.02, -0.01, 0.04]) * weight, exact[..., 3:]], -1)
    np.testing.assert_allclose(op.reference(exact), wanted, atol=1e-15)
    assert_close(executor.execute_color(image, [op]), wanted, backend)


def test_a_file_that_is_not_text_is_shown_and_not_executed() -> None:
    file = OwnFile("a.py", b"\xff\xfe")
    assert file.text
    allow([file.sha256])
    with pytest.raises(UnsupportedFile, match=r"a.py: is not text in UTF-8; save it in UTF-8"):
        load(file)
