"""Values that programs trip over: at the ends of ranges, without a meaning, or too many."""

from __future__ import annotations

import struct

from tools.fuzz.kind import Chance

ENDS = (
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    63,
    64,
    127,
    128,
    255,
    256,
    1023,
    1024,
    4095,
    4096,
    32767,
    32768,
    65535,
    65536,
)
LARGE = (1 << 20, 1 << 24, (1 << 29) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-6, 1e-30, 1e-45, 65504.0, 65536.0, 1e10, 3.4e38, -3.4e38, 1e300),
    *(float("inf"), float("-inf"), float("nan")),
)
NUMBER_TEXTS = (
    *("0", "-0", "1", "-1", "2", "1e-45", "1e30", "-1e30", "1e39", "1e999", "-1e999", "nan", "-nan", "inf", "-inf"),
    *("NaN", "Infinity", "0x10", "1_000", "1,5", "1.", ".5", ".", "-", "+", "1e", "--1", "1 2", "٣", "¹", "0" * 400),
    *("2147483647", "2147483648", "-2147483649", "4294967296", "99999999999", "9" * 40, "1" + "0" * 5000, ""),
)
TEXTS = (
    *(
        "",
        " ",
        "\t",
        "a",
        "x" * 300,
        "ü" * 130,
        "name\nwith a break",
        "a\rb",
        "\u2028",
        "a\x1b[31mb",
        "\x7f",
        "\u202eabc",
    ),
    *(
        "'",
        '"',
        "%s%n",
        "{0}",
        "${X}",
        "$F4",
        "%d",
        "####",
        "#",
        "@",
        ",",
        ":",
        ";",
        "=",
        "-",
        "--",
        "..",
        "../x",
        "a/b",
    ),
    *("\0", "a\0b", "nan", "None", "null", "true", "0", "-1", "\ufeff", "😀", "e\u0301", "ACEScct", "raw", "no such"),
)
BAD_BYTES = (b"\xff", b"\xfe\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0")
"""What is no UTF-8, or no text."""


def integer(chance: Chance, bits: int = 32, signed: bool = True) -> int:
    """An integer that fits, most often at an end of some range."""
    value = chance.choice(ENDS if chance.often(0.6) else LARGE) + (chance.randint(-2, 2) if chance.often(0.3) else 0)
    if chance.often(0.2):
        value = chance.getrandbits(bits)
    if signed and chance.often(0.3):
        value = -value
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def small(chance: Chance) -> int:
    """A small integer, seldom below 0."""
    return chance.choice((-1, 0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64, 100))


def number(chance: Chance) -> float:
    """A float, most often one that is special."""
    return chance.choice(FLOATS) if chance.often(0.7) else chance.uniform(-10.0, 10.0)


def number_text(chance: Chance) -> str:
    """A number as text; perhaps it is none."""
    return chance.choice(NUMBER_TEXTS) if chance.often(0.6) else repr(number(chance))


def text(chance: Chance) -> str:
    """A text, most often one that is special. It may hold a line break, NUL or a control character."""
    return chance.choice(TEXTS) if chance.often(0.8) else "".join(chr(chance.randint(1, 0x2FF)) for _ in range(6))


def text_bytes(chance: Chance) -> bytes:
    """A text as bytes; perhaps it is no UTF-8."""
    return chance.choice(BAD_BYTES) if chance.often(0.2) else text(chance).encode()


def packed(chance: Chance, size: int, big: bool = False) -> bytes:
    """An integer or a float of 1, 2, 4 or 8 bytes."""
    order = ">" if big else "<"
    if size in (4, 8) and chance.often(0.3):
        value = number(chance)
        try:
            return struct.pack(f"{order}{'f' if size == 4 else 'd'}", value)
        except OverflowError:
            pass
    return integer(chance, 8 * size, signed=False).to_bytes(size, "big" if big else "little")
