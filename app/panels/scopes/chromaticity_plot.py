"""The chromaticity diagram: the trace, the spectral locus, gamuts and white points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from app.panels.scopes.graticule import FIELD, LABEL_HEIGHT, LINE, NAME, NUMBER, STRONG, TOP, paint_name
from app.panels.scopes.plots import ScopePlot
from app.panels.scopes.scope_settings import DRAWN, Trace
from app.panels.scopes.traces import as_image, diagram_ground, diagram_trace
from engine.core.colorimetry import PRIMARIES
from engine.core.known_primaries import WHITES
from engine.core.spectral_locus import FIRST_NM, LOCUS, STEP_NM
from engine.viewing.diagram import Diagram
from engine.viewing.scopes import ScopeReading

COLOURS = {
    "rec709": QColor("#f0f0f0"),
    "p3d65": QColor("#f2b866"),
    "rec2020": QColor("#79bdf2"),
    "ap1": QColor("#c79bf2"),
    "ap0": QColor("#f294b4"),
    "working": QColor("#9bd9a0"),
    "display": QColor("#d8d890"),
}
"""The colours of gamuts, keys of DRAWN."""
NEEDLESS = "The config has no conversion to CIE XYZ."
WAVELENGTHS = (460, 480, 500, 520, 540, 560, 580, 600, 620, 700)
POINTS = ("D65", "D50", "A", "DCI", "E", "ACES")
"""The white points, keys of WHITES; names that would touch one before are left out."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Distances of the ticks of an axis, of which the first is taken that leaves TICK pixels between them."""
TICK = 30.0
AXIS_LEFT, AXIS_BOTTOM, EDGE = 30, 17, 8
LEGEND, LEGEND_ROW = 92, 13
"""Width of the names of gamuts, and height of each, in pixels."""
NAMED = 230
"""Height of the diagram in pixels from which on wavelengths are written."""


