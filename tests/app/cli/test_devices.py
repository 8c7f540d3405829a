"""`tessera devices`."""

from __future__ import annotations

import json

from app.cli import report_text
from engine.compute.devices import BackendInfo
from tests.app.command_line import run


def test_devices(capsys):
    assert run("devices", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    found = {backend["name"]: backend for backend in about["backends"]}
    assert set(found) == {"cpu", "wgpu", "cuda", "opencl"}
    assert found["cpu"]["usable"]
    assert found[about["auto"]]["usable"]
    assert all(backend["usable"] or backend["reason"] for backend in found.values())
    assert run("devices") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert {line[0] for line in lines[:4]} <= set("*+-")
    assert [line.split()[1] for line in lines if line[0] == "*"] == [about["auto"]]
    assert lines[-1] == f"Recommended, and selected by auto: {about['auto']}"


def test_devices_say_where_exrs_are_decoded():
    card = BackendInfo("cuda", True, "", "a card", 1 << 33, 0, 150, True, "CUDA 13", "device")
    adapter = BackendInfo("wgpu", True, "", "an adapter", 0, 0, 100, False, "Vulkan")
    processor = BackendInfo("cpu", True, "", "a processor", 0, 0, 10, True)
    about = report_text.devices_json([card, adapter, processor], "cuda")
    assert [backend["exr"] for backend in about["backends"]] == ["device", "cpu", "cpu"]
    first, second, third, _ = report_text.device_lines(about)
    assert first.endswith("CUDA 13, decodes and encodes EXRs")
    assert second.endswith("Vulkan, EXRs decoded and encoded on the CPU")
    assert "EXR" not in third
