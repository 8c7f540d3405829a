"""The display that is chosen for a monitor, by its profile."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from PySide6.QtGui import QColorSpace

from app.services import monitor
from app.services.engine_calls import Services
from app.shell.main_window import MainWindow


def profile(name: QColorSpace.NamedColorSpace) -> bytes:
    return bytes(QColorSpace(name).iccProfile().data())


def test_profiles_name_the_nearest_display():
    spaces = QColorSpace.NamedColorSpace
    assert monitor.id_of(profile(spaces.SRgb)) == "srgb_rec709_display"
    assert monitor.id_of(profile(spaces.DisplayP3)) == "srgb_p3d65_display"
    assert monitor.id_of(profile(spaces.Bt2020)) == ""
    assert monitor.id_of(b"no profile") == ""


def test_the_property_of_x11_is_read():
    wanted = profile(QColorSpace.NamedColorSpace.DisplayP3)
    text = f"_ICC_PROFILE = {', '.join(str(byte) for byte in wanted)}\n"
    assert monitor.of_property(text) == wanted
    assert monitor.of_property("_ICC_PROFILE:  no such atom on any window.\n") is None


@pytest.mark.parametrize(
    ("space_id", "display"),
    [("srgb_p3d65_display", "Display P3 - Display"), ("", "sRGB - Display"), ("odd", "sRGB - Display")],
)
def test_the_window_looks_through_the_monitor_s_display(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any, space_id: str, display: str
):
    monkeypatch.setattr(monitor, "monitor_id", lambda: space_id)
    names = Services().names("")
    colour = window.workspace.colour
    monkeypatch.setattr(type(colour), "names", property(lambda _: names))
    assert colour.shown[0] == display
    window.workspace.set_view(display="Rec.1886 Rec.709 - Display")
    assert colour.shown[0] == "Rec.1886 Rec.709 - Display"
    assert {field.name for field in dataclasses.fields(names)} >= {"own"}
