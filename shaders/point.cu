// One pass of colour ops over a picture. The body is generated; see engine/dialects.py.
//
// The backend puts before this text: SOURCE and TARGET (float, __half, or unsigned char for display), SOURCE_CHANNELS
// and TARGET_CHANNELS (3 or 4), UNIFORMS (how many, at least 1).

typedef unsigned int uint;

struct Uniforms {
    float u[UNIFORMS];
};

struct Colour {
    float x, y, z;
};

__device__ __forceinline__ float t_min(float a, float b) { return a < b ? a : b; }
__device__ __forceinline__ float t_max(float a, float b) { return a > b ? a : b; }

// 2 ** (whole + rest), |rest| a little over 0.5 at the most. Minimax polynomial; error 2e-9.
__device__ __forceinline__ float t_exp2_octave(float whole, float rest) {
    float p = fmaf(1.5478022e-4f, rest, 1.3400431e-3f);
    p = fmaf(p, rest, 9.617995e-3f);
    p = fmaf(p, rest, 5.5503272e-2f);
    p = fmaf(p, rest, 2.4022652e-1f);
    p = fmaf(p, rest, 6.931472e-1f);
    p = fmaf(p, rest, 1.0f);
    const int exponent = (int)t_min(t_max(whole, -160.0f), 160.0f);
    const int first = exponent >> 1;  // two steps, so that results below the normal range are rounded right
    return p * __int_as_float((first + 127) << 23) * __int_as_float((exponent - first + 127) << 23);
}

__device__ __forceinline__ float t_exp2(float x) {
    const float held = t_min(160.0f, t_max(-160.0f, x));  // constants first: NaN stays NaN
    const float whole = floorf(held + 0.5f);
    return t_exp2_octave(whole, held - whole);
}

// 2 ** (scale * x + offset), the exponent carried in two floats.
__device__ __forceinline__ float t_exp2_affine(float x, float scale, float offset, float scale_lost, float offset_lost) {
    const float product = __fmul_rn(scale, x);
    const float total = __fadd_rn(product, offset);
    const float shift = __fsub_rn(total, product);  // two-sum: what the addition lost (Knuth, TAOCP 2, 4.2.2)
    float lost = __fadd_rn(__fsub_rn(product, __fsub_rn(total, shift)), __fsub_rn(offset, shift));
    lost += fmaf(scale, x, -product) + fmaf(scale_lost, x, offset_lost);
    const float whole = floorf(total + 0.5f);
    const float inside = t_exp2_octave(whole, (total - whole) + lost);
    const float beyond = total > 0.0f ? __int_as_float(0x7f800000) : (total < 0.0f ? 0.0f : total);
    return fabsf(total) < 160.0f ? inside : beyond;
}

// Whole and fractional part, the latter within -0.5..0.5, of log2 of a positive finite x. Minimax; error 1e-9.
__device__ __forceinline__ float t_log2_parts(float x, float *rest) {
    const bool small = x < 1.17549435e-38f;
    const int bits = __float_as_int(small ? x * 16777216.0f : x);
    const int exponent = (bits - 0x3f3504f3) >> 23;
    const float t = __int_as_float(bits - (exponent << 23)) - 1.0f;
    float p = fmaf(-0.10976341f, t, 0.18838507f);
    p = fmaf(p, t, -0.192344f);
    p = fmaf(p, t, 0.20428979f);
    p = fmaf(p, t, -0.23939431f);
    p = fmaf(p, t, 0.2885792f);
    p = fmaf(p, t, -0.36070874f);
    p = fmaf(p, t, 0.48089814f);
    p = fmaf(p, t, -0.72134715f);
    p = fmaf(p, t, 1.442695f);
    *rest = p * t;
    return small ? (float)exponent - 24.0f : (float)exponent;
}

__device__ __forceinline__ float t_log2(float x) {
    float rest;
    const float whole = t_log2_parts(x, &rest);
    const float infinity = __int_as_float(0x7f800000);
    if (x > 0.0f && x < infinity) return whole + rest;
    return x == 0.0f ? -infinity : (x > 0.0f ? x : __int_as_float(0x7fc00000));
}

// x ** exponent for an exponent above 0, the exponent of 2 carried in two floats.
__device__ __forceinline__ float t_pow(float x, float exponent, float exponent_lost) {
    float rest;
    const float whole = t_log2_parts(x, &rest);
    const float product = __fmul_rn(whole, exponent);
    float lost = fmaf(whole, exponent, -product) + whole * exponent_lost;
    lost = fmaf(rest, exponent, lost);
    const float near = floorf(product + lost + 0.5f);
    const float power = t_exp2_octave(near, (product - near) + lost);
    const float outside = x >= 0.0f ? x : __int_as_float(0x7fc00000);
    return x > 0.0f && x < __int_as_float(0x7f800000) ? power : outside;
}

