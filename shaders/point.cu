// One pass of colour ops over an image. The body is generated; see engine/kernel/dialects.py.
//
// The backend prepends language.cu or language.cl, and maths.cu. It defines SOURCE and TARGET (float, half, or uchar for
// display), SOURCE_CHANNELS and TARGET_CHANNELS (3 or 4), and UNIFORMS (their number, at least 1). For planar frames it
// defines PLANAR, and what planar.cu needs, instead of SOURCE and SOURCE_CHANNELS.

#ifndef __OPENCL_VERSION__
struct Uniforms {
    float u[UNIFORMS];
};
#endif

// An integral float from 0 to 2 ** 23 as an integer, without the slow path of a conversion.
FUNCTION int t_whole(float x) { return __float_as_int(x + 8388608.0f) - 0x4b000000; }

// The entry at or below x, at most the last but one; `fraction` is the distance of x from it.
FUNCTION int t_entry_below(float x, float size, float *fraction) {
    const float shifted = fminf(__fadd_rd(x, 8388608.0f), size + 8388606.0f);
    *fraction = x - (shifted - 8388608.0f);
    return __float_as_int(shifted) - 0x4b000000;
}

// A 1D LUT is stored channel by channel, each entry followed by the next one.
FUNCTION GLOBAL const float *t_channel(GLOBAL const float *curve, int channel, float size) {
    return curve + 2 * channel * t_whole(size);
}

FUNCTION float t_lookup(GLOBAL const float *curve, int channel, float size, float index, float fraction) {
    const float2 entry = __ldg((GLOBAL const float2 *)t_channel(curve, channel, size) + t_whole(index));
    return fraction > 0.0f ? fmaf(fraction, entry.y - entry.x, entry.x) : entry.x;
}

// The entry at an index, and the next one.
FUNCTION float t_at(GLOBAL const float *curve, int channel, float size, float index) {
    return __ldg(t_channel(curve, channel, size) + 2 * t_whole(index));
}

FUNCTION float t_after(GLOBAL const float *curve, int channel, float size, float index) {
    return __ldg(t_channel(curve, channel, size) + 2 * t_whole(index) + 1);
}

// The last entry from `first` to `last` below x, by bisection.
FUNCTION float t_search(GLOBAL const float *curve, int channel, float size, int steps, float x, float first,
                                          float last) {
    GLOBAL const float *entries = t_channel(curve, channel, size);
    const int end = t_whole(last);
    int at = t_whole(first);
    for (int step = 1 << (steps - 1); step > 0; step >>= 1) {
        const int ahead = min(at + step, end);
        at = __ldg(entries + 2 * ahead) < x ? ahead : at;
    }
    return (float)at;
}

// A 3D LUT is stored [r][g][b], with four floats per entry.
FUNCTION float4 t_entry(GLOBAL const float *cube, int at) {
    return __ldg((GLOBAL const float4 *)cube + at);
}

FUNCTION float3 t_mixed(float3 low, float3 high, float fraction) {
    return make_float3(fmaf(high.x - low.x, fraction, low.x), fmaf(high.y - low.y, fraction, low.y),
                       fmaf(high.z - low.z, fraction, low.z));
}

FUNCTION float3 t_tetrahedral(GLOBAL const float *cube, float size, float r, float g, float b) {
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
    return make_float3(fmaf(c3.x, least, fmaf(c2.x, w2, fmaf(c1.x, w1, c0.x * w0))),
                       fmaf(c3.y, least, fmaf(c2.y, w2, fmaf(c1.y, w1, c0.y * w0))),
                       fmaf(c3.z, least, fmaf(c2.z, w2, fmaf(c1.z, w1, c0.z * w0))));
}

FUNCTION float3 t_edge(GLOBAL const float *cube, int at, float fraction) {
    const float4 low = t_entry(cube, at), high = t_entry(cube, at + 1);
    return t_mixed(make_float3(low.x, low.y, low.z), make_float3(high.x, high.y, high.z), fraction);
}

FUNCTION float3 t_trilinear(GLOBAL const float *cube, float size, float r, float g, float b) {
    const int step_g = t_whole(size), step_r = step_g * step_g;
    float x, y, z;
    const int low_r = t_entry_below(r, size, &x), low_g = t_entry_below(g, size, &y);
    const int low_b = t_entry_below(b, size, &z);
    const int at = low_r * step_r + low_g * step_g + low_b, far = at + step_r;
    const float3 near_face = t_mixed(t_edge(cube, at, z), t_edge(cube, at + step_g, z), y);
    const float3 far_face = t_mixed(t_edge(cube, far, z), t_edge(cube, far + step_g, z), y);
    return t_mixed(near_face, far_face, x);
}

// a * b - c * d, nearly as accurate as with a single rounding (Kahan).
FUNCTION float t_products(float a, float b, float c, float d) {
    const float second = __fmul_rn(c, d);
    return fmaf(a, b, -second) + fmaf(-c, d, second);
}

FUNCTION float3 t_cross(float3 a, float3 b) {
    return make_float3(t_products(a.y, b.z, a.z, b.y), t_products(a.z, b.x, a.x, b.z), t_products(a.x, b.y, a.y, b.x));
}

