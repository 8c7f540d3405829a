"""The colour spaces of a grade and its viewing: names of colour spaces, displays and looks, as values.

This module is independent of OpenColorIO: `engine.color.management` resolves the names in a config.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.core.file_errors import invalid_name_reason
from engine.core.records import dataclass
from engine.errors import GradeError

Context = tuple[tuple[str, str], ...]
"""Values of context variables, by name."""


RAW = "raw"
"""The config that turns colour management off: nothing is converted, and ops apply to an image's values as they are."""


@dataclass(frozen=True)
class ColourSetup:
    """The colour spaces of a grade. Saved with the grade: the numbers of a CDL have no meaning without them.

    '' is the default: for `config` $OCIO or the newest built-in studio config, for `input` the space detected from the
    image, for `working` ACEScct if the config has it, for `output` the input space. The config `raw` converts nothing.
    `context` gives values to the config's context variables.
    """

    config: str = ""
    input: str = ""
    working: str = ""
    output: str = ""
    context: Context = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", tuple(sorted((str(k), str(v)) for k, v in dict(self.context).items())))
        _check_names(
            self.config, self.input, self.working, self.output, *(word for pair in self.context for word in pair)
        )

    @property
    def is_default(self) -> bool:
        """Whether all settings are the defaults."""
        return self == ColourSetup()

    def over(self, other: ColourSetup) -> ColourSetup:
        """Return this setup with its unset values taken from `other`."""
        given = {f.name: getattr(self, f.name) or getattr(other, f.name) for f in fields(self)}
        return ColourSetup(**given | {"context": tuple((dict(other.context) | dict(self.context)).items())})

    def to_json(self) -> dict[str, Any]:
        """Return the values that are set."""
        given: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name)}
        return given | ({"context": dict(self.context)} if self.context else {})

    @classmethod
    def from_json(cls, data: Any) -> ColourSetup:
        """Return the setup that `to_json` described. Raises GradeError if the data are invalid."""
        names = {f.name for f in fields(cls)}
        if not isinstance(data, dict) or not set(data) <= names:
            raise GradeError("the colour setup of the grade is damaged")
        context = data.get("context", {})
        texts = [*(value for name, value in data.items() if name != "context")]
        if not isinstance(context, dict) or not all(isinstance(text, str) for text in (*texts, *context.values())):
            raise GradeError("the colour setup of the grade is damaged")
        return cls(**data | {"context": tuple(context.items())})


@dataclass(frozen=True)
class Viewing:
    """How a graded image is shown. '' is the config's default display, its default view, and the view's own looks.

    `looks` are names separated by commas, with a minus before a look to undo, or `none`. `exposure` is in stops and
    applies to scene-linear values, before the looks; `gamma` raises the display's values to 1 / gamma, last of all.
    """

    display: str = ""
    view: str = ""
    looks: str = ""
    exposure: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _check_names(self.display, self.view, self.looks)


def _check_names(*names: str) -> None:
    """Raise GradeError for invalid names: OpenColorIO takes UTF-8 that ends at a zero byte."""
    for name in names:
        if invalid_name_reason(name):
            raise GradeError(f"{name!r} is not a valid name in a config", "correct it")


@dataclass(frozen=True)
class InputSpace:
    """The colour space of an image's values, '' if unknown, and its origin, as text for the user.

    `stated` is whether the space comes from the image itself or from a file rule of the config. `assumed` is whether it
    is a default of the user's, since nothing states it.
    """

    space: str = ""
    origin: str = "unknown"
    stated: bool = False
    assumed: bool = False