// Sine of x + ahead * pi / 2: x is brought within an eighth of a turn by pi / 2 in three parts (Cody and Waite).
__device__ __forceinline__ float t_quarter_turns(float x, float ahead) {
    const float near = floorf(fmaf(x, 0.63661975f, 0.5f));
    const float rest = fmaf(near, -1.5893255e-8f, fmaf(near, -0.0004838109f, fmaf(near, -1.5703125f, x)));
    const float square = rest * rest;
    const float p = fmaf(fmaf(-1.9501144e-4f, square, 8.332011e-3f), square, -1.6666651e-1f);
    const float q = fmaf(fmaf(2.443773e-5f, square, -1.3887362e-3f), square, 4.1666646e-2f);
    const float sine = fmaf(p * square, rest, rest);
    const float cosine = fmaf(q * square, square, fmaf(-0.5f, square, 1.0f));
    const float turns = near + ahead, half_turns = floorf(turns * 0.5f);
    const float result = turns > half_turns + half_turns ? cosine : sine;
    return half_turns * 0.5f > floorf(half_turns * 0.5f) ? -result : result;
}

__device__ __forceinline__ float t_sin(float x) { return t_quarter_turns(x, 0.0f); }
__device__ __forceinline__ float t_cos(float x) { return t_quarter_turns(x, 1.0f); }

__device__ __forceinline__ float t_atan2(float y, float x) {
    const float far = t_max(fabsf(x), fabsf(y));
    const float slope = far > 0.0f ? t_min(fabsf(x), fabsf(y)) / far : far;
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
    return y < 0.0f ? -angle : angle;
}

// Bit pattern, as a number, of x cut to half precision.
__device__ __forceinline__ float t_half_code(float x) {
    const float magnitude = fabsf(x);
    float code = (float)((__float_as_int(magnitude) >> 13) - 0x1c000);
    code = magnitude < 6.1035156e-05f ? floorf(magnitude * 16777216.0f) : code;
    code = magnitude > 65504.0f ? 31744.0f : code;
    code = magnitude == magnitude ? code : 32256.0f;
    return __float_as_int(x) < 0 ? code + 32768.0f : code;
}

__device__ __forceinline__ float t_half_value(float code) {
    const bool negative = code >= 32768.0f;
    const int magnitude = (int)(negative ? code - 32768.0f : code);
    float value = __int_as_float(magnitude << 13) * 5.192296858534828e33f;  // 2 ** 112: half's bias to float's
    value = magnitude >= 0x7c00 ? __int_as_float(0x7f800000) : value;
    value = magnitude > 0x7c00 ? __int_as_float(0x7fc00000) : value;
    return negative ? -value : value;
}

// A curve lies channel by channel, each followed by its last value once more.
__device__ __forceinline__ float t_lookup(const float *curve, int channel, float size, float index, float fraction) {
    const float *entry = curve + channel * ((int)size + 1) + (int)index;
    const float low = __ldg(entry), step = __ldg(entry + 1) - low;
    return fraction > 0.0f ? fmaf(fraction, step, low) : low;
}

// The last entry from `first` to `last` below x, by halving.
__device__ __forceinline__ float t_search(const float *curve, int channel, float size, int steps, float x, float first,
                                          float last) {
    const float *entries = curve + channel * ((int)size + 1);
    int at = (int)first;
    const int end = (int)last;
    for (int step = 1 << (steps - 1); step > 0; step >>= 1) {
        const int ahead = min(at + step, end);
        at = __ldg(entries + ahead) < x ? ahead : at;
    }
    return (float)at;
}

// A cube lies [r][g][b], four floats an entry.
__device__ __forceinline__ float4 t_entry(const float *cube, int at) {
    return __ldg(reinterpret_cast<const float4 *>(cube) + at);
}

__device__ __forceinline__ Colour t_mixed(Colour low, Colour high, float fraction) {
    return {fmaf(high.x - low.x, fraction, low.x), fmaf(high.y - low.y, fraction, low.y),
            fmaf(high.z - low.z, fraction, low.z)};
}

__device__ __forceinline__ Colour t_tetrahedral(const float *cube, float size, float r, float g, float b) {
    const int step_g = (int)size, step_r = step_g * step_g;
    const float low_r = t_min(floorf(r), size - 2.0f), low_g = t_min(floorf(g), size - 2.0f);
    const float low_b = t_min(floorf(b), size - 2.0f);
    const float x = r - low_r, y = g - low_g, z = b - low_b;
    const int at = (int)low_r * step_r + (int)low_g * step_g + (int)low_b, whole = step_r + step_g + 1;
    const float largest = t_max(t_max(x, y), z), least = t_min(t_min(x, y), z);
    const float middle = t_max(t_min(x, y), t_min(t_max(x, y), z));
    const int first = x >= y && x >= z ? step_r : (y >= z ? step_g : 1);
    const int third = whole - (z <= x && z <= y ? 1 : (y <= x ? step_g : step_r));
    const float4 c0 = t_entry(cube, at), c1 = t_entry(cube, at + first);
    const float4 c2 = t_entry(cube, at + third), c3 = t_entry(cube, at + whole);
    const float w0 = 1.0f - largest, w1 = largest - middle, w2 = middle - least;
    return {fmaf(c3.x, least, fmaf(c2.x, w2, fmaf(c1.x, w1, c0.x * w0))),
            fmaf(c3.y, least, fmaf(c2.y, w2, fmaf(c1.y, w1, c0.y * w0))),
            fmaf(c3.z, least, fmaf(c2.z, w2, fmaf(c1.z, w1, c0.z * w0)))};
}

