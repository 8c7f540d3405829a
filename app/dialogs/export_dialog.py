"""The export sheet: destination, options and a summary of what will be written, added to the queue of exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.canvas.stage import Stage
from app.dialogs.export_buttons import ExportButtons
from app.dialogs.export_destination import ExportDestination
from app.dialogs.export_fields import ExportFields
from app.dialogs.export_form import ExportForm, Kind
from app.dialogs.export_known import known_values
from app.dialogs.export_movie_buttons import MovieButtons
from app.dialogs.export_presets import ExportPresets
from app.dialogs.export_status import ExportStatus, sentence
from app.dialogs.previewed_lut_choice import PreviewedLutChoice
from app.model.document import Document
from app.model.frame_names import may_be_pattern
from app.model.movie_options import is_movie_name
from app.model.option_table import PAGES
from app.render.preview import Preview
from app.services.colour_manager import Colour
from app.services.event_loop import turn_queue
from app.services.export_header import HeaderView
from app.services.export_options import ExportOrder, check, check_missing
from app.services.export_summary import space_of, summary
from app.services.export_targets import Targets, find_targets
from app.services.jobs import Jobs
from app.services.settings import Settings
from app.widgets.fold import Fold
from app.widgets.scrolling import scroll_area
from app.widgets.showing import push_button
from engine import Grade
from engine.errors import TesseraError
from engine.movies.movie_files import is_movie

UNFOLDED = "export_unfolded"
"""The setting with the names of the unfolded groups."""
METADATA = "Metadata"
LOOK_AFTER_MS = 200
"""Delay from the last edit to looking for existing files."""
OF_DISPLAYS = (".png", ".jpg", ".jpeg")
"""Suffixes of display-referred files. The dialog proposes the window's display and view for them."""


