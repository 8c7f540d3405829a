"""Reading and writing of samples of planes, for numba code."""

from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic

from engine.compute.backends.cpu.intrinsics import of_kind

_F32, _I32 = ir.FloatType(), ir.IntType(32)


def _code(bits):
    """Return a function that returns sample `index` of the array of unsigned integers at `address`, as float32."""

    @intrinsic
    def function(typing, address, index, shift):
        """`shift` is an int64: by how many bits the sample is shifted down."""

        def emit(context, builder, signature, args):
            kind = ir.IntType(bits)
            pointer = builder.gep(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
            sample = builder.zext(of_kind(builder, builder.load(pointer), "pixels"), _I32)
            return builder.sitofp(builder.lshr(sample, builder.trunc(args[2], _I32)), _F32)

        return types.float32(types.int64, types.int64, types.int64), emit

    return function


byte_code, word_code = _code(8), _code(16)


def _put_code(bits):
    """Return a function that stores a whole number from 0 on as sample `index` of the array at `address`."""

    @intrinsic
    def function(typing, address, index, value, shift):
        """`shift` is an int64: by how many bits the sample is shifted up."""

        def emit(context, builder, signature, args):
            kind = ir.IntType(bits)
            pointer = builder.gep(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
            code = builder.shl(builder.fptosi(args[2], _I32), builder.trunc(args[3], _I32))
            of_kind(builder, builder.store(builder.trunc(code, kind), pointer), "samples")
            return context.get_dummy_value()

        return types.none(types.int64, types.int64, types.float32, types.int64), emit

    return function


put_byte_code, put_word_code = _put_code(8), _put_code(16)
