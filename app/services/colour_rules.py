"""The user's rules for the colour spaces of images that don't state one, by folder or by name. Kept in the settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from app.services.settings import Settings
from engine.color.management import NOTHING_ASSUMED
from engine.core.records import dataclass
from engine.grade.colour_settings import InputSpace

RULES = "colour_rules"
"""The setting that maps the keys of rules to colour spaces."""
_FRAME = re.compile(r"(.*?)(\d+)(\.[^.]+)")
"""The parts of a name that ends in a number, as those of frames and versions do."""
_LAST_WORD = re.compile(r".+?(_[A-Za-z][A-Za-z0-9]*(?:\.#+)?\.[^.]+)")
"""A name whose last word before frame number and suffix tells what the image is, such as `diffuse`."""


@dataclass(frozen=True)
class Rule:
    """Assigns a colour space to the images in a folder and the folders in it, or to those whose names match a pattern.

    One of `folder` and `pattern` is ''. In a pattern, `*` stands for any text and `####` for a frame number.
    """

    space: str
    folder: str = ""
    pattern: str = ""

    @property
    def key(self) -> str:
        """The name of the rule in the settings. A new rule replaces one for the same folder or pattern."""
        return self.pattern or self.folder

    @property
    def place(self) -> str:
        """The pattern, or the last part of the folder, for messages."""
        return self.pattern or Path(self.folder).name or self.folder

    @property
    def where(self) -> str:
        """Describe the images of the rule, after the word `images`."""
        return f"named {self.pattern}" if self.pattern else f"in {self.place}"

    def matches(self, path: Path) -> bool:
        """Return whether the rule is for this image or frame pattern, an absolute path."""
        if self.pattern:
            return _expression(self.pattern).fullmatch(path.name) is not None
        return path.is_relative_to(self.folder)


def rules_of(settings: Settings) -> tuple[Rule, ...]:
    """Return the rules, those of names first, then those of folders, the innermost first."""
    kept = settings.entries(RULES, dict[str, str](), str)
    made = [_rule(key, space) for key, space in kept.items() if key and space]
    return tuple(sorted(made, key=lambda rule: (not rule.pattern, -len(rule.folder), rule.key)))


def add_rule(settings: Settings, rule: Rule) -> None:
    """Add a rule, or replace the one for the same folder or pattern."""
    settings.put(RULES, rule.key, rule.space)


def remove_rule(settings: Settings, rule: Rule) -> None:
    """Remove a rule."""
    settings.remove(RULES, rule.key)


def assumed_space(rules: Iterable[Rule], path: Path | None) -> InputSpace:
    """Return the space that the first matching rule assigns to an image."""
    rule = next((rule for rule in rules if path is not None and rule.matches(path)), None)
    return NOTHING_ASSUMED if rule is None else InputSpace(rule.space, f"from your rule for {rule.place}")


def possible_rules(path: Path, space: str) -> tuple[Rule, ...]:
    """Return the rules that can be made from one image: its folder, its sequence, and images with its last word."""
    rules = [Rule(space, folder=str(path.parent))]
    frame = _FRAME.fullmatch(path.name)
    name = f"{frame[1]}{'#' * len(frame[2])}{frame[3]}" if frame else path.name
    if frame:
        rules.append(Rule(space, pattern=name))
    if word := _LAST_WORD.fullmatch(name):
        rules.append(Rule(space, pattern=f"*{word[1]}"))
    return tuple(rules)


def _rule(key: str, space: str) -> Rule:
    return Rule(space, folder=key) if Path(key).is_absolute() else Rule(space, pattern=key)


@lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the expression for a pattern. Frame numbers match with any number of digits, and so do placeholders."""
    texts = {"*": ".*", "#": r"(?:\d+|[-\d,x:]*(?:[#@]+|%\d*d|\$F\d*))"}
    parts = (texts[part[0]] if part[0] in texts else re.escape(part) for part in re.findall(r"\*|#+|[^*#]+", pattern))
    return re.compile("".join(parts))
