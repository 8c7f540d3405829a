"""The question about the colour space of the current image, if nothing states it, with the likely answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet, ref

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from app.model.document import Document
from app.model.view_ops import view_ops
from app.services.colour_manager import Colour
from app.services.colour_rules import Rule, add_rule, possible_rules, rules_of
from app.services.config_stamps import note_setup
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.settings import Settings
from app.services.view_options import ViewOptions
from engine.color.likely_spaces import likely_spaces
from engine.color.management import Managed, manage
from engine.core.attribute_names import CHROMATICITIES
from engine.core.known_primaries import primaries_text, space_text
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.grade.colour_settings import RAW, ColourSetup, Viewing
from engine.kernel.op import ColorOp, Op
from engine.viewing import levels_of
from engine.viewing.data_kinds import IMAGE, kind_of

ASK, REMEMBER = "ask", "remember"
"""States of the question: the space is unknown, and the space was given and may be remembered."""
WIDTH, HEIGHT = 128, 72
"""Greatest size of a thumbnail, in pixels."""
DELAY_MS = 300
"""Delay from an image to its thumbnails, so that its first frames are not delayed."""
SHOWN_AS = "shown as scene-linear Rec.709"
"""How images of unknown colour space are shown (`app.model.view_ops`)."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A likely space, why, and the image in it as the window would show it: RGB (height, width, 3)."""

    space: str
    reason: str
    thumbnail: NDArray[np.uint8] | None


class Question(NamedTuple):
    """What is asked about the current image. `state` is ASK, REMEMBER or '', `line` the text and `detail` more of it.

    `name` is the image's in the line. `status` says in all states how its space is known, unless the file states it.
    """

    state: str = ""
    line: str = ""
    detail: str = ""
    status: str = ""
    choices: tuple[Choice, ...] = ()
    rules: tuple[Rule, ...] = ()
    name: str = ""


class SpaceQuestion(QObject):
    """Asks for the colour space of the current image while it is unknown. Layers without colours are not asked about.

    Once the user gives a space, asks whether to remember it for other images.
    """

    changed = Signal()

    def __init__(
        self,
        current: CurrentDocument,
        view: ViewOptions,
        colour: Colour,
        settings: Settings,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._current_document, self._view, self._colour = current, view, colour
        self._settings, self._jobs, self._messages = settings, jobs, messages
        self._asked: WeakSet[Document] = WeakSet()  # whose space was unknown, or has been given since
        self._found: WeakKeyDictionary[Document, tuple[Hashable, tuple[Choice, ...]]] = WeakKeyDictionary()
        self.current = Question()
        self._about: Callable[[], Document | None] = ref(current.document)  # the document of the question
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._find)
        # not for every edit of a grade: `changed` follows if its setup has changed
        current.switch.once(self._update, colour.changed, view.changed)

    def use(self, space: str) -> None:
        """Make this the space of the current image, as a step of its grade."""
        self._colour.edit("input space", input=space)

    def choose(self, number: int) -> None:
        """Use one of the likely spaces."""
        if self.current.state == ASK and number < len(self.current.choices):
            self.use(self.current.choices[number].space)

    def remember(self, rule: Rule) -> None:
        """Use the space of a rule for the images that it matches, from now on."""
        add_rule(self._settings, rule)
        self._messages.note(f"Images {rule.where} are {rule.space} from now on; the Preferences list your rules")
        self._withdraw()

    def dismiss(self) -> None:
        """Do not ask about this image any more."""
        if self.current.state == ASK:
            self._view.set(asks_space=False)
        else:
            self._withdraw()

    def _withdraw(self) -> None:
        """Ask nothing more about the current image, at once: its spaces may have to be resolved again."""
        self._asked.discard(self._current_document.document)
        self._show(Question())
        self._update()

    def _update(self) -> None:
        document = self._current_document.document
        if document.image is not None and not self._colour.settled(document):
            question = self.current if self._about() is document else Question()  # until the spaces are resolved
        else:
            question = self._question(document)
            if question.state == ASK and not self._is_found(document) and not self._timer.isActive():
                self._timer.start()
        self._about = ref(document)
        self._show(question)

    def _show(self, question: Question) -> None:
        if question != self.current:
            self.current = question
            self.changed.emit()

    def _question(self, document: Document) -> Question:
        """Return what to ask about a document."""
        if document.image is None:
            return Question()
        found, name = document.managed.found, document.name
        if self._is_unknown(document):
            self._asked.add(document)
            status = f"colour space unknown, {SHOWN_AS}, clipped at 1"
            if not document.view.asks_space:
                return Question(status=status)
            line = f"The colour space of {name} is {found.origin}; it is {SHOWN_AS}."
            return Question(ASK, line, _detail(document.image.part), status, self._choices(document), name=name)
        given = document.grade.colour.input
        if document in self._asked and given:
            kept = rules_of(self._settings)
            rules = tuple(rule for rule in possible_rules(_path(document), given) if rule not in kept)
            line = f"{name} is {space_text(given)} now. Use it also for other images that state no colour space:"
            return Question(REMEMBER, line, rules=rules, name=name) if rules else Question()
        if not _holds_data(document.image):
            self._asked.discard(document)
        return Question(status=f"{found.space} {found.origin}" if found.assumed else "")

    def _is_unknown(self, document: Document) -> bool:
        """Return whether the space of a document's image should be asked for."""
        managed, colour = document.managed, self._colour
        managed_at_all = document.setup.config != RAW and not colour.has_problem(document)
        return not managed.input and managed_at_all and not _holds_data(document.image)

    # -- the likely spaces

    def _key(self, document: Document) -> Hashable:
        """Return what the choices depend on. The frames of a sequence have the same."""
        pattern = re.sub(r"\d+", "#", str(document.image_path))
        return pattern, document.part, document.layer, document.setup, _viewing(document)

    def _is_found(self, document: Document) -> bool:
        return document in self._found and self._found[document][0] == self._key(document)

    def _choices(self, document: Document) -> tuple[Choice, ...]:
        return self._found[document][1] if self._is_found(document) else ()

    def _find(self) -> None:
        """Find the likely spaces of the current image, on a thread."""
        document = self._current_document.document
        if document.image is None or self.current.state != ASK:
            return
        key = self._key(document)
        work = partial(find_choices, document.setup, _path(document), document.image, _viewing(document))
        taken, failed = partial(self._take, document, key), partial(self._fail, document, key)
        self._jobs.latest(document, "likely spaces", work, taken, failed, about=key)

    def _fail(self, document: Document, key: Hashable, _line: str) -> None:
        """Offer nothing if the config can't be read: the error is reported where spaces are chosen."""
        self._take(document, key, ())

    def _take(self, document: Document, key: Hashable, choices: tuple[Choice, ...]) -> None:
        if document.image is not None:
            self._found[document] = key, choices
            self._update()


