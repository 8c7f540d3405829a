"""Colour spaces of the open images: found on a thread whenever an image, a grade or the config changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.render.view_ops import UNMANAGED
from engine import Grade
from engine.color.management import Managed
from engine.core.file_watch import State
from engine.grade.colour_settings import ColourSetup, Context, Viewing

if TYPE_CHECKING:
    from app.shell.workspace import Workspace
    from engine.ocio.config import Config
    from engine.ocio.config_parts import Family, Look, View

CONFIG = "config"
"""The setting that names the OpenColorIO config for grades that name none: a file or ocio://NAME; '' for $OCIO."""


@dataclass(frozen=True)
class Names:
    """What a config holds, as menus show it: views by display, colour spaces to read and to work in, and all colours.

    `own` is the display that the system says the monitor is; '' where it does not say. `files` are the config's own and
    those that it refers to, with the states that they had before they were read.
    """

    config: Config
    displays: dict[str, tuple[View, ...]]
    looks: tuple[Look, ...]
    inputs: Family
    workings: Family
    colours: Family
    builtin: dict[str, str]
    own: str = ""
    files: Mapping[Path, State] = field(default_factory=dict)


class Colour(QObject):
    """What the current image's colours mean and how they are shown. Editing the setup is an edit of the grade.

    The spaces of a document depend on its image and on the setup of its grade. When either changes, a thread resolves
    the spaces again. Until then the document is not `settled`, and no frames of it are made.
    """

    changed = Signal()  # other spaces, another config, or another image

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._names: dict[str, Names] = {}
        self._asked: set[str] = set()  # configs that were read or could not be read
        self._wanted = False
        self._said: list[str] = []  # errors of configs
        self._unmanaged: WeakKeyDictionary[Document, str] = WeakKeyDictionary()  # why they have no spaces
        workspace.documents_changed.connect(self._check)  # also emitted for edits of any grade
        workspace.document_changed.connect(self._check)
        workspace.image_changed.connect(self.changed)
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
        if config not in self._asked:
            work = partial(self._workspace.services.names, config, self._contexts(config))
            self._read(config, work, partial(self._keep, config), self._tell)

    def _read(
        self, config: str, work: Callable[[], Names], done: Callable[[Names], None], failed: Callable[[str], None]
    ) -> None:
        """Read what a config holds; the newest call counts."""
        self._asked.add(config)
        self._workspace.jobs.latest(self, ("names", config), work, done, failed)

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
        """Look through another display or view, now and in images that are opened later."""
        self._workspace.set_view(display=display, view=view)
        for name, value in (("display", display), ("view", view)):
            self._workspace.settings.set(name, value)

    @property
    def managed(self) -> Managed:
        """The current image's spaces by name."""
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
        self._forget_failed(name)
        self.edit("config", config=name, input="", working="", output="", context=())

    @property
    def files(self) -> dict[str, Mapping[Path, State]]:
        """The files behind the configs of the open grades, by the names of those configs; also of one that could not
        be read. Each has the state that it had before it was read."""
        used = {self.setup_for(document.grade).config for document in self._workspace.documents}
        unread = {config: {Path(config): None} for config in used - set(self._names) if Path(config).is_absolute()}
        return {**unread, **{config: names.files for config, names in self._names.items() if config in used}}

    def has_read(self, config: str) -> bool:
        """Whether what the config holds is known."""
        return config in self._names

    def reload(self, config: str, failed: Callable[[str], None], done: Callable[[], None]) -> None:
        """Read a config again, with all its files; where what is open can't be shown with it, the last one stays."""
        if not self.has_read(config):
            first = partial(self._workspace.services.names, config, self._contexts(config))
            self._read(config, first, partial(self._renew, config, done), failed)
            return
        uses = [
            (setup, document.image_path, document.image.part.metadata, self.viewing)
            for document in self._workspace.documents
            if (setup := self.setup_for(document.grade)).config == config and document.image is not None
        ]
        last = self._names[config].config
        work = partial(self._workspace.services.reload_names, config, last, uses, self._contexts(config))
        self._read(config, work, partial(self._renew, config, done), failed)

    def _renew(self, config: str, done: Callable[[], None], names: Names) -> None:
        """Find the spaces of all images under a config that was read again."""
        self._keep(config, names)
        for document in self._workspace.documents:
            if self.setup_for(document.grade).config == config and document.image is not None:
                self._manage(document, again=True)
        for line in self._said:
            self._workspace.take_back(line)
        self._said.clear()
        done()

    def _contexts(self, config: str) -> tuple[Context, ...]:
        """The values of variables that the open grades give under a config, and none."""
        setups = [self.setup_for(document.grade) for document in self._workspace.documents]
        return tuple({(), *(setup.context for setup in setups if setup.config == config)})

    def find(self, path: Path | None, image: Any, setup: ColourSetup) -> Managed:
        """On a thread: the spaces of an image under a setup; FileError or GradeError where there are none such."""
        return self._workspace.services.manage(setup, path, image.part.metadata)

    def settled(self, document: Document) -> bool:
        """Whether the spaces of a document are those of its current image and grade."""
        return document.setup == self.setup_for(document.grade)

    def took_image(self, document: Document, problem: str) -> None:
        """Report the `problem` with the spaces of an image that was just read, if there is one.

        Resolve the spaces again if the config was reloaded while the image was read.
        """
        if self.settled(document):
            self._say(document, problem)
        names, loaded = self._names.get(document.setup.config), document.managed.loaded
        if names is not None and loaded is not None and loaded is not names.config:
            self._manage(document, again=True)

    def _say(self, document: Document, problem: str) -> None:
        """Report why a document has no spaces, or withdraw the report."""
        self._workspace.take_back(self._unmanaged.pop(document, ""))
        if problem:
            line = f"{problem}. Until then {document.name} is shown without colour management."
            self._unmanaged[document] = line
            self._workspace.tell(line)

    def _keep(self, config: str, names: Names) -> None:
        used = {self.setup_for(document.grade).config for document in self._workspace.documents}
        self._names = {name: known for name, known in self._names.items() if name in used} | {config: names}
        self.changed.emit()
        self._workspace.refresh()

    def _prefer(self, setting: str) -> None:
        if setting == CONFIG:
            self._forget_failed(self._workspace.settings.get(CONFIG, ""))
            self._check()

    def _forget_failed(self, config: str) -> None:
        """Allow another attempt to read a config that could not be read."""
        if config not in self._names:
            self._asked.discard(config)

    def _check(self, _of: object = None) -> None:
        if self._wanted:
            self.want_names()
        for document in self._workspace.documents:
            if document.image is not None and not self.settled(document):
                self._manage(document)

    def _manage(self, document: Document, again: bool = False) -> None:
        """Resolve the spaces of a document; with `again` even if that is under way."""
        image, setup = document.image, self.setup_for(document.grade)
        self._workspace.jobs.latest(
            document,
            "colour",
            partial(self.find, document.image_path, image, setup),
            partial(self._take, document, image),
            partial(self._refuse, document, image, setup),
            about=None if again else (id(image), setup),
        )

    def _take(self, document: Document, image: Any, managed: Managed) -> None:
        self._found(document, image, managed.setup, managed, "")

    def _refuse(self, document: Document, image: Any, setup: ColourSetup, line: str) -> None:
        self._found(document, image, setup, UNMANAGED, line)

    def _found(self, document: Document, image: Any, setup: ColourSetup, managed: Managed, problem: str) -> None:
        """Set the spaces of a document, unless its image or setup has changed since they were requested."""
        if document.image is image and self.setup_for(document.grade) == setup:
            document.set_managed(managed, setup)
            self._say(document, problem)
            self.changed.emit()
            self._workspace.refresh()

    def _tell(self, line: str) -> None:
        """Say what is wrong with a config, which is watched from now on."""
        self._said.append(line)
        self._workspace.tell(line)
        self.changed.emit()


def _fields(setup: ColourSetup) -> dict[str, Any]:
    names = ("config", "input", "working", "output", "context")
    return {name: getattr(setup, name) for name in names}
