"""The matte of a card of the Grade panel: the button in its title row, and the section that it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QApplication

from app.panels.cards import Card
from app.panels.mattes.menus import show_sources
from app.panels.mattes.section import MatteSection
from app.services.matte_editor import MatteEditor
from app.services.matte_thumbnails import SIZE, MatteThumbnails
from app.services.view_options import ViewOptions
from app.widgets.gradual import Gradual
from app.widgets.small_buttons import icon_button
from app.widgets.style import icon
from engine.core.records import dataclass
from engine.grade.entries import mixes


@dataclass(frozen=True)
class MatteServices:
    """What the mattes of cards use."""

    document: Callable[[], QObject]
    """Returns the current document."""
    view: ViewOptions
    editor: MatteEditor
    thumbnails: MatteThumbnails
    actions: Mapping[str, QAction]


class CardMatte(QObject):
    """Adds the matte to a card. The button adds the first source, then shows the section or hides it."""

    def __init__(self, card: Card, uses: MatteServices, index: Callable[[], int], select: Callable[[], object]) -> None:
        """`index` returns the index of the entry, and `select` makes it the current one."""
        super().__init__(card)
        self._card, self._uses, self._index, self._select = card, uses, index, select
        self._had_matte = card.layer.matte is not None
        self._shown: object = None  # the thumbnail on the button
        self._section: MatteSection | None = None
        self._made: MatteSection | None = None  # the section, before it is added to the card
        self._making = Gradual(self._make_section, self)
        self.button = icon_button("matte", "", f"Matte of {card.name}")
        self.button.setObjectName("matteButton")
        self.button.setFixedWidth(SIZE[0] + 6)
        self.button.setCheckable(True)
        self.button.clicked.connect(self._click)
        card.add_to_head(self.button)
        card.layer_shown.connect(self._follow_layer)
        card.title.toggled.connect(self.show)
        editor = uses.editor
        for signal in (editor.selection.changed, editor.files.changed, uses.view.changed, uses.thumbnails.changed):
            signal.connect(self.show)
        self.show()

    @property
    def section(self) -> MatteSection | None:
        """The section, which is made in turns of the event loop of its own, or now; None until it is first shown."""
        self._making.finish()
        return self._section

    @property
    def is_open(self) -> bool:
        """Whether the section is shown while the card is open."""
        return self.button.isChecked()

    def open(self, opened: bool) -> None:
        """Show the section, and open the card for it, or hide it."""
        self.button.setChecked(opened)
        if opened:
            self._card.open()
        self.show()

    def show(self, *_: object) -> None:
        """Show the matte as it is now."""
        if self._card.is_spare:
            return
        matte, layer = self._card.layer.matte, self._card.layer
        self.button.setVisible(mixes(layer.entry))
        lines = self._uses.editor.files.missing(matte) if matte is not None else []
        self._show_button(lines)
        if matte is None:
            self.button.setChecked(False)
        wanted = matte is not None and self.is_open and self._card.is_open
        section = self._section
        if section is not None:
            self._keep_focus(section, wanted)
            section.setVisible(wanted)
        if not wanted or matte is None:
            self._making.stop()
            return
        if section is None:
            self._making.start()
            return
        selection = self._uses.editor.selection
        is_current, fitted = self._is_current, selection.fitted(matte)
        if is_current and fitted != selection.matte:
            return  # the grade has changed, and the card, which follows it later than the selection, is shown then
        node = selection.node if is_current else None
        shown_as = self._uses.view.state.matte if is_current else ""
        picking = is_current and selection.picking
        section.show_matte(fitted, node, shown_as, picking)
        section.show_missing(lines)

    def _make_section(self) -> bool:
        """Make the section, then, in the next call, add it to the card; return False once that is done."""
        if self._card.is_spare:
            return False
        if self._made is None:
            self._made = MatteSection(self._card.name, self._uses.editor, self._uses.actions)
            return True
        self._section, self._made = self._made, None
        section = self._section
        section.reached.connect(self._select)
        section.marks_added.connect(self._card.take_marks)
        self._card.take_marks(section.marks)
        self._card.keys_shown.connect(section.show_keys)
        section.show_keys(*self._card.keys)
        self._card.add_section(section)
        section.show()
        self.show()
        return False

    def _keep_focus(self, section: MatteSection, shown: bool) -> None:
        """Give the focus to the title of the card before a section that has it is hidden, so that keys still work."""
        focus = QApplication.focusWidget()
        if not shown and focus is not None and section.isAncestorOf(focus):
            self._card.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow_layer(self) -> None:
        """Open the section when the entry gets its first source."""
        has_matte = self._card.layer.matte is not None
        if has_matte and not self._had_matte and self._is_current:
            self.button.setChecked(True)
        self._had_matte = has_matte
        self.show()

    @property
    def _is_current(self) -> bool:
        return self._uses.editor.selection.is_current(self._index())

    def _click(self, opened: bool) -> None:
        if self._card.layer.matte is not None:
            self.open(opened)
            return
        self.button.setChecked(False)
        self._select()
        show_sources(self._card, self._uses.actions, self.button.mapToGlobal(self.button.rect().bottomLeft()))

    def _show_button(self, missing: list[str]) -> None:
        matte, name = self._card.layer.matte, self._card.name
        image = self._uses.thumbnails.image(self._uses.document(), self._card.path, matte) if matte else None
        shown = "warning" if missing else image if image is not None else "matte" if matte else "matte-none"
        if shown is not self._shown:
            self._shown = shown
            is_icon, ratio = isinstance(shown, str), self.button.devicePixelRatioF()
            self.button.setIcon(icon(shown) if isinstance(shown, str) else _scaled(shown, ratio))
            self.button.setIconSize(QSize(14, 14) if is_icon else QSize(*SIZE))
        if matte is None:
            self.button.setToolTip(f"Add a matte to {name}: apply it to a part of the image (Ctrl+M)")
        else:
            self.button.setToolTip("\n".join([f"Matte of {name}: show or hide its sources", *missing]))


def _scaled(image: QImage, ratio: float) -> QIcon:
    """Return a thumbnail as an icon for a screen of this density."""
    pixmap = QPixmap.fromImage(image).scaled(
        round(SIZE[0] * ratio),
        round(SIZE[1] * ratio),
        Qt.AspectRatioMode.KeepAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    pixmap.setDevicePixelRatio(ratio)
    return QIcon(pixmap)
