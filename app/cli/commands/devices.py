"""`tessera devices`: list the backends and their devices."""

from __future__ import annotations

import argparse

from app.model.option import Option, Parser
from app.model.option_table import JSON

ENCODERS = Option("encoders", "list the codecs of movies instead, and whether PyAV encodes them", switch=True)


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera devices", description="List all backends: whether they can be used, their devices and memory."
    )
    options.add_option(JSON)
    options.add_option(ENCODERS)
    return options


def run(asked: argparse.Namespace) -> None:
    """List all backends, and the one that `auto` selects; or the codecs of movies."""
    from app.cli import report_text

    if asked.encoders:
        from engine.movies.encoding import available_codecs

        report_text.show(report_text.codecs_json(*available_codecs()), report_text.codec_lines, asked.json)
        return
    from engine import detect_backends, select_best_backend

    about = report_text.devices_json(detect_backends(), select_best_backend())
    report_text.show(about, report_text.device_lines, asked.json)
