"""Resolves the colour spaces of the open images on a thread whenever an image, a grade or the config changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.view_ops import UNMANAGED
from app.services.colour_rules import RULES, assumed_space, rules_of
from app.services.config_names import CONFIG, Names
from app.services.config_stamps import stamps_of
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.messages import Messages, Warned
from app.services.open_documents import OpenDocuments
from app.services.settings import Settings
from engine import Grade
from engine.color.management import Managed
from engine.core.file_watch import State
from engine.grade.colour_settings import ColourSetup, Context, InputSpace, Viewing


class Colour(QObject):
    """The colour management of the open documents: their colour spaces, configs, displays and views.

    The spaces of a document depend on its image, on the setup of its grade and, if neither states the input space, on
    the user's rules; editing the setup edits the grade. When any of them changes, a thread resolves the spaces again.
    Until then the document is not `settled`, and no frames of it are rendered.
    """

    changed = Signal()  # the spaces, the config or the image changed

    def __init__(
        self,
        documents: OpenDocuments,
        services: Services,
        settings: Settings,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._documents, self._services, self._settings = documents, services, settings
        self._jobs, self._messages = jobs, messages
        self._names: dict[str, Names] = {}
        self._rules = rules_of(settings)  # replaced as a whole: threads read it
        self._asked: set[str] = set()  # configs that were read, or could not be read
        self._wanted = self._held = False
        self._config_errors: list[Warned] = []  # errors shown for configs
        self._unmanaged: WeakKeyDictionary[Document, Warned] = WeakKeyDictionary()  # why a document has no spaces
        documents.documents_changed.connect(self._check)  # also emitted when the setup of any grade changes
        documents.current.changed.connect(self._check)
        documents.current.image_changed.connect(self.changed)
        settings.changed.connect(self._prefer)

    @property
    def names(self) -> Names | None:
        """The names in the config of the current grade; None until they are read, which `request_names` starts."""
        setup = self.setup_for(self._documents.current.document.grade)
        return self._names.get(setup.config)

    def request_names(self) -> None:
        """Start reading the names in the current config, and from now on in others; `changed` is emitted when done."""
        self._wanted = True
        if self._held:
            return
        config = self.setup_for(self._documents.current.document.grade).config
        if config not in self._asked:
            work = partial(self._services.names, config, self._contexts(config))
            self._read(config, work, partial(self._keep, config), self._warn)

    def hold_names(self) -> None:
        """Read no names until `release_names`: they are for menus, and an image needs none."""
        self._held = True

    def release_names(self) -> None:
        """Read the names that were requested meanwhile."""
        self._held = False
        if self._wanted:
            self.request_names()

    def _read(
        self, config: str, work: Callable[[], Names], done: Callable[[Names], None], failed: Callable[[str], None]
    ) -> None:
        """Read the names in a config; a newer call replaces this one."""
        self._asked.add(config)
        self._jobs.latest(self, ("names", config), work, done, failed)

    @property
    def shown(self) -> tuple[str, str]:
        """The names of the display and the view in use; as stored in the view state until the config is read."""
        names, view = self.names, self._documents.view.state
        if names is None:
            return view.display, view.view
        display = view.display if view.display in names.displays else names.own or next(iter(names.displays), "")
        views = [each.name for each in names.displays.get(display, ())]
        return display, view.view if view.view in views else next(iter(views), "")

    @property
    def setup(self) -> ColourSetup:
        """What the current grade itself states; `setup_for` adds the preferred config."""
        return self._documents.current.document.grade.colour

    @property
    def is_settled(self) -> bool:
        """Whether the spaces of the current document match its current image and grade, and the rules."""
        return self.settled(self._documents.current.document)

    def choose_looks(self, looks: str) -> None:
        """Use other looks of the config for this image: their name, '' for those of the view."""
        self._documents.view.set(looks=looks)

    def choose_view(self, display: str, view: str) -> None:
        """Use another display or view, for this image and for those opened later."""
        self._documents.view.set(display=display, view=view)
        for name, value in (("display", display), ("view", view)):
            self._settings.set(name, value)

    @property
    def managed(self) -> Managed:
        """The colour spaces of the current image."""
        return self._documents.current.document.managed

    @property
    def viewing(self) -> Viewing:
        """Display, view, looks, exposure and gamma of the viewer."""
        view = self._documents.view.state
        display, shown = self.shown
        return Viewing(display, shown, view.looks, view.exposure, view.gamma)

    def setup_for(self, grade: Grade) -> ColourSetup:
        """Return the setup of a grade, with the preferred config if it doesn't name one."""
        return _with_config(grade.colour, self._settings.get(CONFIG, ""))

    def export_setup(self, document: Document, grade: Grade, source: Path | None = None) -> ColourSetup:
        """Return the setup of a grade of a document for exports, which don't know the window's settings: with the
        preferred config and the input space of a rule. The rule must also be for `source`, if another file is exported.
        """
        setup, found = self.setup_for(grade), document.managed.found
        applies = source is None or self.assumed(source) == document.managed.assumed
        return replace(setup, input=found.space) if found.assumed and applies and not setup.input else setup

    def assumed(self, path: Path | None) -> InputSpace:
        """Return the space that the user's rules assign to an image that states none. Thread-safe."""
        return assumed_space(self._rules, path)

    def edit(self, text: str, **changes: Any) -> None:
        """Change fields of the setup of the current grade, as one step."""
        document = self._documents.current.document
        setup = ColourSetup(**{**_fields(document.grade.colour), **changes})
        document.edit(Grade(document.grade.entries, setup), text)

    def choose_config(self, name: str) -> None:
        """Set the config of the current grade, and reset its colour spaces and context variables."""
        self._forget_failed(name)
        self.edit("config", config=name, input="", working="", output="", context=())

    @property
    def files(self) -> dict[str, Mapping[Path, State]]:
        """The files of the configs of the open grades, by config, each with its state from before it was read.

        Includes the file of a config that could not be read.
        """
        used = {self.setup_for(document.grade).config for document in self._documents.items}
        unread = {config: {Path(config): None} for config in used - set(self._names) if Path(config).is_absolute()}
        read = {config: names.files for config, names in self._names.items() if config in used}
        return {config: self._as_used(config, files) for config, files in {**unread, **read}.items()}

    def _as_used(self, config: str, files: Mapping[Path, State]) -> Mapping[Path, State]:
        """Return files of a config with older states where images use what was read before the names were."""
        shown = [each for each in self._documents.items if each.image is not None and each.setup.config == config]
        stamps = [files, *(stamps_of(each.managed.loaded) for each in shown if each.managed.loaded is not None)]
        states = {path: [state for each in stamps if (state := each.get(path)) is not None] for path in files}
        return {path: min(found, key=lambda state: state[1], default=None) for path, found in states.items()}

    def has_read(self, config: str) -> bool:
        """Return whether the names in the config are known."""
        return config in self._names

    def reload(self, config: str, failed: Callable[[str], None], done: Callable[[], None]) -> None:
        """Read a config and all its files again; keep the previous one if the open images can't be shown with it."""
        if not self.has_read(config):
            first = partial(self._services.names, config, self._contexts(config))
            self._read(config, first, partial(self._renew, config, done), failed)
            return
        uses = [
            (setup, document.image_path, document.image.part.metadata, self.viewing)
            for document in self._documents.items
            if (setup := self.export_setup(document, document.grade)).config == config and document.image is not None
        ]
        last = self._names[config].config
        work = partial(self._services.reload_names, config, last, uses, self._contexts(config))
        self._read(config, work, partial(self._renew, config, done), failed)

    def _renew(self, config: str, done: Callable[[], None], names: Names) -> None:
        """Resolve the spaces of all images that use a config that was read again."""
        self._keep(config, names)
        for document in self._documents.items:
            if self.setup_for(document.grade).config == config and document.image is not None:
                self._manage(document, again=True)
        for warned in self._config_errors:
            self._messages.withdraw(warned)
        self._config_errors.clear()
        done()

    def _contexts(self, config: str) -> tuple[Context, ...]:
        """Return the contexts that the open grades set for a config, and the empty one."""
        setups = [self.setup_for(document.grade) for document in self._documents.items]
        return tuple({(), *(setup.context for setup in setups if setup.config == config)})

    def find(self, path: Path | None, image: Any, setup: ColourSetup) -> Managed:
        """Return the spaces of an image for a setup, on a thread; FileError or GradeError if they can't be resolved."""
        return self._services.manage(setup, path, image.part.metadata, self.assumed(path))

    def settled(self, document: Document) -> bool:
        """Return whether the spaces of a document match its current image and grade, and the rules."""
        assumed = self.assumed(document.image_path)
        return document.setup == self.setup_for(document.grade) and document.managed.assumed == assumed

    def has_problem(self, document: Document) -> bool:
        """Return whether the spaces of a document could not be resolved, which a message explains."""
        return document in self._unmanaged

    def report_problem(self, document: Document, problem: str) -> None:
        """Report the `problem` with the spaces of an image that was just read, if there is one.

        Resolve the spaces again if the config was reloaded while the image was read.
        """
        if self.settled(document):
            self._say(document, problem)
        names, loaded = self._names.get(document.setup.config), document.managed.loaded
        if names is not None and loaded is not None and loaded is not names.config:
            self._manage(document, again=True)

    def _say(self, document: Document, problem: str) -> None:
        """Show why a document has no spaces, or withdraw the message."""
        self._messages.withdraw(self._unmanaged.pop(document, None))
        if problem:
            line = f"{problem}. Until then {document.name} is shown without colour management."
            self._unmanaged[document] = self._messages.warn(line)

    def _keep(self, config: str, names: Names) -> None:
        used = {self.setup_for(document.grade).config for document in self._documents.items}
        self._names = {name: known for name, known in self._names.items() if name in used} | {config: names}
        self.changed.emit()
        self._documents.current.frame_wanted.emit()

    def _prefer(self, setting: str) -> None:
        if setting == RULES:
            self._rules = rules_of(self._settings)
            self._check()
        if setting == CONFIG:
            self._forget_failed(self._settings.get(CONFIG, ""))
            self._check()

    def _forget_failed(self, config: str) -> None:
        """Allow another attempt to read a config that could not be read."""
        if config not in self._names:
            self._asked.discard(config)

    def _check(self, _of: object = None) -> None:
        if self._wanted:
            self.request_names()
        for document in self._documents.items:
            if document.image is not None and not self.settled(document):
                self._manage(document)

    def _manage(self, document: Document, again: bool = False) -> None:
        """Resolve the spaces of a document; with `again` even if that is under way."""
        image, setup = document.image, self.setup_for(document.grade)
        assumed = self.assumed(document.image_path)
        self._jobs.latest(
            document,
            "colour",
            partial(self.find, document.image_path, image, setup),
            partial(self._take, document, image),
            partial(self._refuse, document, image, setup, assumed),
            about=None if again else (id(image), setup, assumed),
        )

    def _take(self, document: Document, image: Any, managed: Managed) -> None:
        self._found(document, image, managed.setup, managed, "")

    def _refuse(self, document: Document, image: Any, setup: ColourSetup, assumed: InputSpace, line: str) -> None:
        self._found(document, image, setup, replace(UNMANAGED, assumed=assumed), line)

    def _found(self, document: Document, image: Any, setup: ColourSetup, managed: Managed, problem: str) -> None:
        """Set the spaces of a document, unless its image or setup has changed since they were requested."""
        if document.image is image and self.setup_for(document.grade) == setup:
            document.set_managed(managed, setup)
            self._say(document, problem)
            self.changed.emit()
            self._documents.current.frame_wanted.emit()

    def _warn(self, line: str) -> None:
        """Show what is wrong with a config, which is watched from now on."""
        self._config_errors.append(self._messages.warn(line))
        self.changed.emit()


def _fields(setup: ColourSetup) -> dict[str, Any]:
    names = ("config", "input", "working", "output", "context")
    return {name: getattr(setup, name) for name in names}


@lru_cache(maxsize=64)
def _with_config(setup: ColourSetup, config: str) -> ColourSetup:
    """Return a setup with a config if it doesn't name one. Several ask for it after each edit."""
    return setup.over(ColourSetup(config=config))
