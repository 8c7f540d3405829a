"""The kinds of input, one module each; a module that is named here takes part in every campaign."""

from __future__ import annotations

from tools.fuzz.kind import Kind
from tools.fuzz.kinds import arguments, config, exr, frames, grade, image, look, movie, sequence, session, settings

MODULES = (exr, image, movie, look, config, grade, session, sequence, frames, arguments, settings)
KINDS: dict[str, Kind] = {kind.name: kind for module in MODULES for kind in module.KINDS}
