"""The files beside the repository that tests may use: real images and looks, and inputs that did harm."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
CORPUS, FOUND = SHARED / "corpus", SHARED / "found"

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")
needs_found = pytest.mark.skipif(not FOUND.is_dir(), reason="the found inputs are not beside the repository")
