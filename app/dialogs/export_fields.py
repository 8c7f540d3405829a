"""What the fields of the export sheet contain, to fill them again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExportFields:
    """Source, destination and options of an export, and whether it includes the LUT that is tried."""

    source: str
    target: str
    values: dict[str, str]
    with_lut: bool | None
