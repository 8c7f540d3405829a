"""Colour spaces of the open pictures: found on a thread whenever a picture, a grade or the config changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.document import Document
from engine import Grade
from engine.colour import ColourSetup, Viewing
from engine.managed import Managed

if TYPE_CHECKING:
    from app.workspace import Workspace

CONFIG = "config"
"""The setting that names the OpenColorIO config for grades that name none: a file or ocio://NAME; '' for $OCIO."""


class Colour(QObject):
    """What the current picture's colours mean and how they are shown. Editing the setup is an edit of the grade."""

    changed = Signal()  # other spaces, another config, or another picture

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        workspace.grade_changed.connect(self._check)
        workspace.picture_changed.connect(self.changed)
        workspace.settings.changed.connect(lambda name: self._check() if name == CONFIG else None)

    @property
    def managed(self) -> Managed:
        """The current picture's spaces by name."""
        return self._workspace.document.managed

    @property
    def viewing(self) -> Viewing:
        """Display, view, looks, exposure and gamma of the viewer."""
        view = self._workspace.view
        return Viewing(view.display, view.view, view.looks, view.exposure, view.gamma)

    def setup_for(self, grade: Grade) -> ColourSetup:
        """A grade's setup, with the preferred config where it names none."""
        return grade.colour.over(ColourSetup(config=self._workspace.settings.get(CONFIG, "")))

    def edit(self, text: str, **changes: Any) -> None:
        """Change fields of the setup of the current grade, as one step."""
        document = self._workspace.document
        setup = ColourSetup(**{**_fields(document.grade.colour), **changes})
        document.edit(Grade(document.grade.entries, setup), text)

    def find(self, path: Path | None, picture: Any, setup: ColourSetup) -> Managed:
        """On a thread: the spaces of a picture under a setup; FileError or GradeError where there are none such."""
        return self._workspace.services.manage(setup, path, picture.part.metadata)

    def _check(self, _grade: object = None) -> None:
        document = self._workspace.document
        setup = self.setup_for(document.grade)
        if document.picture is not None and setup != document.managed.setup and setup != document.managing:
            document.managing = setup
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
            self._workspace.tell(line)


def _fields(setup: ColourSetup) -> dict[str, Any]:
    names = ("config", "input", "working", "output", "context")
    return {name: getattr(setup, name) for name in names}
