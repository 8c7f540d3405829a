"""Commands for the colour space of an image that states none."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Table
from app.services.colour_rules import Rule
from app.services.space_question import ASK
from app.workspace import Workspace
from engine.color.likely_spaces import MOST

MENU = "&Grade/Colour &space"
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _has_choice(at: int, workspace: Workspace) -> bool:
    question = workspace.space_question.current
    return question.state == ASK and at < len(question.choices)


def _rules(named: bool, workspace: Workspace) -> list[Rule]:
    """Return the rules by name, or those by folder, that can be remembered now."""
    return [rule for rule in workspace.space_question.current.rules if bool(rule.pattern) == named]


def _has_rule(named: bool, workspace: Workspace) -> bool:
    return bool(_rules(named, workspace))


def _remember(named: bool, workspace: Workspace) -> None:
    workspace.space_question.remember(_rules(named, workspace)[0])


def _choose(at: int, workspace: Workspace) -> None:
    workspace.space_question.choose(at)


def _likely(at: int) -> Command:
    tip = f"Use the {_ORDINALS[at]} of the likely colour spaces for this image, while its own is unknown"
    key = f"Alt+{at + 1}"
    return Command(
        f"space_{at + 1}",
        MENU,
        f"Likely space &{at + 1}",
        tip,
        (key,),
        run=partial(_choose, at),
        when=partial(_has_choice, at),
    )


COMMANDS: Table = (
    *(_likely(at) for at in range(MOST)),
    SEPARATOR,
    Command(
        "space_folder",
        MENU,
        "Use it for this &folder",
        "Use the colour space that was just chosen for all images in this folder that state none",
        ("Alt+9",),
        run=partial(_remember, False),
        when=partial(_has_rule, False),
    ),
    Command(
        "space_name",
        MENU,
        "Use it for this &name",
        "Use the colour space that was just chosen for all images with such a name that state none",
        ("Alt+0",),
        run=partial(_remember, True),
        when=partial(_has_rule, True),
    ),
    SEPARATOR,
    Command(
        "space_unasked",
        MENU,
        "&Do not ask for this image",
        "Hide the bar that asks for the colour space of this image; repeat to ask again",
        view=("asks_space", False),
    ),
)
