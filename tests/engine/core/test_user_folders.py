"""engine.core.user_folders: where settings and caches are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.core.user_folders import cache_folder, config_folder

HOMES = {config_folder: "XDG_CONFIG_HOME", cache_folder: "XDG_CACHE_HOME"}
OURS = {config_folder: "TESSERA_CONFIG", cache_folder: "TESSERA_CACHE"}


@pytest.mark.parametrize("folder", HOMES)
def test_our_variable_comes_before_the_system_s_folder(folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOMES[folder], str(tmp_path / "home"))
    monkeypatch.setenv(OURS[folder], str(tmp_path / "named"))
    assert folder() == tmp_path / "named"
    monkeypatch.delenv(OURS[folder])
    if sys.platform == "linux":
        assert folder() == tmp_path / "home" / "tessera"
        monkeypatch.setenv(HOMES[folder], "")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert folder() == tmp_path / (".config" if folder is config_folder else ".cache") / "tessera"
