"""A font of strokes for burn-ins, the same on every system, since Tessera ships no font file.

A glyph is drawn on a grid in which the baseline is at 2, small letters reach 6, capitals 8, and descenders 0.
"""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LINE = 10
"""The height of a line in units of the grid."""
GAP = 2
"""The distance between two glyphs."""
_WEIGHT = 0.95
"""The width of a stroke."""
_LEAST_STROKE = 1.0
"""The least width of a stroke in pixels."""
_TOP = 9.0
"""Where the top of a line is."""
_GLYPHS = """\
! 0 0804 0202
" 2 0807 2827
# 4 1218 3238 0444 0646
$ 4 473818070615354443321203 2921
% 4 0248 0708181707 3242433332
& 4 42071828370403122244
' 0 0807
( 1 19070311
) 1 09171301
* 4 2327 0446 0644
+ 4 2327 0545
, 1 1201
- 3 0535
. 0 0202
/ 3 0238
0 4 120307183847433212 1436
1 4 172822 1232
2 4 07183847460242
3 4 07183847463515 354443321203
4 4 32380444
5 4 480805354443321203
6 4 473818070312324344351504
7 4 084812
8 4 150607183847463515 1504031232434435
9 4 031232434738180706153546
: 0 0202 0505
; 1 1515 1201
< 3 370533
= 3 0434 0636
> 3 073503
? 3 071828373614 1212
@ 4 34242636344447381807031242
A 4 022842 1535
B 4 02083847463505 3544433202
C 4 4738180703123243
D 4 02082846442202
E 4 48080242 0545
F 4 480802 0535
G 4 47381807031232434525
H 4 0208 4248 0545
I 2 0222 1218 0828
J 3 3833221203
K 4 0208 480542
L 4 080242
M 4 0208254842
N 4 02084248
O 4 120307183847433212
P 4 02083847463505
Q 4 120307183847433212 2442
R 4 02083847463505 2542
S 4 473818070615354443321203
T 4 0848 2822
U 4 080312324348
V 4 082248
W 4 0812253248
X 4 0248 0842
Y 4 082548 2522
Z 4 08480242
[ 1 19090111
\\ 3 0832
] 1 09191101
^ 2 061826
_ 4 0141
` 1 0817
a 3 16263532 341403122233
b 3 0802 0516263533221203
c 3 3526160503122233
d 3 3832 3526160503122233
e 3 04343526160503122233
f 3 38281712 0626
g 3 3631201001 3526160503122233
h 3 0802 0516263532
i 0 0602 0808
j 1 161100 1818
k 3 0802 360432
l 1 080312
m 4 0602 05162522 25364542
n 3 0602 0516263532
o 3 120305162635332212
p 3 0600 0516263533221203
q 3 3630 3526160503122233
r 2 0602 051626
s 3 35261605142433221203
t 2 181322 0626
u 3 0603122233 3632
v 4 062246
w 4 0612253246
x 3 0632 0236
y 4 0622 46221000
z 3 06360232
{ 2 29181605141221
| 0 0901
} 2 09181625141201
~ 4 05163445
"""


class _Glyph(NamedTuple):
    width: int
    strokes: tuple[tuple[tuple[int, int], ...], ...]


def plain(text: str) -> str:
    """Return a text in the characters of the font: accents are dropped, others become question marks."""
    bare = "".join(
        each for each in unicodedata.normalize("NFKD", text.replace("ß", "ss")) if not unicodedata.combining(each)
    )
    return "".join(each if " " <= each <= "~" else "?" for each in bare)


def text_width(text: str, height: float) -> int:
    """Return the width in pixels of a line of this height."""
    unit = height / LINE
    return math.ceil(sum(_advance(each) for each in plain(text)) * unit)


def text_mask(text: str, height: float) -> NDArray[np.float32]:
    """Return the coverage, 0..1, of a line of text that is `height` pixels high."""
    unit = height / LINE
    mask = np.zeros((math.ceil(height), max(1, text_width(text, height))), np.float32)
    x = 0.0
    for each in plain(text):
        glyph = _glyph_mask(each, unit)
        left = round(x)
        part = mask[:, left : left + glyph.shape[1]]
        np.maximum(part, glyph[: part.shape[0], : part.shape[1]], out=part)
        x += _advance(each) * unit
    return mask


def _advance(character: str) -> int:
    glyph = _FONT.get(character)
    return (glyph.width if glyph else 2) + GAP


@lru_cache(maxsize=512)
def _glyph_mask(character: str, unit: float) -> NDArray[np.float32]:
    """Return the coverage of a glyph; its left edge is half a gap before it."""
    rows, columns = math.ceil(LINE * unit), math.ceil(_advance(character) * unit)
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    x, y = x / unit - GAP / 2, _TOP + 0.5 - y / unit
    nearest = np.full((rows, columns), np.inf)
    glyph = _FONT.get(character)
    for stroke in glyph.strokes if glyph else ():
        for start, end in pairwise(stroke) if len(stroke) > 1 else [stroke * 2]:
            nearest = np.minimum(nearest, _distance(x, y, start, end))
    radius = max(_WEIGHT * unit, _LEAST_STROKE) / 2
    mask: NDArray[np.float32] = np.clip(radius - nearest * unit + 0.5, 0.0, 1.0).astype(np.float32)
    return mask


def _distance(
    x: NDArray[np.float64], y: NDArray[np.float64], start: tuple[int, int], end: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the distance of points from a line segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = np.clip(((x - start[0]) * dx + (y - start[1]) * dy) / length, 0.0, 1.0) if length else 0.0
    return np.asarray(np.hypot(x - start[0] - along * dx, y - start[1] - along * dy))


def _parsed() -> dict[str, _Glyph]:
    font = {}
    for line in _GLYPHS.splitlines():
        width, *strokes = line[2:].split()
        font[line[0]] = _Glyph(int(width), tuple(map(_points, strokes)))
    return font


def _points(stroke: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(stroke[n]), int(stroke[n + 1])) for n in range(0, len(stroke), 2))


_FONT = _parsed()
