"""What a grade's colours mean, and how they are shown: names of colour spaces, displays and looks, as values.

Nothing here knows OpenColorIO: `engine.color.management` resolves the names in a config.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from engine.core.file_errors import why_no_name
from engine.errors import GradeError

Context = tuple[tuple[str, str], ...]
"""Values of context variables, by name."""


RAW = "raw"
"""The config of no colour management: nothing is converted, ops apply to an image's values as they are."""


@dataclass(frozen=True)
class ColourSetup:
    """The colour spaces of a grade. It is kept with the grade: the numbers of a CDL mean nothing without it.

    '' is the default: `config` $OCIO or the newest built-in studio config, `input` what the image says,
    `working` ACEScct where the config has it, `output` the input space. The config `raw` converts nothing. `context`
    gives values to the config's context variables.
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
        """Whether nothing is said."""
        return self == ColourSetup()

    def over(self, other: ColourSetup) -> ColourSetup:
        """This setup, with what it does not say from `other`."""
        given = {f.name: getattr(self, f.name) or getattr(other, f.name) for f in fields(self)}
        return ColourSetup(**given | {"context": tuple((dict(other.context) | dict(self.context)).items())})

    def to_json(self) -> dict[str, Any]:
        """What is said."""
        said: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name)}
        return said | ({"context": dict(self.context)} if self.context else {})

    @classmethod
    def from_json(cls, data: Any) -> ColourSetup:
        """The setup that `to_json` described; GradeError where it is none."""
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
    """How a graded image is shown. '' is the config's default display, its default view, the looks of the view.

    `looks` are names separated by commas, a minus before one that is undone, or `none`. `exposure` is in stops of scene
    light, before the looks; `gamma` raises the display's values to 1 / gamma at last.
    """

    display: str = ""
    view: str = ""
    looks: str = ""
    exposure: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _check_names(self.display, self.view, self.looks)


def _check_names(*names: str) -> None:
    """GradeError for what is not a name to OpenColorIO, which takes UTF-8 that ends at a zero byte."""
    for name in names:
        if why_no_name(name):
            raise GradeError(f"{name!r} is not the name of anything in a config", "correct it")


@dataclass(frozen=True)
class InputSpace:
    """The colour space that an image's values are in, '' where nobody knows, and where that is from, for a person.

    `stated` is whether the image itself says so, or a rule about its name, rather than the user.
    """

    space: str = ""
    origin: str = "unknown"
    stated: bool = False
