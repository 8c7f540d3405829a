"""What runs on OpenCL and on wgpu, where software devices take long to compile and to compute.

The kernels of OpenCL are those of CUDA, and PoCL takes 0.2 s for each: a suite of SUITES runs there as far as it says,
parity for OPS, which have all functions of the language. On wgpu all suites run, without MORE_ON_WGPU. With
TESSERA_THOROUGH all suites run on both as a whole.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.thorough import THOROUGH

SUITES: dict[str, tuple[str, ...]] = {
    "compute/test_backends": ("",),
    "compute/test_tiles": (
        *("test_tiles_give_the_bits", "test_random", "test_an_empty", "test_a_crop", "test_regions", "test_progress"),
        *("test_cancelling", "test_a_failing", "test_memory_output"),
        "test_bands_give_the_bits_of_the_whole[opencl-17-point",
        "test_a_device_too_small_for_the_image_gives_the_same_bits[opencl-blur of",
    ),
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
MORE_ON_WGPU: dict[str, tuple[str, ...]] = {
    "test_a_device_too_small_for_the_image_gives_the_same_bits": ("larger", "two blurs", "blur"),
    "test_bands_by_memory_give_the_bits_of_the_whole": ("larger", "two blurs", "blur"),
    "test_bands_give_the_bits_of_the_whole": ("larger", "two blurs", "blur"),
    "test_grades_by_the_reference_and_in_pieces": (
        *("cryptomatte", "feather", "filters", "groups", "shrunk", "soft qualifiers", "window"),
    ),
    "test_mattes_of_different_softness_share_a_kernel": (),
    "test_mix_and_matte": ("Denoise", "Halation", "Clarity"),
    "test_progress_rises_to_one": ("1", "99"),
    "test_radii_are_scaled_with_the_view": (),
    "test_tiles_give_the_bits_of_the_whole": ("larger", "two blurs", "blur"),
    "test_whole_tiles_and_bands_have_the_same_bits": ("Denoise", "Halation", "Clarity"),
}
"""Tests, and those of their cases that are more of the same; without cases, the whole test."""


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of OpenCL and wgpu that are more of the same."""
    left_out = [] if THOROUGH else [item for item in items if not _is_wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]


def _is_wanted(item: Any) -> bool:
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    devices = {value for value in given if isinstance(value, str)}
    if "opencl" in devices:
        return _is_wanted_on_opencl(item)
    more = MORE_ON_WGPU.get(item.originalname) if "wgpu" in devices else None
    return more is None or (bool(more) and not any(item.name.endswith(f"-{case}]") for case in more))


def _is_wanted_on_opencl(item: Any) -> bool:
    if item.originalname == "test_every_op":
        return item.callspec.params["cls"].__name__ in OPS
    return item.name.startswith(SUITES.get(f"{item.path.parent.name}/{item.path.stem}", ()))
