// One pass of colour ops over an image. The body is generated; see engine/kernel/dialects.py.
//
// The backend prepends maths.cu and defines SOURCE and TARGET (float, __half, or unsigned char for display),
// SOURCE_CHANNELS and TARGET_CHANNELS (3 or 4), and UNIFORMS (their number, at least 1). For planar frames it defines
// PLANAR, and what planar.cu needs, instead of SOURCE and SOURCE_CHANNELS.

struct Uniforms {
    float u[UNIFORMS];
};

struct Colour {
    float x, y, z;
};

// An integral float from 0 to 2 ** 23 as an integer, without the slow path of a conversion.
__device__ __forceinline__ int t_whole(float x) { return __float_as_int(x + 8388608.0f) - 0x4b000000; }

// The entry at or below x, at most the last but one; `fraction` is the distance of x from it.
__device__ __forceinline__ int t_entry_below(float x, float size, float *fraction) {
    const float shifted = fminf(__fadd_rd(x, 8388608.0f), size + 8388606.0f);
    *fraction = x - (shifted - 8388608.0f);
    return __float_as_int(shifted) - 0x4b000000;
}

// A 1D LUT is stored channel by channel, each entry followed by the next one.
__device__ __forceinline__ const float2 *t_channel(const float *curve, int channel, float size) {
    return reinterpret_cast<const float2 *>(curve) + channel * t_whole(size);
}

__device__ __forceinline__ float t_lookup(const float *curve, int channel, float size, float index, float fraction) {
    const float2 entry = __ldg(t_channel(curve, channel, size) + t_whole(index));
    return fraction > 0.0f ? fmaf(fraction, entry.y - entry.x, entry.x) : entry.x;
}

// The entry at an index, and the next one.
__device__ __forceinline__ float t_at(const float *curve, int channel, float size, float index) {
    return __ldg(&t_channel(curve, channel, size)[t_whole(index)].x);
}

__device__ __forceinline__ float t_after(const float *curve, int channel, float size, float index) {
    return __ldg(&t_channel(curve, channel, size)[t_whole(index)].y);
}

// The last entry from `first` to `last` below x, by bisection.
__device__ __forceinline__ float t_search(const float *curve, int channel, float size, int steps, float x, float first,
                                          float last) {
    const float2 *entries = t_channel(curve, channel, size);
    const int end = t_whole(last);
    int at = t_whole(first);
    for (int step = 1 << (steps - 1); step > 0; step >>= 1) {
        const int ahead = min(at + step, end);
        at = __ldg(&entries[ahead].x) < x ? ahead : at;
    }
    return (float)at;
}

// A 3D LUT is stored [r][g][b], with four floats per entry.
__device__ __forceinline__ float4 t_entry(const float *cube, int at) {
    return __ldg(reinterpret_cast<const float4 *>(cube) + at);
}

__device__ __forceinline__ Colour t_mixed(Colour low, Colour high, float fraction) {
    return {fmaf(high.x - low.x, fraction, low.x), fmaf(high.y - low.y, fraction, low.y),
            fmaf(high.z - low.z, fraction, low.z)};
}

__device__ __forceinline__ Colour t_tetrahedral(const float *cube, float size, float r, float g, float b) {
    const int step_g = t_whole(size), step_r = step_g * step_g;
    float x, y, z;
    const int low_r = t_entry_below(r, size, &x), low_g = t_entry_below(g, size, &y);
    const int low_b = t_entry_below(b, size, &z);
    const int at = low_r * step_r + low_g * step_g + low_b, whole = step_r + step_g + 1;
    const float largest = fmaxf(fmaxf(x, y), z), least = fminf(fminf(x, y), z);
    const float middle = fmaxf(fminf(x, y), fminf(fmaxf(x, y), z));
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
    const int step_g = t_whole(size), step_r = step_g * step_g;
    float x, y, z;
    const int low_r = t_entry_below(r, size, &x), low_g = t_entry_below(g, size, &y);
    const int low_b = t_entry_below(b, size, &z);
    const int at = low_r * step_r + low_g * step_g + low_b, far = at + step_r;
    const Colour near_face = t_mixed(t_edge(cube, at, z), t_edge(cube, at + step_g, z), y);
    const Colour far_face = t_mixed(t_edge(cube, far, z), t_edge(cube, far + step_g, z), y);
    return t_mixed(near_face, far_face, x);
}

