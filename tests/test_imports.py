"""No modules import each other, neither in functions nor for type checkers, and none of the window is known to many."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_IMPORTERS = 14
"""The most modules of the window that may import one of them, unless that is a leaf: it imports none of the others."""


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


def imports_in(package: str) -> dict[str, set[str]]:
    """The modules of a package that each of them imports."""
    known = modules(package)
    return {
        name: {each for each in imported(ast.parse(path.read_text("utf-8")), known) if each in known} - {name, package}
        for name, path in known.items()
    }


def imported_at_once(tree: ast.Module, known: dict[str, Path]) -> set[str]:
    """The known modules that a module imports whenever it is imported, outside of functions and conditions."""
    plain = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {each for node in plain for each in imported(node, known) if each in known}


def known_to_many(graph: dict[str, set[str]]) -> dict[str, int]:
    """The modules that more than MOST_IMPORTERS import, with their number; leaves aside."""
    importers = Counter(each for used in graph.values() for each in used)
    return {name: count for name, count in importers.most_common() if count > MOST_IMPORTERS and graph[name]}


@pytest.mark.parametrize(("package", "imports"), [("engine", 500), ("app", 400)])
def test_there_is_no_cycle(package: str, imports: int) -> None:
    graph = imports_in(package)
    assert sum(map(len, graph.values())) > imports
    check_acyclic(graph)


def test_a_cycle_is_noticed() -> None:
    with pytest.raises(AssertionError, match="b -> "):
        check_acyclic({"a": {"b"}, "b": {"c"}, "c": {"b"}})


@pytest.mark.parametrize("package", ["engine", "app"])
def test_no_package_imports_its_own_modules(package: str) -> None:
    """Of two threads, one that imports a package and one a module of it, each would wait for the other."""
    known = modules(package)
    packages = {name: path for name, path in known.items() if path.name == "__init__.py"}
    assert packages
    for name, path in packages.items():
        own = {
            each for each in imported_at_once(ast.parse(path.read_text("utf-8")), known) if each.startswith(f"{name}.")
        }
        assert not own - {"engine.core.public_names"}, f"{name}: use engine.core.public_names"


def test_no_module_of_the_window_is_known_to_many() -> None:
    many = known_to_many(imports_in("app"))
    assert not many, f"pass what a constructor needs of these instead of the whole, or split them: {many}"


def test_a_module_that_is_known_to_many_is_noticed() -> None:
    graph = {f"user{n}": {"hub", "leaf"} for n in range(MOST_IMPORTERS)} | {"hub": {"leaf"}, "leaf": set()}
    assert known_to_many(graph) == {}
    assert known_to_many(graph | {"another": {"hub"}}) == {"hub": MOST_IMPORTERS + 1}


@pytest.mark.parametrize(("package", "heading"), [("engine", "The engine"), ("app", "The window")])
def test_the_architecture_page_lists_the_layers_in_their_order(package: str, heading: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each.get("containers") == [package])
    names = [name.strip() for layer in layers for name in layer.split("|")]
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = page[page.index(f"## {heading}") :].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)(?:/|\.py)` \|", table, re.MULTILINE) == names
