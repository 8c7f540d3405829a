"""Cryptomatte layers: hashes, the naming of channels, parts, and layers whose IDs can't be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.errors import UnsupportedFile
from engine.io import describe
from engine.io.cryptomatte import Rank, cryptomatte_layer, cryptomatte_layers, hash_name, murmur_hash
from tests.engine.io.cryptomatte_files import layer, write_layers, write_parts

SAMPLES = Path(__file__).resolve().parents[3] / ".." / "shared" / "corpus" / "cryptomatte"


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        (b"", 0),
        (b"hello", 0x248BFA47),
        (b"hello, world", 0x149BBB7F),
        (b"The quick brown fox jumps over the lazy dog", 0x2E4FF723),
    ],
)
def test_the_hash_is_murmur_hash(text: bytes, hashed: int):
    assert murmur_hash(text) == hashed


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("bunny", 0x13851A76),
        ("default", 0x42C9679F),
        ("bunny_porcelain_mat", 0xB24B26D4),
        ("равнина", 0x9623511E),
        ('name containing a "quote"  ', 0xAF8BFA09),
        ("has_*_asterisk", 0x5DEF0D04),
    ],
)
def test_ids_are_those_of_published_manifests(name: str, id: int):
    assert hash_name(name) == id


def test_no_id_is_zero_denormal_or_not_finite():
    names = [f"object{n}" for n in range(3000)]
    ids = np.array([hash_name(name) for name in names], np.uint32)
    floats = ids.view(np.float32)
    assert np.isfinite(floats).all()
    assert (np.abs(floats) >= np.finfo(np.float32).tiny).all()
    changed = [murmur_hash(name.encode()) ^ id for name, id in zip(names, ids.tolist(), strict=True)]
    assert set(changed) == {0, 1 << 23}


@pytest.mark.parametrize(
    "letters", ["RGBA", "rgba", ("red", "green", "blue", "alpha"), ("Red", "Green", "Blue", "Alpha")]
)
def test_channels_may_have_any_usual_names(letters: Sequence[str], tmp_path: Path):
    made = layer(ranks=3)
    made_channels = made.channels(letters)
    path = tmp_path / "a.exr"
    OpenEXR.File({"type": OpenEXR.scanlineimage} | made.metadata(), made_channels).write(str(path))
    (found,) = cryptomatte_layers(describe(path))
    r, g, b, a = letters
    assert found.name == "CryptoObject"
    assert found.ranks == (
        Rank(0, f"CryptoObject00.{r}", f"CryptoObject00.{g}"),
        Rank(0, f"CryptoObject00.{b}", f"CryptoObject00.{a}"),
        Rank(0, f"CryptoObject01.{r}", f"CryptoObject01.{g}"),
    )
    assert found.problem == ""


def test_similar_names_are_different_layers_and_previews_are_not_ranks(tmp_path: Path):
    one, two = layer("Crypto", 2), layer("Crypto1", 4)
    preview: dict[str, Any] = {"Crypto.RGB": np.zeros((47, 61, 3), np.float32)}
    path = write_layers(tmp_path / "a.exr", [one, two], **preview)
    found = {each.name: len(each.ranks) for each in cryptomatte_layers(describe(path))}
    assert found == {"Crypto": 2, "Crypto1": 4}
    with pytest.raises(UnsupportedFile, match=r"has no Cryptomatte layer 'Crypt'; .* are: Crypto, Crypto1"):
        cryptomatte_layer(describe(path), "Crypt")


def test_metadata_may_have_the_prefix_of_another_program_or_be_missing(tmp_path: Path):
    odd = layer("uAsset", 2)
    header = {f"exr/{name}": value for name, value in odd.metadata("1234567").items()}
    bare = layer("myCryptoStuff", 2)
    channels = odd.channels() | bare.channels() | layer("other", 2).channels()
    OpenEXR.File({"type": OpenEXR.scanlineimage} | header, channels).write(str(tmp_path / "a.exr"))
    found = cryptomatte_layers(describe(tmp_path / "a.exr"))
    assert [(each.name, each.key, len(each.ranks)) for each in found] == [
        ("myCryptoStuff", "", 2),
        ("uAsset", "1234567", 2),
    ]


def test_ranks_may_lie_in_parts_of_their_own(tmp_path: Path):
    made = layer("CryptoObject", 4)
    channels = made.channels()
    named = {n: {name: plane for name, plane in channels.items() if f"0{n}." in name} for n in (0, 1)}
    plain = {name.rpartition(".")[2]: plane for name, plane in named[1].items()}
    beauty = {"RGB": np.zeros((47, 61, 3), np.float16)}
    path = write_parts(
        tmp_path / "a.exr",
        [
            ("beauty", (0, 0), made.metadata(), beauty),
            ("CryptoObject00", (0, 0), {}, named[0]),
            ("CryptoObject01", (0, 0), {}, plain),
        ],
    )
    (found,) = cryptomatte_layers(describe(path))
    assert [rank.part for rank in found.ranks] == [1, 1, 2, 2]
    assert found.ranks[2] == Rank(2, "R", "G")


def test_of_several_parts_that_of_the_graded_view_counts(tmp_path: Path):
    made = layer(ranks=2)
    parts = [(view, (0, 0), made.metadata() | {"view": view}, made.channels()) for view in ("left", "right")]
    info = describe(write_parts(tmp_path / "a.exr", parts))
    assert {rank.part for rank in cryptomatte_layer(info, made.name, info.parts[1]).ranks} == {1}
    assert {rank.part for rank in cryptomatte_layer(info, made.name, info.parts[0]).ranks} == {0}


@pytest.mark.parametrize(
    ("header", "kind", "problem"),
    [
        ({}, np.float16, "as half, which can't hold its IDs: they need float32"),
        ({"compression": OpenEXR.PXR24_COMPRESSION}, np.float32, "lossy compression pxr24, which changes IDs"),
        ({"compression": OpenEXR.DWAA_COMPRESSION}, np.float32, "lossy compression dwaa"),
    ],
)
def test_a_layer_whose_bits_are_lost_is_refused(header: dict[str, Any], kind: type, problem: str, tmp_path: Path):
    made = layer(ranks=2)
    OpenEXR.File({"type": OpenEXR.scanlineimage} | header | made.metadata(), made.channels(dtype=kind)).write(
        str(tmp_path / "a.exr")
    )
    with pytest.raises(UnsupportedFile, match=problem) as error:
        cryptomatte_layer(describe(tmp_path / "a.exr"), "CryptoObject")
    assert str(error.value).startswith(str(tmp_path))


def test_a_layer_without_channels_or_with_another_conversion_is_refused(tmp_path: Path):
    made = layer(ranks=2)
    channels = {"RGB": np.zeros((47, 61, 3), np.float16)}
    OpenEXR.File({"type": OpenEXR.scanlineimage} | made.metadata(), channels).write(str(tmp_path / "a.exr"))
    with pytest.raises(UnsupportedFile, match=r"has no channels of the Cryptomatte layer 'CryptoObject'"):
        cryptomatte_layer(describe(tmp_path / "a.exr"), "CryptoObject")
    header = {"type": OpenEXR.scanlineimage} | made.metadata(conversion="uint64_to_float64")
    OpenEXR.File(header, made.channels()).write(str(tmp_path / "b.exr"))
    with pytest.raises(UnsupportedFile, match="as uint64_to_float64, which is not known"):
        cryptomatte_layer(describe(tmp_path / "b.exr"), "CryptoObject")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no corpus beside the repository")
@pytest.mark.parametrize("name", ["cornellBox_CryptoWildcard.0001.exr", "special_chars.exr"])
def test_published_samples(name: str):
    (found,) = cryptomatte_layers(describe(SAMPLES / name))
    assert len(found.ranks) == 6
    assert not found.problem
