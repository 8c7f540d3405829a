"""Functions for generated ops: exponentials, logarithms, angles, half floats and tables, in float32.

The polynomials are minimax over one octave, fitted by weighted least squares (Lawson's iteration); their errors, 2e-9
and 1e-9, are below the rounding of float32.
"""

import numpy as np

from engine.compute.backends.cpu.intrinsics import (
    bits_of,
    f32,
    fabs,
    float_of,
    floor,
    fma,
    i32,
    i_add,
    i_mul,
    i_shl,
    i_shr,
    i_sub,
    inlined,
    load_table,
    select,
    select_int,
    t_max,
    t_min,
)


@inlined
def _power_of_two(exponent):
    return float_of(i_shl(i_add(exponent, i32(127)), i32(23)))


@inlined
def _exp2_octave(whole, rest):
    """Return 2 ** (whole + rest), for |rest| up to a little over 0.5; 0 or Inf outside of the range."""
    p = fma(f32(1.5478022e-4), rest, f32(1.3400431e-3))
    p = fma(p, rest, f32(9.617995e-3))
    p = fma(p, rest, f32(5.5503272e-2))
    p = fma(p, rest, f32(2.4022652e-1))
    p = fma(p, rest, f32(6.931472e-1))
    p = fma(p, rest, f32(1.0))
    exponent = i32(t_min(t_max(whole, f32(-160.0)), f32(160.0)))
    first = i_shr(exponent, i32(1))  # two steps, so that subnormal results are rounded correctly
    return p * _power_of_two(first) * _power_of_two(i_sub(exponent, first))


@inlined
def t_exp2(x):
    clamped = t_min(f32(160.0), t_max(f32(-160.0), x))  # constants first: NaN stays NaN
    whole = floor(clamped + f32(0.5))
    return _exp2_octave(whole, clamped - whole)


@inlined
def t_exp2_affine(x, scale, offset, scale_lost, offset_lost):
    product = scale * x
    total = product + offset
    shift = total - product  # two-sum: the rounding error of the addition (Knuth, TAOCP 2, 4.2.2)
    lost = (product - (total - shift)) + (offset - shift)
    lost = lost + fma(scale, x, -product) + fma(scale_lost, x, offset_lost)
    whole = floor(total + f32(0.5))
    inside = _exp2_octave(whole, (total - whole) + lost)
    beyond = select(total > f32(0.0), f32(np.inf), select(total < f32(0.0), f32(0.0), total))
    return select(fabs(total) < f32(160.0), inside, beyond)


@inlined
def _log2_parts(x):
    """Return the integer and fractional part, the latter within -0.5..0.5, of log2 of a positive finite x."""
    small = x < f32(1.1754944e-38)
    x = select(small, x * f32(16777216.0), x)
    bits = bits_of(x)
    exponent = i_shr(i_sub(bits, i32(0x3F3504F3)), i32(23))
    t = float_of(i_sub(bits, i_shl(exponent, i32(23)))) - f32(1.0)
    p = fma(f32(-0.10976341), t, f32(0.18838507))
    p = fma(p, t, f32(-0.192344))
    p = fma(p, t, f32(0.20428979))
    p = fma(p, t, f32(-0.23939431))
    p = fma(p, t, f32(0.2885792))
    p = fma(p, t, f32(-0.36070874))
    p = fma(p, t, f32(0.48089814))
    p = fma(p, t, f32(-0.72134715))
    p = fma(p, t, f32(1.442695))
    whole = f32(exponent)
    return select(small, whole - f32(24.0), whole), p * t


@inlined
def t_log2(x):
    whole, rest = _log2_parts(x)
    outside = select(x == f32(0.0), f32(-np.inf), select(x > f32(0.0), x, f32(np.nan)))
    return select((x > f32(0.0)) & (x < f32(np.inf)), whole + rest, outside)


@inlined
def t_pow(x, exponent, exponent_lost):
    """Return x ** exponent for an exponent above 0, with the exponent of 2 in two float32."""
    whole, rest = _log2_parts(x)
    product = whole * exponent
    lost = fma(whole, exponent, -product) + whole * exponent_lost
    lost = fma(rest, exponent, lost)
    near = floor(product + lost + f32(0.5))
    power = _exp2_octave(near, (product - near) + lost)
    outside = select(x >= f32(0.0), x, f32(np.nan))
    return select((x > f32(0.0)) & (x < f32(np.inf)), power, outside)


