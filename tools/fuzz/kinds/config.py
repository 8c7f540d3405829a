"""OpenColorIO configs, and archives of them."""

from __future__ import annotations

from collections.abc import Iterable

from tools.fuzz.kind import Kind, Seed
from tools.fuzz.mutations import archive, config
from tools.fuzz.operations import configs
from tools.fuzz.samples.configs import LEAST, OLD, SHOW
from tools.fuzz.samples.looks import CC, CUBE


def plain() -> Iterable[Seed]:
    return [Seed("show", ".ocio", SHOW), Seed("old", ".ocio", OLD), Seed("least", ".ocio", LEAST)]


def archives() -> Iterable[Seed]:
    files = [("luts/look.cube", CUBE), ("look.cc", CC)]
    return [
        Seed(seed.name, ".ocioz", archive.joined([("config.ocio", seed.data), *more]))
        for seed in plain()
        for more in (files, [])
    ]


KINDS = (
    Kind("ocio", plain, config.ALL, configs.ALL, weight=3.0, suffixes=(".ocio",)),
    Kind("ocioz", archives, archive.all_of(config.mutate), configs.ALL, weight=2.0, suffixes=(".ocioz",)),
)
