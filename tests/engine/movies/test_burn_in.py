"""Burn-ins: where they are drawn, what they say, and presets."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.errors import GradeError, TesseraError, UnreadableFile
from engine.movies.burn_drawing import burn, draw_slate
from engine.movies.burn_in import TOKENS, BurnIn, Overlay, Text, expanded
from engine.movies.burn_presets import BUILT_IN, STANDARD, load_burn_in, preset_names, save_burn_in
from engine.movies.stroke_font import plain, text_mask, text_width

SIZE = (1920, 1080)


def overlay(burn_in, **more):
    facts = {"shot": "sh010", "date": "2026-01-31", "colour": "sRGB", "codec": "H.264", "rate": Fraction(24)}
    return Overlay(burn_in, **{**facts, "timecode": "01:00:00:00", **more})


def drawn(burn_in, height=270, width=480, **more):
    """What is drawn over mid grey, as differences from it."""
    pixels = np.full((height, width, 4), 0.5, np.float32)
    about = overlay(burn_in, **more)
    burn(pixels, about, about.facts(1001, 0, "sh010.1001.exr", SIZE))
    assert (pixels[..., 3] == 0.5).all()  # alpha stays
    return pixels[..., :3] - 0.5


def test_tokens_are_replaced():
    about = overlay(STANDARD)
    facts = about.facts(1012, 11, "sh010.1012.exr", SIZE)
    assert set(facts) == set(TOKENS)
    text = "{shot} {frame} {timecode} {date} {file} {colour} {codec} {size} {rate}"
    said = "sh010 1012 01:00:00:11 2026-01-31 sh010.1012.exr sRGB H.264 1920 x 1080 24"
    assert expanded(text, facts) == said
    assert overlay(STANDARD, timecode="").facts(1, 0, "", SIZE)["timecode"] == ""


@pytest.mark.parametrize("place", ["top left", "top", "top right", "center", "bottom left", "bottom", "bottom right"])
def test_texts_are_where_they_are_asked_for(place):
    found = np.argwhere(drawn(BurnIn((Text("HHHH", place),), backing=0.0)).max(axis=2) > 0.2)
    (y, x), (height, width) = found.mean(axis=0), (270, 480)
    row = 0 if y < height / 3 else 2 if y > 2 * height / 3 else 1
    column = 0 if x < width / 3 else 2 if x > 2 * width / 3 else 1
    assert (row, column) == (
        0 if "top" in place else 2 if "bottom" in place else 1,
        0 if "left" in place else 2 if "right" in place else 1,
    )
    assert found.min() > 0 and found[:, 0].max() < height - 1 and found[:, 1].max() < width - 1


def test_text_has_the_white_of_the_display_and_its_size():
    plain_text = BurnIn((Text("H", "center"),), size=0.2, opacity=1.0, backing=0.0)
    assert drawn(plain_text).max() == pytest.approx(0.5)
    assert drawn(plain_text, white=0.58).max() == pytest.approx(0.08)
    rows = np.flatnonzero(drawn(plain_text).max(axis=(1, 2)) > 0.25)
    assert len(rows) == pytest.approx(0.2 * 270 * (6 + 0.95) / 10, abs=1.5)  # capitals take 6 units of 10, and a stroke


def test_lines_at_one_place_are_below_each_other():
    rows = {}
    for place in ("top left", "bottom left"):
        one, two = Text("HH", place), Text("  ", place)
        first = np.flatnonzero(drawn(BurnIn((one, two), backing=0.0)).any(axis=(1, 2)))
        second = np.flatnonzero(drawn(BurnIn((two, one), backing=0.0)).any(axis=(1, 2)))
        rows[place] = first.max() < second.min()
    assert all(rows.values())


def test_masks_darken_what_is_outside_of_an_aspect():
    wide = drawn(BurnIn(mask=2.4, mask_opacity=1.0)).max(axis=2)
    assert (wide[:35] == -0.5).all() and (wide[35:235] == 0.0).all() and (wide[235:] == -0.5).all()  # 480 / 2.4 = 200
    tall = drawn(BurnIn(mask=1.0, mask_opacity=0.5)).max(axis=2)
    assert (tall[:, :105] == -0.25).all() and (tall[:, 105:375] == 0.0).all()
    assert not drawn(BurnIn(mask=16 / 9)).any()


def test_safe_areas_are_framed():
    found = np.argwhere(drawn(BurnIn(safe=(0.9,))).max(axis=2) > 0)
    assert found.min(axis=0) == pytest.approx([13.5, 24], abs=1)
    assert found.max(axis=0) == pytest.approx([256, 455], abs=1)


def test_a_logo_is_scaled_and_blended(tmp_path):
    spec = oiio.ImageSpec(40, 20, 4, "uint8")
    spec.attribute("oiio:UnassociatedAlpha", 1)
    pixels = np.zeros((20, 40, 4), np.float32)
    pixels[..., 0], pixels[..., 3] = 1.0, 0.5
    writer: Any = oiio.ImageOutput.create(str(tmp_path / "logo.png"))
    writer.open(str(tmp_path / "logo.png"), spec)
    writer.write_image(pixels)
    writer.close()
    about = BurnIn(logo=str(tmp_path / "logo.png"), logo_place="center", logo_size=0.1, opacity=1.0)
    found = drawn(about)
    box = np.argwhere(found.any(axis=2))
    assert (np.ptp(box, axis=0) + 1).tolist() == [27, 54]
    assert found[135, 240] == pytest.approx([0.25, -0.25, -0.25], abs=0.01)
    about = overlay(replace(about, logo=str(tmp_path / "gone.png")))
    with pytest.raises(UnreadableFile, match=r"gone\.png"):
        burn(np.zeros((64, 64, 3), np.float32), about, about.facts(1, 0, "", SIZE))


def test_a_slate_covers_the_frame():
    about = overlay(BUILT_IN["slate"])
    pixels = np.full((270, 480, 3), 9.0, np.float32)
    draw_slate(pixels, about, about.facts(1, -1, "", SIZE))
    assert pixels.max() < 1.0 and pixels[0, 0, 0] == pytest.approx(0.18)
    assert (pixels > 0.5).any()


def test_a_text_that_is_too_long_is_cut_at_the_frame():
    assert np.isfinite(drawn(BurnIn((Text("W" * 400),), logo_size=1.0), 64, 64)).all()


def test_every_letter_is_drawn():
    masks = [text_mask(chr(code), 30.0) for code in range(33, 127)]
    assert all(0.9 < mask.max() <= 1.0 for mask in masks)
    assert len({mask.tobytes() for mask in masks}) == len(masks)
    assert text_mask("Ab1", 30.0).shape == (30, text_width("Ab1", 30.0))
    assert plain("Größe é 日") == "Grosse e ?"


def test_presets_are_saved_and_listed(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_CONFIG", str(tmp_path))
    mine = replace(STANDARD, mask=2.39, safe=(0.93, 0.9), slate=2, slate_lines=("{shot}", "take 2"))
    path = save_burn_in(mine, "client review")
    assert preset_names() == ["standard", "slate", "client review"]
    assert load_burn_in("client review") == load_burn_in(str(path)) == mine
    assert load_burn_in("standard") is STANDARD
    for name in ("", "../x", "standard", "a/b", " x"):
        with pytest.raises(TesseraError, match="can't be the name"):
            save_burn_in(mine, name)
    with pytest.raises(UnreadableFile, match="is neither a burn-in nor a file; use a file, or one of standard, slate"):
        load_burn_in("gone")


BAD = [
    ({"size": 3}, "size: 3 is not within 0.005 to 0.5"),
    ({"opacity": "x"}, "opacity: 'x' is not a number"),
    ({"mask": float("nan")}, "mask: nan is not a number"),
    ({"mask": 0.01}, "is not an aspect ratio"),
    ({"texts": [{"text": "a", "place": "left"}]}, "'left' is not a place"),
    ({"texts": [{"text": "{shoot}", "place": "top"}]}, "{shoot} is not known"),
    ({"texts": [{"text": "a" * 501, "place": "top"}]}, "at most"),
    ({"texts": 3}, "damaged"),
    ({"sizes": 3}, "damaged"),
    ({"slate": 10**9}, "slate: 1e+09 is not within 0 to 1000"),
    ({"slate": 1.5}, "slate: 1.5 is not a whole number"),
    ({"version": 2}, "update Tessera"),
    ({"format": "x"}, "not a burn-in"),
]


@pytest.mark.parametrize(("change", "line"), BAD)
def test_bad_presets_are_refused_with_a_reason(change, line, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(STANDARD.to_json() | change))
    with pytest.raises(UnreadableFile) as problem:
        load_burn_in(str(path))
    assert line in str(problem.value) and "bad.json" in str(problem.value)
    with pytest.raises(GradeError):
        BurnIn.from_json(STANDARD.to_json() | change)
