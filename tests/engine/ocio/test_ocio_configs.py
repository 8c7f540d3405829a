"""The built-in configs: a small image through every colour space, display and view on the CPU."""

from __future__ import annotations

import pytest

from engine.compute.devices import create_executor
from engine.ocio import ops_from_processor
from tests.engine import ocio_configs as configs

NEWEST = "studio-config-v5.0.0_aces-v2.1_ocio-v2.6"
"""The largest config with the views of ACES 2; `python -m tests.engine.ocio_configs` compares all of them."""


def test_every_space_and_view_gives_opencolorios_answer() -> None:
    if NEWEST not in configs.config_names():
        pytest.skip("this OpenColorIO does not have the config")
    rgba, executor = configs.image(300), create_executor("cpu")
    known: dict[str, configs.Result] = {}
    for case in configs.cases(NEWEST):
        key = case.processor.getCacheID()
        result = known[key] = known.get(key) or configs.compare(case, rgba, executor)
        assert result.outcome not in ("missed", "unsupported"), f"{case.kind} {case.name}: {result}"
    assert len(known) > 50


def test_every_transform_of_the_built_in_configs_has_an_op() -> None:
    seen: set[str] = set()
    for name in configs.config_names():
        for case in configs.cases(name):
            key = case.processor.getCacheID()
            if key not in seen:
                assert ops_from_processor(case.processor) is not None, case
            seen.add(key)
    assert len(seen) > 150
