"""The signals of PQ and HLG for a luminance, and the spaces that use them."""

from __future__ import annotations

import pytest

from engine.ocio.config_files import load_config
from engine.viewing.nits import HLG, PQ, signal_of, transfer_of


@pytest.mark.parametrize(
    ("transfer", "nits", "signal"),
    [
        *((PQ, 0.0, 0.0), (PQ, 100.0, 0.5081), (PQ, 203.0, 0.5807), (PQ, 1000.0, 0.7518), (PQ, 10000.0, 1.0)),
        *((HLG, 0.0, 0.0), (HLG, 203.0, 0.75), (HLG, 1000.0, 1.0), (HLG, 50.0, 0.497)),
    ],
)
def test_signals_are_those_of_bt_2100_and_bt_2408(transfer: str, nits: float, signal: float) -> None:
    assert signal_of(transfer, nits) == pytest.approx(signal, abs=5e-4)


@pytest.mark.parametrize(
    ("names", "encoding", "transfer"),
    [
        (("Rec.2100-PQ - Display", "rec2100_pq_display"), "hdr-video", PQ),
        (("ST2084-P3-D65 - Display",), "hdr-video", PQ),
        (("Rec.2100-HLG - Display",), "hdr-video", HLG),
        (("HDR monitor", "pq_1000"), "", PQ),
        (("sRGB - Display", "hlg_copy"), "sdr-video", ""),
        (("Display P3 HDR - Display",), "edr-video", ""),
        (("Popquiz",), "", ""),
        (("Raw",), "data", ""),
    ],
)
def test_a_space_is_known_by_its_encoding_and_names(names: tuple[str, ...], encoding: str, transfer: str) -> None:
    assert transfer_of(names, encoding) == transfer


def test_displays_of_the_studio_config_are_known() -> None:
    config = load_config("ocio://studio-config-latest")
    found = {}
    for display in config.displays():
        space = config.space(config.space_of_view(display, config.views(display)[0].name))
        found[display] = transfer_of((space.name, *space.aliases), space.encoding)
    assert {name for name, transfer in found.items() if transfer == PQ} == {
        "Rec.2100-PQ - Display",
        "ST2084-P3-D65 - Display",
    }
    assert {name for name, transfer in found.items() if transfer == HLG} == {"Rec.2100-HLG - Display"}
