"""Open Job Description templates (2023-09) of sequence exports, for farms that support them.

The frames are a chunked task parameter; each chunk runs `tessera export --resume`, so that a retried task only does
what is left. Folders and the grade are PATH parameters, which a farm can map to its own paths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import UnsupportedFile
from engine.export.frame_patterns import FramePattern, FrameSource, frames_text

CHUNK = 10
"""The default number of frames per task."""
NOTIFY_SECONDS = 30
"""The time that a cancelled task has to stop its current frames."""
_TEMPLATE = """\
specificationVersion: jobtemplate-2023-09
extensions: [TASK_CHUNKING]
name: {name}
parameterDefinitions:
  - name: InputFolder
    type: PATH
    objectType: DIRECTORY
    dataFlow: IN
    description: The folder of the frames.
  - name: Input
    type: STRING
    default: {source}
    description: The name of the frames, with a placeholder for the number, or of a movie.
  - name: OutputFolder
    type: PATH
    objectType: DIRECTORY
    dataFlow: OUT
    description: The folder of the graded frames. It must exist.
  - name: Output
    type: STRING
    default: {target}
    description: The name of the graded frames; the suffix determines the format.
  - name: Frames
    type: STRING
    default: {frames}
    description: Frames such as 1001-1100,1150 or 1-99:2.
  - name: Grade
    type: PATH
    objectType: FILE
    dataFlow: IN
    default: {grade}
    description: A grade that Tessera saved.
  - name: FramesPerTask
    type: INT
    default: {chunk}
    minValue: 1
    description: Frames per task; kernels and tables are prepared once per task.
{own}{environment}steps:
  - name: {step}
    parameterSpace:
      taskParameterDefinitions:
        - name: Frame
          type: CHUNK[INT]
          range: "{{{{Param.Frames}}}}"
          chunks:
            defaultTaskCount: "{{{{Param.FramesPerTask}}}}"
            rangeConstraint: CONTIGUOUS
    script:
      actions:
        onRun:
          command: tessera
          args:
{words}
          cancelation:
            mode: NOTIFY_THEN_TERMINATE
            notifyPeriodInSeconds: {notify}
"""
_OWN_OP = """\
  - name: OwnOp{number}
    type: PATH
    objectType: FILE
    dataFlow: IN
    default: {path}
    description: Python code of an op, executed with the rights of the worker; SHA-256 {sha256}.
"""
_MOVIE_STEP = """\
  - name: Movie
    dependencies:
      - dependsOn: Frames
    script:
      actions:
        onRun:
          command: tessera
          args:
{words}
          cancelation:
            mode: NOTIFY_THEN_TERMINATE
            notifyPeriodInSeconds: {notify}
"""


OwnOps = Sequence[tuple[str, str]]
"""The paths of files, relative to the template's folder, and the hashes of their contents."""


def job_template(
    name: str,
    source: FrameSource,
    target: FramePattern,
    frames: Sequence[int],
    grade: str,
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    own: OwnOps = (),
) -> str:
    """Return the text of a template, as YAML.

    `grade` is the path of a grade file relative to the template's folder; `options` are arguments of `tessera export`
    that apply to every frame; `variables` are set in the environment of every task. `own` are the user's own ops that
    the tasks execute. Raises UnsupportedFile if the target has a range of its own.
    """
    if target.frames is not None:
        raise UnsupportedFile(target.text, "can't be renumbered on a farm", "leave its range out")
    words = [
        "export",
        "{{Param.InputFolder}}/{{Param.Input}}",
        "{{Param.OutputFolder}}/{{Param.Output}}",
        "--frames={{Task.Param.Frame}}",
        "--grade={{Param.Grade}}",
        "--resume",
        *_allowed(own),
        *options,
    ]
    return _template(name, source, target.name, frames, grade, "Export", words, variables, own)


def movie_template(
    name: str,
    source: FrameSource,
    target: Path,
    frames: Sequence[int],
    grade: str,
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    own: OwnOps = (),
) -> str:
    """Return the text of a template for a movie: tasks that make its frames, and one that encodes them at the end.

    The other arguments are those of `job_template`. All frames must be in a list that `--frames` takes.
    """
    words = [
        "export",
        "{{Param.InputFolder}}/{{Param.Input}}",
        "{{Param.OutputFolder}}/{{Param.Output}}",
        f"--frames={frames_text(frames)}",
        f"--frames-in={{{{Param.OutputFolder}}}}/{target.stem}.frames",
        "--grade={{Param.Grade}}",
        "--resume",
        *_allowed(own),
        *options,
    ]
    making = [*words, "--make-only={{Task.Param.Frame}}"]
    text = _template(name, source, target.name, frames, grade, "Frames", making, variables, own)
    return text + _MOVIE_STEP.format(words=_listed(words), notify=NOTIFY_SECONDS)


def _template(
    name: str,
    source: FrameSource,
    target: str,
    frames: Sequence[int],
    grade: str,
    step: str,
    words: Sequence[str],
    variables: Mapping[str, str] | None,
    own: OwnOps,
) -> str:
    return _TEMPLATE.format(
        name=_quoted(name),
        source=_quoted(source.name),
        target=_quoted(target),
        frames=_quoted(frames_text(frames).replace("x", ":")),
        grade=_quoted(grade),
        chunk=CHUNK,
        own="".join(
            _OWN_OP.format(number=number, path=_quoted(path), sha256=sha256)
            for number, (path, sha256) in enumerate(own, 1)
        ),
        environment=_environment(variables or {}),
        step=step,
        words=_listed(words),
        notify=NOTIFY_SECONDS,
    )


def _allowed(own: OwnOps) -> list[str]:
    return [f"--allow-op={sha256}:{{{{Param.OwnOp{number}}}}}" for number, (_, sha256) in enumerate(own, 1)]


def _listed(words: Sequence[str]) -> str:
    return "\n".join(f"            - {_quoted(word)}" for word in words)


def _environment(variables: Mapping[str, str]) -> str:
    if not variables:
        return ""
    lines = "".join(f"      {name}: {_quoted(value)}\n" for name, value in variables.items())
    return f"jobEnvironments:\n  - name: Colour\n    variables:\n{lines}"


def _quoted(text: str) -> str:
    """Return a string as a double-quoted YAML scalar."""
    return json.dumps(text, ensure_ascii=False)
