"""Colour management of a grade: input space -> working space -> ops -> output space, and on to a display, as bare ops.

`Op.space` names the colour space that an op works in. Conversions are inserted only where neighbouring ops differ, and
fuse with the ops into one kernel. Export, preview and bake all expand a grade here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.attribute_names import ACES_FLAG, CHROMATICITIES, INTEROP_ID
from engine.core.colorimetry import PRIMARIES, to_xyz
from engine.core.file_errors import printable
from engine.core.gamuts import WORKING as WORKING_GAMUT
from engine.core.gamuts import from_xyz
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.colour_settings import RAW, ColourSetup, Context, InputSpace, Viewing
from engine.grade.config_pin import config_is_named
from engine.grade.grade import Entry, Grade, Group, bare, layer_of, name_of, ops_of
from engine.grade.masking import blended, has_matte, keyed
from engine.grade.matrix_folding import folded
from engine.grade.parameters import MIX
from engine.kernel.op import ColorOp, Op
from engine.ops import Matrix as MatrixOp

if TYPE_CHECKING:
    from engine.color.job_config import JobConfig
    from engine.ocio.config import Config

WORKING = ("ACEScct", "color_timing", "compositing_log")
"""The default working space is the first of these that the config has as a colour space, else the scene-linear one."""
ACES, ACES_ID = "aces_interchange", "lin_ap0_scene"
"""Role and colorInteropID of ACES2065-1."""
TAG, TAG_SPACES = "colourTag", "colourTag:spaces"
"""Metadata of the colour tags of formats other than EXR, as text and as colorInteropIDs: `engine.io.colour_tags`."""
NOTHING_ASSUMED = InputSpace()
"""No space is assumed for images that state none."""


def manage(
    setup: ColourSetup,
    path: str | Path | None = None,
    metadata: Mapping[str, Any] | None = None,
    viewing: Viewing | None = None,
    config: Config | None = None,
    job: JobConfig | None = None,
    assumed: InputSpace = NOTHING_ASSUMED,
) -> Managed:
    """Return the colour spaces of a grade with this setup, for an image with this file name and metadata (of its part).

    With `viewing`, the grade continues to a display. `config`, or the config of `job`, is used instead of the one that
    the setup names. `assumed` is the space of an image that nothing states the space of. Raises FileError or GradeError
    if the config can't be loaded or lacks a space or context variable; an assumed space may be missing.
    """
    managed = Managed(setup, InputSpace(), viewing, config, job, assumed)
    if setup.config == RAW:
        return replace(managed, found=InputSpace(origin="not managed"))
    metadata = metadata or {}
    stated = {ACES_FLAG, INTEROP_ID, CHROMATICITIES, TAG} & set(metadata)
    named = job.pin.named if job else config_is_named(setup)
    if not (named or setup.input or setup.context or stated or assumed.space):
        return managed  # unknown space: no config is needed
    for name, _ in setup.context:
        managed.config.variable(name)
    found = detected_space(managed.config, path, metadata) if path is not None else InputSpace()
    if setup.input:
        given = managed.config.resolve(setup.input)
        found = InputSpace(given, "as given", found.space == given)
    elif not found.space and assumed.space:
        found = _assumed(managed.config, assumed)
    return replace(managed, found=found, loaded=managed.config)


def detected_space(config: Config, path: str | Path, metadata: Mapping[str, Any]) -> InputSpace:
    """Detect the space of an image by its colorInteropID, its ACES container flag, the config's file rules, or its
    chromaticities, in this order; unknown if none of them tells it.

    The tags of other formats (ICC profiles, chunks, fields) have the rank of an EXR's chromaticities, after the file
    rules: programs write tags by default, whereas rules are written for the show.
    """
    from engine.ocio.identify import space_for_chromaticities, space_for_id

    named = metadata.get(INTEROP_ID)
    if isinstance(named, str) and (space := space_for_id(config, named)):
        return InputSpace(space, f"from {INTEROP_ID} {named}{_against(config, space, metadata)}", True)
    if metadata.get(ACES_FLAG) == 1 and (space := config.role(ACES) or space_for_id(config, ACES_ID)):
        return InputSpace(space, f"from {ACES_FLAG}{_against(config, space, metadata)}", True)
    space, rule = config.space_for_file(str(path))
    if space:
        return InputSpace(space, f"from the file rule {rule}", True)
    numbers = metadata.get(CHROMATICITIES)
    if isinstance(numbers, list | tuple) and (space := space_for_chromaticities(config, tuple(numbers))):
        return InputSpace(space, f"from {CHROMATICITIES}", True)
    if isinstance(tag := metadata.get(TAG), str):
        spaces = (space_for_id(config, named) for named in metadata.get(TAG_SPACES, ()))
        if space := next(filter(None, spaces), ""):
            return InputSpace(space, f"from the {tag}", True)
        return InputSpace(origin=f"unknown (the config has no space for the {tag})")
    return InputSpace()


def _assumed(config: Config, assumed: InputSpace) -> InputSpace:
    """Return an assumed space as the config spells it, or unknown if the config lacks it."""
    if not config.has(assumed.space):
        return InputSpace(origin=f"unknown (the config has no {assumed.space} {assumed.origin})")
    return InputSpace(config.resolve(assumed.space), assumed.origin, assumed=True)


def _against(config: Config, space: str, metadata: Mapping[str, Any]) -> str:
    """Describe header entries that contradict `space`. Chromaticities are compared with scene-linear spaces only."""
    from engine.ocio.identify import space_for_chromaticities, space_for_id

    if metadata.get(ACES_FLAG) == 1 and (config.role(ACES) or space_for_id(config, ACES_ID)) not in ("", space):
        return f", contradicting its {ACES_FLAG}"
    numbers = metadata.get(CHROMATICITIES)
    if not isinstance(numbers, list | tuple) or not config.is_linear(space):
        return ""
    other = space_for_chromaticities(config, tuple(numbers))
    return f", contradicting its {CHROMATICITIES}, those of {other}" if other not in ("", space) else ""


@dataclass(frozen=True)
class Managed:
    """The colour spaces of a grade, by their names in the config. Created by `manage`."""

    setup: ColourSetup
    found: InputSpace
    viewing: Viewing | None = None
    loaded: Config | None = field(default=None, repr=False)
    """The config as it was read; its spaces may differ once it is reloaded."""
    job: JobConfig | None = field(default=None, repr=False)
    assumed: InputSpace = NOTHING_ASSUMED
    """The space that was to be assumed for the image if nothing states it."""

    @cached_property
    def config(self) -> Config:
        from engine.ocio.config_files import load_config

        return self.loaded or (self.job.config if self.job else load_config(self.setup.config))

    @property
    def context(self) -> Context:
        """Values of context variables: those of the setup, then those pinned for a job."""
        pinned = dict(self.job.pin.context) if self.job else {}
        return tuple((pinned | dict(self.setup.context)).items())

    @property
    def input(self) -> str:
        """The space of the image; '' if unknown."""
        return self.found.space

    @cached_property
    def working(self) -> str:
        """The space that CDLs, LUTs and log grading work in."""
        if self.setup.working:
            return self._colour(self.setup.working, "work in")
        known = (self.config.resolve(name) for name in WORKING if self.config.has(name))
        log = next((space for space in known if not self.config.is_data(space)), "")
        return log or self.config.linear or self.input

    @cached_property
    def output(self) -> str:
        """The space of the result."""
        return self._colour(self.setup.output, "convert to") if self.setup.output else self.input

    @cached_property
    def converts(self) -> bool:
        """Whether anything is converted: if the input space is unknown or a data space, ops apply to the values as they
        are."""
        return bool(self.input) and not self.config.is_data(self.input)

    @property
    def kept(self) -> ColourSetup:
        """The setup with its defaults resolved, so that a saved grade stays the same under other defaults."""
        return replace(self.setup, config=self.config.source, working=self.working) if self.converts else self.setup

    def describe(self) -> str:
        """Return the spaces from input to result in one printable line for the user."""
        if not self.converts:
            return printable(f"{self.input or 'colour space'} {self.found.origin}: graded as it is")
        return printable(f"{self.input} ({self.found.origin}) -> {self.working} -> {self.result}")

    @cached_property
    def result(self) -> str:
        """The space of the result: the output space, or a display and a view."""
        if self.viewing is None or not self.converts:
            return self.output
        view = self.config.view(self.viewing.display, self.viewing.view, self.output)
        return printable(f"{self.config.display(self.viewing.display)} / {view.name}")

    def expanded(self, grade: Grade) -> tuple[Op, ...]:
        """Return the ops of the grade from the input space to the output space, with the conversions between them, and
        on to the display if there is a viewing. Raises GradeError for a grade with keys, which has ops at a frame only.
        """
        if grade.is_animated:
            raise GradeError("a grade with keys has values at a frame alone", "choose a frame")
        if self.setup.output:
            self._check_known(f"converted to {self.setup.output}")
        shown = self.displayed(self.viewing) if self.viewing else ()
        if not self.converts:
            return (*grade.effective, *shown)
        ops, here = self._through(grade.active, self.input)
        return folded((*grade.at_its_frame(ops), *self._between(here, self.output), *shown))

    def _through(self, entries: Iterable[Entry], here: str) -> tuple[tuple[Op, ...], str]:
        """Return the ops of entries, for an image in `here`, and the space of their result."""
        ops: list[Op] = []
        for entry in entries:
            there = self._place_of(entry, here)
            if there:
                ops += self._between(here, there)
                graded, here = self._at_place(entry, there)
                ops += graded
        return tuple(ops), here

    def _place_of(self, entry: Entry, here: str) -> str:
        """Return the space that an entry works in: for a group that of its first entry; '' if it changes nothing."""
        inner = bare(entry)
        if isinstance(inner, Group):
            return next((there for each in inner.entries if (there := self._place_of(each, here))), "")
        return self.place(inner, here) if any(not op.is_identity() for op in ops_of(entry)) else ""

    def _at_place(self, entry: Entry, here: str) -> tuple[tuple[Op, ...], str]:
        """Return the ops of an entry in the space that it works in, and the space of their result.

        A group with a mix or a matte is blended with its input in that space. The mattes within a group read the input
        of their own entries.
        """
        inner, layer = bare(entry), layer_of(entry)
        if not isinstance(inner, Group):
            ops = ops_of(entry)
        else:
            ops, end = self._through(inner.entries, here)
            if layer.mix == 1.0 and layer.matte is None and MIX not in layer.varying:
                return ops, end
            ops = folded((*ops, *self._between(end, here)))
            ops = blended(ops, layer.mix, layer.matte, name_of(entry), layer.varying)
        return tuple(self._keyed(op, here) for op in ops if not op.is_identity()), here

    def _keyed(self, op: Op, here: str) -> Op:
        """Return an op whose matte, if it has one, reads scene-linear values."""
        linear = self.config.linear
        if not linear or not has_matte(op):
            return op
        return keyed(op, _colour_ops(self._between(here, linear)), _colour_ops(self._between(self.input, linear)))

    def displayed(self, viewing: Viewing) -> tuple[Op, ...]:
        """Return the ops from the output space to a display. Raises GradeError if the image's space is unknown."""
        self._check_known("shown in a view")
        show = viewing
        return self.config.view_ops(
            self.output, show.display, show.view, show.looks, show.exposure, show.gamma, self.context
        )

    def to_scene_linear(self) -> tuple[Op, ...]:
        """Return the ops from the output space to the scene-linear one; none if it is scene-linear or unknown."""
        linear = self.config.linear if self.converts and not self.config.is_linear(self.output) else ""
        return self._between(self.output, linear) if linear else ()

    def to_gamut(self, gamut: str) -> tuple[Op, ...]:
        """Return the ops from the output space to linear RGB with the primaries of a gamut: WORKING, or of PRIMARIES.

        The values of an image of unknown space count as scene-linear Rec.709, as they are shown.
        """
        if gamut == WORKING_GAMUT:
            return self.to_scene_linear()
        if self.converts:
            from engine.ocio.primaries import primaries_name

            return self._between(self.output, primaries_name(PRIMARIES[gamut]))
        whole = np.eye(4)
        whole[:3, :3] = from_xyz(PRIMARIES[gamut]) @ to_xyz(PRIMARIES["rec709"])
        return folded([MatrixOp(tuple(whole.ravel().tolist()), form="rgb")])

    def place(self, entry: Any, here: str) -> str:
        """Return the space that an entry of a grade works in, for an image in `here`: the op's own space, or the
        working space for a FileLook."""
        from engine.ocio.identify import space_for_id

        space = entry.space if isinstance(entry, Op) else "working"
        if space == "working":
            return self.working
        if space == "linear" and self.config.is_linear(here):
            return here
        named = "" if space in ("linear", "scene_linear") else space_for_id(self.config, space)
        return named or self.config.linear or self.working

    def interop_id(self) -> str | None:
        """Return the colorInteropID to write, `unknown` if there is none; None if the image's own still holds."""
        if not self.converts or (self.found.stated and self._end == self.input):
            return None
        return self.result_id

    @cached_property
    def result_id(self) -> str:
        """The colorInteropID of the result, `unknown` if it has none or its space is unknown."""
        from engine.ocio.identify import interop_id

        return (interop_id(self.config, self._end) if self._end else "") or "unknown"

    @cached_property
    def _end(self) -> str:
        """The space of the result; '' if unknown. A view of a data space leaves the result in the output space."""
        if not self.converts or self.viewing is None:
            return self.output
        space = self.config.space_of_view(self.viewing.display, self.viewing.view)
        return self.output if space and self.config.is_data(space) else space

    def _colour(self, name: str, what: str) -> str:
        if self.config.is_data(name):
            raise GradeError(f"{name} is a data space, not a colour space to {what}", "choose another space")
        return self.config.resolve(name)

    def _check_known(self, what: str) -> None:
        if not self.input:
            raise GradeError(f"the image's colour space is unknown, so it can't be {what}", "specify its input space")

    def _between(self, source: str, target: str) -> tuple[Op, ...]:
        return self.config.ops_between(source, target, self.context) if source != target else ()


def _colour_ops(ops: Iterable[Op]) -> tuple[ColorOp, ...]:
    return tuple(op for op in ops if isinstance(op, ColorOp))
