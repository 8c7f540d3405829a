"""Single instructions for numba code, and its common definitions.

A block of pixels consists of planes R, G, B, A of BLOCK float32 each, small enough for the L1 cache. An op is a C
callback over one block (`SIGNATURE`). Loops over a block are written so that LLVM vectorises them: no branches, no
calls, 32-bit integers, and each memory access marked with its kind.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, extending
from numba.core.types.misc import CPointer

FLOATS = CPointer(types.float32)
ADDRESSES = CPointer(types.int64)
SIGNATURE = types.void(FLOATS, FLOATS, ADDRESSES)
"""The arguments of an op: the planes of the block, its uniforms, the addresses of its tables."""

_F32 = ir.FloatType()
_I32 = ir.IntType(32)
f32 = np.float32
i32 = np.int32


DEFINITIONS, INLINED = {}, {}
"""The definitions of intrinsics, and the Python functions of inlined functions: `symbols` uses them without numba."""


def intrinsic(definition):
    """Decorate the definition of an instruction for numba code."""
    made = extending.intrinsic(definition)
    DEFINITIONS[made] = definition
    return made


def inlined(function):
    """Decorate a function called in loops: LLVM does not vectorise loops with calls."""
    made = njit(error_model="numpy", forceinline=True)(function)
    INLINED[made] = function
    return made


def _unary(name):
    """Return a function of one float32 that is an LLVM instruction."""

    @intrinsic
    def function(typing, x):
        def emit(context, builder, signature, args):
            return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [_F32]), args)

        return types.float32(types.float32), emit

    return function


floor = _unary("floor")
fabs = _unary("fabs")
sqrt = _unary("sqrt")
rint = _unary("rint")


@intrinsic
def fma(typing, a, b, c):
    """Return a * b + c with one rounding."""

    def emit(context, builder, signature, args):
        declared = ir.FunctionType(_F32, [_F32] * 3)
        return builder.call(cgutils.get_or_insert_function(builder.module, declared, "llvm.fma.f32"), args)

    return types.float32(types.float32, types.float32, types.float32), emit


@intrinsic
def div(typing, a, b):
    """Return a / b; division by 0 gives Inf or NaN, where Python's operator would leave the kernel."""

    def emit(context, builder, signature, args):
        return builder.fdiv(*args)

    return types.float32(types.float32, types.float32), emit


@intrinsic
def select(typing, condition, yes, no):
    """Return `yes` if `condition` else `no`, without a branch."""

    def emit(context, builder, signature, args):
        return builder.select(*args)

    return types.float32(types.boolean, types.float32, types.float32), emit


@intrinsic
def select_int(typing, condition, yes, no):
    """Return `yes` if `condition` else `no` for int32, without a branch."""

    def emit(context, builder, signature, args):
        return builder.select(*args)

    return types.int32(types.boolean, types.int32, types.int32), emit


def _integer(method):
    """Return integer arithmetic that stays in 32 bits; numba's operators widen to 64 bits, which halves the vectors."""

    @intrinsic
    def function(typing, a, b):
        def emit(context, builder, signature, args):
            return getattr(builder, method)(*args)

        return types.int32(types.int32, types.int32), emit

    return function


i_add, i_sub, i_mul = _integer("add"), _integer("sub"), _integer("mul")
i_shl, i_shr, i_lshr = _integer("shl"), _integer("ashr"), _integer("lshr")
i_and, i_xor = _integer("and_"), _integer("xor")


def _extreme(comparison):
    @intrinsic
    def function(typing, a, b):
        def emit(context, builder, signature, args):
            return builder.select(builder.fcmp_ordered(comparison, *args), *args)

        return types.float32(types.float32, types.float32), emit

    return function


t_min = _extreme("<")
t_max = _extreme(">")


@intrinsic
def bits_of(typing, x):
    def emit(context, builder, signature, args):
        return builder.bitcast(args[0], _I32)

    return types.int32(types.float32), emit


@intrinsic
def float_of(typing, bits):
    def emit(context, builder, signature, args):
        return builder.bitcast(args[0], _F32)

    return types.float32(types.int32), emit


def of_kind(builder, instruction, kind):
    """Tell LLVM that memory of different kinds never overlaps; otherwise it vectorises no loop with a table."""
    module = builder.module
    root = module.add_metadata(["tessera"])
    node = module.add_metadata([kind, root, ir.IntType(64)(0)])
    instruction.set_metadata("tbaa", module.add_metadata([node, node, ir.IntType(64)(0)]))
    return instruction


@intrinsic
def load(typing, pointer, index):
    """Return element `index` of a float32 array that is also written."""

    def emit(context, builder, signature, args):
        return of_kind(builder, builder.load(builder.gep(args[0], [args[1]])), "planes")

    return types.float32(FLOATS, types.int64), emit


