"""`tessera info` of Cryptomatte layers, of groups and of mattes."""

from __future__ import annotations

import json
from pathlib import Path

import OpenEXR
import pytest

from engine import Grade, save_grade
from engine.grade.grade import Group, Layer
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from engine.ops import Exposure
from tests.app.command_line import run
from tests.engine.io.cryptomatte_files import layer, write_layers


@pytest.fixture
def crypto(tmp_path: Path) -> Path:
    assets, objects = layer("CryptoAsset", 4, objects=2), layer("CryptoObject", 2, objects=5)
    more = objects.metadata(manifest=None)
    channels = assets.channels() | objects.channels()
    header = {"type": OpenEXR.scanlineimage} | assets.metadata() | more
    OpenEXR.File(header, channels).write(str(tmp_path / "a.exr"))
    return tmp_path / "a.exr"


def test_layers_are_listed(crypto: Path, capsys):
    assert run("info", crypto) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "CryptoAsset              4 ranks, 2 objects, embedded manifest" in lines
    assert "CryptoObject             2 ranks, no manifest" in lines
    assert run("info", crypto, "--json") == 0
    found = json.loads(capsys.readouterr().out)["cryptomatte"]
    assert [(each["name"], each["manifest"], each["object_count"]) for each in found] == [
        ("CryptoAsset", "embedded", 2),
        ("CryptoObject", "none", 0),
    ]
    assert "objects" not in found[0]


def test_objects_are_listed_by_name_or_by_what_is_in_the_image(crypto: Path, capsys):
    assert run("info", crypto, "--objects", "--json") == 0
    assets, objects = json.loads(capsys.readouterr().out)["cryptomatte"]
    assert [each["name"] for each in assets["objects"]] == ["cryptoasset_0", "cryptoasset_1"]
    hashes = sorted(layer("CryptoObject", 2, objects=5).manifest.values())
    assert [each["id"] for each in objects["objects"]] == hashes
    assert run("info", crypto, "--objects=*_1") == 0
    text = capsys.readouterr().out
    assert "  cryptoasset_1\n" in text
    assert "  cryptoasset_0\n" not in text


def test_what_is_wrong_with_a_layer_is_said(tmp_path: Path, capsys):
    broken = layer("CryptoObject", 2)
    header = {"type": OpenEXR.scanlineimage} | broken.metadata(manifest='{"a":"00000001","b":"00000001",')
    OpenEXR.File(header, broken.channels()).write(str(tmp_path / "a.exr"))
    assert run("info", tmp_path / "a.exr", "--objects") == 0
    text = capsys.readouterr().out
    assert "problem: the manifest is damaged" in text
    assert "same ID: a, b" in text
    write_layers(tmp_path / "b.exr", [broken], {"compression": OpenEXR.PXR24_COMPRESSION})
    assert run("info", tmp_path / "b.exr", "--objects") == 0
    assert "problem: stores the Cryptomatte layer 'CryptoObject' with the lossy compression" in capsys.readouterr().out


def test_groups_and_mattes_of_a_grade_are_listed(tmp_path: Path, capsys):
    root = Branch("union", (Leaf(Cryptomatte("CryptoObject", ("hero_*",))), Leaf(Ellipse(), 0.5, inverted=True)))
    inner = Layer(Exposure(0.5), matte=Matte(root, feather=12.0))
    save_grade(Grade([Group((inner,), "face", mix=0.25), Exposure(1.0)]), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == ["  1  group face, mix 0.25", "    1.1  Exposure: stops 0.5", "      matte, feather 12"]
    assert lines[4:6] == ["        union", "          Cryptomatte: layer CryptoObject, names (hero_*), ids ()"]
    assert lines[6].startswith("          Ellipse: ")
    assert lines[6].endswith(", inverted, opacity 0.5")
    assert lines[7] == "  2  Exposure: stops 1"
    assert run("info", tmp_path / "g.json", "--json") == 0
    entry = json.loads(capsys.readouterr().out)["entries"][0]
    assert entry["group"] == "face"
    assert entry["entries"][0]["matte"]["feather"] == 12.0