def find_choices(setup: ColourSetup, path: Path, image: Any, viewing: Viewing) -> tuple[Choice, ...]:
    """Return the likely spaces of an image with their thumbnails, on a thread."""
    from engine.ocio.config_files import load_config
    from engine.viewing.thumbnails import small_image

    note_setup(setup)
    config, part = load_config(setup.config), image.part
    sample_type = part.channel(image.layer.channels[0]).type
    pixels = small_image(levels_of(image), WIDTH, HEIGHT).astype(np.float64)
    rgba = np.concatenate([pixels[..., :3], np.ones_like(pixels[..., :1])], axis=-1)
    return tuple(
        Choice(each.name, each.reason, thumbnail(rgba, replace(setup, input=each.name, output=""), path, part, viewing))
        for each in likely_spaces(config, path, sample_type, image.info.format)
    )


def thumbnail(
    rgba: NDArray[np.float64], setup: ColourSetup, path: Path, part: Any, viewing: Viewing
) -> NDArray[np.uint8] | None:
    """Return a small image as it is shown with this setup, without its grade; None if it can't be shown."""
    managed = manage(setup, path, part.metadata)
    ops = next((ops for each in (viewing, Viewing()) if (ops := _shown(managed, each)) is not None), None)
    if ops is None:
        return None
    with np.errstate(all="ignore"):
        for op in ops:
            if isinstance(op, ColorOp):
                rgba = op.reference(rgba)
        return np.ascontiguousarray(np.round(np.clip(np.nan_to_num(rgba[..., :3]), 0.0, 1.0) * 255.0).astype(np.uint8))


def _shown(managed: Managed, viewing: Viewing) -> tuple[Op, ...] | None:
    """Return the ops of a view; None if the config lacks it."""
    try:
        return view_ops(managed, viewing)
    except TesseraError:
        return None


def _viewing(document: Document) -> Viewing:
    """Return display, view and looks of a document's view."""
    return Viewing(document.view.display, document.view.view, document.view.looks)


def _path(document: Document) -> Path:
    assert document.image_path is not None
    return document.image_path


def _holds_data(image: Any) -> bool:
    return kind_of(image.part, image.layer) != IMAGE


def _detail(part: Any) -> str:
    """Describe what the screen does not show, and chromaticities in the header that led to no space."""
    clipped = "Values above 1 are clipped on the screen."
    if CHROMATICITIES not in part.metadata:
        return clipped
    named = primaries_text(part.metadata[CHROMATICITIES])
    stated = f"states {named}, which the config can't convert" if named else "has invalid chromaticities"
    return f"{clipped} Its header {stated}."
