"""The table of options: the command line and the export dialog are built from it."""

from __future__ import annotations

import pytest

from app.cli.commands import export as command
from app.model.option import Field, Group, Option, Parser
from app.model.option_table import OPTIONS, PAGES, named
from app.services.export_options import FIELDS


def test_the_command_line_has_every_option_and_no_other():
    flags = [flag for action in command.parser()._actions for flag in action.option_strings if flag[:2] == "--"]
    assert flags == ["--help", *(option.flag for option in OPTIONS)]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_has_a_field_or_says_what_replaces_it(option: Option):
    field = option.field
    assert (option in FIELDS) == (field.page in PAGES) == bool(field.label) == (not field.elsewhere)
    assert not field.page or len(field.labels) == len(option.choices)
    assert not option.switch or (option.metavar is None and option.default is None)


def test_the_fields_are_in_the_order_of_the_pages():
    pages = [option.field.page for option in FIELDS]
    assert list(dict.fromkeys(pages)) == list(PAGES) and pages == sorted(pages, key=PAGES.index)
    basic, output = ([option.name for option in FIELDS if option.field.page == page] for page in ("Basic", "Output"))
    assert basic == ["frames", "type", "compression", "resize"]
    assert output == [
        "part",
        "layer",
        "storage",
        "crop",
        "filter",
        "alpha",
        "only-graded",
        "skip-missing",
        "matte-channel",
    ]


@pytest.mark.parametrize("option", FIELDS, ids=lambda option: option.name)
def test_a_text_field_says_what_its_default_is(option: Option):
    assert bool(option.field.default) == (not option.choices and not option.switch)


def test_the_default_is_the_first_choice():
    assert named("filter").labelled == {
        "": "Lanczos 3",
        "area": "Area",
        "nearest": "Nearest",
        "bilinear": "Bilinear",
        "catmull-rom": "Catmull-Rom",
    }
    assert list(named("missing").labelled.items())[:2] == [("", "Fail"), ("skip", "Skip")]


def test_a_tooltip_is_the_help_unless_it_has_its_own():
    plain = Option("tile", "side of a tile")
    assert plain.tooltip == "Side of a tile (--tile)"
    assert Option("tile", "side of a tile", field=Field(tip="Pixels")).tooltip == "Pixels (--tile)"


def test_a_parser_of_a_group():
    one, other = Option("one", "", switch=True, exclusive="x"), Option("the-other", "", signed=True, exclusive="x")
    parser = Parser()
    parser.add_group(Group("some", (one, other, Option("many", "", repeats=True, parse=int), Option("left-out", ""))))
    asked = parser.parse_args(["--the-other", "-1", "--many", "2", "--many", "3"])
    assert (asked.one, asked.the_other, asked.many) == (False, "-1", [2, 3])
    with pytest.raises(SystemExit):
        parser.parse_args(["--one", "--the-other", "x"])
    assert Group("some", (one, other)).without("one").options == (other,)