@inlined
def _quarter_turns(x, ahead):
    """Return the sine of x + ahead * pi / 2; x is reduced to an eighth of a turn with pi / 2 in three parts (Cody and
    Waite)."""
    turns = floor(fma(x, f32(0.63661975), f32(0.5)))
    rest = fma(turns, f32(-1.5703125), x)
    rest = fma(turns, f32(-0.0004838109), rest)
    rest = fma(turns, f32(-1.5893255e-8), rest)
    square = rest * rest
    sine = fma(f32(-1.9501144e-4), square, f32(8.332011e-3))
    sine = fma(sine, square, f32(-1.6666651e-1))
    sine = fma(sine * square, rest, rest)
    cosine = fma(f32(2.443773e-5), square, f32(-1.3887362e-3))
    cosine = fma(cosine, square, f32(4.1666646e-2))
    cosine = fma(cosine * square, square, fma(f32(-0.5), square, f32(1.0)))
    turns = turns + ahead
    half_turns = floor(turns * f32(0.5))
    result = select(turns > half_turns + half_turns, cosine, sine)
    return select(half_turns * f32(0.5) > floor(half_turns * f32(0.5)), -result, result)


@inlined
def t_sin(x):
    return _quarter_turns(x, f32(0.0))


@inlined
def t_cos(x):
    return _quarter_turns(x, f32(1.0))


@inlined
def t_atan2(y, x):
    near, far = t_min(fabs(x), fabs(y)), t_max(fabs(x), fabs(y))
    share = select(near < far, near / far, f32(1.0))  # also for Inf and Inf
    slope = select(far > f32(0.0), share, far)
    square = slope * slope
    p = fma(f32(-1.7539299e-3), square, f32(1.0726945e-2))
    p = fma(p, square, f32(-3.08046e-2))
    p = fma(p, square, f32(5.755211e-2))
    p = fma(p, square, f32(-8.377316e-2))
    p = fma(p, square, f32(1.0942031e-1))
    p = fma(p, square, f32(-1.4261933e-1))
    p = fma(p, square, f32(1.9998266e-1))
    p = fma(p, square, f32(-3.3333284e-1))
    angle = fma(p * square, slope, slope)
    angle = select(fabs(y) > fabs(x), f32(1.5707964) - angle, angle)
    angle = select(x < f32(0.0), f32(3.1415927) - angle, angle)
    return select(x == x, select(y < f32(0.0), -angle, angle), x)


@inlined
def t_half_code(x):
    magnitude = fabs(x)
    bits = bits_of(magnitude)
    normal = f32(i_sub(i_shr(bits, i32(13)), i32(0x1C000)))
    code = select(magnitude < f32(6.1035156e-05), floor(magnitude * f32(16777216.0)), normal)
    code = select(magnitude > f32(65504.0), f32(31744.0), code)
    code = select(magnitude == magnitude, code, f32(32256.0))
    return select(bits_of(x) < i32(0), code + f32(32768.0), code)


@inlined
def t_half_value(code):
    negative = code >= f32(32768.0)
    magnitude = i32(select(negative, code - f32(32768.0), code))
    scaled = float_of(i_shl(magnitude, i32(13))) * f32(
        5.192296858534828e33
    )  # 2 ** 112: from the bias of half to float's
    value = select(code != code, code, scaled)
    value = select(magnitude >= i32(0x7C00), f32(np.inf), value)
    value = select(magnitude > i32(0x7C00), f32(np.nan), value)
    return select(negative, -value, value)


# --- tables ----------------------------------------------------------------------------------------------------
# A 1D LUT is stored channel by channel, each followed by a copy of its last value; a 3D LUT is stored [r][g][b] with
# four floats per entry.


@inlined
def t_lookup(curve, channel, size, index, fraction):
    """Interpolate linearly between entry `index` and the next."""
    at = i_add(i_mul(i32(channel), i_add(i32(size), i32(1))), i32(index))
    low = load_table(curve, at)
    step = load_table(curve, i_add(at, i32(1))) - low
    return select(fraction > f32(0.0), fma(fraction, step, low), low)


@inlined
def t_search(curve, channel, size, steps, x, first, last):
    """Return the last entry from `first` to `last` below `x`, by `steps` bisection steps, a constant when inlined."""
    base = i_mul(i32(channel), i_add(i32(size), i32(1)))
    at, end = i_add(base, i32(first)), i_add(base, i32(last))
    for step in range(steps):
        ahead = i_add(at, i_shl(i32(1), i32(steps - 1 - step)))
        ahead = select_int(ahead < end, ahead, end)
        at = select_int(load_table(curve, ahead) < x, ahead, at)
    return f32(i_sub(at, base))


