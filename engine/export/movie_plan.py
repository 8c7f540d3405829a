"""The plan of a movie: codec, colour tags, size, rate and timecode, resolved from the options and the first frame."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from engine.core.file_errors import exists, is_file
from engine.core.records import dataclass
from engine.core.timecode import timecode_at
from engine.errors import UnreadableFile, UnsupportedFile
from engine.export.frame_patterns import is_pattern, pattern_of
from engine.export.frames import FrameJob, Recipe
from engine.export.job import ExportJob, resolve
from engine.export.movie_frames import frame_size
from engine.export.options import ExportOptions
from engine.movies.burn_in import BurnIn, Overlay
from engine.movies.codecs import Codec, codec_for
from engine.movies.encode_options import WRITES_LIGHT, encoder_options
from engine.movies.encode_settings import AudioTrack, EncodeSettings
from engine.movies.encode_tags import (
    LINEAR,
    PQ,
    UNSPECIFIED,
    WHITES,
    ColourTags,
    ContentLight,
    MasteringDisplay,
    mastering_of,
    tags_of,
)
from engine.movies.movie_options import (
    DEFAULT_RATE,
    NONE,
    SOURCE,
    FramePlanes,
    MovieOptions,
    first_timecode,
    rate_in,
    rate_text,
)

_NOT_FOR_MOVIES = ("compression", "storage", "matte_channels", "only_graded", "salvage")


@dataclass(frozen=True)
class MoviePlan:
    """What a movie is encoded as. `recipe` is that of its frames, `colour` describes the colour space conversions,
    `digest` covers everything that all frames have in common, `notes` are sentences for the user."""

    codec: Codec
    quality: str
    recipe: Recipe
    planes: FramePlanes
    settings: EncodeSettings
    colour: str
    digest: str
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return what the movie will be, line by line."""
        settings, mastering = self.settings, self.settings.mastering
        quality = dict(settings.options).get("crf", "")
        codec = f"{self.codec.label}, {self.planes.pixels.name}" + (f", rate factor {quality}" if quality else "")
        lines = [f"codec: {codec}", f"size: {settings.width} x {settings.height} pixels"]
        lines += [f"rate: {rate_text(settings.rate)}", f"timecode: {settings.timecode or 'none'}"]
        lines += [f"colour tags: {settings.tags} (primaries, transfer, matrix), video range"]
        if mastering is not None:
            lines.append(f"mastering display: {mastering.least:g} to {mastering.most:g} cd/m2")
        return lines

    @property
    def measures_before(self) -> bool:
        """Whether the light is measured in a pass of its own: the encoder writes it at the start."""
        return self.planes.measures and self.codec.encoder in WRITES_LIGHT


def check_options(target: Path, options: ExportOptions) -> None:
    """Raise UnsupportedFile if options are given that movies do not have, or if the codec can't be written."""
    if is_pattern(target):
        raise UnsupportedFile(target, "has a place for a frame number, but a movie is one file", "leave it out")
    plain = ExportOptions()
    given = next((name for name in _NOT_FOR_MOVIES if getattr(options, name) != getattr(plain, name)), None)
    if given is not None:
        flag = f"--{given.replace('_', '-').removesuffix('s')}"
        raise UnsupportedFile(target, f"is a movie, which has no {flag}", "leave it out, or write images")
    if options.type != "source":
        raise UnsupportedFile(target, "is a movie, which has no --type", "use --pixel-format")
    if options.encoder == "gpu":
        raise UnsupportedFile(target, "can't be encoded on the device: --encoder is for EXRs", "leave it out")
    codec = codec_for(target, options.movie.codec)
    try:
        codec.quality(options.movie.quality)
        codec.pixels_named(options.movie.pixels, False)
    except ValueError as problem:
        raise UnsupportedFile(target, "can't be encoded like this", str(problem)) from None


def plan_movie(target: Path, frames: Sequence[FrameJob], recipe: Recipe) -> MoviePlan:
    """Return the plan of a movie of these frames. Raises FileError or GradeError if the first one can't be in it."""
    first = frames[0]
    asked, options = recipe.options.movie, frame_options(recipe.options)
    config = recipe.job_config()
    job = resolve(first.source, first.target, recipe.grade, options, config=config, frame=first.frame)
    if len(job.layers) > 1:
        raise UnsupportedFile(target, "is a movie, which holds one layer", "give one --layer")
    if job.part.is_deep:
        raise UnsupportedFile(target, "is a movie, and the source is deep", "flatten it first")
    codec = codec_for(target, asked.codec)
    tags, notes = _tags(target, job)
    pixels = codec.pixels_named(asked.pixels, tags.is_hdr)
    width, height = _checked_size(target, codec, frame_size(job), pixels.block, pixels.name)
    rate, more = _rate(asked, job)
    timecode = first_timecode(asked.timecode, job.part.metadata, first.frame, rate)
    planes = FramePlanes(width, height, pixels, tags, tags.transfer == PQ)
    planes = replace(planes, overlay=_overlay(asked.burn_in, job, codec, tags, rate, timecode))
    options = replace(options, planes=planes)
    mastering = _mastering(job) if tags.transfer == PQ else None
    if tags.transfer == PQ and mastering is None:
        more += ("The view states no peak luminance: the movie has no mastering display.",)
    audio, about_audio = _audio(target, asked, job, frames, rate)
    settings = EncodeSettings(
        codec.encoder,
        pixels.ffmpeg,
        width,
        height,
        rate,
        tags,
        encoder_options(codec, asked.quality, planes.siting, mastering),
        codec.tag,
        Fraction(job.part.pixel_aspect).limit_denominator(1000),
        _before(timecode, asked.burn_in, rate),
        mastering=mastering,
        audio=audio,
        threads=options.threads,
    )
    return MoviePlan(
        codec,
        asked.quality,
        replace(recipe, options=options),
        planes,
        settings,
        job.managed.describe(),
        job.digest(),
        (*notes, *more, *about_audio),
    )


