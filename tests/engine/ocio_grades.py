"""Expanded grades over the built-in configs: Tessera's ops on a backend against OpenColorIO's exact chain.

`python -m tests.engine.ocio_grades [--full] [--config NAME] [--backend cpu]` prints a table: an exposure and a CDL with
every colour space as input, working space and output in turn, and with every display and view behind, on light such as
scenes have. What counts as explained is said in `tests.engine.ocio_configs`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import PyOpenColorIO as ocio

from engine.color.management import Managed, manage
from engine.compute.devices import create_executor
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import Grade
from engine.ocio import Config, load_config, ops_from_processor
from engine.ops import Cdl, Exposure
from tests.engine import ocio_configs as configs
from tests.engine import ocio_corpus as corpus

CDL = Cdl(slope=(1.2, 1.0, 0.9), offset=(0.01, 0.0, -0.02), power=(1.1, 1.0, 0.95), saturation=1.1)
STOPS = 0.5
GRADE = Grade([Exposure(STOPS), CDL])


def by_opencolorio(config: Config, way: Managed) -> ocio.Processor:
    """The whole way of GRADE, as OpenColorIO's own transforms."""
    gain, linear = 2.0**STOPS, config.resolve("scene_linear")
    place = way.input if config.is_linear(way.input) else linear
    cdl = ocio.CDLTransform()
    cdl.setSOP([*CDL.slope, *CDL.offset, *CDL.power])
    cdl.setSat(CDL.saturation)
    steps = [
        ocio.ColorSpaceTransform(way.input, place),
        ocio.MatrixTransform(np.diag([gain, gain, gain, 1.0]).ravel().tolist()),
        *(ocio.ColorSpaceTransform(place, way.working), cdl, ocio.ColorSpaceTransform(way.working, way.output)),
    ]
    if (show := way.viewing) is not None:
        if show.looks:
            steps.append(ocio.LookTransform(way.output, way.output, show.looks))
        steps.append(ocio.DisplayViewTransform(way.output, show.display, show.view, looksBypass=bool(show.looks)))
    return config.ocio.getProcessor(ocio.GroupTransform(steps))


def light(count: int) -> configs.Array:
    """RGBA (count, 4) of ACEScg light such as scenes have: greys and colours of 11 stops below white to 5 above."""
    rng = np.random.default_rng(5)
    grey = 2.0 ** rng.uniform(-11.0, 5.0, (count, 1))
    tint = rng.uniform(0.0, 1.0, (count, 1))
    rgb = grey * (1.0 - tint + tint * rng.uniform(0.02, 1.0, (count, 3)))
    return np.column_stack([rgb, np.ones(count)])


def seen(way: Managed, rgba: configs.Array) -> configs.Array:
    """That light as the image has it, in float32."""
    ops = way.config.ops_between("ACEScg", way.input)
    return corpus.reference(ops, rgba).astype(np.float32).astype(np.float64)


def ways(config: Config) -> Iterator[tuple[str, Managed]]:
    """Every colour space in each of its parts, and every display and view; not those of data, which convert nothing."""
    for space in (each.name for each in config.spaces() if not each.is_data):
        for part in ("input", "working", "output"):
            spaces: dict[str, Any] = {"input": "ACEScg", part: space}
            setup = ColourSetup(config.source, **spaces)
            yield f"{part} {space}", manage(setup, "a.exr", {})
    for display in config.displays():
        for view in config.views(display):
            if not (config.has(view.space) and config.is_data(view.space)):
                setup = ColourSetup(config.source, "ACEScg")
                yield f"{display} / {view.name}", manage(setup, "a.exr", {}, Viewing(display, view.name))


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="200,000 pixels")
    parser.add_argument("--config", action="append", help="only this config")
    parser.add_argument("--backend", default="cpu")
    asked = parser.parse_args(arguments)
    lit, executor = light(200_000 if asked.full else 1_000), create_executor(asked.backend)
    known: dict[str, configs.Judgement] = {}
    for name in asked.config or configs.config_names():
        config, here, worst = load_config(name), Counter[str](), 0.0
        for called, way in ways(config):
            processor = by_opencolorio(config, way)
            if (key := processor.getCacheID()) not in known:
                ops, rgba = list(way.expanded(GRADE)), seen(way, lit)
                ours = executor.execute_color(rgba.astype(np.float32)[None], ops)[0].astype(np.float64)
                steps = ops_from_processor(processor)  # each of which rounds in OpenColorIO's answer
                known[key] = configs.judge(steps, rgba, ours, corpus.exact(processor, rgba))
            result = known[key]
            here[result.outcome] += 1
            if result.outcome == "matched":
                worst = max(worst, result.error)
            else:
                numbers = f"{result.error:.1e} over in {result.over}, unexplained {result.unexplained:.1e}"
                print(f"  {result.outcome:11} {called}: {numbers} {result.detail}")
        print(f"{name}: {dict(sorted(here.items()))}; largest error of a match: {worst:.1e}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
