"""`tessera devices`: list the backends and their devices."""

from __future__ import annotations

import argparse

from app.model.option import Parser
from app.model.option_table import JSON


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera devices", description="List all backends: whether they can be used, their devices and memory."
    )
    options.add_option(JSON)
    return options


def run(asked: argparse.Namespace) -> None:
    """List all backends, and the one that `auto` selects."""
    from app.cli import report_text
    from engine import detect_backends, select_best_backend

    about = report_text.devices_json(detect_backends(), select_best_backend())
    report_text.show(about, report_text.device_lines, asked.json)