@intrinsic
def load_table(typing, pointer, index):
    """Return element `index` of a table: memory that is not written while kernels run.

    The index has 32 bits, for which there is a gather of twice the width.
    """

    def emit(context, builder, signature, args):
        pointer = builder.gep(args[0], [builder.sext(args[1], ir.IntType(64))])
        return of_kind(builder, builder.load(pointer), "tables")

    return types.float32(FLOATS, types.int32), emit


@intrinsic
def store(typing, pointer, index, value):
    def emit(context, builder, signature, args):
        of_kind(builder, builder.store(args[2], builder.gep(args[0], [args[1]])), "planes")
        return context.get_dummy_value()

    return types.none(FLOATS, types.int64, types.float32), emit


@intrinsic
def floats_at(typing, address):
    """Return the float32 array at an address."""

    def emit(context, builder, signature, args):
        return builder.inttoptr(args[0], _F32.as_pointer())

    return FLOATS(types.int64), emit


def _array_at(element):
    """Return a function that returns the array of this element type at an address, for reading and writing."""

    @intrinsic
    def function(typing, address):
        def emit(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return CPointer(element)(types.int64), emit

    return function


addresses_at = _array_at(types.int64)
ints_at = _array_at(types.int32)
counts_at = _array_at(types.uint32)
shorts_at = _array_at(types.uint16)
bytes_at = _array_at(types.uint8)
doubles_at = _array_at(types.float64)


@intrinsic
def table(typing, tables, index):
    """Return table `index` of the op's tables."""

    def emit(context, builder, signature, args):
        address = builder.load(builder.gep(args[0], [args[1]]))
        return builder.inttoptr(address, _F32.as_pointer())

    return FLOATS(ADDRESSES, types.int64), emit


@intrinsic
def call_op(typing, address, planes, uniforms, tables):
    """Call the compiled op at `address`."""

    def emit(context, builder, signature, args):
        function = ir.FunctionType(ir.VoidType(), [value.type for value in args[1:]])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.none(types.int64, FLOATS, FLOATS, ADDRESSES), emit


@intrinsic
def call_with(typing, address, a, b, c, d, e):
    """Call the compiled function at `address`, which takes five int64."""

    def emit(context, builder, signature, args):
        function = ir.FunctionType(ir.VoidType(), [value.type for value in args[1:]])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.none(*[types.int64] * 6), emit


@intrinsic
def float_at(typing, address, index):
    """Return float32 number `index` of the array at `address`."""

    def emit(context, builder, signature, args):
        pointer = builder.gep(builder.inttoptr(args[0], _F32.as_pointer()), [args[1]])
        return of_kind(builder, builder.load(pointer), "pixels")

    return types.float32(types.int64, types.int64), emit


@intrinsic
def put_float(typing, address, index, value):
    def emit(context, builder, signature, args):
        pointer = builder.gep(builder.inttoptr(args[0], _F32.as_pointer()), [args[1]])
        of_kind(builder, builder.store(args[2], pointer), "pixels")
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.float32), emit


@intrinsic
def half_at(typing, address, index):
    """Return float16 number `index` of the array at `address`, as float32."""

    def emit(context, builder, signature, args):
        half = ir.HalfType()
        pointer = builder.gep(builder.inttoptr(args[0], half.as_pointer()), [args[1]])
        return builder.fpext(of_kind(builder, builder.load(pointer), "pixels"), _F32)

    return types.float32(types.int64, types.int64), emit


@intrinsic
def put_half(typing, address, index, value):
    """Round `value` to the nearest float16 (ties to even) and store it."""

    def emit(context, builder, signature, args):
        half = ir.HalfType()
        pointer = builder.gep(builder.inttoptr(args[0], half.as_pointer()), [args[1]])
        of_kind(builder, builder.store(builder.fptrunc(args[2], half), pointer), "pixels")
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.float32), emit


@intrinsic
def put_byte(typing, address, index, value):
    """Store a number of 0..255 as a byte, rounded to the nearest."""

    def emit(context, builder, signature, args):
        byte = ir.IntType(8)
        pointer = builder.gep(builder.inttoptr(args[0], byte.as_pointer()), [args[1]])
        whole = builder.fptosi(builder.fadd(args[2], ir.Constant(_F32, 0.5)), _I32)
        of_kind(builder, builder.store(builder.trunc(whole, byte), pointer), "pixels")
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.float32), emit


@intrinsic
def store_nontemporal(typing, target, source, index):
    """Copy 16 bytes, number `index`, from `source` to `target` (a multiple of 16) with a non-temporal store."""

    def emit(context, builder, signature, args):
        sixteen = ir.VectorType(_F32, 4).as_pointer()
        target, source = (builder.gep(builder.inttoptr(end, sixteen), [args[2]]) for end in args[:2])
        chunk = of_kind(builder, builder.load(source, align=4), "pixels")
        stored = of_kind(builder, builder.store(chunk, target, align=16), "pixels")
        stored.set_metadata("nontemporal", builder.module.add_metadata([_I32(1)]))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), emit


@intrinsic
def fence(typing):
    """Make non-temporal stores visible to other threads."""

    def emit(context, builder, signature, args):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.none(), emit
