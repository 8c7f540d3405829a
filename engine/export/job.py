"""The export of one image, resolved once: what is read, what is computed, and what is written."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from engine.color.job_config import JobConfig
from engine.color.management import Managed, manage
from engine.compute.plan import CropStep, plan
from engine.core.attribute_names import EXPORT
from engine.core.frame_numbers import frame_number_of
from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.export.alpha import ALPHAS, unpremultiplied
from engine.export.attributes import check_attributes
from engine.export.deep_checks import check_deep, check_deep_layers
from engine.export.matte_channels import MatteChannel, check_names, resolved_channels
from engine.export.mattes import files_state, readable_grade
from engine.export.options import ENCODERS, WITHOUT, ExportOptions
from engine.export.provenance import digest_of, record_of
from engine.grade.grade import Grade, Group
from engine.grade.kept import plain
from engine.grade.renewal import check_known, without_missing
from engine.io.copying import can_copy
from engine.io.exr.part_channels import check_gradable
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.output import check_suffix, source_options
from engine.io.output_options import OutputOptions
from engine.io.selection import choose_layers, choose_part
from engine.io.source import SourceOptions
from engine.kernel.codegen import Instruction, trace
from engine.kernel.filter_op import FilterOp, FilterPixel
from engine.kernel.op import ColorOp, Op
from engine.movies.images import describe
from engine.ops import Matrix, Resize

MOST_SIDE = 1 << 16
"""The largest width and height of a resized image."""


@dataclass(frozen=True)
class ExportJob:
    """The export of one part of an image.

    `grade` is that at the frame and has the colour settings of this image; `ops` are the ops that it resolves to,
    colour space conversions included. `mattes` are written as channels. `output` are the options of the writer. With
    `black` all pixels are 0. `made_by` identifies the grade, the options and the source of a frame, whose digest is
    recorded in the header; '' records none. `notes` are sentences for the user about entries that are skipped.
    """

    info: ImageInfo
    part: PartInfo
    options: ExportOptions
    grade: Grade
    managed: Managed
    ops: tuple[Op, ...]
    output: OutputOptions
    black: bool = False
    made_by: str = ""
    notes: tuple[str, ...] = ()
    mattes: tuple[MatteChannel, ...] = ()

    @property
    def copies(self) -> bool:
        """Whether the bytes of the file can be copied."""
        changes = self.output.graded or self.options.salvage or self.options.attributes
        return not changes and can_copy(self.info, self.output)

    @cached_property
    def layers(self) -> tuple[LayerInfo, ...]:
        """The graded layers. Raises UnsupportedFile if there is none of a name."""
        return choose_layers(self.info, self.part, self.options.layer)

    def steps(self) -> list[Op | CropStep]:
        """Return the ops, the crop and the resize, in order."""
        return [*self.ops, *self._framing()]

    @property
    def all_ops(self) -> tuple[Op, ...]:
        """The ops of the grade, and those of the mattes that are written as channels."""
        return (*self.ops, *(op for matte in self.mattes for op in matte.ops))

    def matte_steps(self) -> list[list[Op | CropStep]]:
        """Return the steps of each matte that is written as a channel."""
        return [[*matte.ops, *self._framing()] for matte in self.mattes]

    def _framing(self) -> list[Op | CropStep]:
        """Return the crop and the resize."""
        steps: list[Op | CropStep] = []
        frame = self.output.frame(self.part)
        if frame is not None:
            steps.append(CropStep(frame.part))
        if self.options.resize is not None:
            steps.append(Resize(*self.options.resize, self.options.filter))
        return steps

    def size(self) -> tuple[int, int]:
        """Return width and height of the result."""
        return plan(self.steps()).sizes(self.part.width, self.part.height)[-1]

    def source_options(self) -> SourceOptions:
        """Return how the source is read. Raises UnsupportedFile if the output can't hold the graded layers."""
        asked, layers = self.options, self.layers
        if asked.planes is None:
            check_suffix(self.output.target)
        check_gradable(self.output, self.part, layers)
        return source_options(
            self.output, self.info, self.part, layers, self.size(), threads=asked.threads, salvage=asked.salvage
        )

    def digest(self) -> str:
        """Return a digest of the result: the ops include the relevant content of every LUT and of the config, and the
        spaces are those written to the header. Files that mattes read count by size and time of change."""
        managed, ops = self.managed, self.all_ops
        if self.grade.settled is not self.grade and not _blends_group(self.grade):
            ops = (*managed.expanded(self.grade.settled), *ops[len(self.ops) :])
        spaces = (managed.input, managed.interop_id(), managed.result_id, managed.kept.to_json())
        result = managed.result if managed.converts and managed.viewing else ""
        files = files_state(ops, self.info, self.part)
        return digest_of(self.made_by, ops, spaces, result, *files)

    def record(self) -> tuple[tuple[tuple[str, str], ...], list[str]]:
        """Return text attributes that record the export, and notes about what they can't record."""
        record, notes = list[tuple[str, str]](), list[str]()
        if self.ops or self.options.attributes:
            view = self.managed.result if self.options.viewing else ""
            record, notes = record_of(self.grade, self.part, tuple(layer.name for layer in self.layers), view)
        record += self.options.attributes
        if self.made_by:
            record.append((EXPORT, self.digest()))
        return tuple(record), [*self.notes, *notes]