@inlined
def t_pick(curve, channel, size, keys, key_channel, key_size, steps, x, first, last):
    """Return the entry of `curve` where `t_search` of `keys` finds `x`, by comparing all keys, without gathers."""
    base = i_mul(i32(channel), i_add(i32(size), i32(1)))
    key_base = i_mul(i32(key_channel), i_add(i32(key_size), i32(1)))
    found = load_table(curve, i_add(base, i32(first)))
    for step in range(1, 1 << steps):
        ahead = first + f32(step)
        at = i32(t_min(ahead, last))
        key = select(ahead <= last, load_table(keys, i_add(key_base, at)), f32(np.inf))
        found = select(key < x, load_table(curve, i_add(base, at)), found)
    return found


@inlined
def _low_corner(x, size):
    return t_min(floor(x), size - f32(2.0))


@inlined
def _steps(size):
    """Return the number of floats from an entry of a 3D LUT to the next along r, g, b."""
    step_g = i_mul(size, i32(4))
    return i_mul(size, step_g), step_g, i32(4)


@inlined
def _weigh_four(cube, at, first, third, whole, largest, middle, least):
    low = load_table(cube, at) * (f32(1.0) - largest)
    low = fma(load_table(cube, i_add(at, first)), largest - middle, low)
    low = fma(load_table(cube, i_add(at, third)), middle - least, low)
    return fma(load_table(cube, i_add(at, whole)), least, low)


@inlined
def t_tetrahedral(cube, size, r, g, b):
    """Return the colour at r, g, b (in entries), as `engine.kernel.pixel.lut3d` does: the fractions in descending order
    are the lengths of the steps."""
    step_r, step_g, step_b = _steps(i32(size))
    whole = i_add(i_add(step_r, step_g), step_b)
    low_r, low_g, low_b = _low_corner(r, size), _low_corner(g, size), _low_corner(b, size)
    x, y, z = r - low_r, g - low_g, b - low_b
    at = i_add(i_add(i_mul(i32(low_r), step_r), i_mul(i32(low_g), step_g)), i_mul(i32(low_b), step_b))
    largest, least = t_max(t_max(x, y), z), t_min(t_min(x, y), z)
    middle = t_max(t_min(x, y), t_min(t_max(x, y), z))
    first = select_int((x >= y) & (x >= z), step_r, select_int(y >= z, step_g, step_b))
    third = i_sub(whole, select_int((z <= x) & (z <= y), step_b, select_int(y <= x, step_g, step_r)))
    red = _weigh_four(cube, at, first, third, whole, largest, middle, least)
    green = _weigh_four(cube, i_add(at, i32(1)), first, third, whole, largest, middle, least)
    blue = _weigh_four(cube, i_add(at, i32(2)), first, third, whole, largest, middle, least)
    return red, green, blue


@inlined
def _mixed(low, high, fraction):
    return fma(high - low, fraction, low)


@inlined
def _edge(cube, at, fraction):
    return _mixed(load_table(cube, at), load_table(cube, i_add(at, i32(4))), fraction)


@inlined
def _weigh_eight(cube, at, step_r, step_g, x, y, z):
    far = i_add(at, step_r)
    near_face = _mixed(_edge(cube, at, z), _edge(cube, i_add(at, step_g), z), y)
    far_face = _mixed(_edge(cube, far, z), _edge(cube, i_add(far, step_g), z), y)
    return _mixed(near_face, far_face, x)


@inlined
def t_trilinear(cube, size, r, g, b):
    """Return the colour at r, g, b (in entries)."""
    step_r, step_g, step_b = _steps(i32(size))
    low_r, low_g, low_b = _low_corner(r, size), _low_corner(g, size), _low_corner(b, size)
    x, y, z = r - low_r, g - low_g, b - low_b
    at = i_add(i_add(i_mul(i32(low_r), step_r), i_mul(i32(low_g), step_g)), i_mul(i32(low_b), step_b))
    red = _weigh_eight(cube, at, step_r, step_g, x, y, z)
    green = _weigh_eight(cube, i_add(at, i32(1)), step_r, step_g, x, y, z)
    blue = _weigh_eight(cube, i_add(at, i32(2)), step_r, step_g, x, y, z)
    return red, green, blue