// a * b - c * d, nearly as accurate as with a single rounding (Kahan).
__device__ __forceinline__ float t_products(float a, float b, float c, float d) {
    const float second = __fmul_rn(c, d);
    return fmaf(a, b, -second) + fmaf(-c, d, second);
}

__device__ __forceinline__ Colour t_cross(Colour a, Colour b) {
    return {t_products(a.y, b.z, a.z, b.y), t_products(a.z, b.x, a.x, b.z), t_products(a.x, b.y, a.y, b.x)};
}

__device__ __forceinline__ float t_dot(Colour a, Colour b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

__device__ __forceinline__ Colour t_step(float4 from, float4 to) {
    return {to.x - from.x, to.y - from.y, to.z - from.z};
}

// Solve q = x a + y b + z c for x, y, z by Cramer's rule; also return the determinant.
__device__ __forceinline__ float t_solve(Colour a, Colour b, Colour c, Colour q, Colour &shares) {
    const Colour normal = t_cross(b, c);
    const float scale = t_dot(a, normal);
    shares = {t_dot(q, normal) / scale, t_dot(q, t_cross(c, a)) / scale, t_dot(q, t_cross(a, b)) / scale};
    return scale;
}

// q - x a - y b - z c.
__device__ __forceinline__ float t_left(float q, float a, float b, float c, Colour shares) {
    const float x = __fmul_rn(shares.x, a), y = __fmul_rn(shares.y, b), z = __fmul_rn(shares.z, c);
    const float lost = fmaf(shares.x, a, -x) + fmaf(shares.y, b, -y) + fmaf(shares.z, c, -z);
    return __fsub_rn(__fsub_rn(__fsub_rn(q, x), y), z) - lost;
}

__device__ __forceinline__ float t_held(float x) { return t_min(t_max(x, 0.0f), 1.0f); }

// The position of a colour in the 3D LUT, in entries: a walk over the boxes around its cells, and in a cell over its
// six tetrahedra. A node of the tree is two entries; see engine/ops/cube_tree.py and engine/kernel/interpolation.py.
__device__ inline Colour t_inverse_lut3d(const float *cube, const float *tree, float size, float nodes, float r,
                                         float g, float b) {
    const int step_g = (int)size, step_r = step_g * step_g, whole = step_r + step_g + 1;
    Colour found = {0.0f, 0.0f, 0.0f};
    float best = -1e-3f;
    int at = 0;
    while (at < (int)nodes && best < -5e-7f) {
        const float4 low = t_entry(tree, 2 * at), high = t_entry(tree, 2 * at + 1);
        const bool inside = low.x <= r && r <= high.x && low.y <= g && g <= high.y && low.z <= b && b <= high.z;
        at = inside ? at + 1 : (int)low.w;
        if (!inside || high.w < 0.0f) continue;
        const int cell = (int)high.w;
        const float4 c0 = t_entry(cube, cell), c3 = t_entry(cube, cell + whole);
        const Colour q = {r - c0.x, g - c0.y, b - c0.z};
        for (int k = 0; k < 6; ++k) {
            const int first = k < 2 ? step_r : (k < 4 ? step_g : 1);
            const int second = k == 2 || k == 4 ? step_r : (k == 0 || k == 5 ? step_g : 1);
            const float4 c1 = t_entry(cube, cell + first), c2 = t_entry(cube, cell + first + second);
            const Colour a = t_step(c0, c1), e = t_step(c1, c2), c = t_step(c2, c3);
            Colour s, more;
            const float scale = fabsf(t_solve(a, e, c, q, s));
            t_solve(a, e, c, {t_left(q.x, a.x, e.x, c.x, s), t_left(q.y, a.y, e.y, c.y, s), t_left(q.z, a.z, e.z, c.z, s)},
                    more);
            const float x = s.x + more.x, y = s.y + more.y, z = s.z + more.z;  // one step of refinement
            const float least = t_min(t_min(1.0f - x, x - y), t_min(y - z, z));
            const float moved = t_max(t_max(fabsf(more.x), fabsf(more.y)), fabsf(more.z));
            if (!(scale > 0.0f && scale < __int_as_float(0x7f800000) && moved < 1e-3f && least > best)) continue;
            best = least;
            const float u = t_held(x), v = t_held(y), w = t_held(z);
            found = {cell / step_r + (first == step_r ? u : (second == step_r ? v : w)),
                     cell / step_g % step_g + (first == step_g ? u : (second == step_g ? v : w)),
                     cell % step_g + (first == 1 ? u : (second == 1 ? v : w))};
        }
    }
    return found;
}

// Pixels of four channels are read and written in one non-temporal access, to leave the cache to the tables.
struct Pixel {
    float r, g, b, a;
};

__device__ __forceinline__ float t_number(float x) { return x; }
__device__ __forceinline__ float t_number(__half x) { return __half2float(x); }

__device__ __forceinline__ Pixel t_four(const float *pixels, size_t i) {
    const float4 p = __ldcs(reinterpret_cast<const float4 *>(pixels) + i);
    return {p.x, p.y, p.z, p.w};
}

__device__ __forceinline__ Pixel t_four(const __half *pixels, size_t i) {
    const uint2 bits = __ldcs(reinterpret_cast<const uint2 *>(pixels) + i);
    const __half *p = reinterpret_cast<const __half *>(&bits);
    return {__half2float(p[0]), __half2float(p[1]), __half2float(p[2]), __half2float(p[3])};
}

__device__ __forceinline__ void t_put_four(float *pixels, size_t i, Pixel p) {
    __stcs(reinterpret_cast<float4 *>(pixels) + i, make_float4(p.r, p.g, p.b, p.a));
}

__device__ __forceinline__ void t_put_four(__half *pixels, size_t i, Pixel p) {
    uint2 bits;
    __half *halves = reinterpret_cast<__half *>(&bits);
    halves[0] = __float2half_rn(p.r);
    halves[1] = __float2half_rn(p.g);
    halves[2] = __float2half_rn(p.b);
    halves[3] = __float2half_rn(p.a);
    __stcs(reinterpret_cast<uint2 *>(pixels) + i, bits);
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

#ifdef PLANAR
//PLANAR//
#define ORIGIN const Planes
#else
#define ORIGIN const SOURCE *__restrict__
__device__ __forceinline__ Pixel t_pixel(const SOURCE *source, uint i) {
    if (SOURCE_CHANNELS == 4) return t_four(source, i);
    const size_t at = (size_t)i * 3;
    return {t_number(source[at]), t_number(source[at + 1]), t_number(source[at + 2]), 1.0f};
}
#endif

//INPUTS//
__device__ __forceinline__ void t_body(const Uniforms &uniforms, const float *const *t, float r_in, float g_in,
                                       float b_in, float a_in, /*TAKEN*/float &r, float &g, float &b, float &a) {
    const float *u = uniforms.u;
//BODY//
}

extern "C" __global__ void point(ORIGIN source, TARGET *__restrict__ target, uint count,
                                 Uniforms uniforms, const float *const *__restrict__ tables/*GIVEN*/) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const Pixel p = t_pixel(source, i);
        Pixel q;
        t_body(uniforms, tables, p.r, p.g, p.b, p.a, /*PASSED*/q.r, q.g, q.b, q.a);
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
