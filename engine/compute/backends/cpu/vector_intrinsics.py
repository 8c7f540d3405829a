"""Vectors of four float32, the channels of a pixel, for numba code."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, models, register_model

from engine.compute.backends.cpu.intrinsics import FLOATS, of_kind

_F32 = ir.FloatType()
_FOUR = ir.VectorType(_F32, 4)


class _Four(types.Type):
    """The type of a vector."""


@register_model(_Four)
class _FourModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _FOUR)


FOUR = _Four("four")


@intrinsic
def no_four(typing):
    """Return a vector of zeros."""

    def emit(context, builder, signature, args):
        return ir.Constant(_FOUR, [0.0] * 4)

    return FOUR(), emit


@intrinsic
def add_four(typing, total, pointer, index, weight):
    """Return `total` plus the four numbers from `index` on times a weight, rounded once as `fma` does."""

    def emit(context, builder, signature, args):
        total, pointer, index, weight = args
        numbers = builder.bitcast(builder.gep(pointer, [index]), _FOUR.as_pointer())
        numbers = of_kind(builder, builder.load(numbers, align=4), "planes")
        first = builder.insert_element(ir.Constant(_FOUR, ir.Undefined), weight, ir.IntType(32)(0))
        weights = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4))
        declared = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_FOUR, [_FOUR] * 3), "llvm.fma.v4f32")
        return builder.call(declared, [numbers, weights, total])

    return FOUR(FOUR, FLOATS, types.int64, types.float32), emit


def _put_as(kind, alignment):
    """Return a function that stores a vector as four numbers of a type, from `index` on, in the array at `address`."""

    @intrinsic
    def function(typing, address, index, vector):
        def emit(context, builder, signature, args):
            address, index, vector = args
            pointer = builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])
            if kind != _F32:
                vector = builder.fptrunc(vector, ir.VectorType(kind, 4))
            stored = builder.store(vector, builder.bitcast(pointer, vector.type.as_pointer()), align=alignment)
            of_kind(builder, stored, "pixels")
            return context.get_dummy_value()

        return types.none(types.int64, types.int64, FOUR), emit

    return function


put_four_floats, put_four_halves = _put_as(_F32, 4), _put_as(ir.HalfType(), 2)
