"""A backend fills in the private hooks and nothing else; detection tells the truth about what is here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import pytest

import engine.compute.backends
from engine import create_executor, detect_backends, select_best_backend
from engine.compute.backends.base import GpuPrimitives
from engine.compute.backends.c_primitives import CPrimitives
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.devices import PRIORITIES
from engine.compute.executor import TiledExecutor
from engine.core.geometry import GpuLimits
from engine.errors import BackendUnavailable
from tests.typed import expect

BASES = [GpuPrimitives, CPrimitives]


def backend_classes() -> list[type[GpuPrimitives]]:
    """Of the packages in engine.compute.backends whose libraries are installed."""
    for module in pkgutil.iter_modules(engine.compute.backends.__path__):
        try:
            if module.ispkg:
                importlib.import_module(f"engine.compute.backends.{module.name}.primitives")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("engine.compute.backends."):
                raise
    classes = {cls for base in BASES for cls in base.__subclasses__() if not is_base(cls)}
    return sorted(classes, key=lambda cls: cls.__name__)


def is_base(cls: type[Any]) -> bool:
    return inspect.isabstract(cls)


def hooks_of(base: type[Any]) -> frozenset[str]:
    """What a class derived from this one has to define."""
    return frozenset(base.__abstractmethods__)


def verbs_of(base: type[Any]) -> set[str]:
    """What it has no need to define, and must not."""
    classes = [each for each in base.__mro__ if is_base(each)]
    callables = {name for each in classes for name, value in vars(each).items() if callable(value)}
    return {name for name in callables if not name.startswith("__")} - hooks_of(base) - OPTIONAL


OPTIONAL = {"_footprint", "_planes_footprint", "_reusing_memory"}
"""Hooks with a default that suits most."""


@pytest.mark.parametrize("base", BASES, ids=lambda cls: cls.__name__)
def test_every_hook_is_private(base: type[Any]) -> None:
    hooks = hooks_of(base)
    assert hooks
    assert all(name.startswith("_") and not name.startswith("__") for name in hooks)


@pytest.mark.parametrize("cls", backend_classes(), ids=lambda cls: cls.__name__)
def test_a_backend_defines_the_hooks_and_nothing_public(cls: type[GpuPrimitives]) -> None:
    own, base = vars(cls), cls.__mro__[1]
    assert set(own) >= hooks_of(base), "a hook is missing"
    functions = {n for n, v in own.items() if callable(v) or isinstance(v, (property, staticmethod, classmethod))}
    assert not {name for name in functions if not name.startswith("_")}, "a public verb that the base does not have"
    assert not functions & verbs_of(base), "a verb of the base is replaced"


@pytest.mark.parametrize("cls", backend_classes(), ids=lambda cls: cls.__name__)
def test_hooks_have_the_base_s_parameters(cls: type[GpuPrimitives]) -> None:
    for name in hooks_of(cls.__mro__[1]) | (OPTIONAL & set(vars(cls))):
        own, base = inspect.signature(getattr(cls, name)), inspect.signature(getattr(cls.__mro__[1], name))
        assert list(own.parameters) == list(base.parameters), name


def test_the_cpu_is_always_there_and_ranks_last() -> None:
    found = detect_backends()
    cpu = next(info for info in found if info.name == "cpu")
    assert (cpu.usable, cpu.reason, cpu.priority, cpu.detected) == (True, "", 10, True)
    assert 0 < cpu.free_memory <= cpu.total_memory
    usable = [info.usable for info in found]
    assert usable == sorted(usable, reverse=True), "what can be used comes first"
    priorities = [info.priority for info in found if info.usable]
    assert priorities == sorted(priorities, reverse=True)
    assert select_best_backend() == found[0].name


def test_priorities_and_reasons() -> None:
    assert PRIORITIES == {"cuda": 150, "wgpu": 100, "opencl": 50, "cpu": 10}
    for info in detect_backends():
        assert info.usable or info.reason, "not usable, and it does not say why"
        assert info.priority <= PRIORITIES[info.name.partition(":")[0]]


def test_an_executor_on_each(backend: str) -> None:
    executor = create_executor(backend)
    assert isinstance(executor, TiledExecutor)
    assert executor.primitives.name == backend
    assert executor.primitives.device
    assert isinstance(executor.limits, GpuLimits)
    assert executor.limits.available_memory == pytest.approx(0.6 * executor.limits.total_memory, rel=1e-6)


def test_auto_takes_the_best() -> None:
    assert create_executor().primitives.name == select_best_backend()


def test_a_backend_that_is_not_there() -> None:
    with pytest.raises(BackendUnavailable) as caught:
        create_executor("abacus")
    assert "abacus" in str(caught.value)
    assert "cpu" in str(caught.value), "it names what there is"


@pytest.mark.parametrize("info", [i for i in detect_backends() if not i.usable], ids=lambda info: info.name)
def test_a_backend_that_can_not_be_used_says_why(info: object) -> None:
    with pytest.raises(BackendUnavailable, match=r".+"):
        create_executor(info.name)  # type: ignore[attr-defined]


def test_threads_of_the_cpu() -> None:
    assert expect(CpuPrimitives, create_executor("cpu", threads=3).primitives).threads == 3
    assert expect(CpuPrimitives, create_executor("cpu").primitives).threads >= 1
