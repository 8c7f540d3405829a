"""No modules import each other, neither in functions nor for type checkers."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def modules(package: str) -> dict[str, Path]:
    """Every module of a package by its dotted name."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imported(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """The known modules that a module imports anywhere in its text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def check_acyclic(graph: dict[str, set[str]]) -> None:
    """AssertionError that names a cycle where there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


@pytest.mark.parametrize(("package", "imports"), [("engine", 500), ("app", 400)])
def test_there_is_no_cycle(package: str, imports: int) -> None:
    known = modules(package)
    graph = {
        name: {each for each in imported(ast.parse(path.read_text("utf-8")), known) if each in known} - {name, package}
        for name, path in known.items()
    }
    assert sum(map(len, graph.values())) > imports
    check_acyclic(graph)


def test_a_cycle_is_noticed() -> None:
    with pytest.raises(AssertionError, match="b -> "):
        check_acyclic({"a": {"b"}, "b": {"c"}, "c": {"b"}})


@pytest.mark.parametrize(("package", "heading"), [("engine", "The engine"), ("app", "The window")])
def test_the_architecture_page_lists_the_layers_in_their_order(package: str, heading: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each.get("containers") == [package])
    names = [name.strip() for layer in layers for name in layer.split("|")]
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = page[page.index(f"## {heading}") :].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)(?:/|\.py)` \|", table, re.MULTILINE) == names