class ChromaticityPlot(ScopePlot):
    """Chromaticity diagram: x or u' to the right, y or v' upwards."""

    LINES = ()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self.diagram = Diagram()
        """The diagram on screen: that of the choices, once it is read."""

    def _follow_choices(self) -> None:
        own, read = self.choices.shown_diagram(self.gamut), self.reading.options.diagrams if self.reading else ()
        if own in read or self.diagram not in read:
            self.diagram = own

    def field(self) -> QRectF:
        area = self._area()
        side = min(area.width(), area.height())
        free = area.width() - side - (LEGEND if self._has_legend_beside() else 0)
        return QRectF(area.left() + free / 2, area.center().y() - side / 2, side, side)

    def place(self, coordinates: Sequence[float]) -> QPointF:
        """Return the position of coordinates of the diagram in the widget."""
        (across, up), extent = self.diagram.frame
        field = self.field()
        scale = field.width() / (2.0 * extent)
        return field.center() + QPointF((coordinates[0] - across) * scale, (up - coordinates[1]) * scale)

    def gamuts(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield the shown gamuts and the coordinates of their red, green and blue: keys of DRAWN, and six numbers."""
        of_image = {} if self.reading is None else dict(self.reading.gamuts)
        for name in DRAWN:
            known = PRIMARIES.get(name) or of_image.get(name, ())
            if known and (name in self.choices.diagram.gamuts or name == self.gamut):
                yield name, tuple(self.diagram.places(self.diagram.adapted(known)).ravel().tolist()[:6])

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(AXIS_LEFT, TOP, -EDGE, -AXIS_BOTTOM)

    def _has_legend_beside(self) -> bool:
        area = self._area()
        return area.width() - min(area.width(), area.height()) >= LEGEND

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        counts = reading.chromaticity_in(self.diagram)
        if counts is None:
            return None
        return as_image(diagram_trace(reading, counts, self.diagram, trace, self.pixels(self.field())))

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        self._paint_axes(painter, field)
        painter.setClipRect(field)
        self._paint_locus(painter, field)
        if self._image is not None:
            self.paint_trace(painter, field, self._image)
        elif self.reading is not None and self.reading.chromaticity is None:
            painter.setPen(NUMBER)
            painter.drawText(field, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, NEEDLESS)
        shown = list(self.gamuts())
        for name, corners in shown:
            self._paint_gamut(painter, name, corners)
        self._paint_whites(painter)
        painter.setClipping(False)
        self._paint_legend(painter, field, [name for name, _ in shown])

    def _paint_axes(self, painter: QPainter, field: QRectF) -> None:
        """Paint ticks with numbers along the left and the lower edge."""
        (across, up), extent = self.diagram.frame
        step = next((each for each in STEPS if each / (2.0 * extent) * field.width() >= TICK), STEPS[-1])
        digits, right = (2 if step < 0.1 else 1), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        names = ("x", "y") if self.diagram.coordinates == "xy" else ("u′", "v′")
        for middle, is_up in ((across, False), (up, True)):
            for n in range(math.ceil((middle - extent) / step), math.floor((middle + extent) / step) + 1):
                at = self.place((across, n * step) if is_up else (n * step, up))
                x, y = (field.left(), at.y()) if is_up else (at.x(), field.bottom() - 1)
                painter.setPen(QPen(LINE, 1))
                painter.drawLine(QPointF(x, y), QPointF(x + 4, y) if is_up else QPointF(x, y - 4))
                painter.setPen(NUMBER)
                box = QRectF(0, y - 6, x - 3, LABEL_HEIGHT) if is_up else QRectF(x - 15, y + 3, 30, LABEL_HEIGHT)
                fits = TOP < y < field.bottom() - 22 if is_up else x < field.right() - 22
                if fits:
                    text = f"{n * step:.{digits}f}".replace("-", "−")
                    painter.drawText(box, right if is_up else Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(NAME)
        painter.drawText(QRectF(field.right() - 16, field.bottom() + 2, 16, LABEL_HEIGHT), right, names[0])
        painter.drawText(QRectF(0, field.bottom() - 16, field.left() - 3, LABEL_HEIGHT), right, names[1])

    def _paint_locus(self, painter: QPainter, field: QRectF) -> None:
        """Paint the spectral locus and the purple line, with the colours inside if chosen."""
        points = [self.place(each) for each in self.diagram.places(np.ravel(LOCUS).tolist()).tolist()]
        outline = QPolygonF(points)
        if self.choices.diagram.background:
            inside = QPainterPath()
            inside.addPolygon(outline)
            painter.save()
            painter.setClipPath(inside, Qt.ClipOperation.IntersectClip)
            painter.drawImage(field, as_image(diagram_ground(self.diagram)))
            painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(STRONG, 1.2))
        painter.drawPolygon(outline)
        if field.height() >= NAMED and not self.diagram.zoom:
            middle = self.place(self.diagram.places(WHITES["D65"])[0].tolist())
            for wavelength in WAVELENGTHS:
                at = points[(wavelength - FIRST_NM) // STEP_NM]
                outwards = at - middle
                away = 13.0 / math.hypot(outwards.x(), outwards.y())
                painter.setPen(NUMBER)
                label = at + outwards * away
                box = QRectF(label.x() - 14, label.y() - 6, 28, LABEL_HEIGHT)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(wavelength))

    def _paint_gamut(self, painter: QPainter, name: str, corners: tuple[float, ...]) -> None:
        chosen = name == self.gamut
        style = Qt.PenStyle.DashLine if name not in PRIMARIES else Qt.PenStyle.SolidLine
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(COLOURS[name], 2.2 if chosen else 1.2, style))
        painter.drawPolygon(QPolygonF([self.place(corners[at : at + 2]) for at in (0, 2, 4)]))

    def _paint_whites(self, painter: QPainter) -> None:
        """Paint a cross at neutral, and other whites if chosen."""
        neutral = self.diagram.neutral
        middle = self.place(self.diagram.places(WHITES[neutral])[0].tolist())
        painter.setPen(QPen(NAME, 1.2))
        painter.drawLine(middle - QPointF(5, 0), middle + QPointF(5, 0))
        painter.drawLine(middle - QPointF(0, 5), middle + QPointF(0, 5))
        if not self.choices.diagram.whites:
            return
        named: list[tuple[float, float]] = []
        for name in POINTS:
            at = self.place(self.diagram.places(WHITES[name])[0].tolist())
            painter.setPen(QPen(NAME, 1))
            if name != neutral:
                painter.drawEllipse(at, 2.0, 2.0)
            if self.field().height() >= NAMED and all(abs(at.x() - x) > 34 or abs(at.y() - y) > 13 for x, y in named):
                named.append((at.x(), at.y()))
                paint_name(painter, at + QPointF(18, 0), name, NAME)

    def _paint_legend(self, painter: QPainter, field: QRectF, names: list[str]) -> None:
        """Paint the names of the gamuts beside the diagram, or in its upper right corner."""
        left = field.right() + 8 if self._has_legend_beside() else field.right() - LEGEND + 6
        for number, name in enumerate(names):
            y = field.top() + 4 + (number + 0.5) * LEGEND_ROW
            painter.setPen(QPen(COLOURS[name], 2))
            painter.drawLine(QPointF(left, y), QPointF(left + 10, y))
            painter.setPen(NAME if name == self.gamut else NUMBER)
            box = QRectF(left + 14, y - LEGEND_ROW / 2, LEGEND, LEGEND_ROW)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, DRAWN[name])
