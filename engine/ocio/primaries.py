"""Linear RGB with any primaries as a colour space that no config has: named by its numbers.

The name is `primaries` and x,y of red, green, blue and white: `primaries 0.64,0.33 0.3,0.6 0.15,0.06 0.3127,0.329`. A
matrix converts to a scene-linear space of the config, by way of ACES2065-1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import PyOpenColorIO as ocio

from engine.core.colorimetry import Matrix, aces_from
from engine.grade.matrix_folding import folded
from engine.kernel.op import Op
from engine.ocio.config_references import References
from engine.ocio.reasons import FAILURES
from engine.ops import Matrix as MatrixOp

ACES, ACES_ROLE = "ACES2065-1", "aces_interchange"
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)"
_NAME = re.compile(r"\s*primaries\s+" + r"\s+".join([f"{_NUMBER},{_NUMBER}"] * 4) + r"\s*", re.IGNORECASE)


def primaries_name(chromaticities: Sequence[float]) -> str:
    """Return the name of the space with these primaries and white, x and y of each; '' if they are invalid.

    The numbers are rounded to float32, as in the header of an EXR.
    """
    if aces_from(chromaticities) is None:
        return ""
    numbers = [np.format_float_positional(np.float32(number), trim="-") for number in chromaticities]
    return "primaries " + " ".join(f"{x},{y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True))


def primaries_of(name: str) -> tuple[float, ...] | None:
    """Return the numbers in a name; None if it is not such a name."""
    found = _NAME.fullmatch(name)
    return tuple(float(number) for number in found.groups()) if found else None


def aces_matrix(config: ocio.Config, references: References, space: str) -> Matrix | None:
    """Return the matrix from a scene-linear space of a config to ACES2065-1; None if the config can't convert."""
    try:
        with references.alone():
            processor = (
                config.getProcessor(space, ACES_ROLE)
                if config.hasRole(ACES_ROLE)
                else ocio.Config.GetProcessorToBuiltinColorSpace(config, space, ACES)
            )
    except FAILURES:
        return None
    unit = np.eye(3, dtype=np.float32)
    processor.getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE).applyRGB(unit)
    return unit.T.astype(np.float64)


class PrimariesSpaces:
    """The spaces named by primaries that one config can reach; `linear` gives its scene-linear spaces, best first."""

    def __init__(self, config: ocio.Config, references: References, linear: Callable[[], Iterable[str]]) -> None:
        self._config, self._references, self._linear = config, references, linear

    @cached_property
    def _anchor(self) -> tuple[str, Matrix] | None:
        """The config's space to convert through, and its matrix to ACES2065-1; None if the config has none."""
        found = ((name, aces_matrix(self._config, self._references, name)) for name in self._linear())
        return next(((name, matrix) for name, matrix in found if matrix is not None), None)

    def space(self, name: str) -> str:
        """Return the space of a name, as `primaries_name` spells it; '' if the name is not of that form."""
        numbers = primaries_of(name)
        return primaries_name(numbers) if numbers is not None and self._anchor is not None else ""

    def ops(self, source: str, target: str, ask: Callable[[str, str], tuple[Op, ...]]) -> tuple[Op, ...]:
        """Return the ops of `ask` between two spaces of the config, with matrices at ends named by primaries."""
        before, after = self._to_anchor(source), self._to_anchor(target)
        if self._anchor is None or (before is None and after is None):
            return ask(source, target)
        anchor = self._anchor[0]
        source, target = anchor if before else source, anchor if after else target
        between, plain = ask(source, target), self._config.getColorSpace(target if before else source)
        if plain is None or plain.isData():  # named transforms and data spaces apply to the values as they are
            return between
        return folded((*([before] if before else ()), *between, *([after.inverse()] if after else ())))

    def _to_anchor(self, name: str) -> MatrixOp | None:
        """Return the matrix from a space named by primaries; None for any other space."""
        numbers = primaries_of(name)
        to_aces = aces_from(numbers) if numbers is not None else None
        if to_aces is None or self._anchor is None:
            return None
        whole = np.eye(4)
        whole[:3, :3] = np.linalg.inv(self._anchor[1]) @ to_aces
        return MatrixOp(tuple(whole.ravel().tolist()), form="rgb")
