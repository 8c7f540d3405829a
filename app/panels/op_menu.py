"""A searchable menu of the operations that can be added to a grade, by category."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.model.search import rank
from app.widgets.style import MUTED, TEXT
from engine import ops
from engine.kernel.op import REGISTRY, ColorOp, Op, TableKind

CATEGORIES: dict[str, tuple[str, ...]] = {
    "Primary": (
        *("Exposure", "WhiteBalance", "Cdl", "Contrast", "FilmicContrast", "Saturation", "Vibrance"),
        *("GradingPrimary", "GradingTone"),
    ),
    "Zones": ("HdrWheels", "LogWheels", "Recovery", "SplitTone", "SixVector"),
    "Curves": ("GradingRgbCurve", "GradingHueCurve", "ColorWarp"),
    "Texture": ("Sharpen", "Clarity", "Denoise", "Bloom", "Halation", "Grain", "Vignette", "ChromaticAberration"),
    "Filter": ("Blur",),
    "Encoding": ("Log", "LogAffine", "LogCamera", "DoubleLog", "GammaLog", "Exponent", "ExponentWithLinear", "PqCurve"),
    "Colour": (
        "ChannelMixer",
        "Matrix",
        "Range",
        "CieCoordinates",
        "RgbHsv",
        "RgbHsy",
        "Rec2100Surround",
        "Premultiply",
    ),
}
"""Ops by category. ACES ops are found by their names, those of the user's are in OWN; all other ops are in `Other`."""
OWN = "Own"
CURVES: dict[type[Op], Callable[[], Op]] = {
    ops.GradingRgbCurve: ops.GradingRgbCurve.straight,
    ops.GradingHueCurve: ops.GradingHueCurve.neutral,
}
"""Curve ops, and functions that create them with neutral curves."""
STYLED = (ops.GradingHueCurve, ops.GradingPrimary, ops.GradingRgbCurve, ops.GradingTone)
"""Ops whose style depends on the image; a reset keeps it."""
_ROW, _SUFFIX = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class Offer:
    """An op that can be added without a file: its title, category and description."""

    kind: type[Op]
    title: str
    category: str
    about: str


def category_of(op: type[Op]) -> str:
    if op.own_source is not None:
        return OWN
    named = next((name for name, members in CATEGORIES.items() if op.__name__ in members), None)
    return named or ("ACES" if op.__name__.startswith("Aces") else "Other")


def offers() -> list[Offer]:
    """Return all ops that can be added without a file, sorted by category and title. LUTs come from files."""
    order = [*CATEGORIES, "ACES", OWN, "Other"]
    found = [
        Offer(op, op.title(), category_of(op), " ".join((op.__doc__ or "").split("\n\n")[0].split()))
        for op in REGISTRY.values()
        if can_be_made(op)
    ]
    return sorted(found, key=lambda offer: (order.index(offer.category), _place(offer), offer.title))


def _place(offer: Offer) -> int:
    members = CATEGORIES.get(offer.category, ())
    return members.index(offer.kind.__name__) if offer.kind.__name__ in members else 0


def ranked(offered: list[Offer], text: str) -> list[Offer]:
    """Return the ops that match a search text, best first."""
    found = [(rank(text, each.title, f"{each.category} {each.about}"), each) for each in offered]
    return [each for _, each in sorted((one for one in found if one[0] is not None), key=lambda one: one[0] or (0, 0))]


def can_be_made(op: type[Op]) -> bool:
    """Return whether an op has a default state: it is a curve op or the user's, or has no table and, if a filter, is
    neutral."""
    if op in CURVES or op.own_source is not None:
        return True
    if any(isinstance(kind, TableKind) for kind in op.kinds().values()):
        return False
    return issubclass(op, ColorOp) or op().is_identity()


def made(op: type[Op]) -> Op:
    """Create an op in its default state."""
    return CURVES.get(op, op)()


class SuffixDelegate(QStyledItemDelegate):
    """Paints the category of an item behind its title, muted."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        suffix = index.data(_SUFFIX)
        if suffix:
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setPen(QColor(TEXT if selected else MUTED))
            place = option.rect.adjusted(0, 0, -8, 0)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, suffix)


class OpMenu(QFrame):
    """A popup over the panel. Typing filters and ranks it; Up and Down select, Return adds, Escape closes."""

    chosen = Signal(object)  # the class of an op

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("opMenu")
        self._offers = offers()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search operations")
        self.search.setAccessibleName("Search operations")
        self.search.setToolTip("Type part of a name or description; Return adds the selected operation")
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Operations")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._take)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(SuffixDelegate(self.list))
        self._nothing = QLabel("No matching operation")
        self._nothing.setObjectName("hint")
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing)
        self.search.textChanged.connect(self._fill)
        self._fill("")

    def pop_up(self, bottom_left: QPoint, width: int, height: int) -> None:
        """Show the menu above a global position, with an empty search field."""
        if self._offers != (found := offers()):  # the user's own ops may be others now
            self._offers = found
            self._fill("")
        self.search.clear()
        self.resize(width, height)
        self.move(bottom_left.x(), bottom_left.y() - height)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def titles(self) -> list[str]:
        """Return the titles of the listed operations."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [item.text() for item in items if item.data(_ROW) is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self._step(1 if event.key() == Qt.Key.Key_Down else -1)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        self.list.clear()
        if text.strip():
            for offer in ranked(self._offers, text):
                self._add(offer).setData(_SUFFIX, offer.category)
        else:
            self._add_by_category()
        found = self.list.count() > 0
        self._nothing.setVisible(not found)
        self.list.setVisible(found)
        self.list.setCurrentRow(-1)
        self._step(1)

    def _add_by_category(self) -> None:
        category = ""
        for offer in self._offers:
            if offer.category != category:
                category = offer.category
                head = QListWidgetItem(category, self.list)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
            self._add(offer)

    def _add(self, offer: Offer) -> QListWidgetItem:
        item = QListWidgetItem(offer.title, self.list)
        item.setData(_ROW, offer.kind)
        item.setToolTip(f"{offer.about}\n{offer.category}")
        return item

    def _step(self, by: int) -> None:
        """Select the next operation in a direction; skip category headings."""
        row = self.list.currentRow() + by
        while 0 <= row < self.list.count():
            if self.list.item(row).data(_ROW) is not None:
                self.list.setCurrentRow(row)
                return
            row += by

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(_ROW) is not None:
            self.hide()
            self.chosen.emit(item.data(_ROW))


def default_of(op: Op) -> Op:
    """Return an op reset to its defaults. It keeps its style, the values it takes, and tables that come from a file."""
    defaults = {n: k.default for n, k in op.kinds().items() if not isinstance(k, TableKind)}
    new = made(type(op)) if type(op) in CURVES else op.replace(**defaults)
    new = new.in_style(op.style) if isinstance(op, STYLED) else new
    return new.replace(takes=op.takes) if isinstance(op, ops.GradingHueCurve) else new
