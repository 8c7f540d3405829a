// Exponentials, logarithms, angles and half floats for generated bodies, as defined in engine/kernel/pixel.py.

typedef unsigned int uint;

__device__ __forceinline__ float t_min(float a, float b) { return a < b ? a : b; }
__device__ __forceinline__ float t_max(float a, float b) { return a > b ? a : b; }

// The hardware's 2 ** x (relative error 2e-7) and, for x within 0.7..1.5, log2 x (absolute error 2.4e-7). Host builds
// use the library functions.
__device__ __forceinline__ float t_hardware_exp2(float x) {
#ifdef __CUDACC__
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

__device__ __forceinline__ float t_hardware_log2(float x) {
#ifdef __CUDACC__
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return log2f(x);
#endif
}

__device__ __forceinline__ float t_exp2(float x) { return t_hardware_exp2(x); }

// 2 ** (scale * x + offset), with the exponent in two floats.
__device__ __forceinline__ float t_exp2_affine(float x, float scale, float offset, float scale_lost, float offset_lost) {
    const float product = __fmul_rn(scale, x);
    const float total = __fadd_rn(product, offset);
    const float shift = __fsub_rn(total, product);  // two-sum: the addition's error (Knuth, TAOCP 2, 4.2.2)
    float lost = __fadd_rn(__fsub_rn(product, __fsub_rn(total, shift)), __fsub_rn(offset, shift));
    lost += fmaf(scale, x, -product) + fmaf(scale_lost, x, offset_lost);
    const float beyond = total > 0.0f ? __int_as_float(0x7f800000) : (total < 0.0f ? 0.0f : total);
    return fabsf(total) < 160.0f ? t_hardware_exp2(total) * t_hardware_exp2(lost) : beyond;
}

// Whether x is positive, finite and normal; subnormals count as 0 in all arithmetic here.
__device__ __forceinline__ bool t_is_normal(float x) {
    return (uint)(__float_as_int(x) - 0x00800000) < 0x7f000000u;
}

// The integer and fractional part, the latter within -0.5..0.5, of log2 of a normal x.
__device__ __forceinline__ float t_log2_parts(float x, float *rest) {
    const int bits = __float_as_int(x);
    const int octave = (bits - 0x3f3504f3) & 0xff800000;
    *rest = t_hardware_log2(__int_as_float(bits - octave));
    return (float)octave * 1.1920929e-07f;  // by 2 ** 23
}

__device__ __forceinline__ float t_log2(float x) {
    float rest;
    const float whole = t_log2_parts(x, &rest);
    const float infinity = __int_as_float(0x7f800000);
    if (t_is_normal(x)) return whole + rest;
    if (fabsf(x) < 1.17549435e-38f) return -infinity;
    return x > 0.0f ? x : __int_as_float(0x7fc00000);
}

// x ** exponent for an exponent above 0: 2 ** (whole * exponent), rounded, times 2 ** the rest of the product.
__device__ __forceinline__ float t_pow(float x, float exponent, float exponent_lost) {
    float rest;
    const float whole = t_log2_parts(x, &rest);
    const float product = __fmul_rn(whole, exponent);
    const float left = fmaf(rest, exponent, fmaf(whole, exponent_lost, fmaf(whole, exponent, -product)));
    const float power = t_hardware_exp2(product) * t_hardware_exp2(left);
    const float outside = x >= 0.0f ? x : __int_as_float(0x7fc00000);
    return t_is_normal(x) ? power : outside;
}

// The bit pattern, as a number, of x truncated to half precision.
__device__ __forceinline__ float t_half_code(float x) {
    const float magnitude = fabsf(x);
    float code = (float)((__float_as_int(magnitude) >> 13) - 0x1c000);
    code = magnitude < 6.1035156e-05f ? floorf(magnitude * 16777216.0f) : code;
    code = magnitude > 65504.0f ? 31744.0f : code;
    code = magnitude == magnitude ? code : 32256.0f;
    return __float_as_int(x) < 0 ? code + 32768.0f : code;
}

__device__ __forceinline__ float t_half_value(float code) {
    return __half2float(__ushort_as_half((unsigned short)(int)code));
}

// The number of quarter turns, and the sine or cosine of the rest. Cody and Waite, "Software Manual for the Elementary
// Functions", 1980: pi / 2 in three parts.
__device__ __forceinline__ float t_quarter_turns(float x, float ahead) {
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

__device__ __forceinline__ float t_sin(float x) { return t_quarter_turns(x, 0.0f); }
__device__ __forceinline__ float t_cos(float x) { return t_quarter_turns(x, 1.0f); }

__device__ __forceinline__ float t_atan2(float y, float x) {
    const float near = t_min(fabsf(x), fabsf(y)), far = t_max(fabsf(x), fabsf(y));
    const float share = near < far ? near / far : 1.0f;  // also for Inf and Inf
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
