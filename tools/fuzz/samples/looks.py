"""Small look files in every format that OpenColorIO reads as text, by hand."""

from __future__ import annotations

from itertools import product

from engine.errors import GradeError
from engine.kernel.op import Op
from engine.ocio.process_lists import process_list
from tools.fuzz.kind import Seed
from tools.fuzz.samples import grades

CDL_SPACE = 'xmlns="urn:ASC:CDL:v1.2"'
SOP = "<SOPNode><Slope>1.1 1 0.9</Slope><Offset>0 0.01 0</Offset><Power>1 1.2 1</Power></SOPNode>"
SAT = "<SatNode><Saturation>1.1</Saturation></SatNode>"
CORRECTION = f'<ColorCorrection id="one"><Description>made for a test</Description>{SOP}{SAT}</ColorCorrection>'


def _cube(size: int, red_first: bool = True, scale: float = 1.0, form: str = "{:.4f}") -> str:
    """The identity, one colour a line."""
    steps = [n / (size - 1) * scale for n in range(size)]
    rows = product(steps, repeat=3)
    return "\n".join(" ".join(form.format(v) for v in (row[::-1] if red_first else row)) for row in rows) + "\n"


CUBE = f'TITLE "test"\nLUT_3D_SIZE 3\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 1 1\n{_cube(3)}'.encode()
CC = f'<?xml version="1.0" encoding="UTF-8"?>\n{CORRECTION}'.encode()
CCC = (
    f'<?xml version="1.0"?>\n<ColorCorrectionCollection {CDL_SPACE}>{CORRECTION}'
    f"{CORRECTION.replace('one', 'two')}</ColorCorrectionCollection>"
).encode()
_CDL = (
    f'<?xml version="1.0"?>\n<ColorDecisionList {CDL_SPACE}><InputDescription>in</InputDescription>'
    f"<ColorDecision>{CORRECTION}</ColorDecision></ColorDecisionList>"
).encode()
CLF = b"""<?xml version="1.0" encoding="UTF-8"?>
<ProcessList id="test" compCLFversion="3.0">
<Matrix inBitDepth="32f" outBitDepth="32f"><Array dim="3 3 3">1 0 0 0 1 0 0.1 0 0.9</Array></Matrix>
<LUT1D inBitDepth="32f" outBitDepth="32f"><Array dim="3 1">0 0.4 1</Array></LUT1D>
</ProcessList>
"""
_LINES = "\n".join(f"{n / 4:.3f} {n / 4:.3f} {n / 4:.3f}" for n in range(5)) + "\n"
_UNITY = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
_CURVE = "\n".join(f"{n / 4:.3f}" for n in range(5)) + "\n"
REFERRED = (b"../stage/look.cube", b"../stage/look.cc", b"../stage/pipe", b"/dev/zero")
_REFERENCE = b"""<?xml version="1.0" encoding="UTF-8"?>
<ProcessList id="test" version="2.0">
<Description>made for a test</Description>
<Reference path="%s" inBitDepth="32f" outBitDepth="32f"/>
</ProcessList>
"""


def process_lists() -> list[Seed]:
    """CLF and CTF of each op that they can say, as Tessera writes them, and some that refer to other files."""
    found = [Seed(f"reference to {name.decode()}", ".ctf", _REFERENCE % name) for name in REFERRED]
    found.append(Seed("two nodes", ".clf", CLF))
    for data in grades.every_op():
        for suffix in (".clf", ".ctf"):
            try:
                text = process_list([Op.from_json(data)], suffix, "made for a test")
            except GradeError:
                continue
            found.append(Seed(f"{data['op']} {suffix}", suffix, text.encode()))
    return found


