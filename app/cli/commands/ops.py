"""`tessera ops`: list the files of the user's own ops, and write a new one."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.commands.own_ops import say
from app.model.option import Option, Parser
from app.model.option_table import JSON

NEW = Option("new", "write an example with comments into the folder instead", metavar="NAME")


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera ops",
        description="List the files of your own ops, their SHA-256, and whether the Preferences allow them. Executes "
        "nothing.",
    )
    options.add_option(JSON)
    options.add_option(NEW)
    return options


def run(asked: argparse.Namespace) -> None:
    """List the files, or write an example."""
    from app.cli import report_text
    from engine.grade.own_permissions import load_permissions, own_files, own_folder

    if asked.new is not None:
        from engine.grade.own_template import write_template

        print(f"{write_template(asked.new, own_folder())} is written. Allow it in the Preferences, or with --allow-op.")
        return
    permissions = load_permissions()
    files, lines = own_files()
    listed = [{"file": each.path, "sha256": each.sha256, "allowed": permissions.allows(each)} for each in files]
    about = {"folder": str(own_folder()), "on": permissions.on, "files": listed}
    report_text.show(about, _lines, asked.json)
    say(lines)


def _lines(about: dict[str, Any]) -> list[str]:
    switch = "on" if about["on"] else "off"
    head = f"{about['folder']}: {len(about['files'])} files; your own ops are {switch} in the Preferences"
    found = [f"  {each['sha256']}  {_state(each, about['on'])}  {each['file']}" for each in about["files"]]
    return [head, *found]


def _state(file: dict[str, Any], on: bool) -> str:
    return "allowed    " if file["allowed"] and on else "not allowed"