def resolve(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions,
    *,
    config: JobConfig | None = None,
    black: bool = False,
    made_by: str = "",
    frame: int | None = None,
) -> ExportJob:
    """Return the export of an image. `config` is that of a job of several images.

    `frame` is that of a movie, by default the first, and of the grade's keys, by default the number in the name of the
    source. Raises FileError or GradeError if the source can't be read, or if the grade or the options don't suit it.
    """
    target = Path(target)
    if options.resize and not all(1 <= side <= MOST_SIDE for side in options.resize):
        raise UnsupportedFile(
            target, "can't have {} x {} pixels".format(*options.resize), f"give sides of 1 to {MOST_SIDE}"
        )
    if options.encoder not in ENCODERS:
        what = f"can't be encoded by '{options.encoder}'"
        raise UnsupportedFile(target, what, f"use one of {', '.join(ENCODERS)}")
    if options.alpha not in ALPHAS:
        what = f"can't be graded with alpha '{options.alpha}'"
        raise UnsupportedFile(target, what, f"use one of {', '.join(ALPHAS)}")
    check_attributes(target, options.attributes)
    info = describe(source, options.salvage, frame)
    frame = info.frame if frame is None else frame
    part = choose_part(info, options.part)
    managed = manage(options.colour.over(grade.colour), info.path, part.metadata, options.viewing, job=config)
    grade = replace(grade.at(frame_number_of(source) if frame is None else frame), colour=managed.kept)
    if not options.skip_missing:
        check_known(grade, WITHOUT)
    grade, unknown = without_missing(grade)
    grade, notes = readable_grade(grade, info, part, options.skip_missing)
    mattes, left_out = resolved_channels(options, target, grade, managed, info, part)
    grade = unpremultiplied(grade) if options.alpha == "unpremultiplied" else grade
    ops = tuple(op for op in managed.expanded(grade) if not op.is_identity())
    output = OutputOptions(
        target,
        type=options.type,
        compression=options.compression,
        graded=bool(ops) or options.resize is not None,
        alpha=options.resize is not None or changes_alpha(ops),
        only_graded=options.only_graded or black,
        storage=options.storage,
        crop=options.crop,
        mattes=tuple(matte.name for matte in mattes),
        output_space=managed.interop_id(),
        result_space=managed.result_id,
    )
    notes = (*unknown, *notes, *left_out)
    job = ExportJob(info, part, options, grade, managed, ops, output, black, made_by, notes, mattes)
    if mattes:
        check_names(output, info, part, job.layers)
    if part.is_deep and not job.copies:
        check_deep(info.path, part, options, output, ops)
        check_deep_layers(target, job.layers if output.graded else ())
    return job


def _blends_group(grade: Grade) -> bool:
    """Return whether a group is blended: in a space that follows from its first entry that changes something."""
    return any(isinstance(entry, Group) and not entry.plain for entry in grade.active)


@lru_cache(maxsize=16)
def changes_alpha(ops: tuple[Op, ...]) -> bool:
    """Return whether any of these ops changes alpha, for any pixel."""
    functions = (FilterPixel(op) if isinstance(op, FilterOp) else op for op in map(plain, ops))
    return not all(isinstance(op, ColorOp) and _keeps_alpha(op) for op in functions)


def _keeps_alpha(op: ColorOp) -> bool:
    """Return whether alpha passes through the op's maths. For a matrix, its coefficients decide."""
    if isinstance(op, Matrix):
        return (*op.matrix[12:], op.offset[3]) == (0.0, 0.0, 0.0, 1.0, 0.0)
    program = trace([op])
    alpha = program.outputs[3]
    return alpha.kind == "v" and program.instructions[alpha.index] == Instruction("input", (), 3)
