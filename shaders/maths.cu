// Exponentials, logarithms, angles and half floats for generated bodies, as defined in engine/kernel/pixel.py.

FUNCTION float t_min(float a, float b) { return a < b ? a : b; }
FUNCTION float t_max(float a, float b) { return a > b ? a : b; }

// NaN if either is.
FUNCTION float t_min_of_both(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float y;
    asm("min.NaN.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
#else
    return a < b || a != a ? a : b;
#endif
}

FUNCTION float t_max_of_both(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float y;
    asm("max.NaN.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
#else
    return a > b || a != a ? a : b;
#endif
}

// The hardware's 2 ** x (relative error 2e-7) and, for x within 0.7..1.5, log2 x (absolute error 2.4e-7). OpenCL C uses
// polynomials, those of the CPU backend: the functions of a driver may differ in the last bit from one launch to another.
// Host builds of CUDA use the library functions.
FUNCTION float t_hardware_exp2(float x) {
#ifdef __CUDACC__
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#elif defined(__OPENCL_VERSION__)
    const float held = x < -160.0f ? -160.0f : (x > 160.0f ? 160.0f : x);  // NaN stays NaN
    const float whole = floorf(held + 0.5f), rest = held - whole;
    float p = fmaf(1.5478022e-4f, rest, 1.3400431e-3f);
    p = fmaf(p, rest, 9.617995e-3f);
    p = fmaf(p, rest, 5.5503272e-2f);
    p = fmaf(p, rest, 2.4022652e-1f);
    p = fmaf(p, rest, 6.931472e-1f);
    p = fmaf(p, rest, 1.0f);
    const int octave = whole == whole ? (int)whole : 0, first = octave >> 1;  // two steps: 2 ** 160 is not a float
    return p * __int_as_float((first + 127) << 23) * __int_as_float((octave - first + 127) << 23);
#else
    return exp2f(x);
#endif
}

FUNCTION float t_hardware_log2(float x) {
#ifdef __CUDACC__
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#elif defined(__OPENCL_VERSION__)
    const int bits = __float_as_int(x), octave = (bits - 0x3f3504f3) >> 23;
    const float t = __int_as_float(bits - (octave << 23)) - 1.0f;
    float p = fmaf(-0.10976341f, t, 0.18838507f);
    p = fmaf(p, t, -0.192344f);
    p = fmaf(p, t, 0.20428979f);
    p = fmaf(p, t, -0.23939431f);
    p = fmaf(p, t, 0.2885792f);
    p = fmaf(p, t, -0.36070874f);
    p = fmaf(p, t, 0.48089814f);
    p = fmaf(p, t, -0.72134715f);
    p = fmaf(p, t, 1.442695f);
    const float result = fmaf(p, t, (float)octave);
    return x < 0.0f ? __int_as_float(0x7fc00000) : result;
#else
    return log2f(x);
#endif
}

FUNCTION float t_hardware_reciprocal(float x) {
#ifdef __CUDACC__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0f / x;
#endif
}

// a / b, two units in the last place off at most, where |b| is below 2 ** 126; a division that is rounded correctly
// takes a dozen instructions.
FUNCTION float t_div(float a, float b) { return a * t_hardware_reciprocal(b); }

// a / b with half the error, for the base of a power, which multiplies it.
FUNCTION float t_div_well(float a, float b) {
    const float reciprocal = t_hardware_reciprocal(b), quotient = a * reciprocal, left = fmaf(-b, quotient, a);
    return fabsf(left) <= 3.4028235e38f ? fmaf(left, reciprocal, quotient) : quotient;
}

FUNCTION float t_sqrt(float x) {
#ifdef __CUDACC__
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return sqrtf(x);
#endif
}

FUNCTION float t_exp2(float x) { return t_hardware_exp2(x); }

// 2 ** (total + lost).
FUNCTION float t_exp2_sum(float total, float lost) {
    const float beyond = total > 0.0f ? __int_as_float(0x7f800000) : (total < 0.0f ? 0.0f : total);
    return fabsf(total) < 160.0f ? t_hardware_exp2(total) * t_hardware_exp2(lost) : beyond;
}

// 2 ** (scale * x), with the exponent in two floats.
FUNCTION float t_exp2_scaled(float x, float scale, float scale_lost) {
    const float total = __fmul_rn(scale, x);
    return t_exp2_sum(total, fmaf(scale_lost, x, fmaf(scale, x, -total)));
}

// 2 ** (scale * x + offset), likewise.
FUNCTION float t_exp2_affine(float x, float scale, float offset, float scale_lost, float offset_lost) {
    const float product = __fmul_rn(scale, x);
    const float total = __fadd_rn(product, offset);
    const float shift = __fsub_rn(total, product);  // two-sum: the addition's error (Knuth, TAOCP 2, 4.2.2)
    float lost = __fadd_rn(__fsub_rn(product, __fsub_rn(total, shift)), __fsub_rn(offset, shift));
    lost += fmaf(scale, x, -product) + fmaf(scale_lost, x, offset_lost);
    return t_exp2_sum(total, lost);
}

// Whether x is positive, finite and normal; subnormals count as 0 in all arithmetic here.
FUNCTION bool t_is_normal(float x) {
    return (uint)(__float_as_int(x) - 0x00800000) < 0x7f000000u;
}

// The integer and fractional part, the latter within -0.5..0.5, of log2 of a normal x.
FUNCTION float t_log2_parts(float x, float *rest) {
    const int bits = __float_as_int(x);
    const int octave = (bits - 0x3f3504f3) & 0xff800000;
    *rest = t_hardware_log2(__int_as_float(bits - octave));
    return (float)octave * 1.1920929e-07f;  // by 2 ** 23
}

FUNCTION float t_log2(float x) {
    float rest;
    const float whole = t_log2_parts(x, &rest);
    const float infinity = __int_as_float(0x7f800000), nan = __int_as_float(0x7fc00000);
    const float outside = fabsf(x) < 1.17549435e-38f ? -infinity : (x > 0.0f ? x : nan);
    return t_is_normal(x) ? whole + rest : outside;
}

// The octave of a normal x as a number, and log2, 0..1, of what remains; NaN below 0, unless x is known not to be
// (`held`). Whole numbers are converted in the low bits of a float of 1.5 * 2 ** 23.
FUNCTION float t_octave(bool held, float x, float *rest) {
    const uint bits = (uint)__float_as_int(x), octave = (bits >> 23) + (0x4b400000u - 127u);
    const uint scaled = held ? bits - (octave << 23) : (bits & 0x807fffffu) | 0x3f800000u;
    *rest = t_hardware_log2(__int_as_float((int)scaled));
    return __int_as_float((int)octave) - 12582912.0f;
}

// x ** exponent for an exponent above 0: 2 ** (octave * exponent) times 2 ** (rest * exponent). What a product of two
// floats loses is found by fmaf, or, if the exponent is known to the compiler (`known`), avoided: octave * high is exact.
FUNCTION float t_pow(bool held, bool known, float x, float exponent, float exponent_lost) {
    float rest, power;
    const float octave = t_octave(held, x, &rest);
    const float high = __int_as_float(__float_as_int(exponent) & 0xffffff00);
    const float low = __fadd_rn(__fsub_rn(exponent, high), exponent_lost);
    if (known && exponent < 0.98f) {  // always a normal number: the whole part of the power of 2 is added to its bits
        const float whole = fmaf(octave, high, 12582912.0f);
        const float part = fmaf(octave, high, -__fsub_rn(whole, 12582912.0f));
        const float scaled = t_hardware_exp2(fmaf(rest, exponent, fmaf(octave, low, part)));
        power = __int_as_float((int)((uint)__float_as_int(scaled) + ((uint)__float_as_int(whole) << 23)));
        if (!held) power = rest == rest ? power : rest;  // below 0, where the sum of bits is a number
    } else {
        const float product = __fmul_rn(octave, known ? high : exponent);
        const float lost = fmaf(octave, exponent_lost, fmaf(octave, exponent, -product));
        const float left = fmaf(rest, exponent, known ? __fmul_rn(octave, low) : lost);
        power = t_hardware_exp2(product) * t_hardware_exp2(left);
    }
    if (known && exponent >= 1.0f) return fabsf(x) >= 1.17549435e-38f ? power : x;  // Inf becomes Inf by itself
    if (held) return t_is_normal(x) ? power : x;
    return fabsf(x) >= 1.17549435e-38f && x <= 3.4028235e38f ? power : x;
}

// The sum of the four bytes of a number, less its mean.
FUNCTION float t_byte_sum(uint bits) {
    const uint pairs = (bits & 0x00ff00ffu) + ((bits >> 8) & 0x00ff00ffu);
    return (float)((int)((pairs & 0xffffu) + (pairs >> 16)) - 510);
}

// Three random integers of -510..510 for integers of at most 2 ** 24: PCG3D (Jarzynski and Olano, JCGT 9(3), 2020).
FUNCTION float3 t_random3(float x, float y, float key) {
    uint a = (uint)(int)x * 1664525u + 1013904223u;
    uint b = (uint)(int)y * 1664525u + 1013904223u;
    uint c = (uint)(int)key * 1664525u + 1013904223u;
    a += b * c;
    b += c * a;
    c += a * b;
    a ^= a >> 16;
    b ^= b >> 16;
    c ^= c >> 16;
    a += b * c;
    b += c * a;
    c += a * b;
    return make_float3(t_byte_sum(a), t_byte_sum(b), t_byte_sum(c));
}

// The bit pattern, as a number, of x truncated to half precision.
FUNCTION float t_half_code(float x) {
    const float magnitude = fabsf(x);
    float code = (float)((__float_as_int(magnitude) >> 13) - 0x1c000);
    code = magnitude < 6.1035156e-05f ? floorf(magnitude * 16777216.0f) : code;
    code = magnitude > 65504.0f ? 31744.0f : code;
    code = magnitude == magnitude ? code : 32256.0f;
    return __float_as_int(x) < 0 ? code + 32768.0f : code;
}

FUNCTION float t_half_value(float code) {
    return t_of_half((ushort)(int)code);
}

// The number of quarter turns, and the sine or cosine of the rest. Cody and Waite, "Software Manual for the Elementary
// Functions", 1980: pi / 2 in three parts.
FUNCTION float t_quarter_turns(float x, float ahead) {
    const float near = floorf(fmaf(x, 0.63661975f, 0.5f));
    const float rest = fmaf(near, -1.5893255e-8f, fmaf(near, -0.0004838109f, fmaf(near, -1.5703125f, x)));
    const float square = rest * rest;
    const float p = fmaf(fmaf(-1.9501144e-4f, square, 8.332011e-3f), square, -1.6666651e-1f);
    const float q = fmaf(fmaf(2.443773e-5f, square, -1.3887362e-3f), square, 4.1666646e-2f);
    const float sine = fmaf(p * square, rest, rest);
    const float cosine = fmaf(q * square, square, fmaf(-0.5f, square, 1.0f));
    const float turns = near + ahead;
    const float half_turns = floorf(turns * 0.5f);
    const float result = turns > half_turns + half_turns ? cosine : sine;
    return half_turns * 0.5f > floorf(half_turns * 0.5f) ? -result : result;
}

FUNCTION float t_sin(float x) { return t_quarter_turns(x, 0.0f); }
FUNCTION float t_cos(float x) { return t_quarter_turns(x, 1.0f); }

FUNCTION float t_atan2(float y, float x) {
    const float near = t_min_of_both(fabsf(x), fabsf(y)), far = t_max_of_both(fabsf(x), fabsf(y));
    const float share = near < far ? t_div(near, far) : 1.0f;  // also for Inf and Inf
    const float slope = far > 0.0f ? share : far;
    const float square = slope * slope;
    float p = fmaf(-1.7539299e-3f, square, 1.0726945e-2f);
    p = fmaf(p, square, -3.08046e-2f);
    p = fmaf(p, square, 5.755211e-2f);
    p = fmaf(p, square, -8.377316e-2f);
    p = fmaf(p, square, 1.0942031e-1f);
    p = fmaf(p, square, -1.4261933e-1f);
    p = fmaf(p, square, 1.9998266e-1f);
    p = fmaf(p, square, -3.3333284e-1f);
    float angle = fmaf(p * square, slope, slope);
    angle = fabsf(y) > fabsf(x) ? 1.5707964f - angle : angle;
    angle = x < 0.0f ? 3.1415927f - angle : angle;
    return x == x ? (y < 0.0f ? -angle : angle) : x;
}