def cdls() -> list[Seed]:
    """ASC CDLs, and a file of AMF, which holds one."""
    amf = (
        '<?xml version="1.0"?>\n<aces:acesMetadataFile xmlns:aces="urn:ampas:aces:metadata:v1.0" '
        'xmlns:cdl="urn:ASC:CDL:v1.01" version="1.0"><aces:amfInfo/><aces:pipeline><aces:lookTransform applied="false">'
        f"<cdl:ASC_CDL>{SOP}</cdl:ASC_CDL></aces:lookTransform></aces:pipeline></aces:acesMetadataFile>"
    ).encode()
    return [Seed("cc", ".cc", CC), Seed("ccc", ".ccc", CCC), Seed("cdl", ".cdl", _CDL), Seed("amf", ".amf", amf)]


def text_luts() -> list[Seed]:
    """LUTs as text."""
    shaper = "CSPLUTV100\n3D\n\nBEGIN METADATA\nx\nEND METADATA\n\n" + "3\n0.0 0.5 1.0\n0.0 0.4 1.0\n" * 3 + "\n2 2 2\n"
    indexed = "\n".join(f"{r} {g} {b} {r} {g} {b}" for r, g, b in product((0, 1), repeat=3)) + "\n"
    m3d = "channel 3d\nin 8\nout 256\nformat lut\nvalues red green blue\n" + "\n".join(
        f"{n} {r * 255} {g * 255} {b * 255}" for n, (r, g, b) in enumerate(product((0, 1), repeat=3))
    )
    truelight = (
        f"# Truelight Cube v2.0\n# iDims 3\n# oDims 3\n# width 2 2 2\n# lutLength 5\n# InputLUT\n{_LINES}# Cube\n"
    )
    look = (
        '<?xml version="1.0"?>\n<look><shaders><base><rendersize>x</rendersize></base></shaders><LUT><size>"2"</size>'
        f'<data>"{"0000803F" * 24}"</data></LUT></look>'
    )
    texts = {
        "cube": (".cube", CUBE.decode()),
        "cube 1D": (".cube", f"LUT_1D_SIZE 5\nLUT_1D_INPUT_RANGE 0 1\n{_LINES}"),
        "cube both": (".cube", f"LUT_1D_SIZE 5\nLUT_3D_SIZE 2\nLUT_1D_INPUT_RANGE 0 2\n{_LINES}{_cube(2)}"),
        "csp": (".csp", shaper + _cube(2)),
        "csp 1D": (".csp", shaper.replace("3D", "1D").replace("2 2 2", "5") + _LINES),
        "spi1d": (".spi1d", f"Version 1\nFrom 0.0 1.0\nLength 5\nComponents 1\n{{\n{_CURVE}}}\n"),
        "spi3d": (".spi3d", f"SPILUT 1.0\n3 3\n2 2 2\n{indexed}"),
        "spimtx": (".spimtx", "1 0 0 0\n0 1 0 0\n0.1 0 0.9 0\n"),
        "3dl": (".3dl", "0 341 682 1023\n" + _cube(4, False, 4095, "{:.0f}")),
        "3dl mesh": (".3dl", "3DMESH\nMesh 2 12\n" + "0 341 682 1023 1023\n" + _cube(5, False, 4095, "{:.0f}")),
        "lut": (".lut", "LUT: 3 256\n" + "\n".join(str(n % 256) for n in range(768)) + "\n"),
        "houdini": (".lut", "Version 3\nFormat any\nType 3D\nFrom 0 1\nTo 0 1\nBlack 0\nWhite 1\nLength 2\nLUT:\n3D {\n"
                    + _cube(2) + "}\n"),
        "vf": (".vf", f"#Inventor V2.1 ascii\ngrid_size 2 2 2\nglobal_transform {_UNITY}\ndata\n{_cube(2)}"),
        "itx": (".itx", f"LUT_3D_SIZE 2\n{_cube(2)}"),
        "m3d": (".m3d", m3d),
        "cub": (".cub", truelight + _cube(2) + "# end\n"),
        "look": (".look", look),
    }  # fmt: skip
    return [Seed(name, suffix, text.encode()) for name, (suffix, text) in texts.items()]
