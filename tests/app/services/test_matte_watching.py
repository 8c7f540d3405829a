"""Other files that mattes read, written again while the image is open: images, and manifests of Cryptomatte layers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from app.model.comparison_target import VersionTarget
from app.shell.main_window import MainWindow
from engine import Grade, Layer, ops
from engine.mattes import Cryptomatte, Ellipse, ImageMatte, Leaf, Matte
from tests.app.conftest import end, looked_again
from tests.app.services.test_reload import quick as quick
from tests.engine.io.cryptomatte_files import layer, write_layers

SIZE = WIDTH, HEIGHT = 61, 47


def write_matte(path: Path, value: float) -> Path:
    """Write a matte in the place of the one before, as careful programs do."""
    new = path.with_name("new.exr")
    plane = np.full((HEIGHT, WIDTH), value, np.float32)
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, {"Y": plane}).write(str(new))
    new.replace(path)
    return path


@pytest.fixture
def plate(tmp_path: Path) -> Path:
    """An image with a Cryptomatte layer, whose manifest is a file beside it."""
    crypto = layer(size=SIZE)
    (tmp_path / "names.json").write_text(json.dumps({"nobody": "00000001"}))
    kept = {name: value for name, value in crypto.metadata().items() if not name.endswith("/manifest")}
    prefix = next(iter(kept)).rpartition("/")[0]
    kept[f"{prefix}/manif_file"] = "names.json"
    path = write_layers(tmp_path / "plate.exr", [crypto])
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = {name: channel.pixels.copy() for name, channel in file.parts[0].channels.items()}
    channels |= {name: np.full((HEIGHT, WIDTH), 0.18, np.float16) for name in "RGB"}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION} | kept, channels).write(str(path))
    return path


@pytest.fixture
def real(plate: Path, qtbot: Any) -> Iterator[MainWindow]:
    """A window with the engine itself, which shows that image."""
    window = MainWindow("cpu")
    qtbot.addWidget(window)
    window.show()
    window.files.open_image(plate)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    yield window
    end(window)


class Frames:
    """The newest exact frame that is shown."""

    def __init__(self, window: MainWindow) -> None:
        self.mean = -1.0
        window.preview.frame.connect(self._take)

    def _take(self, image: Any, request: Any) -> None:
        if request.exact:
            pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
            self.mean = float(pixels[:, : image.width(), :3].mean())


def with_matte(window: MainWindow, source: Any) -> None:
    window.document.open_grade(Grade([Layer(ops.Exposure(3.0), matte=Matte(Leaf(source)))]), None)


def watched(window: MainWindow) -> set[Path]:
    return set(window.workspace.disk._files.get("files of mattes", {}))


def test_an_image_matte_that_is_written_again_is_shown(real: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    path, frames = write_matte(tmp_path / "matte.exr", 0.0), Frames(real)
    real.canvas.view_changed.emit()
    qtbot.waitUntil(lambda: frames.mean > 0.0)
    plain, frames.mean = frames.mean, -1.0
    with_matte(real, ImageMatte(str(path)))
    qtbot.waitUntil(lambda: watched(real) == {path} and frames.mean == plain)
    looked_again(real, qtbot)
    notes: list[str] = []
    real.workspace.messages.noted.connect(notes.append)
    write_matte(path, 1.0)
    qtbot.waitUntil(lambda: frames.mean > plain * 1.3)
    assert notes == ["matte.exr changed on disk and was read again"]
    assert real.document.steps == 1
    bright = frames.mean
    write_matte(path, 0.5)
    qtbot.waitUntil(lambda: plain * 1.1 < frames.mean < bright * 0.95)


def test_the_mattes_of_a_compared_version_are_watched(real: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    path, frames = write_matte(tmp_path / "matte.exr", 0.0), Frames(real)
    with_matte(real, ImageMatte(str(path)))
    number = real.document.keep_version("with matte").number
    real.document.open_grade(Grade(()), None)
    qtbot.waitUntil(lambda: watched(real) == set())
    real.workspace.set_view(compare="wipe", against=VersionTarget(number))
    qtbot.waitUntil(lambda: watched(real) == {path} and frames.mean > 0.0 and real.preview.idle)
    plain = frames.mean
    looked_again(real, qtbot)
    write_matte(path, 1.0)
    qtbot.waitUntil(lambda: frames.mean > plain * 1.1)
    real.workspace.set_view(compare="")
    qtbot.waitUntil(lambda: watched(real) == set())


def test_a_matte_that_is_missing_is_shown_once_it_is_there(real: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    frames = Frames(real)
    with_matte(real, ImageMatte(str(tmp_path / "later.exr")))
    qtbot.waitUntil(lambda: "later.exr" in real.bar.text and frames.mean > 0.0)
    plain = frames.mean
    looked_again(real, qtbot)
    write_matte(tmp_path / "later.exr", 1.0)
    qtbot.waitUntil(lambda: frames.mean > plain * 1.3)


def test_a_manifest_that_is_written_again_is_read(real: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    files = real.workspace.matte_editor.files
    qtbot.waitUntil(lambda: files.names("CryptoObject") == ("nobody",))
    with_matte(real, Cryptomatte("CryptoObject", ("everybody",)))
    frames = Frames(real)
    matte = Matte(Leaf(Cryptomatte("CryptoObject", ("everybody",))))
    qtbot.waitUntil(lambda: watched(real) == {tmp_path / "names.json"} and len(files.missing(matte)) == 1)
    qtbot.waitUntil(lambda: frames.mean > 0.0)
    plain = frames.mean
    looked_again(real, qtbot)
    crypto = layer(size=SIZE)
    most = max(crypto.manifest.values(), key=lambda id: crypto.coverage([int(id, 16)]).sum())
    (tmp_path / "names.json").write_text(json.dumps({"everybody": most}))
    qtbot.waitUntil(lambda: files.names("CryptoObject") == ("everybody",) and files.missing(matte) == [])
    qtbot.waitUntil(lambda: frames.mean > plain)


def test_only_mattes_of_other_files_are_watched(real: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    path, before = write_matte(tmp_path / "matte.exr", 0.5), real.document.image
    with_matte(real, ImageMatte(str(path)))
    qtbot.waitUntil(lambda: watched(real) == {path})
    with_matte(real, Ellipse())
    qtbot.waitUntil(lambda: watched(real) == set())
    write_matte(path, 1.0)
    looked_again(real, qtbot)
    assert real.document.image is before
    real.document.undo()  # what changed meanwhile counts
    qtbot.waitUntil(lambda: real.document.image is not before)
