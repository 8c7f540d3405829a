"""Commands in a small address space: one line about memory; no hang, no abort, no sound file that is blamed."""

from __future__ import annotations

import sys

import pytest

from tests.app.command_line import LUT, run, start
from tests.thorough import cases

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems count address space in other ways")
MB = 1 << 20


def limited(limit, *words):
    """A command that may map so many MB; its exit code and what it says on standard error."""
    import resource

    def limit_it():
        resource.setrlimit(resource.RLIMIT_AS, (limit * MB, limit * MB))

    process = start(*words, preexec_fn=limit_it)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, errors


@pytest.mark.parametrize("limit", cases([200, 600, 1100], 300, 540, 650, 700, 800, 900))
def test_too_little_is_said_before_the_work(limit, shot, out):
    out.write_bytes(b"mine")
    words = ("--exposure", "1", "--backend", "cpu", "--threads", "2", "--force")
    code, errors = limited(limit, "export", shot, out, *words)
    assert code == 1
    assert errors.startswith(f"tessera: this process is limited to {limit} MB of address space and needs ")
    assert errors.endswith(" MB; raise the limit (ulimit -v)\n")
    assert out.read_bytes() == b"mine"
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_frames_of_a_sequence_say_it_once(shot, out):
    shot.rename(shot.with_name("s.0001.exr"))
    words = (shot.with_name("s.####.exr"), out.with_name("g.####.exr"), "--exposure", "1", "--backend", "cpu")
    code, errors = limited(700, "export", *words)
    assert (code, errors.count("\n")) == (1, 1)
    assert "700 MB of address space" in errors


def test_what_is_asked_for_is_enough(shot, out):
    for threads in ("1", "2"):
        words = ("--exposure", "1", "--backend", "cpu", "--threads", threads, "--force")
        _, errors = limited(700, "export", shot, out, *words)
        needed = int(errors.partition("needs ")[2].split()[0])
        assert limited(needed, "export", shot, out, *words) == (0, "")
    for other in (("info", shot), ("colorspaces",), ("bake", LUT, out.with_suffix(".cube"))):
        assert limited(400, *other) == (0, "")
    assert run("info", out) == 0
