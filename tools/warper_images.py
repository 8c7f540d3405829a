"""The images of docs/warper.md: the sample image before and after colour warps, as the sRGB view shows it.

python -m tools.warper_images [DIR]    (default: resources/)
"""

from __future__ import annotations

from engine.export.options import ExportOptions
from engine.kernel.op import Op
from engine.ops import ColorWarp, HueLumaGrid
from engine.ops.warp_pins import Pin
from tools.sample_images import folder_asked, write_images

CROP = "560,150,400,380"
"""The vase, the lantern, and what stands before them."""
VASE, BALL = Pin(272.0, 35.0, -0.8, 232.0, 40.0, -0.8, 28.0), Pin(36.0, 65.0, 0.3, 64.0, 57.0, 0.3, 28.0)
GREY, SKIN = Pin(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 15.0), Pin(54.0, 29.0, 1.4, 54.0, 29.0, 1.4, 15.0)
NODES = {
    "hue_3": (12.0, 14.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -24.0, 0.0, 0.0),
    "saturation_3": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 40.0, 0.0, 0.0),
    "light_3": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.2, 0.0, 0.0),
}
GRADES: dict[str, list[Op]] = {
    "before": [],
    "pins": [ColorWarp.of(VASE, BALL, GREY, SKIN)],
    "lightness": [ColorWarp.of(VASE._replace(to_hue=255.0, to_lightness=0.6), GREY, SKIN, mode="3d")],
    "grid": [HueLumaGrid(**NODES)],
}


def main() -> None:
    folder = folder_asked(__doc__)
    write_images(folder, "warper", GRADES, ExportOptions(crop=CROP, force=True))


if __name__ == "__main__":
    main()
