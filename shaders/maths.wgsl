// Functions of the pixel language that WGSL lacks or does not guarantee accurately enough.
//
// The kernel that uses these has an array `numbers` of vec4u. The backend prepends `t_fma(a, b, c)`, which is a * b + c
// with one rounding, and `t_exp2_sum(x, rest)`, which is 2 ** (x + rest) for |rest| up to about 1.

fn number(index: u32) -> u32 { return numbers[index / 4u][index % 4u]; }

// Numbers 2 to 4: the bits of Inf and of NaN, which WGSL has no literals for, and a 0 unknown to the compiler.
fn t_infinity() -> f32 { return bitcast<f32>(number(2u)); }
fn t_nan() -> f32 { return bitcast<f32>(number(3u)); }
// Tests the bits: a compiler may assume that comparisons have no NaN.
fn t_is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// x, rounded to float32 here: WGSL lets a compiler reorder sums and fuse products, but not through a 0 unknown to it.
fn t_rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ number(4u)); }

// False if either is NaN, even if the compiler inverts the comparison.
fn t_less(a: f32, b: f32) -> bool { return a < b && !t_is_nan(a) && !t_is_nan(b); }
fn t_less_or_equal(a: f32, b: f32) -> bool { return a <= b && !t_is_nan(a) && !t_is_nan(b); }

// The second if it is NaN, or if neither is less.
fn t_min(a: f32, b: f32) -> f32 { return select(select(b, a, a < b), b, t_is_nan(b)); }
fn t_max(a: f32, b: f32) -> f32 { return select(select(b, a, a > b), b, t_is_nan(b)); }
// NaN becomes a limit.
fn t_held(x: f32, low: f32, high: f32) -> f32 { return min(max(x, low), high); }

// An integral float from 0 to 2 ** 23 as an integer, without the checks of a conversion.
fn t_whole(x: f32) -> u32 { return bitcast<u32>(x + 8388608.0f) - 0x4b000000u; }

// Whether x is positive, finite and normal; subnormals count as 0 in all arithmetic here.
fn t_is_normal(x: f32) -> bool { return bitcast<u32>(x) - 0x00800000u < 0x7f000000u; }

// 2 ** (x + rest) by an exp2 that is only exact near 0.
fn t_exp2_by_octave(x: f32, rest: f32) -> f32 {
    let whole = floor(x + rest + 0.5f);
    let exponent = i32(t_held(whole, -160.0f, 160.0f));
    let first = exponent >> 1u; // two steps, so that subnormal results are rounded correctly
    let power = exp2((x - whole) + rest);
    return power * bitcast<f32>((first + 127) << 23u) * bitcast<f32>((exponent - first + 127) << 23u);
}

fn t_exp2(x: f32) -> f32 { return select(t_exp2_sum(t_held(x, -160.0f, 160.0f), 0.0f), x, t_is_nan(x)); }

// 2 ** (scale * x + offset), with the exponent in two floats.
fn t_exp2_affine(x: f32, scale: f32, offset: f32, scale_lost: f32, offset_lost: f32) -> f32 {
    let product = t_rounded(scale * x);
    let total = t_rounded(product + offset);
    let shift = total - product; // two-sum: the rounding error of the addition (Knuth, TAOCP 2, 4.2.2)
    var lost = (product - (total - shift)) + (offset - shift);
    lost = lost + t_fma(scale, x, -product) + t_fma(scale_lost, x, offset_lost);
    let held = select(select(0.0f, t_infinity(), total > 0.0f), t_exp2_sum(total, lost), abs(total) < 160.0f);
    return select(held, t_nan(), t_is_nan(total));
}

// The integer and fractional part, the latter within -0.5..0.5, of log2 of a normal x. Within 0.5..2 the error of
// WGSL's log2 is at most 2 ** -21.
fn t_log2_parts(x: f32) -> vec2f {
    let bits = bitcast<i32>(x);
    let exponent = (bits - 0x3f3504f3) >> 23u;
    return vec2f(f32(exponent), log2(bitcast<f32>(bits - (exponent << 23u))));
}

fn t_log2(x: f32) -> f32 {
    let parts = t_log2_parts(x);
    let outside = select(select(t_nan(), x, x > 0.0f), -t_infinity(), abs(x) < 1.17549435e-38f);
    return select(outside, parts.x + parts.y, t_is_normal(x));
}

