"""NumPy without the docstrings of its compiled functions works like any other."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from app.services.plain_numpy import DOCUMENTING

WORK = """
from app.services.plain_numpy import import_plainly
import_plainly()
import numpy, numpy.ma, numpy.random, numpy.linalg, numpy.polynomial, numpy.testing, OpenImageIO, OpenEXR
assert numpy.unique(numpy.array([2, 1, 2])).tolist() == [1, 2]
assert numpy.ma.masked_invalid([1.0, numpy.nan]).mean() == 1.0
assert numpy.linalg.inv(numpy.eye(2) * 2.0)[0, 0] == 0.5
print(numpy.ndarray.sort.__doc__)
"""


def test_it_works() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "None"), done.stderr


@pytest.mark.parametrize("name", DOCUMENTING)
def test_the_modules_only_document(name: str) -> None:
    module = importlib.import_module(name)
    assert "add_newdoc" in vars(module)
