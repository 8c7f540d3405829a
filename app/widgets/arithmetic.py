"""Parse typed numbers and simple arithmetic: 1.5, 1,5, 1e-3, 1/3, 2*0.18."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

LETTERS = frozenset("0123456789.,+-*/() eE")
"""The characters that a number may contain."""
LONGEST = 64
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)", re.ASCII)
"""What needs no parser, as nearly all numbers that are shown."""
_BINARY: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def number_of(text: str) -> float | None:
    """Return the value of a typed number or expression; None if it is invalid or not finite.

    A comma is read as a decimal point.
    """
    if len(text) > LONGEST or not set(text) <= LETTERS:
        return None
    if PLAIN.fullmatch(text):
        return float(text)
    try:
        plain = re.sub(r"(?<![\d.])0+(?=\d)", "", text.strip().replace(",", "."))  # Python rejects 007
        value = _value(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError):
        return None
    return value if math.isfinite(value) else None


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError
