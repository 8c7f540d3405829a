"""A canvas with the services of a window, without the window: nothing is computed, which tests of tools don't need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.canvas.canvas import Canvas
from app.model.document import Document
from app.services.engine_calls import Services
from app.workspace import Workspace
from engine.errors import UnsupportedFile
from engine.io.manifests import Manifest
from engine.io.planes import PickedObject
from tests.app.conftest import HEIGHT, WIDTH, make_image
from tests.app.fakes import FakeExecutor


@dataclass
class Bench:
    """The canvas, its workspace and the document that it shows."""

    workspace: Workspace
    planes: FakePlanes

    @property
    def canvas(self) -> Canvas:
        return self.workspace.canvas

    @property
    def document(self) -> Document:
        return self.workspace.document


class FakePlanes:
    """Objects in columns of 64 pixels: a hero, a sky and one without a name; each layer has its own IDs."""

    def __init__(self) -> None:
        self.moved = 0
        names = ("hero/body", "hero/he*d", "sky")
        self.manifests = {
            layer: Manifest(names, np.array([base, base + 9, base + 1], np.uint32))
            for layer, base in (("CryptoObject", 100), ("CryptoAsset", 200))
        }

    def manifest(self, layer: str) -> Manifest:
        if layer not in self.manifests:
            raise UnsupportedFile(Path("ramp.exr"), f"has no Cryptomatte layer '{layer}'", "choose another layer")
        return self.manifests[layer]

    def pick(self, layer: str, x: int, y: int, level: int = 0) -> tuple[PickedObject, ...]:
        manifest = self.manifest(layer)
        if y >= 100:
            return ()
        id = int(manifest.ids.min()) + (x + self.moved) // 64
        return (PickedObject(id, manifest.names_of(id), 0.75), PickedObject(7, (), 0.25))


@pytest.fixture
def bench(qtbot: Any, image_file: Path) -> Iterator[Bench]:
    """A canvas that shows a grey frame of the ramp."""
    planes = FakePlanes()
    services = Services(
        read_image=make_image,
        create_executor=lambda _name, _threads: FakeExecutor(),
        backends=list,
        plane_reader=lambda _image: planes,  # type: ignore[arg-type, return-value]
        cryptomatte_objects=lambda _info, _part: planes.manifests,
    )
    made = Bench(Workspace(services), planes)
    qtbot.addWidget(made.canvas)
    assert made.workspace.matte_tools, "a window creates them after its first image"
    made.canvas.resize(900, 600)
    made.canvas.show()
    made.document.set_image(make_image(image_file), image_file)
    frame = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    frame.fill(0xFF808080)
    made.canvas.show_frame(frame, (0.0, 0.0, float(WIDTH), float(HEIGHT)))
    yield made
    made.workspace.close()
    made.workspace.deleteLater()


@pytest.fixture
def calm(bench: Bench) -> Bench:
    """One that does not snap."""
    bench.workspace.matte_tools.snapping.set(False)
    return bench
