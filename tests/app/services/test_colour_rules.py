"""The user's rules for images that state no colour space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.services.colour_rules import RULES, Rule, add_rule, assumed_space, possible_rules, remove_rule, rules_of
from app.services.jobs import Jobs
from app.services.settings import Settings

PLATES = Path("/show/plates")


@pytest.mark.parametrize(
    ("name", "patterns"),
    [
        ("shot.1001.exr", ["shot.####.exr"]),
        ("sc010_diffuse.exr", ["*_diffuse.exr"]),
        ("sc010_diffuse.1001.exr", ["sc010_diffuse.####.exr", "*_diffuse.####.exr"]),
        ("shot_v012.exr", ["shot_v###.exr"]),
        ("a (1) [x]+.exr", []),
    ],
)
def test_rules_that_one_image_suggests(name: str, patterns: list[str]) -> None:
    folder, *named = possible_rules(PLATES / name, "ACEScg")
    assert folder == Rule("ACEScg", folder=str(PLATES))
    assert [rule.pattern for rule in named] == patterns
    assert all(rule.matches(PLATES / name) for rule in (folder, *named))


def test_a_pattern_matches_frames_and_frame_patterns_in_any_folder() -> None:
    rule = Rule("ACEScg", pattern="shot.####.exr")
    for name in ("shot.7.exr", "shot.100001.exr", "shot.####.exr", "shot.1001-1010####.exr", "shot.%04d.exr"):
        assert rule.matches(Path("/elsewhere") / name), name
    for name in ("shot.exr", "shot.a.exr", "shotX1001.exr", "other_shot.1001.exr", "shot.1001.exr.bak"):
        assert not rule.matches(PLATES / name), name
    assert Rule("ACEScg", pattern="*_diffuse.exr").matches(PLATES / "sc [1]_diffuse.exr")


def test_names_come_before_folders_and_inner_folders_before_outer_ones(qapp: Any) -> None:
    settings = Settings(None, Jobs())
    outer, inner = Rule("ACEScg", folder="/show"), Rule("ACEScct", folder="/show/plates")
    named = Rule("ACES2065-1", pattern="*_scan.exr")
    for rule in (outer, named, inner):
        add_rule(settings, rule)
    rules = rules_of(settings)
    assert rules == (named, inner, outer)
    assert assumed_space(rules, PLATES / "a_scan.exr").space == "ACES2065-1"
    found = assumed_space(rules, PLATES / "day" / "a.exr")
    assert (found.space, found.origin) == ("ACEScct", "from your rule for plates")
    assert assumed_space(rules, Path("/show/a.exr")).space == "ACEScg"
    assert assumed_space(rules, Path("/shows/a.exr")).space == assumed_space(rules, None).space == ""
    add_rule(settings, Rule("ACEScc", folder="/show/plates"))
    assert assumed_space(rules_of(settings), PLATES / "a.exr").space == "ACEScc"
    remove_rule(settings, named)
    assert len(rules_of(settings)) == 2


def test_damaged_settings_are_left_out(qapp: Any) -> None:
    settings = Settings(None, Jobs())
    settings.set(RULES, {"/show": "ACEScg", "": "ACEScg", "/other": 7, "/empty": ""})
    assert rules_of(settings) == (Rule("ACEScg", folder="/show"),)
    settings.set(RULES, ["ACEScg"])
    assert rules_of(settings) == ()