FUNCTION float t_dot(float3 a, float3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

FUNCTION float3 t_step(float4 from, float4 to) {
    return make_float3(to.x - from.x, to.y - from.y, to.z - from.z);
}

// Solve q = x a + y b + z c for x, y, z by Cramer's rule; also return the determinant.
FUNCTION float t_solve(float3 a, float3 b, float3 c, float3 q, float3 *shares) {
    const float3 normal = t_cross(b, c);
    const float scale = t_dot(a, normal);
    *shares = make_float3(t_dot(q, normal) / scale, t_dot(q, t_cross(c, a)) / scale, t_dot(q, t_cross(a, b)) / scale);
    return scale;
}

// q - x a - y b - z c.
FUNCTION float t_left(float q, float a, float b, float c, float3 shares) {
    const float x = __fmul_rn(shares.x, a), y = __fmul_rn(shares.y, b), z = __fmul_rn(shares.z, c);
    const float lost = fmaf(shares.x, a, -x) + fmaf(shares.y, b, -y) + fmaf(shares.z, c, -z);
    return __fsub_rn(__fsub_rn(__fsub_rn(q, x), y), z) - lost;
}

FUNCTION float t_held(float x) { return t_min(t_max(x, 0.0f), 1.0f); }

// The position of a colour in the 3D LUT, in entries: a walk over the boxes around its cells, and in a cell over its
// six tetrahedra. A node of the tree is two entries; see engine/ops/cube_tree.py and engine/kernel/interpolation.py.
FUNCTION float3 t_inverse_lut3d(GLOBAL const float *cube, GLOBAL const float *tree, float size, float nodes, float r,
                                         float g, float b) {
    const int step_g = (int)size, step_r = step_g * step_g, whole = step_r + step_g + 1;
    float3 found = make_float3(0.0f, 0.0f, 0.0f);
    float best = -1e-3f;
    int at = 0;
    while (at < (int)nodes && best < -5e-7f) {
        const float4 low = t_entry(tree, 2 * at), high = t_entry(tree, 2 * at + 1);
        const bool inside = low.x <= r && r <= high.x && low.y <= g && g <= high.y && low.z <= b && b <= high.z;
        at = inside ? at + 1 : (int)low.w;
        if (!inside || high.w < 0.0f) continue;
        const int cell = (int)high.w;
        const float4 c0 = t_entry(cube, cell), c3 = t_entry(cube, cell + whole);
        const float3 q = make_float3(r - c0.x, g - c0.y, b - c0.z);
        for (int k = 0; k < 6; ++k) {
            const int first = k < 2 ? step_r : (k < 4 ? step_g : 1);
            const int second = k == 2 || k == 4 ? step_r : (k == 0 || k == 5 ? step_g : 1);
            const float4 c1 = t_entry(cube, cell + first), c2 = t_entry(cube, cell + first + second);
            const float3 a = t_step(c0, c1), e = t_step(c1, c2), c = t_step(c2, c3);
            float3 s, more;
            const float scale = fabsf(t_solve(a, e, c, q, &s));
            const float left_x = t_left(q.x, a.x, e.x, c.x, s), left_y = t_left(q.y, a.y, e.y, c.y, s);
            t_solve(a, e, c, make_float3(left_x, left_y, t_left(q.z, a.z, e.z, c.z, s)), &more);
            const float x = s.x + more.x, y = s.y + more.y, z = s.z + more.z;  // one step of refinement
            const float least = t_min(t_min(1.0f - x, x - y), t_min(y - z, z));
            const float moved = t_max(t_max(fabsf(more.x), fabsf(more.y)), fabsf(more.z));
            if (!(scale > 0.0f && scale < __int_as_float(0x7f800000) && moved < 1e-3f && least > best)) continue;
            best = least;
            const float u = t_held(x), v = t_held(y), w = t_held(z);
            found = make_float3(cell / step_r + (first == step_r ? u : (second == step_r ? v : w)),
                                cell / step_g % step_g + (first == step_g ? u : (second == step_g ? v : w)),
                                cell % step_g + (first == 1 ? u : (second == 1 ? v : w)));
        }
    }
    return found;
}

#ifdef PLANAR
//PLANAR//
#else
#define ORIGIN GLOBAL const SOURCE *__restrict__ source
// Pixels of four channels are read and written in one non-temporal access, to leave the cache to the tables.
FUNCTION float4 t_pixel(GLOBAL const SOURCE *source, uint i) {
    if (SOURCE_CHANNELS == 4) return t_four_once(source, i);
    const size_t at = (size_t)i * 3;
    return make_float4(t_number(source, at), t_number(source, at + 1), t_number(source, at + 2), 1.0f);
}
#define PIXEL(i) t_pixel(source, i)
#endif

//INPUTS//
FUNCTION float4 t_body(CONSTANT const float *u, float r_in, float g_in, float b_in, float a_in/*TAKEN*/) {
    float r, g, b, a;
//BODY//
    return make_float4(r, g, b, a);
}

KERNEL point(ORIGIN, GLOBAL TARGET *__restrict__ target, uint count, UNIFORM_VALUES uniforms/*GIVEN*/) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float4 p = PIXEL(i);
        const float4 q = t_body(VALUES_OF(uniforms), p.x, p.y, p.z, p.w/*PASSED*/);
        if (TARGET_CHANNELS == 4) {
            t_put_four_once(target, i, q);
        } else {
            const size_t at = (size_t)i * 3;
            t_put(target, at, q.x);
            t_put(target, at + 1, q.y);
            t_put(target, at + 2, q.z);
        }
    }
}
