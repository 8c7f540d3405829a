"""engine.export.openjd: templates that Open Job Description's own model takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UnsupportedFile
from engine.export.frame_patterns import parse_pattern
from engine.export.openjd import job_template

model = pytest.importorskip("openjd.model")
yaml = pytest.importorskip("yaml")


def template(frames=(1001, 1002, 1005), source="in/s.####.exr", options=()):
    ends = parse_pattern(source), parse_pattern("out/g.####.exr")
    return yaml.safe_load(job_template('a "name"', *ends, frames, "look.grade.json", options))


def decoded(data):
    return model.decode_job_template(template=data, supported_extensions=["TASK_CHUNKING"])


def chunks(frames, per_task):
    """The frames of each task, as the model makes them."""
    values = {"InputFolder": "/a", "OutputFolder": "/b", "Grade": "/g", "Frames": None, "FramesPerTask": per_task}
    data = decoded(template(frames))
    given = {name: value for name, value in values.items() if value is not None}
    parameters = model.preprocess_job_parameters(
        job_template=data,
        job_parameter_values=given,
        job_template_dir=Path("/"),
        current_working_dir=Path("/"),
    )
    job = model.create_job(job_template=data, job_parameter_values=parameters)
    space = model.StepParameterSpaceIterator(space=job.steps[0].parameterSpace)
    return [task["Frame"].value for task in space]


def test_the_model_takes_it():
    found = decoded(template(options=["--type=float", "--layer=a b"]))
    assert found.name == 'a "name"'
    assert [each.name for each in found.parameterDefinitions] == [
        *("InputFolder", "Input", "OutputFolder", "Output", "Frames", "Grade", "FramesPerTask")
    ]
    words = template(options=["--type=float", "--layer=a b"])["steps"][0]["script"]["actions"]["onRun"]["args"]
    assert words[-3:] == ["--resume", "--type=float", "--layer=a b"]


def test_variables_of_the_environment_travel_with_the_job():
    ends = parse_pattern("in/s.####.exr"), parse_pattern("out/g.####.exr")
    variables = {"OCIO": '/show/"a" b.ocio', "SHOT": "sc010"}
    data = yaml.safe_load(job_template("n", *ends, (1, 2), "g.json", (), variables))
    (found,) = decoded(data).jobEnvironments
    assert dict(found.variables) == variables
    assert decoded(template()).jobEnvironments is None


@pytest.mark.parametrize(
    ("frames", "wanted"),
    [
        ((1001, 1002, 1003, 1005), ["1001-1002", "1003-1003", "1005-1005"]),
        ((1, 3, 5, 7, 9), ["1-1", "3-3", "5-5", "7-7", "9-9"]),
        ((-3, -2, -1, 0), ["-3--2", "-1-0"]),
    ],
)
def test_its_tasks_are_the_frames(frames, wanted):
    assert chunks(frames, 2) == wanted


def test_names_without_their_range():
    data = template(source="in/s.1-9x2#.exr")
    defaults = {each["name"]: each.get("default") for each in data["parameterDefinitions"]}
    assert defaults["Input"] == "s.%04d.exr"
    assert defaults["Output"] == "g.####.exr"
    with pytest.raises(UnsupportedFile, match="renumbered"):
        job_template("n", parse_pattern("s.####.exr"), parse_pattern("g.1-3#.exr"), (1, 2, 3), "g.json")
