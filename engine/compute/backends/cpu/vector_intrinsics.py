"""Vectors of float32 for numba code: of 4, the channels of a pixel, and of 16, which LLVM takes apart where the CPU has
shorter ones."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, models, register_model

from engine.compute.backends.cpu.intrinsics import of_kind

_F16, _F32, _I32 = ir.HalfType(), ir.FloatType(), ir.IntType(32)


class _Vector(types.Type):
    """The type of a vector."""

    def __init__(self, length):
        super().__init__(f"vector{length}")
        self.length = length


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(_F32, kind.length))


FOUR, SIXTEEN = _Vector(4), _Vector(16)


def _none(vector):
    """Return a function that returns a vector of zeros."""

    @intrinsic
    def function(typing):
        def emit(context, builder, signature, args):
            return ir.Constant(ir.VectorType(_F32, vector.length), [0.0] * vector.length)

        return vector(), emit

    return function


def _place(builder, address, index, kind, length):
    """Return a pointer to numbers of a kind from `index` on in the array at `address`, as a vector."""
    pointer = builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])
    return builder.bitcast(pointer, ir.VectorType(kind, length).as_pointer())


def _add(vector, kind):
    """Return a function that returns `total` plus the numbers of a kind from `index` on times a weight, rounded once as
    `fma` does."""
    length = vector.length
    floats, places = ir.VectorType(_F32, length), ir.VectorType(_I32, length)

    @intrinsic
    def function(typing, total, address, index, weight):
        def emit(context, builder, signature, args):
            total, address, index, weight = args
            place = _place(builder, address, index, kind, length)
            numbers = of_kind(builder, builder.load(place, align=2 if kind == _F16 else 4), "pixels")
            if kind == _F16:
                numbers = builder.fpext(numbers, floats)
            first = builder.insert_element(ir.Constant(floats, ir.Undefined), weight, _I32(0))
            weights = builder.shuffle_vector(first, first, ir.Constant(places, [0] * length))
            declared = ir.FunctionType(floats, [floats] * 3)
            multiply = cgutils.get_or_insert_function(builder.module, declared, f"llvm.fma.v{length}f32")
            return builder.call(multiply, [numbers, weights, total])

        return vector(vector, types.int64, types.int64, types.float32), emit

    return function


def _put(vector, kind):
    """Return a function that stores a vector as numbers of a kind from `index` on in the array at `address`."""

    @intrinsic
    def function(typing, address, index, numbers):
        def emit(context, builder, signature, args):
            address, index, numbers = args
            if kind == _F16:
                numbers = builder.fptrunc(numbers, ir.VectorType(_F16, vector.length))
            place = _place(builder, address, index, kind, vector.length)
            of_kind(builder, builder.store(numbers, place, align=2 if kind == _F16 else 4), "pixels")
            return context.get_dummy_value()

        return types.none(types.int64, types.int64, vector), emit

    return function


no_four, no_sixteen = _none(FOUR), _none(SIXTEEN)
add_four, add_sixteen, add_sixteen_halves = _add(FOUR, _F32), _add(SIXTEEN, _F32), _add(SIXTEEN, _F16)
put_four, put_four_halves = _put(FOUR, _F32), _put(FOUR, _F16)
put_sixteen, put_sixteen_halves = _put(SIXTEEN, _F32), _put(SIXTEEN, _F16)
