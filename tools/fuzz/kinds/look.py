"""Look files: LUTs as text, process lists, ASC CDLs and ICC profiles."""

from __future__ import annotations

from collections.abc import Iterable

from tools.fuzz.kind import Kind, Operation, Seed
from tools.fuzz.mutations import icc, markup, text
from tools.fuzz.operations import looks
from tools.fuzz.samples.looks import cdls, process_lists, text_luts


def profiles() -> Iterable[Seed]:
    return [Seed(f"profile {n}", suffix, data) for n, data in enumerate(icc.SOUND) for suffix in (".icc", ".icm")]


CDL_OPERATIONS = (*looks.ALL, Operation("ids", looks.ids, 2.0))
LUTS = (".cube", ".csp", ".spi1d", ".spi3d", ".spimtx", ".3dl", ".lut", ".vf", ".itx", ".m3d", ".mga", ".cub", ".look")
KINDS = (
    Kind("lut", text_luts, text.ALL, looks.ALL, weight=3.0, suffixes=LUTS),
    Kind("process list", process_lists, markup.ALL, looks.ALL, weight=4.0, suffixes=(".clf", ".ctf")),
    Kind("cdl", cdls, markup.ALL, CDL_OPERATIONS, weight=2.0, suffixes=(".cc", ".ccc", ".cdl", ".amf")),
    Kind("icc", profiles, icc.ALL, looks.ALL, weight=2.0, suffixes=(".icc", ".icm", ".pf")),
)
