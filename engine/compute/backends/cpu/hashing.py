"""Random numbers of lattice points for generated ops, in 32-bit integers."""

from engine.compute.backends.cpu.intrinsics import f32, i32, i_add, i_and, i_lshr, i_mul, i_sub, i_xor, inlined


@inlined
def _seeded(x):
    return i_add(i_mul(i32(x), i32(1664525)), i32(1013904223))


@inlined
def _stirred(x, y, z):
    x = i_add(x, i_mul(y, z))
    y = i_add(y, i_mul(z, x))
    return x, y, i_add(z, i_mul(x, y))


@inlined
def _folded(bits):
    return i_xor(bits, i_lshr(bits, i32(16)))


@inlined
def _byte_sum(bits):
    pairs = i_add(i_and(bits, i32(0x00FF00FF)), i_and(i_lshr(bits, i32(8)), i32(0x00FF00FF)))
    return f32(i_sub(i_add(i_and(pairs, i32(0xFFFF)), i_lshr(pairs, i32(16))), i32(510)))


@inlined
def t_random3(x, y, key):
    """Return three random integers of -510..510, as `engine.kernel.primitives.random3` does."""
    a, b, c = _stirred(_seeded(x), _seeded(y), _seeded(key))
    a, b, c = _stirred(_folded(a), _folded(b), _folded(c))
    return _byte_sum(a), _byte_sum(b), _byte_sum(c)
