"""The documentation: its first examples run, and its commands, options, keys and links exist."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
from argparse import ArgumentParser
from pathlib import Path

import pytest

from app.cli.main import COMMANDS
from tests.app.command_line import COMMAND, write_exr
from tests.nursery import nursery

ROOT = Path(__file__).resolve().parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
LINKED = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
KEY_ROW = re.compile(r"^\| (`[^|]*`) \|", re.MULTILINE)
MODULES = ("app.cli.commands.export", "engine.export.image", "engine.compute.backends.cpu")
"""What most examples import."""
FOREIGN = {"--strict"}
"""Options of other programs."""


def name(page: Path) -> str:
    return page.stem


def parser(command: str) -> ArgumentParser:
    made = importlib.import_module(f"app.cli.commands.{command}").parser()
    assert isinstance(made, ArgumentParser)
    return made


def commands(block: str) -> list[list[str]]:
    """The words of each line, without `tessera`."""
    lines = [shlex.split(line) for line in block.replace("\\\n", " ").splitlines() if line.strip()]
    assert all(line[0] == "tessera" for line in lines), block
    return [line[1:] for line in lines]


def run(code: str, *words: str) -> None:
    """Run code of a page in the current folder, in a process of its own."""
    done = nursery(*MODULES).run(code, *words, seconds=120, where=Path.cwd())
    assert done.code == 0, done.err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder has an image, a sequence of two frames, a CDL and a LUT."""
    for frame in ("shot.exr", "shot.1001.exr", "shot.1002.exr"):
        write_exr(tmp_path / frame)
    shutil.copytree(ROOT / "resources" / "looks", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OCIO", raising=False)
    monkeypatch.setenv("TESSERA_BACKEND", "cpu")
    for name in ("CONFIG", "DATA"):
        monkeypatch.setenv(f"TESSERA_{name}", str(tmp_path / name))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", DOCS, ids=name)
def test_the_first_example_of_a_page_runs(page: Path) -> None:
    if page.stem == "movies":
        pytest.importorskip("av", reason="movies need PyAV")
    text = page.read_text(encoding="utf-8")
    first = BLOCK.search(text)
    assert first and text[: first.start()].count("\n") < 4, "a page begins with an example"
    language, block = first.groups()
    if language == "python":
        run(block)
        return
    assert language == "console"
    for words in commands(block):
        run(COMMAND, *words)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_of_a_page_parses(page: Path) -> None:
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for words in commands(block) if language == "console" else ():
            if "--help" not in words:
                given = words[0] in COMMANDS
                parser(words[0] if given else "window").parse_args(words[given:])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_option_of_a_page_exists(page: Path) -> None:
    parsers = [parser(command) for command in ("window", *COMMANDS)]
    known = {option for each in parsers for option in each._option_string_actions} | FOREIGN
    assert set(OPTION.findall(page.read_text(encoding="utf-8"))) <= known


def test_every_option_of_the_command_line_is_documented() -> None:
    described = set(OPTION.findall("".join(page.read_text(encoding="utf-8") for page in DOCS)))
    assert set(parser("export")._option_string_actions) - {"-h"} <= described


def test_every_key_of_the_window_is_documented() -> None:
    from app.shell.docks import default_keys

    rows = KEY_ROW.findall((ROOT / "docs" / "window.md").read_text(encoding="utf-8"))
    assert {key for row in rows for key in re.findall(r"`([^`]+)`", row)} == {
        key for keys in default_keys().values() for key in keys
    }


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_relative_links_lead_to_files(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert not [link for link in links if not (page.parent / link.partition("#")[0]).exists()]
