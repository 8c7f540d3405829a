"""The page of the Match panel that matches the image to a reference."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QMenu

from app.model.file_kinds import IMAGE_FILTER
from app.panels.match.area_view import AreaView
from app.panels.match.page import MatchPage, caption
from app.panels.picker import Picker, add_choice
from app.services.match_references import MatchReferences, image_of
from app.services.match_work import MatchImage
from app.services.matching import IMAGE, REFERENCE, Matching
from app.widgets.choice_box import ChoiceBox
from app.widgets.frame_field import FrameField
from app.widgets.showing import ask, push_button
from engine.matching import METHODS

CHOOSE = "Choose a reference: another open image, a still, a frame or a file."
LINES = {
    "none": "The match is shown on the image, and added to the grade by Apply.",
    "busy": "Matching colours…",
    "there": "Shown on the image. Apply adds it to the grade as a group of ops.",
}


class ImagePage(MatchPage):
    """Chooses reference, areas, method and strength."""

    def __init__(self, matching: Matching, references: MatchReferences) -> None:
        super().__init__("match")
        self._matching, self._references = matching, references
        self.image, self.other = AreaView("Image", "Area of the image"), AreaView("Reference", "Area of the reference")
        self.reference = Picker("Reference", "The image with the colours to match", self._fill)
        titles = tuple(each.title for each in METHODS.values())
        self.method = ChoiceBox(
            titles, "Method", "How colours are matched, from the most conservative method to the closest match"
        )
        for number, each in enumerate(METHODS.values()):
            self.method.setItemData(number, each.about, Qt.ItemDataRole.ToolTipRole)
        self.frame = FrameField("Reference frame", "A frame of this sequence, with its grade, as the reference.")
        self.frame_label = QLabel("&Frame")
        self.frame_label.setBuddy(self.frame)
        self.apply = push_button("Apply", "Add the match to the end of the grade, as one undo step", matching.apply)
        self.cancel = push_button("Cancel", "Show the image without the match, and clear the reference", matching.clear)
        self._lay_out()
        self.image.area_changed.connect(partial(matching.set_area, IMAGE))
        self.other.area_changed.connect(partial(matching.set_area, REFERENCE))
        self.method.activated.connect(lambda at: matching.set_method(list(METHODS)[at]))
        self.frame.edited.connect(self.choose_frame)
        self.strength.edited.connect(matching.set_strength)
        matching.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the match as it is."""
        matching, reference = self._matching, self._matching.reference
        image, reading, clip = matching.image, "Reading…", self._references.clip()
        for widget in (self.frame, self.frame_label):
            widget.setVisible(clip is not None)
        if clip is not None and reference is None:
            self.frame.show_frame(clip.shown)
        self.image.show_image(matching.small[IMAGE], matching.areas[IMAGE], reading if image else "No image is open.")
        self.other.show_image(matching.small[REFERENCE], matching.areas[REFERENCE], reading if reference else CHOOSE)
        self.reference.show_choice(reference.name if reference is not None else "None")
        self.method.setCurrentIndex(list(METHODS).index(matching.method))
        self.strength.set_number(matching.strength)
        state = "none" if reference is None else "busy" if matching.busy or not matching.ops else "there"
        self.line.setText(matching.problem or LINES[state])
        self.apply.setEnabled(state == "there" and not matching.problem)
        self.cancel.setEnabled(reference is not None)

    def choose_file(self, path: str) -> None:
        """Match a file."""
        self._matching.choose(self._references.of_file(Path(path)))

    # -- inside

    def _lay_out(self) -> None:
        column = self._column
        column.addWidget(self.image)
        column.addWidget(self.other)
        grid = QGridLayout()
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.frame_label, 1, 0)
        grid.addWidget(self.frame, 1, 1, Qt.AlignmentFlag.AlignLeft)
        for row, (text, control) in enumerate((("&Reference", self.reference), ("&Method", self.method))):
            grid.addWidget(caption(text, control), 2 * row, 0)
            grid.addWidget(control, 2 * row, 1)
        column.addLayout(grid)
        self._add_end(self.cancel, self.apply)
        column.addStretch(1)

    def _fill(self, menu: QMenu) -> None:
        references, chosen = self._references, self._matching.reference
        choose = self._matching.choose

        def add(into: QMenu, text: str, tip: str, image: MatchImage) -> None:
            add_choice(into, text, tip, image == chosen, lambda: choose(image))

        if references.shown().image_path is not None:
            own = image_of(references.shown())
            add(menu, "This image", "Another area of this image: draw both areas", own)
        for document in references.others():
            add(menu, document.name, f"{document.image_path}, with its own grade", image_of(document))
        stills = references.stills()
        if stills:
            inner = menu.addMenu("Stills")
            inner.setToolTipsVisible(True)
            for still in stills:
                add(inner, still.name, still.about, references.of_still(still))
        menu.addSeparator()
        menu.addAction("Choose a file…").triggered.connect(lambda _checked: self._browse())

    def _browse(self) -> None:
        dialog = QFileDialog(self.window(), "Choose a reference", "", IMAGE_FILTER)
        dialog.fileSelected.connect(self.choose_file)
        ask(dialog)

    def choose_frame(self, frame: int) -> None:
        """Match a frame of the current sequence."""
        clip = self._references.clip()
        if clip is not None:
            nearest = min(clip.frames, key=lambda each: abs(each - frame))
            self._matching.choose(self._references.of_frame(clip, nearest))
            self.frame.show_frame(nearest)
