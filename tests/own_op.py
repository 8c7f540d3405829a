"""Files of a user's own ops, and how a test leaves none of them behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.grade.own_execution import load
from engine.grade.own_ops import OwnFile, allow, forbid, loaded_files, read_own_file, unload
from engine.kernel.op import OWN_MODULES, REGISTRY, Op

ROOT = Path(__file__).resolve().parents[1]
GAIN = '''\
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import select


class {name}(ColorOp):
    """Scale values."""

    home = "linear"
    gain: float = slider({default}, 0.0, 8.0, help="A factor")
    {more}

    def pixel(self, px):
        return px.rgb * self.gain{maths}
'''


def gain(name: str = "Gain", default: float = 2.0, more: str = "", maths: str = "") -> str:
    """The text of a small op."""
    return GAIN.format(name=name, default=default, more=more, maths=maths)


def example() -> str:
    """The worked example of the documentation."""
    page = (ROOT / "docs" / "own-ops.md").read_text(encoding="utf-8")
    found = re.search(r"^## A worked example\n+```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def write(folder: Path, text: str, name: str = "gain.py") -> OwnFile:
    """Write a file and read it; nothing is executed."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_own_file(path)


def allowed(file: OwnFile) -> type[Op]:
    """The op of a file that is allowed and loaded."""
    allow([file.sha256])
    return load(file).classes[0]


@contextmanager
def cleaned() -> Iterator[None]:
    """Leave no own op and no permission behind."""
    import sys

    from engine.grade import own_ops

    before, known = set(own_ops._allowed), set(sys.modules)
    try:
        yield
    finally:
        for file in loaded_files():
            unload(file.name)
        forbid(set(own_ops._allowed) - before)
        for name in set(sys.modules) - known:
            if name.startswith(OWN_MODULES):
                del sys.modules[name]
        assert not any(op.own_source for op in REGISTRY.values())
