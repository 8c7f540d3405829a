"""A sequence as an Open Job Description template (2023-09), for farms that take these.

The frames are a task parameter in chunks; each chunk is one `tessera export --resume`, so that a task that is tried
again does only what is left. Folders and the grade are PATH parameters, which a farm may map to its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.errors import UnsupportedFile
from engine.export.frame_patterns import FramePattern, frames_text

CHUNK = 10
"""Frames of a task, unless the one who submits it says otherwise."""
NOTIFY_SECONDS = 30
"""What a task that is cancelled has to give up its frames in hand."""
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
    description: The frames' name, with a place for the number.
  - name: OutputFolder
    type: PATH
    objectType: DIRECTORY
    dataFlow: OUT
    description: The folder that the graded frames go to. It must be there.
  - name: Output
    type: STRING
    default: {target}
    description: The graded frames' name; its suffix says the format.
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
    description: Frames of a task; its kernels and tables are made ready once for all of them.
{environment}steps:
  - name: Export
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


def job_template(
    name: str,
    source: FramePattern,
    target: FramePattern,
    frames: Sequence[int],
    grade: str,
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> str:
    """The text of a template, as YAML.

    `grade` is the path of a grade's file relative to the template's folder; `options` are words of `tessera export`
    that are the same for every frame; `variables` are set in the environment of every task. UnsupportedFile where the
    target has a range of its own.
    """
    if target.frames is not None:
        raise UnsupportedFile(target.text, "can't be numbered anew on a farm", "leave its range out")
    words = [
        "export",
        "{{Param.InputFolder}}/{{Param.Input}}",
        "{{Param.OutputFolder}}/{{Param.Output}}",
        "--frames={{Task.Param.Frame}}",
        "--grade={{Param.Grade}}",
        "--resume",
        *options,
    ]
    return _TEMPLATE.format(
        name=_quoted(name),
        source=_quoted(source.name),
        target=_quoted(target.name),
        frames=_quoted(frames_text(frames).replace("x", ":")),
        grade=_quoted(grade),
        chunk=CHUNK,
        environment=_environment(variables or {}),
        words="\n".join(f"            - {_quoted(word)}" for word in words),
        notify=NOTIFY_SECONDS,
    )


def _environment(variables: Mapping[str, str]) -> str:
    if not variables:
        return ""
    lines = "".join(f"      {name}: {_quoted(value)}\n" for name, value in variables.items())
    return f"jobEnvironments:\n  - name: Colour\n    variables:\n{lines}"


def _quoted(text: str) -> str:
    """A string as YAML writes it between double quotes."""
    return json.dumps(text, ensure_ascii=False)
