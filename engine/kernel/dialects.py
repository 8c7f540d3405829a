"""The languages that a Program is printed in, each as its differences from a common base.

All get the same straight-line code: in WGSL, CUDA C++ and OpenCL C it fills the placeholder of `shaders/point.wgsl` and
`shaders/point.cu`; in numba it is the body of a loop over the planes of one block, which LLVM vectorises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from engine.kernel.codegen import GATHERS, INPUTS, Instruction, Operand, Program, constant

# Forms of an instruction for what is known of its operands. "... fixed": the last operand is the same for all pixels
# and not NaN; "... of fixed": the first one is. "pow held": the base is never below 0; "pow known": the exponent is
# constant. "div of a base": the quotient is the base of a power. "exp2_scaled": the offset is 0. "at" is a lookup of
# an entry, "after" of the one after it. "pick" is a lookup at the result of a search, done by comparing with each
# entry where that costs less than bisection.
COMMON = {
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "mul": "({0} * {1})",
    "div": "({0} / {1})",
    "neg": "(-{0})",
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "min": "t_min({0}, {1})",
    "max": "t_max({0}, {1})",
    "exp2": "t_exp2({0})",
    "exp2_affine": "t_exp2_affine({0}, {1}, {2}, {3}, {4})",
    "log2": "t_log2({0})",
    "pow": "t_pow({0}, {1}, {2})",
    "sin": "t_sin({0})",
    "cos": "t_cos({0})",
    "atan2": "t_atan2({0}, {1})",
    "half_code": "t_half_code({0})",
    "half_value": "t_half_value({0})",
    "random3": "t_random3({0}, {1}, {2})",
    "abs": "abs({0})",
    "floor": "floor({0})",
    "sqrt": "sqrt({0})",
    "rounded": "{0}",
    "fma": "fma({0}, {1}, {2})",
    "fms": "fma({0}, {1}, -{2})",
    "uniform": "u[{0}]",
    "result": "{0} = {1};",
    "indent": "    ",
}
WGSL = COMMON | {
    "select": "select({2}, {1}, {0})",
    "truth": "({0} != 0.0f)",
    "min fixed": "select({1}, {0}, {0} < {1})",
    "max fixed": "select({1}, {0}, {0} > {1})",
    "pow held": "t_pow_held({0}, {1}, {2})",
    "lt": "t_less({0}, {1})",
    "le": "t_less_or_equal({0}, {1})",
    "lt fixed": "({0} < {1})",
    "le fixed": "({0} <= {1})",
    "uniform": "u[{1}].{2}",
    "fma": "t_fma({0}, {1}, {2})",
    "fms": "t_fma({0}, {1}, -{2})",
    "rounded": "t_rounded({0})",
    "lookup": "t_lookup(t_offset({table}u), {channel}u, {size}, {0}, {1})",
    "search": "t_search(t_offset({table}u), {channel}u, {size}, {steps}u, {0}, {1}, {2})",
    "tetrahedral": "t_tetrahedral(t_offset({table}u), {size}, vec3f({0}, {1}, {2}))",
    "trilinear": "t_trilinear(t_offset({table}u), {size}, vec3f({0}, {1}, {2}))",
    "inverse_lut3d": "t_inverse_lut3d(t_offset({table}u), t_offset({tree}u), {size}, {3}, vec3f({0}, {1}, {2}))",
    "path_distance": "t_path_distance(t_offset({table}u), {size}, vec2f({0}, {1}), vec2f({2}, {3}))",
    "component": "{0}.{axis}",
    "declare": "let v{n} = {text};",
    "literal": "{0}f",
}
CUDA = COMMON | {
    "min fixed": "fminf({0}, {1})",
    "max fixed": "fmaxf({0}, {1})",
    "min of fixed": "t_min_of_both({0}, {1})",
    "max of fixed": "t_max_of_both({0}, {1})",
    "abs": "fabsf({0})",
    "floor": "floorf({0})",
    "div": "t_div({0}, {1})",
    "div of a base": "t_div_well({0}, {1})",
    "sqrt": "t_sqrt({0})",
    "pow": "t_pow(false, false, {0}, {1}, {2})",
    "pow held": "t_pow(true, false, {0}, {1}, {2})",
    "pow known": "t_pow(false, true, {0}, {1}, {2})",
    "pow held known": "t_pow(true, true, {0}, {1}, {2})",
    "exp2_scaled": "t_exp2_scaled({0}, {1}, {3})",
    "fma": "fmaf({0}, {1}, {2})",
    "fms": "fmaf({0}, {1}, -{2})",
    "select": "({0} ? {1} : {2})",
    "lookup": "t_lookup(t{table}, {channel}, {size}, {0}, {1})",
    "at": "t_at(t{table}, {channel}, {size}, {0})",
    "after": "t_after(t{table}, {channel}, {size}, {0})",
    "search": "t_search(t{table}, {channel}, {size}, {steps}, {0}, {1}, {2})",
    "tetrahedral": "t_tetrahedral(t{table}, {size}, {0}, {1}, {2})",
    "trilinear": "t_trilinear(t{table}, {size}, {0}, {1}, {2})",
    "inverse_lut3d": "t_inverse_lut3d(t{table}, t{tree}, {size}, {3}, {0}, {1}, {2})",
    "path_distance": "t_path_distance(t{table}, {size}, {0}, {1}, {2}, {3})",
    "component": "{0}.{axis}",
    "declare": "const {type} v{n} = {text};",
    "literal": "{0}f",
}
OPENCL = CUDA | {
    "truth": "({0} != 0.0f)",
    "div": "({0} / {1})",
    "div of a base": "({0} / {1})",
}
NUMBA = COMMON | {
    "div": "div({0}, {1})",
    "abs": "fabs({0})",
    "select": "select({0}, {1}, {2})",
    "lookup": "t_lookup(t{table}, {channel}, {size}, {0}, {1})",
    "search": "t_search(t{table}, {channel}, {size}, {steps}, {0}, {1}, {2})",
    "pick": "t_pick(t{table}, {channel}, {size}, t{keys}, {key_channel}, {key_size}, {steps}, {0}, {1}, {2})",
    "tetrahedral": "t_tetrahedral(t{table}, {size}, {0}, {1}, {2})",
    "trilinear": "t_trilinear(t{table}, {size}, {0}, {1}, {2})",
    "inverse_lut3d": "t_inverse_lut3d(t{table}, t{tree}, {size}, {3}, {0}, {1}, {2})",
    "path_distance": "load(planes, (DISTANCES + {path}) * BLOCK + i)",
    "component": "{0}[{index}]",
    "declare": "v{n} = {text}",
    "literal": "f32({0})",
    "uniform": "u{0}",
    "result": "{0}_out = {1}",
    "indent": "        ",
}
TYPES = {"lt": "bool", "le": "bool", **dict.fromkeys(("lut3d", "inverse_lut3d", "random3"), "float3")}
"""What instructions result in, if not in a float, where a language wants to know."""
FEW_STEPS, MOST_PICKS = 4, 24
"""A search of at most FEW_STEPS, among the same entries for all pixels, can be a comparison with each entry. A program
with more than MOST_PICKS such lookups bisects instead, since their entries would not stay in the processor's cache."""


