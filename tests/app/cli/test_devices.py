"""`tessera devices`."""

from __future__ import annotations

import json

from tests.app.command_line import run


def test_devices(capsys):
    assert run("devices", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    found = {backend["name"]: backend for backend in about["backends"]}
    assert set(found) == {"cpu", "wgpu", "cuda"}
    assert found["cpu"]["usable"]
    assert found[about["auto"]]["usable"]
    assert all(backend["usable"] or backend["reason"] for backend in found.values())
    assert run("devices") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert {line[0] for line in lines[:3]} <= set("*+-")
    assert [line.split()[1] for line in lines if line[0] == "*"] == [about["auto"]]
    assert lines[-1] == f"Recommended, and selected by auto: {about['auto']}"