// x ** exponent for x and an exponent above 0, with the exponent of 2 in two floats. 0 and Inf are unchanged.
fn t_pow_held(x: f32, exponent: f32, exponent_lost: f32) -> f32 {
    let parts = t_log2_parts(x);
    let product = t_rounded(parts.x * exponent);
    let lost = t_fma(parts.x, exponent, -product) + parts.x * exponent_lost;
    return select(x, t_exp2_sum(product, t_fma(parts.y, exponent, lost)), t_is_normal(x));
}

fn t_pow(x: f32, exponent: f32, exponent_lost: f32) -> f32 {
    return select(t_nan(), t_pow_held(x, exponent, exponent_lost), x >= 0.0f);
}

// Sine of x + ahead * pi / 2: x is reduced to an eighth of a turn by pi / 2 in three parts (Cody and Waite).
fn t_quarter_turns(x: f32, ahead: f32) -> f32 {
    let near = floor(t_fma(x, 0.63661975f, 0.5f));
    let rest = t_fma(near, -1.5893255e-8f, t_fma(near, -0.0004838109f, t_fma(near, -1.5703125f, x)));
    let square = rest * rest;
    let p = t_fma(t_fma(-1.9501144e-4f, square, 8.332011e-3f), square, -1.6666651e-1f);
    let q = t_fma(t_fma(2.443773e-5f, square, -1.3887362e-3f), square, 4.1666646e-2f);
    let sine = t_fma(p * square, rest, rest);
    let cosine = t_fma(q * square, square, t_fma(-0.5f, square, 1.0f));
    let turns = near + ahead;
    let half_turns = floor(turns * 0.5f);
    let result = select(sine, cosine, turns > half_turns + half_turns);
    return select(result, -result, half_turns * 0.5f > floor(half_turns * 0.5f));
}

fn t_sin(x: f32) -> f32 { return t_quarter_turns(x, 0.0f); }
fn t_cos(x: f32) -> f32 { return t_quarter_turns(x, 1.0f); }

fn t_atan2(y: f32, x: f32) -> f32 {
    let near = t_min(abs(x), abs(y));
    let far = t_max(abs(x), abs(y));
    let share = select(1.0f, near / far, near < far); // also for Inf and Inf
    let slope = select(far, share, far > 0.0f);
    let square = slope * slope;
    var p = t_fma(-1.7539299e-3f, square, 1.0726945e-2f);
    p = t_fma(p, square, -3.08046e-2f);
    p = t_fma(p, square, 5.755211e-2f);
    p = t_fma(p, square, -8.377316e-2f);
    p = t_fma(p, square, 1.0942031e-1f);
    p = t_fma(p, square, -1.4261933e-1f);
    p = t_fma(p, square, 1.9998266e-1f);
    p = t_fma(p, square, -3.3333284e-1f);
    var angle = t_fma(p * square, slope, slope);
    angle = select(angle, 1.5707964f - angle, abs(y) > abs(x));
    angle = select(angle, 3.1415927f - angle, x < 0.0f);
    angle = select(angle, -angle, y < 0.0f);
    return select(angle, x, t_is_nan(x));
}

// The sum of the four bytes of a number, less its mean.
fn t_byte_sum(bits: u32) -> f32 {
    let pairs = (bits & 0x00ff00ffu) + ((bits >> 8u) & 0x00ff00ffu);
    return f32(i32((pairs & 0xffffu) + (pairs >> 16u)) - 510);
}

// Three random integers of -510..510 for integers of at most 2 ** 24: PCG3D (Jarzynski and Olano, JCGT 9(3), 2020).
fn t_random3(x: f32, y: f32, key: f32) -> vec3f {
    var v = bitcast<vec3u>(vec3i(i32(x), i32(y), i32(key))) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v = v ^ (v >> vec3u(16u));
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3f(t_byte_sum(v.x), t_byte_sum(v.y), t_byte_sum(v.z));
}

// The bit pattern, as a number, of x truncated to half precision.
fn t_half_code(x: f32) -> f32 {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    let magnitude = bitcast<f32>(bits);
    var code = f32(i32(bits >> 13u) - 0x1c000);
    code = select(code, floor(magnitude * 16777216.0f), bits < 0x38800000u);
    code = select(code, 31744.0f, bits > 0x477fe000u);
    code = select(code, 32256.0f, bits > 0x7f800000u);
    return select(code, code + 32768.0f, bitcast<i32>(x) < 0);
}

fn t_half_value(code: f32) -> f32 { return unpack2x16float(u32(code)).x; }