def literal(value: float) -> str:
    """Return the shortest decimal that reads back as the same float32."""
    return np.format_float_scientific(np.float32(value), unique=True, trim="0")


ZERO, ONE = constant(0.0), constant(1.0)


def name_of(source: Instruction) -> str:
    """Return the name in generated code of what an instruction of INPUTS reads."""
    if source.op == "place":
        return ("x_in", "y_in", "x_low", "y_low")[source.payload]
    return f"p{source.payload}_in" if source.op == "plane" else "rgba"[source.payload] + "_in"


def is_never_negative(instruction: Instruction) -> bool:
    """Return whether the result is known to be 0 or more, or NaN."""
    return instruction.op == "abs" or (instruction.op == "max" and instruction.args[1] == ZERO)


def searches_among_few(program: Program) -> dict[Instruction, Instruction]:
    """Return the lookups at the result of a search among few entries, with these searches; empty if too many."""
    found: dict[Instruction, Instruction] = {}
    for lookup in program.instructions:
        if lookup.op != "lookup" or lookup.args[0].kind != "v" or lookup.args[1] != ZERO:
            continue
        search = program.instructions[lookup.args[0].index]
        if search.op == "search" and search.payload[1][1] <= FEW_STEPS and all(e.kind != "v" for e in search.args[1:]):
            found[lookup] = search
    return found if len(found) <= MOST_PICKS else {}


