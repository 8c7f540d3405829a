"""Kernel texts: frames with one hole for the generated body, and the hand-written filters."""

from pathlib import Path

HOLE = "//BODY//"


def text(name: str) -> str:
    """The text of a shader file."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
