"""Tests give the same examples on every run and every machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tessera",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
settings.load_profile("tessera")
