"""States of a movie: at a frame, without colour tags, and in the export sheet."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.dialogs.export_dialog import ExportDialog
from app.shell.empty_state import SAMPLE
from engine import ops
from engine.io import read_image
from tools.screenshots.window import Shown

FRAMES = 30


def movie(shown: Shown) -> None:
    """A graded frame of a movie with timecode."""
    shown.open(_made(shown.folder, (1, 1, 1)))
    player = shown.workspace.player
    shown.until(lambda: player.clip is not None)
    player.go(12)
    shown.until(lambda: shown.window.document.frame == 12)
    shown.window.document.edit(shown.window.document.grade.with_entry(0, ops.Exposure(0.4)), "exposure")
    shown.workspace.show_panel("probe")
    shown.wait()


def movie_untagged(shown: Shown) -> None:
    """A movie that states no colour space: the window asks."""
    shown.open(_made(shown.folder, None))
    shown.until(lambda: shown.workspace.player.clip is not None)
    shown.wait()


def movie_export(shown: Shown) -> None:
    """The export sheet for the frame of a movie."""
    movie(shown)
    shown.do("export")
    sheet = shown.dialog(ExportDialog)
    shown.wait()
    shown.spin(0.6)
    window = shown.window
    sheet.move(window.mapToGlobal(window.rect().center()) - sheet.rect().center())


def _made(folder: Path, tags: tuple[int, int, int] | None) -> Path:
    """A movie of the sample, which moves to the left."""
    import av

    path = folder / "sc010_0040_plate_v003.mov"
    light = read_image(SAMPLE).pixels[..., :3].astype(np.float32).clip(0.0, 1.0) ** (1.0 / 2.4)
    pixels: NDArray[np.uint8] = np.round(255.0 * light).astype(np.uint8)
    with av.open(str(path), "w") as file:
        stream = file.add_stream("prores_ks", rate=Fraction(24000, 1001))
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = "yuv422p10le"
        stream.metadata["timecode"] = "01:02:03:04"
        for number in range(FRAMES):
            rolled = np.ascontiguousarray(np.roll(pixels, -8 * number, 1))
            frame = av.VideoFrame.from_ndarray(rolled, "rgb24").reformat(format="yuv422p10le", dst_colorspace="ITU709")
            frame.pts = number
            if tags is not None:
                frame.color_primaries, frame.color_trc, frame.colorspace = tags
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
    return path


STATES: dict[str, Callable[[Shown], None]] = {
    "movie": movie,
    "movie_untagged": movie_untagged,
    "movie_export": movie_export,
}
