"""What runs on OpenCL: its kernels are those of CUDA, and PoCL takes 0.2 s for each.

A suite of SUITES runs as far as it says, parity for OPS, which have all functions of the language. With
TESSERA_THOROUGH all suites run there as a whole.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.thorough import THOROUGH

SUITES: dict[str, tuple[str, ...]] = {
    "compute/test_backends": ("",),
    "compute/test_tiles": ("",),
    "compute/test_handles": ("",),
    "compute/test_faults": ("",),
    "compute/test_extremes": ("",),
    "compute/test_filters": ("test_blur", "test_resize[opencl-71-53-lanczos3]", "test_resize[opencl-71-53-nearest]"),
    "compute/test_planar": ("test_a_region_has_the_bits_of_the_whole",),
    "compute/test_planar_making": ("test_the_grade_runs_before",),
    "compute/test_point_inputs": ("test_place_and_planes[opencl-float32-4-False]", "test_path_distance["),
    "kernel/test_codegen": ("test_the_sign_of_a_zero",),
    "kernel/test_random": ("",),
    "ops/test_parity": ("test_chains[", "test_rgb_is_graded"),
    "viewing/test_scoping": ("",),
}
"""The suites, and how the names of their tests begin."""
OPS = ("Cdl", "CieCoordinates", "InverseLut1d", "InverseLut3d", "Log", "Lut1d", "Lut3d")
"""Tables of each kind, powers, logarithms and divisions."""


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of OpenCL that are more of the same."""
    left_out = [] if THOROUGH else [item for item in items if _is_of_opencl(item) and not _is_wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]


def _is_of_opencl(item: Any) -> bool:
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(isinstance(value, str) and value == "opencl" for value in given)


def _is_wanted(item: Any) -> bool:
    if item.originalname == "test_every_op":
        return item.callspec.params["cls"].__name__ in OPS
    return item.name.startswith(SUITES.get(f"{item.path.parent.name}/{item.path.stem}", ()))