def frame_options(options: ExportOptions) -> ExportOptions:
    """Return the options of the frames of a movie: graded in float within the display window, always made again."""
    return replace(options, movie=MovieOptions(), type="float", crop=options.crop or "display", force=True)


def _tags(target: Path, job: ExportJob) -> tuple[ColourTags, tuple[str, ...]]:
    """Return the colour tags, and notes. Raises UnsupportedFile for a scene-linear result that was not asked for."""
    managed = job.managed
    tags = tags_of(managed.result_id)
    shown = managed.viewing is not None or managed.setup.output
    if not shown and (tags.transfer == LINEAR or (managed.converts and managed.config.is_linear(managed.output))):
        what = f"would hold scene-linear values ({managed.output})"
        raise UnsupportedFile(target, what, "give --display and --view, or --output with the space to write")
    if not managed.converts:
        return tags, ("The colour space is unknown: the movie is tagged with its matrix only.",)
    if UNSPECIFIED in (tags.primaries, tags.transfer):
        return tags, (f"Movies have no tags for {managed.result_id}: {tags} is written, in which 2 is unspecified.",)
    return tags, ()


def _mastering(job: ExportJob) -> MasteringDisplay | None:
    viewing = job.managed.viewing
    if viewing is None:
        return None
    return mastering_of(job.managed.config.view(viewing.display, viewing.view, job.managed.output).name)


def _checked_size(
    target: Path, codec: Codec, size: tuple[int, int], block: tuple[int, int], pixels: str
) -> tuple[int, int]:
    """Return the size of the frames. Raises UnsupportedFile if the codec does not have it."""
    least = codec.smallest
    text = f"{size[0]} x {size[1]} pixels"
    if size[0] < least[0] or size[1] < least[1]:
        raise UnsupportedFile(target, f"can't hold {text}: {codec.label} begins at {least[0]} x {least[1]}")
    if size[0] % block[0] or size[1] % block[1]:
        even = "x".join(str(side - side % step) for side, step in zip(size, block, strict=True))
        raise UnsupportedFile(target, f"can't hold {text} as {pixels}", f"use --resize {even}, or a 444 format")
    return size


def _rate(asked: MovieOptions, job: ExportJob) -> tuple[Fraction, tuple[str, ...]]:
    rate = asked.rate or rate_in(job.part.metadata)
    if rate is not None:
        return rate, ()
    return DEFAULT_RATE, ("The source states no rate: the movie has 24 frames per second; --rate sets another.",)


def _overlay(
    burn_in: BurnIn | None, job: ExportJob, codec: Codec, tags: ColourTags, rate: Fraction, timecode: str
) -> Overlay | None:
    """Return the burn-in with what it says of this movie."""
    if burn_in is None:
        return None
    if burn_in.logo and not is_file(burn_in.logo):
        raise UnreadableFile(burn_in.logo, "does not exist", "choose another logo for the burn-in")
    found = pattern_of(job.info.path) if job.info.frame is None else None
    shot = (found[0].head.rstrip("._- ") if found else "") or job.info.path.stem
    date = time.strftime("%Y-%m-%d") if burn_in.uses_date else ""
    white = WHITES.get(tags.transfer, 1.0)
    return Overlay(burn_in, shot, date, job.managed.result, codec.label, rate, timecode, white)


def _before(timecode: str, burn_in: BurnIn | None, rate: Fraction) -> str:
    """Return the timecode of the first frame of the slate, if there is one."""
    slate = burn_in.slate if burn_in else 0
    return timecode_at(-slate, float(rate), (0, timecode)) if timecode and slate else timecode


def _audio(
    target: Path, asked: MovieOptions, job: ExportJob, frames: Sequence[FrameJob], rate: Fraction
) -> tuple[AudioTrack | None, tuple[str, ...]]:
    """Return the audio of a movie: that of a file, from its start, or of the movie that the frames are from; and notes.

    Raises UnreadableFile if the file does not exist.
    """
    slate = (asked.burn_in.slate if asked.burn_in else 0) / rate
    if asked.audio == NONE:
        return None, ()
    if asked.audio != SOURCE:
        path = Path(asked.audio)
        if not is_file(path):
            raise UnreadableFile(path, "does not exist", "give --audio a file, source or none")
        if exists(target) and path.samefile(target):
            raise UnsupportedFile(target, "is also the file of its audio", "give it another name")
        return AudioTrack(path, silence=slate), ()
    if job.info.frame is None or "audio" not in job.part.metadata:
        return None, ()
    numbers = [each.frame for each in frames]
    if rate != rate_in(job.part.metadata) or numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        return None, ("The audio of the source is left out: the movie has other frames, or another rate.",)
    return AudioTrack(job.info.path, numbers[0] / rate, slate), ()


def with_light(movie: MoviePlan, settings: EncodeSettings, light: ContentLight) -> EncodeSettings:
    """Return the settings of an encoder that writes the light of all frames into the stream."""
    options = encoder_options(movie.codec, movie.quality, movie.planes.siting, settings.mastering, light)
    return replace(settings, light=light, options=options)
