"""`tessera colorspaces`: list the contents of an OpenColorIO config."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.model.option import Parser
from app.model.option_table import JSON, named

if TYPE_CHECKING:
    from engine.ocio import Config
    from engine.ocio.config import Family

Data = dict[str, Any]


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera colorspaces",
        description="List the colour spaces of an OpenColorIO config by family, its roles, displays, views and looks.",
    )
    options.add_option(named("config"))
    options.add_option(JSON)
    return options


def run(asked: argparse.Namespace) -> None:
    """List the contents of a config."""
    from app.cli import report_text
    from engine.ocio import builtin_configs, load_config

    config = load_config(asked.config)
    about = _about(config) | {"builtin_configs": builtin_configs()}
    report_text.show(about, lambda about: _lines(config, about), asked.json)


def _about(config: Config) -> Data:
    return {
        "config": config.name,
        "source": config.source,
        "description": config.description,
        "problem": config.problem,
        "spaces": [asdict(space) for space in config.spaces()],
        "roles": config.roles(),
        "displays": {name: [asdict(view) for view in config.views(name)] for name in config.displays()},
        "looks": [asdict(look) for look in config.looks()],
        "named_transforms": [asdict(transform) for transform in config.named_transforms()],
        "variables": config.variables(),
    }


def _lines(config: Config, about: Data) -> Iterator[str]:
    yield f"{about['config']}: {about['source']}"
    if about["problem"]:
        yield f"problem: {about['problem']}"
    yield from _section("colour spaces", _family_lines(config.menu(), "  "))
    yield from _section("roles", (f"  {role:<24} {space}" for role, space in about["roles"].items()))
    yield from _section("displays and views", _display_lines(about["displays"]))
    yield from _section("looks", (f"  {look['name']}, in {look['process_space']}" for look in about["looks"]))
    yield from _section("named transforms", (_transform_line(each) for each in about["named_transforms"]))
    yield from _section("context variables", (f"  {k:<24} {v}" for k, v in about["variables"].items()))
    yield from _section("built-in configs", (f"  {name}" for name in about["builtin_configs"]))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield from ("", title, *found)


def _family_lines(family: Family, indent: str) -> Iterator[str]:
    for space in family.spaces:
        more = ", ".join(word for word in (space.encoding, space.interop_id) if word)
        also = _also(alias for alias in space.aliases if alias != space.interop_id)
        yield f"{indent + space.name:<44} {'; '.join(filter(None, (more, also)))}".rstrip()
    for inner in family.families:
        yield f"{indent}{inner.name}/"
        yield from _family_lines(inner, f"{indent}  ")


def _transform_line(transform: Data) -> str:
    return f"{'  ' + transform['name']:<44} {_also(transform['aliases'])}".rstrip()


def _also(aliases: Iterable[str]) -> str:
    """Return "also" and the aliases, or ''."""
    names = ", ".join(aliases)
    return f"also {names}" if names else ""


def _display_lines(displays: Data) -> Iterator[str]:
    for name, views in displays.items():
        yield f"  {name}"
        for view in views:
            looks = f", looks {view['looks']}" if view["looks"] else ""
            yield f"    {view['name']}{looks}"