Results: TypeAlias = Sequence[tuple[str, Operand]]


def print_body(program: Program, dialect: dict[str, str], results: Results | None = None) -> str:
    """Print straight-line code that reads `r_in g_in b_in a_in`, uniforms `u[...]` and tables, and assigns `r g b a`.

    A placed program also reads `x_in y_in` and their low-order parts `x_low y_low`; one with planes `p0_in`, `p1_in`.
    With `results` it assigns these instead, and computes no more than they need.
    """
    needed = range(len(program.instructions)) if results is None else needed_for(program, results)
    results = results or tuple(zip("rgba", program.outputs, strict=True))
    picks = searches_among_few(program) if "pick" in dialect else {}
    bases = {i.args[0] for i in program.instructions if i.op == "pow"}

    def text(operand: Operand) -> str:
        if operand.kind == "c":
            number = dialect["literal"].format(literal(operand.value))
            return f"({number})" if number.startswith("-") else number
        if operand.kind == "u":
            return dialect["uniform"].format(operand.index, operand.index // 4, "xyzw"[operand.index % 4])
        source = program.instructions[operand.index]
        return name_of(source) if source.op in INPUTS else f"v{operand.index}"

    def expression(number: int, instruction: Instruction) -> str:
        args = [text(arg) for arg in instruction.args]
        if instruction.op == "select" and instruction.args[0].kind != "v":  # the host computes conditions as numbers
            args[0] = dialect.get("truth", "{0}").format(args[0])
        if instruction.op in GATHERS:
            return _gather(instruction, program, args, picks.get(instruction), text, dialect)
        if instruction.op == "component":
            return dialect["component"].format(*args, index=instruction.payload, axis="xyz"[instruction.payload])
        names = _forms(instruction, program)
        if instruction.op == "div" and Operand("v", number) in bases:
            names.append("div of a base")
        return next((dialect[name] for name in names if name in dialect), dialect[instruction.op]).format(*args)

    lines = [
        dialect["declare"].format(
            n=number,
            type=TYPES.get(program.instructions[number].op, "float"),
            text=expression(number, program.instructions[number]),
        )
        for number in needed
        if program.instructions[number].op not in INPUTS
    ]
    lines += [dialect["result"].format(name, text(out)) for name, out in results]
    return "\n".join(dialect["indent"] + line for line in lines) + "\n"


def needed_for(program: Program, results: Results) -> list[int]:
    """Return the numbers of the instructions that results depend on, not counting what a `path_distance` does."""
    needed: set[int] = set()
    waiting = [operand.index for _, operand in results if operand.kind == "v"]
    while waiting:
        if (number := waiting.pop()) not in needed:
            needed.add(number)
            if number not in program.paths:
                waiting += [arg.index for arg in program.instructions[number].args if arg.kind == "v"]
    return sorted(needed)


def _forms(instruction: Instruction, program: Program) -> list[str]:
    """Return the forms that suit what is known of the operands of an instruction, the best first."""
    name, args = instruction.op, instruction.args
    if name == "pow":
        held = args[0].kind == "v" and is_never_negative(program.instructions[args[0].index])
        known = args[1].kind == "c"
        return ["pow held known"] * (held and known) + ["pow held"] * held + ["pow known"] * known
    if name == "exp2_affine" and args[2] == args[4] == ZERO:
        return ["exp2_scaled"]
    return [f"{name} {how}" for how, place in (("fixed", -1), ("of fixed", 0)) if args and args[place].kind != "v"]


def _gather(
    instruction: Instruction,
    program: Program,
    args: list[str],
    search: Instruction | None,
    text: Callable[[Operand], str],
    dialect: dict[str, str],
) -> str:
    """Print a table access; `search` is given for a lookup that compares with each entry instead."""
    name = instruction.op
    table, how, size = instruction.payload
    where = {"table": table, "size": text(size)}
    if name == "path_distance":
        where["path"] = program.paths.index(program.instructions.index(instruction))
    if search is not None:
        keys, (key_channel, steps), key_size = search.payload
        name, args = "pick", [text(arg) for arg in search.args]
        where |= {"channel": how, "keys": keys, "key_channel": key_channel, "key_size": text(key_size), "steps": steps}
    elif name == "lookup":
        where["channel"] = how
        if instruction.args[1] == ZERO and "at" in dialect:
            name, args = _entry(instruction.args[0], program, text)
    elif name == "search":
        where |= {"channel": how[0], "steps": how[1]}
    elif name == "lut3d":
        name = "tetrahedral" if how else "trilinear"
    elif name == "inverse_lut3d":
        where["tree"] = how
    return dialect[name].format(*args, **where)


def _entry(index: Operand, program: Program, text: Callable[[Operand], str]) -> tuple[str, list[str]]:
    """Return the form and the argument of a lookup of an entry: entries are stored with the ones after them."""
    added = program.instructions[index.index] if index.kind == "v" else None
    if added is not None and added.op == "add" and added.args[1] == ONE:
        return "after", [text(added.args[0])]
    return "at", [text(index)]


NUMBA_FRAME = '''"""Generated by Tessera: one op over the planes of one block of pixels."""

import numpy as np

from engine.compute.backends.cpu.layout import {layout}
from engine.compute.backends.cpu.intrinsics import (
    div, f32, fabs, floor, fma, load, select, sqrt, store, t_max, t_min, table,
)
from engine.compute.backends.cpu.inverse_cube import t_inverse_lut3d
from engine.compute.backends.cpu.hashing import t_random3
from engine.compute.backends.cpu.maths import (
    t_atan2, t_cos, t_exp2, t_exp2_affine, t_half_code, t_half_value, t_log2, t_lookup, t_pick, t_pow, t_search,
    t_sin, t_tetrahedral, t_trilinear,
)
{more}

def kernel(planes, uniforms, tables):
{uniforms}
{before}    for i in range(BLOCK):
{loads}
{body}
{stores}
'''
POINT = ("x", "y", "x_low", "y_low")


def print_numba(program: Program) -> str:
    """Print a module with `kernel`, a function of (planes, uniforms, tables) over one block, for numba to compile.

    A `path_distance` is computed for the whole block, edge by edge, before the loop that uses it.
    """
    uniforms = [f"    u{n} = load(uniforms, {n})" for n in range(len(program.uniforms))]
    uniforms += [f"    t{n} = table(tables, {n})" for n in range(len(program.tables))]
    others = [i for i in program.instructions if i.op in INPUTS and i.op != "input"]
    layout = ["BLOCK"] + ["PLACE"] * program.placed + ["PLANES"] * (program.planes > 0)
    layout += ["DISTANCES", "POINTS"] * bool(program.paths)
    stores = [f"        store(planes, {c} * BLOCK + i, {name}_out)" for c, name in enumerate("rgba")]
    return NUMBA_FRAME.format(
        layout=", ".join(layout),
        more="from engine.compute.backends.cpu.polygon import t_path_distance\n" if program.paths else "",
        uniforms="\n".join(uniforms),
        before="".join(_numba_path(program, number) for number in program.paths),
        loads="\n".join(
            [f"        {name}_in = load(planes, {c} * BLOCK + i)" for c, name in enumerate("rgba")]
            + [_numba_load(i) for i in others]
        ),
        body=print_body(program, NUMBA).rstrip(),
        stores="\n".join(stores),
    )


def _numba_load(source: Instruction) -> str:
    first = {"input": "", "place": "PLACE + ", "plane": "PLANES + "}[source.op]
    at = f"({first}{source.payload})" if first else str(source.payload)
    return f"        {name_of(source)} = load(planes, {at} * BLOCK + i)"


def _numba_path(program: Program, number: int) -> str:
    """Print the computation of a `path_distance` for a block: a loop for its points, then a call."""
    path = program.instructions[number]
    results = tuple(zip(POINT, path.args, strict=True))
    sources = [program.instructions[n] for n in needed_for(program, results)]
    lines = ["    for i in range(BLOCK):"]
    lines += [_numba_load(source) for source in sources if source.op in INPUTS]
    lines += print_body(program, NUMBA, results).splitlines()
    lines += [f"        store(planes, (POINTS + {c}) * BLOCK + i, {name}_out)" for c, name in enumerate(POINT)]
    size = NUMBA["uniform"].format(path.payload[2].index)
    lines.append(f"    t_path_distance(planes, t{path.payload[0]}, {size}, {program.paths.index(number)})")
    return "\n".join(lines) + "\n"
