"""Conversions, looks and views of a config as ops, cached by the cache ID of OpenColorIO's processor."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import PyOpenColorIO as ocio

from engine.core.bounded_cache import BoundedCache
from engine.errors import GradeError, UnreadableFile, UnsupportedTransform
from engine.grade.colour_settings import Context
from engine.grade.matrix_folding import folded
from engine.kernel.op import Op
from engine.ocio.config_references import References
from engine.ocio.reasons import FAILURES, reason
from engine.ocio.transforms import ops_from_processor

FORWARD = ocio.TRANSFORM_DIR_FORWARD
MOST_CONVERSIONS = 256
"""Number of conversions, looks and views of a config in the cache."""


class Conversions:
    """The conversions of one config, called `name` in messages. `context` converts values of variables to a context of
    OpenColorIO."""

    def __init__(
        self, config: ocio.Config, name: str, references: References, context: Callable[[Context], ocio.Context]
    ) -> None:
        self._config, self._name, self._references, self._context = config, name, references, context
        self._ops: BoundedCache[str, tuple[Op, ...]] = BoundedCache(MOST_CONVERSIONS)
        self._ask = lru_cache(maxsize=MOST_CONVERSIONS)(self._asked)

    def between(self, source: str, target: str, context: Context) -> tuple[Op, ...]:
        """Return the ops from one colour space to another. Raises GradeError if there are none."""
        return self._ask("space", (source, target), context)

    def look(self, source: str, target: str, looks: str, context: Context) -> tuple[Op, ...]:
        """Return the ops of looks from one colour space to another. Raises GradeError if there are none."""
        return self._ask("look", (source, target, looks), context)

    def view(self, source: str, display: str, view: str, context: Context, bypass: bool) -> tuple[Op, ...]:
        """Return the ops from a colour space to a view, without its looks if `bypass`. Raises GradeError if there are
        none."""
        return self._ask("view", (source, display, view, "bypass" if bypass else ""), context)

    def _asked(self, kind: str, words: tuple[str, ...], context: Context) -> tuple[Op, ...]:
        try:
            values, transform = self._context(context), _transform(kind, words)
            processor = self._references.read(values, lambda: self._config.getProcessor(values, transform, FORWARD))
            return self._ops.of(processor.getCacheID(), lambda: folded(ops_from_processor(processor)))
        except FAILURES as error:
            raise GradeError(f"{self._name}: {_describe(kind, words)}: {reason(error)}", "choose another") from error
        except UnreadableFile as error:
            raise GradeError(error.what, error.do) from error
        except UnsupportedTransform as error:
            what = f"{self._name}: {_describe(kind, words)}: {error.what}"
            raise UnsupportedTransform(error.transform, what, "choose another") from error


def _transform(kind: str, words: tuple[str, ...]) -> ocio.Transform:
    if kind == "space":
        return ocio.ColorSpaceTransform(*words)
    if kind == "look":
        return ocio.LookTransform(*words)
    return ocio.DisplayViewTransform(*words[:3], looksBypass=bool(words[3]))


def _describe(kind: str, words: tuple[str, ...]) -> str:
    """Describe a request for messages."""
    if kind == "view":
        return f"the view {words[2]} of {words[1]}"
    if kind == "look":
        return f"the look {words[2]}"
    return f"from {words[0]} to {words[1]}"
