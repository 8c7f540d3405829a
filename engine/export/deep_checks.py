"""Checks whether deep samples can be exported with a grade and options, before anything is read or written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import UnsupportedFile
from engine.export.options import ExportOptions
from engine.grade.kept import plain
from engine.grade.masking import matted_name
from engine.io.exr.deep_coding import DEEP_COMPRESSIONS
from engine.io.info import LayerInfo, PartInfo
from engine.io.output_options import OutputOptions
from engine.kernel.op import ColorOp, Op


def check_deep(
    source: Path, part: PartInfo, options: ExportOptions, output: OutputOptions, ops: tuple[Op, ...]
) -> None:
    """Raise UnsupportedFile if the samples of a deep part can't be exported with these ops and options."""
    target = output.target
    if target.suffix.lower() != ".exr":
        kind = target.suffix[1:].upper() or "a file without a suffix"
        raise UnsupportedFile(target, f"is {kind}, which can't hold deep samples", "write an EXR")
    if mattes := ", ".join(filter(None, map(matted_name, ops))):
        what = f"would hold deep samples graded with a matte ({mattes}), which only a flat image can have"
        raise UnsupportedFile(target, what, "remove the matte, or flatten the image first")
    filters = [getattr(op, "name", "") or plain(op).title() for op in ops if not isinstance(op, ColorOp)]
    if filters or options.resize:
        named = ", ".join([*filters, *(["Resize"] if options.resize else [])])
        what = f"would hold deep samples after {named}, which only a flat image can have"
        raise UnsupportedFile(target, what, "leave it out, or flatten the image first")
    for name, asked in (("storage", options.storage), ("crop", options.crop), ("salvage", options.salvage)):
        if asked:
            raise UnsupportedFile(target, f"would hold deep samples, which have no --{name}", "leave it out")
    _check_coding(source, part, output)


def _check_coding(source: Path, part: PartInfo, output: OutputOptions) -> None:
    allowed, found = ", ".join(DEEP_COMPRESSIONS), part.compression.partition(":")[0]
    if found not in DEEP_COMPRESSIONS:
        what = f"has deep samples with {found} compression, which Tessera does not decode"
        raise UnsupportedFile(source, what, f"write it with one of {allowed}")
    asked = (output.exr_compression() or found).partition(":")[0]
    if asked not in DEEP_COMPRESSIONS:
        raise UnsupportedFile(output.target, f"can't use {asked} for deep samples", f"use one of {allowed}")


def check_deep_layers(target: Path, layers: Iterable[LayerInfo]) -> None:
    """Raise UnsupportedFile unless all layers to grade hold colours."""
    for layer in layers:
        grey = layer.is_grey and layer.channels[0].rpartition(".")[2] == "Y"
        if not (layer.is_colour or grey):
            raise UnsupportedFile(target, f"would hold a graded '{layer.name}', which is data", "choose a colour layer")
