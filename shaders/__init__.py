"""Kernel texts: templates with a placeholder for the generated body, and hand-written kernels."""

from pathlib import Path

HOLE = "//BODY//"


def text(name: str) -> str:
    """Return the text of a shader file."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
