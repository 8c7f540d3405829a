"""ACES Metadata Files (.amf): one CDL with its working space, identified by ACES transform ids.

An AMF describes a pipeline by transform ids: from the image to ACES2065-1, looks, and optionally a display. A CDL is a
look with the ids of the transforms to its working space and back. Source: Academy S-2019-001 and its schema, version 2.
"""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

import numpy as np

from engine.core.records import dataclass
from engine.errors import GradeError
from engine.ocio.config import Config
from engine.ocio.config_files import NEWEST, load_config
from engine.ocio.identify import builtin_space
from engine.ocio.reasons import one_line
from engine.ops import Cdl

AMF, CDL = "urn:ampas:aces:amf:v2.0", "urn:ASC:CDL:v1.01"
"""XML namespaces of the file, and of the CDL in it."""
_ID = r"urn:ampas:aces:transformId:(?:v1\.5|v2\.0):\S+"
_CONVERSION = r".*:(ACEScsc|CSC)(\.\S+){2}\.a\d+\.(v\d+|\d+\.\d+)"
_CAMERA, _INPUT = r".*:(IDT|Input)(\.\S+){2}\.a\d+\.v\d+", r".*:(ACEScsc\.\S+\.a\d+\.\d+\.\d+|CSC\.\S+\.a\d+\.v\d+)"
"""Ids that the schema accepts for a conversion, and for an input transform: not all conversions of ACES 1."""
_SYSTEMS = {"v1.5": (1, 3, 0), "v2.0": (2, 0, 0)}
"""ACES version by version of transform ids."""


@dataclass(frozen=True)
class TransformIds:
    """ACES transform ids between a colour space and ACES2065-1; '' if the config does not state one.

    `input` is the id of the input transform of an image; cameras have their own.
    """

    to_aces: str = ""
    from_aces: str = ""
    input: str = ""


def transform_ids(config: Config, space: str) -> TransformIds:
    """Return the ids of a space: those that the config states, in `amf_transform_ids` or (as ACES 1.3 configs do) in
    the description, else those of the same space in the newest built-in config."""
    about = config.ocio.getColorSpace(space)
    if about is None:  # a named transform
        return TransformIds()
    text = about.getInterchangeAttributes().get("amf_transform_ids", "") or about.getDescription()
    ids = re.findall(_ID, text)
    if not ids and not config.is_builtin and (same := builtin_space(config, space)):
        return transform_ids(load_config(NEWEST), same.name)

    def first(pattern: str, part: str = "") -> str:
        return next((one for one in ids if part in one and re.fullmatch(pattern, one)), "")

    to_aces, from_aces = first(_CONVERSION, "_to_ACES."), first(_CONVERSION, ".ACES_to_")
    return TransformIds(to_aces, from_aces, first(_CAMERA) or first(_INPUT, "_to_ACES."))


def amf_text(cdl: Cdl, config: Config, working: str, source: str, description: str = "") -> str:
    """Return the text of an .amf: a CDL that works in the space `working`, for an image in the space `source`.

    The file has no input transform if the config has no id for `source`, or if that is ACES2065-1. Raises GradeError if
    the config has no id for `working`.
    """
    ids = transform_ids(config, working)
    if not ids.to_aces:
        raise GradeError(
            f"the config {config.name} has no ACES transform id for {working}, which an .amf needs",
            "work in ACEScct, ACEScc or ACEScg",
        )
    Xml.register_namespace("aces", AMF)
    Xml.register_namespace("cdl", CDL)
    root = Xml.Element(f"{{{AMF}}}acesMetadataFile", version="2.0")
    _info(_under(root, "amfInfo"), description)
    pipeline = _under(root, "pipeline")
    about = _under(pipeline, "pipelineInfo")
    _info(about, description)
    version = _SYSTEMS[ids.to_aces.split(":")[4]]
    system = _under(about, "systemVersion")
    for name, number in zip(("majorVersion", "minorVersion", "patchVersion"), version, strict=True):
        _under(system, name, str(number))
    if way_in := transform_ids(config, source).input:
        _transform(_under(pipeline, "inputTransform", applied="false"), f"{source} to ACES2065-1", way_in)
    _look(_under(pipeline, "lookTransform", applied="false"), cdl, working, ids)
    Xml.indent(root)
    return Xml.tostring(root, "unicode", xml_declaration=True) + "\n"


def _under(parent: Xml.Element, name: str, text: str = "", space: str = AMF, **attributes: str) -> Xml.Element:
    child = Xml.SubElement(parent, f"{{{space}}}{name}", attributes)
    child.text = one_line(text) or None
    return child


def _info(parent: Xml.Element, description: str) -> None:
    if description:
        _under(parent, "description", description)
    when, now = _under(parent, "dateTime"), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    _under(when, "creationDateTime", now)
    _under(when, "modificationDateTime", now)
    _under(parent, "uuid", uuid.uuid4().urn)


def _transform(parent: Xml.Element, description: str, transform_id: str) -> None:
    _under(parent, "description", description)
    _under(parent, "transformId", transform_id)


def _look(look: Xml.Element, cdl: Cdl, working: str, ids: TransformIds) -> None:
    _under(look, "description", f"ASC CDL in {working}")
    spaces = _under(look, "cdlWorkingSpace")
    if ids.from_aces:
        _transform(_under(spaces, "toCdlWorkingSpace"), f"ACES2065-1 to {working}", ids.from_aces)
    _transform(_under(spaces, "fromCdlWorkingSpace"), f"{working} to ACES2065-1", ids.to_aces)
    sop = _under(look, "ASC_SOP", space=CDL)
    for name, values in (("Slope", cdl.slope), ("Offset", cdl.offset), ("Power", cdl.power)):
        _under(sop, name, " ".join(map(_decimal, values)), CDL)
    _under(_under(look, "ASC_SAT", space=CDL), "Saturation", _decimal(cdl.saturation), CDL)


def _decimal(value: float) -> str:
    """Format with all digits and without an exponent, which the schema does not allow."""
    return str(np.format_float_positional(value, trim="-"))