__device__ __forceinline__ Colour t_edge(const float *cube, int at, float fraction) {
    const float4 low = t_entry(cube, at), high = t_entry(cube, at + 1);
    return t_mixed({low.x, low.y, low.z}, {high.x, high.y, high.z}, fraction);
}

__device__ __forceinline__ Colour t_trilinear(const float *cube, float size, float r, float g, float b) {
    const int step_g = (int)size, step_r = step_g * step_g;
    const float low_r = t_min(floorf(r), size - 2.0f), low_g = t_min(floorf(g), size - 2.0f);
    const float low_b = t_min(floorf(b), size - 2.0f);
    const float x = r - low_r, y = g - low_g, z = b - low_b;
    const int at = (int)low_r * step_r + (int)low_g * step_g + (int)low_b, far = at + step_r;
    const Colour near_face = t_mixed(t_edge(cube, at, z), t_edge(cube, at + step_g, z), y);
    const Colour far_face = t_mixed(t_edge(cube, far, z), t_edge(cube, far + step_g, z), y);
    return t_mixed(near_face, far_face, x);
}

// Pixels of four channels are read and written in one access.
struct Pixel {
    float r, g, b, a;
};

__device__ __forceinline__ float t_number(float x) { return x; }
__device__ __forceinline__ float t_number(__half x) { return __half2float(x); }

__device__ __forceinline__ Pixel t_four(const float *pixels, size_t i) {
    const float4 p = reinterpret_cast<const float4 *>(pixels)[i];
    return {p.x, p.y, p.z, p.w};
}

__device__ __forceinline__ Pixel t_four(const __half *pixels, size_t i) {
    const uint2 bits = reinterpret_cast<const uint2 *>(pixels)[i];
    const __half *p = reinterpret_cast<const __half *>(&bits);
    return {__half2float(p[0]), __half2float(p[1]), __half2float(p[2]), __half2float(p[3])};
}

__device__ __forceinline__ void t_put_four(float *pixels, size_t i, Pixel p) {
    reinterpret_cast<float4 *>(pixels)[i] = make_float4(p.r, p.g, p.b, p.a);
}

__device__ __forceinline__ void t_put_four(__half *pixels, size_t i, Pixel p) {
    uint2 bits;
    __half *halves = reinterpret_cast<__half *>(&bits);
    halves[0] = __float2half_rn(p.r);
    halves[1] = __float2half_rn(p.g);
    halves[2] = __float2half_rn(p.b);
    halves[3] = __float2half_rn(p.a);
    reinterpret_cast<uint2 *>(pixels)[i] = bits;
}

__device__ __forceinline__ unsigned char t_byte(float x) {
    return (unsigned char)(int)(t_min(t_max(x, 0.0f), 1.0f) * 255.0f + 0.5f);
}

__device__ __forceinline__ void t_put_four(unsigned char *pixels, size_t i, Pixel p) {
    reinterpret_cast<uchar4 *>(pixels)[i] = make_uchar4(t_byte(p.r), t_byte(p.g), t_byte(p.b), 255);
}

__device__ __forceinline__ void t_put(float *pixels, size_t at, float x) { pixels[at] = x; }
__device__ __forceinline__ void t_put(__half *pixels, size_t at, float x) { pixels[at] = __float2half_rn(x); }
__device__ __forceinline__ void t_put(unsigned char *pixels, size_t at, float x) { pixels[at] = t_byte(x); }

__device__ __forceinline__ void t_body(const Uniforms &uniforms, const float *const *t, float r_in, float g_in,
                                       float b_in, float a_in, float &r, float &g, float &b, float &a) {
    const float *u = uniforms.u;
//BODY//
}

extern "C" __global__ void point(const SOURCE *__restrict__ source, TARGET *__restrict__ target, uint count,
                                 Uniforms uniforms, const float *const *__restrict__ tables) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        Pixel p;
        if (SOURCE_CHANNELS == 4) {
            p = t_four(source, i);
        } else {
            const size_t at = (size_t)i * 3;
            p = {t_number(source[at]), t_number(source[at + 1]), t_number(source[at + 2]), 1.0f};
        }
        Pixel q;
        t_body(uniforms, tables, p.r, p.g, p.b, p.a, q.r, q.g, q.b, q.a);
        if (TARGET_CHANNELS == 4) {
            t_put_four(target, i, q);
        } else {
            const size_t at = (size_t)i * 3;
            t_put(target, at, q.r);
            t_put(target, at + 1, q.g);
            t_put(target, at + 2, q.b);
        }
    }
}