class ExportDialog(QDialog):
    """Asks for the options of an export, says what it will write and which files exist, and orders the export."""

    ordered = Signal(object)  # the ExportOrder to add to the queue

    def __init__(
        self,
        document: Document,
        colour: Colour,
        stage: Stage,
        preview: Preview,
        settings: Settings,
        jobs: Jobs,
        parent: QWidget | None = None,
        taken: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        """`taken` returns the targets of the exports that are not finished."""
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._document, self._colour, self._preview, self._settings = document, colour, preview, settings
        self._taken = taken
        colour.request_names()
        source = document.image_path or Path()
        self.source = QLineEdit(str(source), self)
        self.source.setAccessibleName("Source file")
        self.source.setToolTip("The image, a movie, or a sequence such as shot.####.exr")
        self._groups = QWidget(self)
        self._area = scroll_area(self._groups)
        self._area.setParent(self)
        self._area.setObjectName("exportGroups")
        known = known_values(document.image, colour.names, lambda: colour.shown[0])
        buttons = MovieButtons(self, jobs, lambda: Path(self.source.text()).parent)
        self.form = ExportForm(known, settings.get(UNFOLDED, [*PAGES[:1]], str), self._groups, buttons.beside)
        buttons.form = self.form
        self.presets = ExportPresets(self.form, settings, self)
        frame = document.place[1]
        self.form.set_values(self.presets.last | self._here() | ({} if frame is None else {"frames": str(frame)}))
        self.destination = ExportDestination(settings, source, self)
        self.target = self.destination.line
        self.previewed_lut = PreviewedLutChoice(stage)
        self.buttons = ExportButtons(jobs, "the graded image", self.reject, self._export)
        self.status = ExportStatus(self.buttons.answers, self)
        self.summary, self.line = self.status.summary, self.status.line
        self._looked = False  # whether the summary was made
        self._targets: Targets | None = None  # those of the current order, once they are known
        self.header = HeaderView(jobs)
        self.show_header = push_button(
            "Show the header", "Compare the header of the source with the one that will be written", self._show_header
        )
        self.metadata = Fold(METADATA, self._groups)
        self._timer = QTimer(self, singleShot=True, interval=LOOK_AFTER_MS)
        self._lay_out()
        self._connect()
        turn_queue().put(self, self._look_first)  # takes as long as half of this

    def _connect(self) -> None:
        for signal in (self.source.textChanged, self.target.textChanged, self.form.edited, self.previewed_lut.changed):
            signal.connect(self._edited)
        self._colour.changed.connect(self._describe)
        self._timer.timeout.connect(self._look)
        self.form.unfolded.connect(self._keep_unfolded)
        self.metadata.toggled.connect(self._unfold_header)
        self.presets.chosen.connect(lambda values: self.form.set_values(values | self._here() | self._frames()))
        for signal in (self.presets.said, self.header.said, self.buttons.said):
            signal.connect(self.status.say)
        self.buttons.found.connect(self._found)
        self.buttons.failed.connect(self.status.summarise)
        self.buttons.renamed.connect(self.destination.use_version)

    @property
    def filled(self) -> ExportFields:
        """What the fields contain."""
        return ExportFields(self.source.text(), self.target.text(), self.form.values, self.previewed_lut.choice)

    def fill(self, filled: ExportFields, line: str = "") -> None:
        """Fill the fields again; `line` says why."""
        self.source.setText(filled.source)
        self.destination.set_text(filled.target)
        self.form.set_values(filled.values)
        self.previewed_lut.choose(filled.with_lut)
        self.status.fail(line)

    def propose(self, source: Path, frames: str = "") -> None:
        """Export another source, such as a sequence with these `frames`, to the destination proposed for it."""
        self.source.setText(str(source))
        self.destination.propose(source)
        values = {name: value for name, value in self.form.values.items() if name != "frames"}
        self.form.set_values(values | ({"frames": frames} if frames else {}))

    def done(self, result: int) -> None:
        """Close the dialog and cancel its jobs."""
        self._timer.stop()
        self.header.stop()
        self.buttons.withdraw()
        super().done(result)

    # -- layout

    def _lay_out(self) -> None:
        fields = QGridLayout()
        fields.setHorizontalSpacing(8)
        fields.setVerticalSpacing(6)
        rows = (("&Image", self.source), ("&File", self.destination), ("P&reset", self.presets))
        for row, (text, editor) in enumerate(rows):
            label = QLabel(text)
            label.setBuddy({"&File": self.target, "P&reset": self.presets.box}.get(text, editor))
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            label.setContentsMargins(0, 4, 0, 0)
            fields.addWidget(label, row, 0)
            fields.addWidget(editor, row, 1)
        fields.addWidget(self.previewed_lut.label, 3, 0)
        fields.addWidget(self.previewed_lut, 3, 1)
        column = QVBoxLayout(self._groups)
        column.setContentsMargins(0, 0, 6, 0)
        column.setSpacing(2)
        column.addWidget(self.form)
        column.addWidget(self.metadata)
        column.addStretch(1)
        inside = QVBoxLayout(self.metadata.content)
        inside.setContentsMargins(20, 4, 2, 8)
        inside.addWidget(self.header)
        buttons = QHBoxLayout()
        buttons.addWidget(self.show_header)
        buttons.addStretch(1)
        buttons.addWidget(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(fields)
        column.addWidget(self._area, 1)
        column.addWidget(self.status)
        column.addLayout(buttons)
        self._order_focus()
        self.resize(660, 580)

    def _order_focus(self) -> None:
        """Let Tab go from the top to the groups of options, and from there to the buttons."""
        destination, presets, lut = self.destination, self.presets, self.previewed_lut
        fields = destination.line, destination.tokens, destination.browse, presets.box, presets.store, presets.forget
        for before, after in pairwise((self.source, *fields, lut.with_lut, lut.without_lut)):
            self.setTabOrder(before, after)

    # -- options

    def _here(self) -> dict[str, str]:
        """Return the window's device, and the part and layer that it shows if the file has several."""
        image = self._document.image
        found = {} if self._preview.backend == "auto" else {"backend": self._preview.backend}
        if image is not None and (len(image.info.parts) > 1 or len(image.part.layers) > 1):
            found["part"] = str(image.part.index)
            found |= {"layer": image.layer.name} if image.layer.name else {}
        return found

    def _frames(self) -> dict[str, str]:
        """Return the frames that were chosen, which a preset does not change."""
        return {name: value for name, value in self.form.values.items() if name == "frames"}

    @property
    def _is_sequence(self) -> bool:
        """Whether frames can be chosen: of a sequence, or of a movie."""
        return may_be_pattern(self.source.text().strip()) or is_movie(self.source.text().strip())

    @property
    def _kind(self) -> Kind:
        return Kind(self._is_sequence, is_movie_name(self.target.text().strip()))

    @property
    def _space(self) -> str:
        """The colour space that the grade ends in; '' if unknown."""
        managed = self._document.managed
        return managed.output if managed.converts else ""

    def _order(self) -> ExportOrder:
        """Return the export that the dialog describes. Raises TesseraError if it is not valid."""
        source, target = self.source.text().strip(), self.target.text().strip()
        if not source or not target:
            raise TesseraError("give the file a name", "such as {name}_graded.exr")
        values = self.form.given(self._kind)
        check(values)
        check_missing(self._document.grade, values)
        grade = self.previewed_lut.applied(self._document.grade)
        grade = Grade(grade.entries, self._colour.export_setup(self._document, grade, Path(source)))
        order = ExportOrder(Path(source), Path(target), grade, values)
        layer = values.get("layer") or (self._document.layer or "")
        space, frames = space_of(order, self._space), values.get("frames", "")
        return replace(order, target=self.destination.expand(Path(source), layer, space, frames))

    def _valid_order(self) -> ExportOrder | None:
        """Return the export, or None, with the reason in the status line, if it is not valid or not all is chosen."""
        try:
            order = self._order()
        except TesseraError as error:
            self.status.fail(str(error))
            return None
        if self.previewed_lut.question:
            self.status.fail(self.previewed_lut.question)
            return None
        return order

    # -- what is written

    def _look_first(self) -> None:
        """Say what will be written before anything is edited."""
        if not self._looked:
            self._edited()

    def _edited(self, _: object = None) -> None:
        """Withdraw the question about existing files, since the order has changed, and look again soon."""
        self._looked = True
        if self.buttons.asking or self.status.failed:
            self.status.say("")
        self.buttons.withdraw()
        self.form.show_for(self._kind)
        self._use_view_for_display()
        self._targets = None
        self._describe()
        self._timer.start()

    def _describe(self) -> None:
        """Say in plain words what will be written, as far as it is known."""
        try:
            order = self._order()
        except TesseraError as error:
            self.status.summarise(sentence(error))
            return
        if self._targets is not None:
            order = replace(order, target=self._targets.target)
        self.destination.show_path(order)
        image = self._document.image
        is_open = self._is_sequence or order.source == self._document.image_path
        space = space_of(order, self._space)
        self.status.summarise(summary(order, image if is_open else None, space, self._targets))

    def _found(self, targets: Targets) -> None:
        """Include the files that were looked for in the summary."""
        self._targets = targets
        self._describe()

    def _use_view_for_display(self) -> None:
        """Propose the window's view where the format is that of a display."""
        of_display = self._kind.movie or Path(self.target.text()).suffix.lower() in OF_DISPLAYS
        if of_display and "display" not in self.form.values and self._colour.managed.converts:
            display, view = self._colour.shown
            blocked = self.form.blockSignals(True)
            self.form.set_values(self.form.values | {"display": display, "view": view})
            self.form.blockSignals(blocked)
            self.status.say(f"Uses the window's view: {view} on {display}.")

    def _look(self) -> None:
        """Look for existing files, and ask about them if there are any."""
        try:
            order = self._order()
        except TesseraError:
            return  # it is said already
        self.buttons.watch(partial(find_targets, order, [*self._taken()]), self._put, self._more(order))

    def _export(self) -> None:
        self._look_first()
        self._timer.stop()
        order = self._valid_order()
        if order is not None:
            self.buttons.look(partial(find_targets, order, [*self._taken()]), self._put, self._more(order))

    @staticmethod
    def _more(order: ExportOrder) -> str:
        """Return what to add to the explanation of Replace."""
        return " if they are incomplete, outdated or made with other options" if order.options.get("resume") else ""

    def _put(self, targets: Targets, existing: str) -> None:
        """Order the export; it may only do with the existing files in `targets` what the user agreed to."""
        order = self._valid_order()
        if order is None:
            return
        values = {**self.form.values}
        self.presets.keep_last({n: v for n, v in values.items() if n not in ("part", "layer", "frames")})
        self.destination.remember(order.source)
        order = replace(order, target=targets.target, existing=existing, sequence=targets.sequence)
        self.ordered.emit(order)
        self.accept()

    # -- header and groups

    def _show_header(self) -> None:
        order = self._valid_order()
        if order is not None:
            self.header.show_changes(replace(order, target=Path(str(order.target).replace("{version}", "v001"))))
            self.metadata.set_open(True)
            self.resize(max(self.width(), 760), max(self.height(), 640))

    def _unfold_header(self, shown: bool) -> None:
        if shown and not self.header.text.toPlainText():
            self._show_header()
        if shown:
            QTimer.singleShot(0, self.metadata, lambda: self._area.ensureWidgetVisible(self.metadata))

    def _keep_unfolded(self) -> None:
        self._settings.set(UNFOLDED, self.form.unfolded_groups)
