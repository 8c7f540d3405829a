"""What is done with configs: loaded, listed, asked for conversions and views, reloaded, and used for an export."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from typing import Any

from app.cli.commands import colorspaces
from engine import Grade
from engine.color.management import manage
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.ocio import Config, load_config
from engine.ocio.config_files import reload_config
from engine.ops import Exposure
from tools.fuzz.kind import Chance, Harm, Operation, Task
from tools.fuzz.operations.images import chanced
from tools.fuzz.operations.printed import run_command

NAMES = ("linear", "log", "aces", "hidden", "curve", "graded", "built", "raw", "scene_linear", "no such", "screen")
IMAGES = ("plate_lin7.exr", "x.exr", "film.dpx", "log/x.tif", "a\u2028b.exr")


def config(task: Task) -> None:
    """Load it, and ask it for all that the window's menus show."""
    found = load_config(task.path)
    texts = [found.name, found.description, found.problem, *found.roles(), *found.roles().values()]
    parts: tuple[Any, ...] = (*found.spaces(), *found.looks(), *found.named_transforms())
    texts += [str(asdict(each)) for each in parts]
    for display in found.displays():
        texts += [str(asdict(view)) for view in found.views(display)]
    texts += [*found.variables(), *(family.name for family in found.menu().families)]
    found.colours(), found.spaces("working-space"), found.linear
    if not found.problem.isprintable():
        raise Harm("a config's problem is not one printable line")


def listing(task: Task) -> None:
    """`tessera colorspaces`, as lines or as JSON."""
    run_command(colorspaces, "--config", str(task.path), *chanced(task.chance, "--json"))


def convert(task: Task) -> None:
    """A conversion between two of its spaces."""
    found = load_config(task.path)
    for _ in range(3):
        found.ops_between(_space(found, task.chance), _space(found, task.chance), (("SHOT", "sc020"),))


def _space(found: Config, chance: Chance) -> str:
    names = [space.name for space in found.spaces()]
    return chance.choice(names) if names and chance.often(0.7) else chance.choice(NAMES)


def show(task: Task) -> None:
    """The way to one of its displays and views."""
    found = load_config(task.path)
    display = task.chance.choice([*found.displays(), ""])
    views = [view.name for view in found.views(display)] if display else []
    looks = task.chance.choice(("", "none", "warm", "-warm", "warm,-shot", "no such"))
    found.view_ops(_space(found, task.chance), display, task.chance.choice([*views, "", "raw"]), looks, 0.5, 1.1, ())


def manage_grade(task: Task) -> None:
    """Use it for a grade of an image with that name and header."""
    metadata = (
        {"colorInteropID": task.chance.choice(("lin_ap1_scene", "srgb_rec709_scene", "x"))}
        if task.chance.often(0.4)
        else {}
    )
    setup = ColourSetup(
        str(task.path),
        task.chance.choice(("", "", *NAMES)),
        task.chance.choice(("", "", *NAMES)),
        task.chance.choice(("", "", *NAMES)),
        task.chance.choice(((), (("SHOT", "x"),))),
    )
    viewing = Viewing("", task.chance.choice(("", "film", "shared")), "") if task.chance.often(0.4) else None
    managed = manage(setup, task.chance.choice(IMAGES), metadata, viewing)
    managed.expanded(Grade([Exposure(1.0)]))
    for text in (managed.describe(), managed.result, managed.result_id):
        if not text.isprintable():
            raise Harm("the colour spaces are not one printable line")


def reload(task: Task) -> None:
    """It takes the place of a sound one that is in use."""
    used = task.stage / "show.ocio"
    config = task.folder("used") / f"used{task.path.suffix}"
    if task.path.suffix == ".ocioz":
        used = used.with_suffix(".ocioz")
    shutil.copyfile(used, config)
    found = load_config(config)
    shutil.copyfile(task.path, config)
    reload_config(found, lambda fresh: fresh.spaces())


def export(task: Task) -> None:
    """Use it for an export."""
    setup = ColourSetup(str(task.path), task.chance.choice(("linear", "log", "")), "", task.chance.choice(("", "aces")))
    wanted = ExportOptions(threads=1, backend="cpu", colour=setup)
    export_image(task.stage / "shot.1001.exr", task.target(".exr"), Grade([Exposure(1.0)]), wanted)


ALL = (
    Operation("config", config, 4.0),
    Operation("colorspaces", listing, 2.0),
    Operation("convert", convert, 2.0, named=False),
    Operation("view", show, 2.0, named=False),
    Operation("manage", manage_grade, 2.0, named=False),
    Operation("reload", reload, 1.0, named=False),
    Operation("export", export, 0.03, named=False),
)
"""For configs and for archives of them."""
