"""The images of docs/texture.md: a part of the sample image after each filter, as the sRGB view shows it.

python -m tools.texture_images [DIR]    (default: resources/)
"""

from __future__ import annotations

from engine import ops
from engine.export.options import ExportOptions
from engine.kernel.op import Op
from tools.sample_images import folder_asked, write_images

CROP = "441,225,420,320"
"""The lantern and what is around it."""
NOISE = ops.Grain(0.25, 0.5, 1.0, 1.0, 1.5, 1.0, 0.4)
GRADES: dict[str, list[Op]] = {
    "before": [],
    "sharpen": [ops.Sharpen(3.0, 6.0, overshoot="limited")],
    "clarity": [ops.Clarity(0.8, 60.0)],
    "softened": [ops.Clarity(-1.0, 20.0, 0.7)],
    "bloom": [ops.Bloom(0.4, 2.0, 0.5, 240.0)],
    "halation": [ops.Halation(0.6, 2.5, 0.5, 50.0)],
    "grain": [ops.Grain(0.18, 1.6)],
    "noisy": [NOISE],
    "denoise": [NOISE, ops.Denoise(1.0, 1.3, 0.0, (0.004,) * 3, (0.08,) * 3)],
}
WHOLE: dict[str, list[Op]] = {
    "whole": [],
    "vignette": [ops.Vignette(1.5, 1.0, 0.9)],
    "fringes": [ops.ChromaticAberration(1.0, -0.8)],
}
"""Images of the whole frame, which show what happens in its corners."""


def main() -> None:
    folder = folder_asked(__doc__)
    write_images(folder, "texture", GRADES, ExportOptions(crop=CROP, force=True))
    write_images(folder, "texture", WHOLE, ExportOptions(resize=(426, 240), force=True))


if __name__ == "__main__":
    main()
