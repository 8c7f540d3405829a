"""Contact sheets: laid out in the dialog, and written as PNG and PDF, whole or not at all."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QFileDialog

from app.dialogs.contact_sheet import ContactSheetDialog
from app.model.contact_sheet import MARGIN, SheetOptions, fitted, pages
from app.services.sheet_painting import image_of_values, paint_page, pdf_bytes, png_page
from app.services.stills import FOLDER
from app.shell.main_window import MainWindow
from engine import ops
from engine.io import read_image
from tests.app.conftest import image
from tests.app.hands import LEFT
from tests.app.stills import write_still

RAMP = np.repeat(np.linspace(0.0, 1.0, 640, dtype=np.float32)[None, :, None], 3, -1).repeat(4, 0)


def painted(image: QImage) -> Any:
    def paint(painter: QPainter, page: Any) -> None:
        painter.drawImage(QRectF(72.0, 72.0, image.width(), image.height()), image)

    return paint


def test_a_png_keeps_16_bits(qapp: object) -> None:
    options = SheetOptions(paper="Grey")
    page = png_page(pages(options, 1, 2.0), options, 72, painted(image_of_values(RAMP)))
    codes = np.frombuffer(page.constBits(), np.uint16).reshape(page.height(), page.bytesPerLine() // 8, 4)
    np.testing.assert_array_equal(codes[73, 72 : 72 + 640, 0], np.round(RAMP[0, :, 0] * 65535.0))
    assert tuple(codes[0, 0, :3]) == (0x7676,) * 3


def test_a_pdf_has_pages_of_its_size_and_exact_images(qapp: object) -> None:
    options = SheetOptions("Letter, portrait", 2, "Title")
    found = pages(options, 9, 16 / 9)
    shown = image_of_values(RAMP)

    def paint(painter: QPainter, page: Any) -> None:
        paint_page(painter, page, options, lambda _: shown, [["name", "about"]] * 9, [160.0] * 9)

    data = pdf_bytes(found, options, 150, paint)
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    assert re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)[-1] == (b"612.000000", b"792.000000")
    assert int(re.findall(rb"/Count (\d+)", data)[0]) == len(found) == 2
    header = rb"/Subtype /Image\n/Width 640\n/Height 4\n.*?/Filter /FlateDecode.*?stream\n(.*?)endstream"
    stream = re.search(header, data, re.DOTALL)
    assert stream is not None
    samples = np.frombuffer(zlib.decompressobj().decompress(stream[1]), np.uint8)
    samples = samples.reshape(4, 640, -1)[..., 0]
    assert np.abs(samples.astype(float) - RAMP[..., 0] * 255.0).max() <= 1.0


@pytest.fixture
def dialog(opened: MainWindow, tmp_path: Path, qtbot: Any) -> ContactSheetDialog:
    """The dialog with three open images, of which one is brighter."""
    for name in ("b.exr", "c.exr"):
        opened.files.open_image(image(tmp_path, name))
        qtbot.waitUntil(lambda: opened.document.image is not None)
    opened.document.edit_entry(0, ops.Exposure(-1.0), "exposure")
    opened.workspace.settings.set("contact_sheet", {"what": 1})
    opened.actions_by_name["contact_sheet"].trigger()
    shown = opened.findChild(ContactSheetDialog)
    assert shown is not None
    qtbot.waitUntil(lambda: bool(shown._sheets.items) and not shown._sheets.missing)
    return shown


def save(dialog: ContactSheetDialog, button: Any, path: Path, qtbot: Any) -> None:
    qtbot.mouseClick(button, LEFT)
    chooser = next(each for each in dialog.findChildren(QFileDialog) if each.isVisible())
    chooser.fileSelected.emit(str(path))
    chooser.reject()


def test_the_images_are_laid_out_as_chosen(
    dialog: ContactSheetDialog, opened: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    assert [item.name for item in dialog._sheets.items] == ["ramp.exr", "b.exr", "c.exr"]
    assert dialog.status.text() == "3 images" and dialog.number.text() == "Page 1 of 1"
    dialog.columns.setValue(1)
    assert dialog.number.text() == "Page 1 of 3" and not dialog.back.isEnabled()
    qtbot.mouseClick(dialog.next, LEFT)
    assert dialog.view.page == 1 and dialog.number.text() == "Page 2 of 3"
    means = [np.mean(_bytes(dialog._sheets.image(n))) for n in range(3)]
    assert means[2] < means[1] == means[0]
    dialog.view.grab()
    stills_layers_and_versions(dialog, opened, tmp_path, qtbot)


def _bytes(image: QImage | None) -> Any:
    assert image is not None
    return np.frombuffer(image.constBits(), np.uint16).reshape(image.height(), -1, 4)[..., :3]


def test_a_png_has_the_graded_images(
    dialog: ContactSheetDialog, opened: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    target = tmp_path / "sheet.png"
    dialog.dpi.setCurrentIndex(0)
    save(dialog, dialog.png, target, qtbot)
    qtbot.waitUntil(target.exists)
    pixels = read_image(target).pixels
    options = dialog.options
    cells = pages(options, 3, 192 / 108)[0].cells
    assert pixels.shape[1] == round(options.size[0] * 100 / 72)
    assert pixels.shape[0] == round((pages(options, 3, 192 / 108)[0].bottom + MARGIN) * 100 / 72)
    middles = []
    for cell in cells:
        x, y, width, height = fitted(cell.field, 192 / 108)
        middles.append(pixels[round((y + height / 2) * 100 / 72), round((x + width / 2) * 100 / 72), :3])
    plain = 1.055 * np.array([0.5, 0.5, 0.25]) ** (1 / 2.4) - 0.055
    dark = 1.055 * np.array([0.25, 0.25, 0.125]) ** (1 / 2.4) - 0.055
    np.testing.assert_allclose(middles, [plain, plain, dark], atol=0.01)
    a_pdf_is_written_and_a_failure_leaves_nothing(dialog, opened, tmp_path, qtbot)


def a_pdf_is_written_and_a_failure_leaves_nothing(
    dialog: ContactSheetDialog, opened: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    lines: list[str] = []
    opened.workspace.messages.warned.connect(lambda each: lines.append(each.text))
    save(dialog, dialog.pdf, tmp_path / "gone" / "sheet.pdf", qtbot)
    qtbot.waitUntil(lambda: bool(lines))
    assert "sheet.pdf: its folder does not exist" in lines[0]
    save(dialog, dialog.pdf, tmp_path / "sheet", qtbot)
    qtbot.waitUntil((tmp_path / "sheet.pdf").exists)
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF-")
    (tmp_path / "b.exr").unlink()
    dialog.columns.setValue(2)
    save(dialog, dialog.png, tmp_path / "other.png", qtbot)
    qtbot.waitUntil(lambda: len(lines) == 2)
    assert "b.exr" in lines[1] and not [each for each in tmp_path.iterdir() if "other" in each.name]


def stills_layers_and_versions(dialog: ContactSheetDialog, opened: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    folder = tmp_path / "stills"
    folder.mkdir()
    write_still(folder / "day.exr", "1", note="ours")
    opened.workspace.settings.set(FOLDER, str(folder))
    dialog.what.setCurrentIndex(0)
    dialog.what.activated.emit(0)
    qtbot.waitUntil(lambda: [item.note for item in dialog._sheets.items] == ["ours"])
    dialog.what.setCurrentIndex(2)
    dialog.what.activated.emit(2)
    assert "diffuse" in [item.name for item in dialog._sheets.items]
    dialog.what.setCurrentIndex(3)
    dialog.what.activated.emit(3)
    assert dialog._sheets.items == [] and "no versions" in dialog.view.hint and not dialog.pdf.isEnabled()
    dialog.view.grab()
