"""Colour spaces of the open pictures: found on a thread whenever a picture, a grade or the config changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.document import Document
from engine import Grade
from engine.colour import ColourSetup, Context, Viewing
from engine.managed import Managed

if TYPE_CHECKING:
    from app.workspace import Workspace
    from engine.ocio.config import Config
    from engine.ocio.config_parts import Family, Look, View

CONFIG = "config"
"""The setting that names the OpenColorIO config for grades that name none: a file or ocio://NAME; '' for $OCIO."""


@dataclass(frozen=True)
class Names:
    """What a config holds, as menus show it: views by display, colour spaces to read and to work in, and all colours.

    `own` is the display that the system says the monitor is; '' where it does not say. `files` are the config's own and
    those that it refers to.
    """

    config: Config
    displays: dict[str, tuple[View, ...]]
    looks: tuple[Look, ...]
    inputs: Family
    workings: Family
    colours: Family
    builtin: dict[str, str]
    own: str = ""
    files: tuple[Path, ...] = ()


class Colour(QObject):
    """What the current picture's colours mean and how they are shown. Editing the setup is an edit of the grade."""

    changed = Signal()  # other spaces, another config, or another picture

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._names: dict[str, Names] = {}
        self._reading: set[str] = set()
        self._wanted = False
        self._said = ""  # what was wrong with a config last
        workspace.grade_changed.connect(self._check)
        workspace.picture_changed.connect(self.changed)
        workspace.settings.changed.connect(self._prefer)

    @property
    def names(self) -> Names | None:
        """What the config of the current grade holds; None until it has been read, which `want_names` begins."""
        setup = self.setup_for(self._workspace.document.grade)
        return self._names.get(setup.config)

    def want_names(self) -> None:
        """Read what the current config holds; `changed` tells when it is there. From now on others are read as well."""
        self._wanted = True
        config = self.setup_for(self._workspace.document.grade).config
        if config not in self._names and config not in self._reading:
            self._reading.add(config)
            work = partial(self._workspace.services.names, config, self._contexts(config))
            self._workspace.jobs.run(work, partial(self._keep, config), self._tell)

    @property
    def shown(self) -> tuple[str, str]:
        """The display and the view that are meant, by name; '' while the config has not been read."""
        names, view = self.names, self._workspace.view
        if names is None:
            return view.display, view.view
        display = view.display if view.display in names.displays else names.own or next(iter(names.displays), "")
        views = [each.name for each in names.displays.get(display, ())]
        return display, view.view if view.view in views else next(iter(views), "")

    def choose_view(self, display: str, view: str) -> None:
        """Look through another display or view, now and in pictures that are opened later."""
        self._workspace.set_view(display=display, view=view)
        for name, value in (("display", display), ("view", view)):
            self._workspace.settings.set(name, value)

    @property
    def managed(self) -> Managed:
        """The current picture's spaces by name."""
        return self._workspace.document.managed

    @property
    def viewing(self) -> Viewing:
        """Display, view, looks, exposure and gamma of the viewer."""
        view = self._workspace.view
        display, shown = self.shown
        return Viewing(display, shown, view.looks, view.exposure, view.gamma)

    def setup_for(self, grade: Grade) -> ColourSetup:
        """A grade's setup, with the preferred config where it names none."""
        return grade.colour.over(ColourSetup(config=self._workspace.settings.get(CONFIG, "")))

    def edit(self, text: str, **changes: Any) -> None:
        """Change fields of the setup of the current grade, as one step."""
        document = self._workspace.document
        setup = ColourSetup(**{**_fields(document.grade.colour), **changes})
        document.edit(Grade(document.grade.entries, setup), text)

    def choose_config(self, name: str) -> None:
        """Another config for the current grade; its names of spaces and its variables begin anew."""
        self._reading.discard(name)  # one that could not be read is tried again
        self.edit("config", config=name, input="", working="", output="", context=())

    @property
    def files(self) -> dict[str, tuple[Path, ...]]:
        """The files behind the configs of the open grades, by the names of those configs; also of one that could not
        be read."""
        used = {self.setup_for(document.grade).config for document in self._workspace.documents}
        unread = {config: (Path(config),) for config in used - set(self._names) if Path(config).is_absolute()}
        return unread | {config: names.files for config, names in self._names.items() if config in used}

    def has_read(self, config: str) -> bool:
        """Whether what the config holds is known."""
        return config in self._names

    def reload(self, config: str, failed: Callable[[str], None], done: Callable[[], None]) -> None:
        """Read a config again, with all its files; where what is open can't be shown with it, the last one stays."""
        if not self.has_read(config):
            first = partial(self._workspace.services.names, config, self._contexts(config))
            self._workspace.jobs.run(first, partial(self._renew, config, done), failed)
            return
        uses = [
            (setup, document.picture_path, document.picture.part.metadata, self.viewing)
            for document in self._workspace.documents
            if (setup := self.setup_for(document.grade)).config == config and document.picture is not None
        ]
        last = self._names[config].config
        work = partial(self._workspace.services.reload_names, config, last, uses, self._contexts(config))
        self._workspace.jobs.run(work, partial(self._renew, config, done), failed)

    def _renew(self, config: str, done: Callable[[], None], names: Names) -> None:
        """Find the spaces of all pictures under a config that was read again."""
        self._keep(config, names)
        for document in self._workspace.documents:
            if self.setup_for(document.grade).config == config and document.picture is not None:
                self._manage(document)
        self._workspace.take_back(self._said)
        done()

    def _contexts(self, config: str) -> tuple[Context, ...]:
        """The values of variables that the open grades give under a config, and none."""
        setups = [self.setup_for(document.grade) for document in self._workspace.documents]
        return tuple({(), *(setup.context for setup in setups if setup.config == config)})

    def find(self, path: Path | None, picture: Any, setup: ColourSetup) -> Managed:
        """On a thread: the spaces of a picture under a setup; FileError or GradeError where there are none such."""
        return self._workspace.services.manage(setup, path, picture.part.metadata)

    def _keep(self, config: str, names: Names) -> None:
        self._reading.discard(config)
        self._names[config] = names
        self.changed.emit()
        self._workspace.refresh()

    def _prefer(self, setting: str) -> None:
        if setting == CONFIG:
            self._reading.discard(self._workspace.settings.get(CONFIG, ""))
            self._check()

    def _check(self, _grade: object = None) -> None:
        document = self._workspace.document
        if self._wanted:
            self.want_names()
        setup = self.setup_for(document.grade)
        if document.picture is not None and setup != document.managed.setup and setup != document.managing:
            self._manage(document)

    def _manage(self, document: Document) -> None:
        document.managing = setup = self.setup_for(document.grade)
        work = partial(self.find, document.picture_path, document.picture, setup)
        self._workspace.jobs.run(work, partial(self._take, document), partial(self._fail, document, setup))

    def _take(self, document: Document, managed: Managed) -> None:
        if managed.setup == document.managing:
            document.managed, document.managing = managed, None
            if document is self._workspace.document:
                self.changed.emit()
                self._workspace.refresh()

    def _fail(self, document: Document, setup: ColourSetup, line: str) -> None:
        if setup == document.managing:
            self._tell(line)

    def _tell(self, line: str) -> None:
        """Say what is wrong with a config, which is watched from now on."""
        self._said = line
        self._workspace.tell(line)
        self.changed.emit()


def _fields(setup: ColourSetup) -> dict[str, Any]:
    names = ("config", "input", "working", "output", "context")
    return {name: getattr(setup, name) for name in names}
