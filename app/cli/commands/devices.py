"""`tessera devices`: what can compute here."""

from __future__ import annotations

import argparse

from app.cli.commands.arguments import Parser, add_json


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera devices", description="Every backend: whether it can be used, its device and memory."
    )
    add_json(options)
    return options


def run(asked: argparse.Namespace) -> None:
    """Every backend, and the one that `auto` takes."""
    from app.cli import report_text
    from engine import detect_backends, select_best_backend

    about = report_text.devices_json(detect_backends(), select_best_backend())
    report_text.show(about, report_text.device_lines, asked.json)
