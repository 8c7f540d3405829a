"""The output of `tessera info` and `tessera devices`: JSON data for programs, lines of text for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.cryptomatte_text import cryptomatte_lines
from app.cli.entry_text import entries_json, entry_lines, op_line
from app.cli.value_text import Data, plain, said, value_text
from engine.errors import escaped

if TYPE_CHECKING:
    from engine.compute.devices import BackendInfo
    from engine.grade.colour_settings import InputSpace
    from engine.grade.grade import Grade
    from engine.io import ImageInfo, PartInfo
    from engine.movies.codecs import Codec


def show(about: Data, lines: Callable[[Data], Iterable[str]], as_json: bool) -> None:
    """Print `about`, as JSON or as lines."""
    if as_json:
        print(json.dumps(plain(about), indent=1))
    else:
        print("\n".join(escaped(line) for line in lines(about)))


def bytes_text(size: int) -> str:
    """Format a number of bytes in MiB or GiB."""
    return f"{size / 1024**3:.1f} GiB" if size >= 1024**3 else f"{size / 1024**2:.0f} MiB"


def image_json(info: ImageInfo, colours: Iterable[InputSpace], cryptomatte: list[Data]) -> Data:
    parts = [_part_json(part, colour) for part, colour in zip(info.parts, colours, strict=True)]
    return {"file": str(info.path), "format": info.format, "parts": parts, "cryptomatte": cryptomatte}


def _part_json(part: PartInfo, colour: InputSpace) -> Data:
    from engine.core.attribute_names import CHROMATICITIES, GRADE
    from engine.core.known_primaries import primaries_text
    from engine.export.provenance import recorded

    layers = [{"name": layer.name, "channels": list(layer.channels)} for layer in part.layers]
    about = asdict(part) | {"width": part.width, "height": part.height, "layers": layers}
    about["colour_space"], about["colour_space_origin"] = colour.space, colour.origin
    about["primaries"] = primaries_text(part.metadata.get(CHROMATICITIES))
    grade = recorded(part)
    if grade is not None:
        about["metadata"] = {name: value for name, value in part.metadata.items() if name != GRADE}
        about["grade"], about["grade_colour"] = entries_json(grade), grade.colour.to_json()
    return about


def image_lines(about: Data) -> Iterable[str]:
    count = len(about["parts"])
    yield f"{said(about['file'])}: {about['format']}, {count} part{'s' if count > 1 else ''}"
    for part in about["parts"]:
        yield ""
        yield from _part_lines(part)
    yield from cryptomatte_lines(about["cryptomatte"])


def _part_lines(part: Data) -> Iterable[str]:
    name = f" {said(part['name'])}" if part["name"] else ""
    tiles = " in tiles of {} x {}".format(*part["tile_size"]) if part["tile_size"] else ""
    levels = f", {part['levels']} levels" if part["levels"] > 1 else ""
    yield f"part {part['index']}{name}: {part['width']} x {part['height']}, {part['type']}{tiles}{levels}"
    yield f"  compression     {part['compression'] or 'none'}"
    yield f"  data window     {_window(part['data_window'])}"
    yield f"  display window  {_window(part['display_window'])}"
    yield f"  colour space    {said(_space_line(part))}"
    if part["primaries"]:
        yield f"  primaries       {part['primaries']}"
    if part["pixel_aspect"] != 1.0:
        yield f"  pixel aspect    {part['pixel_aspect']:g}"
    yield "  channels"
    for channel in part["channels"]:
        sampling = (channel["x_sampling"], channel["y_sampling"])
        every = "" if sampling == (1, 1) else " every {} x {} pixels".format(*sampling)
        yield f"    {said(channel['name']):<24} {channel['type']}{every}"
    if part["metadata"]:
        yield "  metadata"
    for key, value in part["metadata"].items():
        yield f"    {said(key):<24} {value_text(value)}"
    if "grade" in part:
        yield "  grade that it was written with"
        yield from (f"  {line}" for line in _setup_lines(part["grade_colour"]))
        yield from (f"  {line}" for line in entry_lines(part["grade"]))


def _space_line(part: Data) -> str:
    """Describe the colour space of a part, and whether a matrix is computed for it."""
    from engine.core.known_primaries import COMPUTED

    space = part["colour_space"]
    words = [space, part["colour_space_origin"], "by a computed matrix" if space.startswith(COMPUTED) else ""]
    return ", ".join(word for word in words if word)


def _window(box: tuple[int, int, int, int]) -> str:
    return f"({box[0]}, {box[1]}) - ({box[2]}, {box[3]})"


def grade_json(path: Path, grade: Grade) -> Data:
    return {"file": str(path), "format": "grade", "colour": grade.colour.to_json(), "entries": entries_json(grade)}


def _setup_lines(setup: Data) -> Iterable[str]:
    """Yield one line about the colour settings of a grade; nothing if it has none."""
    if setup:
        yield f"  colour: {', '.join(f'{name} {value_text(value)}' for name, value in setup.items())}"


def grade_lines(about: Data) -> Iterable[str]:
    yield f"{said(about['file'])}: a grade of {len(about['entries'])} entries"
    yield from _setup_lines(about["colour"])
    yield from entry_lines(about["entries"])


def look_lines(about: Data) -> Iterable[str]:
    yield f"{said(about['file'])}: {about['format']}"
    for correction in about.get("corrections", ()):
        yield f"  correction {said(correction['id']) or '(no id)'}: {said(' '.join(correction['descriptions']))}"
    yield "  ops"
    yield from (f"    {op_line(op)}" for op in about["ops"])


def devices_json(found: Iterable[BackendInfo], best: str) -> Data:
    return {"auto": best, "backends": [asdict(backend) for backend in found]}


def device_lines(about: Data) -> Iterable[str]:
    """Yield a line for each backend: `*` marks the one that `auto` selects, `+` a usable one, `-` an unusable one."""
    for backend in about["backends"]:
        if not backend["usable"]:
            yield f"- {backend['name']:<6} not usable: {said(backend['reason'])}"
            continue
        memory = bytes_text(backend["total_memory"]) if backend["total_memory"] else "memory unknown"
        if backend["total_memory"] and not backend["detected"]:
            memory = f"{memory} assumed"
        elif backend["free_memory"]:
            memory = f"{memory}, {bytes_text(backend['free_memory'])} free"
        words = [said(backend["device"]), memory, said(backend["details"]), _exr_words(backend)]
        mark = "*" if backend["name"] == about["auto"] else "+"
        yield f"{mark} {backend['name']:<6} {', '.join(word for word in words if word)}"
    yield f"Recommended, and selected by auto: {about['auto']}"


def _exr_words(backend: Data) -> str:
    """Return where EXRs are decoded for a GPU."""
    if backend["exr"] == "device":
        return "decodes and encodes EXRs"
    return "" if backend["name"] == "cpu" else "EXRs decoded and encoded on the CPU"


def codecs_json(version: str, codecs: Iterable[tuple[Codec, bool]]) -> Data:
    return {
        "pyav": version,
        "codecs": [
            {
                "name": codec.name,
                "label": codec.label,
                "encoder": codec.encoder,
                "usable": usable,
                "pixel_formats": [pixels.name for pixels in codec.pixels],
                "suffixes": list(codec.suffixes),
            }
            for codec, usable in codecs
        ],
    }


def codec_lines(about: Data) -> Iterable[str]:
    width = max(len(codec["name"]) for codec in about["codecs"])
    for codec in about["codecs"]:
        mark, lacks = ("+", "") if codec["usable"] else ("-", f", but PyAV has no {codec['encoder']}")
        formats = " ".join(codec["pixel_formats"])
        yield f"{mark} {codec['name']:{width}}  {codec['label']}: {formats}, in {' '.join(codec['suffixes'])}{lacks}"
    yield f"PyAV {about['pyav']}"
