"""Manifests of Cryptomatte layers in every form, and the search in their names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.io.cryptomatte import CryptomatteLayer, hash_name
from engine.io.manifests import Manifest, manifest_of
from engine.io.wildcards import NameList, escaped_name, has_wildcards, unescaped

IMAGE = Path("/nowhere/shot.0001.exr")


def of_text(text: str, **more: Any) -> Manifest:
    return manifest_of(IMAGE, CryptomatteLayer("CryptoObject", (), manifest=text, **more))


def test_an_embedded_manifest():
    found = of_text('{"bunny":"13851a76","default":"42c9679f"}')
    assert (found.kind, found.problem, found.names, len(found)) == ("embedded", "", ("bunny", "default"), 2)
    assert found.ids.dtype == np.uint32
    assert found.ids.tolist() == [0x13851A76, 0x42C9679F]
    assert found.id_of("bunny") == 0x13851A76
    assert found.names_of(0x42C9679F) == ("default",)
    assert found.names_of(1) == ()


def test_a_sidecar_file_beside_the_image(tmp_path: Path):
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "assets.json").write_text('\ufeff{"left":"ce406a47"}', encoding="utf-8")
    layer = CryptomatteLayer("CryptoAsset", (), manifest_file="./manifests/assets.json", manifest='{"old":"00000001"}')
    found = manifest_of(tmp_path / "shot.exr", layer)
    assert (found.kind, found.names, found.path) == ("sidecar", ("left",), tmp_path / "manifests" / "assets.json")
    windows = CryptomatteLayer("CryptoAsset", (), manifest_file="manifests\\assets.json")
    assert manifest_of(tmp_path / "shot.exr", windows).names == ("left",)
    (tmp_path / "manifests" / "assets.json").write_text('{"right":"8f3ccbde"}', encoding="utf-8")
    assert manifest_of(tmp_path / "shot.exr", layer).names == ("right",)


def test_a_sidecar_file_that_is_missing_says_so(tmp_path: Path):
    layer = CryptomatteLayer("CryptoAsset", (), manifest_file="gone.json")
    found = manifest_of(tmp_path / "shot.exr", layer)
    assert (found.kind, len(found)) == ("none", 0)
    assert found.problem == f"the manifest file {tmp_path / 'gone.json'}: does not exist; check the name and the folder"
    both = CryptomatteLayer("CryptoAsset", (), manifest_file="gone.json", manifest='{"kept":"00000002"}')
    assert manifest_of(tmp_path / "shot.exr", both).names == ("kept",)
    assert "gone.json" in manifest_of(tmp_path / "shot.exr", both).problem


def test_without_a_manifest_names_are_found_by_their_hash():
    found = of_text("")
    assert (found.kind, found.problem, len(found)) == ("none", "", 0)
    assert found.id_of("bunny") == 0x13851A76
    ids, unlisted = found.selected(["bunny", "b*"], [7])
    assert ids.tolist() == [7, 0x13851A76]
    assert unlisted == ["bunny", "b*"]
    assert of_text("", hashed=False).id_of("bunny") is None


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ('{"a":"00000001","b":"00000002"', ("a", "b"), "2 names could be read"),
        ('{"a":"00000001","b \\"q\\"":"00000002","c', ("a", 'b "q"'), "2 names could be read"),
        ('{"a":"00000001",}', ("a",), "1 name could be read"),
        ("", (), ""),
        ("nothing of this kind", (), "0 names could be read"),
        ('["a", "b"]', (), "it is not a JSON object"),
        ('{"a":"00000001","b":"xyz","c":3,"d":null,"e":"123456789"}', ("a",), "4 names whose IDs"),
        ("[" * 100000, (), "0 names could be read"),
    ],
)
def test_a_broken_manifest_has_what_can_be_read(text: str, names: tuple[str, ...], problem: str):
    found = of_text(text)
    assert found.names == names
    assert problem in found.problem
    assert bool(problem) == bool(found.problem)


def test_names_and_ids_are_read_as_written():
    names = ["равнина", "日本", "a/b\\c", 'with "quotes"', "tab\tand\nline", "emoji \U0001f407", "\ud800", "", " "]
    text = json.dumps({name: f"{hash_name(name):08x}" for name in names})
    found = of_text(text)
    assert list(found.names) == names
    assert all(found.id_of(name) == hash_name(name) for name in names)
    short = of_text('{"a":"1F","b":"0x0000abcd","control\tcharacter":"00000003"}')
    assert short.ids.tolist() == [0x1F, 0xABCD, 3]


def test_collisions_and_repeated_names():
    found = of_text('{"a":"00000001","b":"00000001","c":"00000002","c":"00000003","a":"00000001"}')
    assert found.names == ("a", "b", "c", "c")
    assert found.collisions == (("a", "b"),)
    assert found.names_of(1) == ("a", "b")
    assert found.selected(["b"])[0].tolist() == [1]


def test_the_id_of_a_manifest_counts_more_than_the_hash():
    assert of_text('{"bunny":"00000005"}').selected(["bunny"])[0].tolist() == [5]


def test_wildcards_select_listed_names_only():
    found = of_text('{"has_*_asterisk":"00000001","has_n_asterisk":"00000002","rect_[_top":"00000003"}')
    assert found.selected(["has_*_asterisk"])[0].tolist() == [1, 2]
    assert found.selected([r"has_\*_asterisk"])[0].tolist() == [1]
    assert found.selected(["rect_[_top"])[0].tolist() == [3]
    ids, unlisted = found.selected(["HAS_*"])
    assert (len(ids), unlisted) == (0, ["HAS_*"])
    assert [found.names[n] for n in found.find("ASTERISK")] == ["has_*_asterisk", "has_n_asterisk"]
    assert [found.names[n] for n in found.find("rect*")] == ["rect_[_top"]
    assert list(found.find("RECT", ignore_case=False)) == []


def test_a_hundred_thousand_names():
    names = [f"/world/set/building_{n // 100}/window_{n}" for n in range(100_000)]
    text = json.dumps({name: f"{n + 1:08x}" for n, name in enumerate(names)})
    found = of_text(text)
    assert len(found) == 100_000
    assert found.id_of(names[54321]) == 54322
    ids, unlisted = found.selected(["/world/set/building_7?/*", "*window_99999"])
    assert ids.tolist() == [*range(7001, 8001), 100_000]
    assert unlisted == []


letters = st.text("ab*?[]\\", max_size=8)


def plain_match(pattern: str, name: str) -> bool:
    """Whether a name matches, by a regular expression made character by character."""
    expression, at = "", 0
    while at < len(pattern):
        escaped = pattern[at] == "\\" and pattern[at + 1 : at + 2] in ("*", "?", "\\") and at + 1 < len(pattern)
        if escaped:
            expression += re.escape(pattern[at + 1])
        else:
            expression += {"*": ".*", "?": "."}.get(pattern[at], re.escape(pattern[at]))
        at += 2 if escaped else 1
    return re.fullmatch(expression, name, re.DOTALL) is not None


@given(letters, st.lists(letters, max_size=12))
def test_matching_is_that_of_regular_expressions(pattern: str, names: list[str]):
    found = NameList(names).matching(pattern)
    assert found.tolist() == [n for n, name in enumerate(names) if plain_match(pattern, name)]


@given(letters)
def test_an_escaped_name_matches_itself_alone(name: str):
    pattern = escaped_name(name)
    assert not has_wildcards(pattern)
    assert unescaped(pattern) == name
    assert NameList([name, f"{name}a", f"a{name}"]).matching(pattern).tolist() == [0]


def test_a_damaged_manifest_of_a_megabyte_takes_no_time():
    found = of_text('{"a":"00000001","b' + '\\"' * 500_000)
    assert found.names == ("a",)
