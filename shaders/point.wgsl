// One pass of colour ops over an image. The body is generated; see engine/kernel/dialects.py.
//
// The backend prepends maths.wgsl, storages.wgsl, the aliases Source and Target, the functions
// `unpacked(Source) -> vec4f` and `packed(vec4f) -> Target`, the counts UNIFORMS and NUMBERS of vec4 in `u` and
// `numbers`, and the number of pixels per invocation, PIXELS. Pixels are always RGBA.

@group(0) @binding(0) var<storage, read> source: array<Source>;
@group(0) @binding(1) var<storage, read_write> result: array<Target>;
@group(0) @binding(2) var<uniform> u: array<vec4f, UNIFORMS>;
// All tables of the run, as single floats and as entries of 3D LUTs.
@group(0) @binding(3) var<storage, read> tables: array<f32>;
@group(0) @binding(4) var<storage, read> entries: array<vec4f>;
// Pixels; workgroups in a row; the bits of Inf and of NaN; 0; the offset of each table in floats.
@group(0) @binding(5) var<uniform> numbers: array<vec4u, NUMBERS>;

//INPUTS//
fn t_offset(table: u32) -> u32 { return number(5u + table); }

// A 1D LUT is stored channel by channel, each followed by a copy of its last value.
fn t_lookup(table: u32, channel: u32, size: f32, index: f32, fraction: f32) -> f32 {
    let entry = table + channel * (t_whole(size) + 1u) + t_whole(index);
    let low = tables[entry];
    return select(low, t_fma(fraction, tables[entry + 1u] - low, low), fraction > 0.0f);
}

// The last entry from `first` to `last` below x, by bisection.
fn t_search(table: u32, channel: u32, size: f32, steps: u32, x: f32, first: f32, last: f32) -> f32 {
    let base = table + channel * (t_whole(size) + 1u);
    var at = base + t_whole(first);
    let end = base + t_whole(last);
    for (var step = 1u << (steps - 1u); step > 0u; step = step >> 1u) {
        let ahead = min(at + step, end);
        at = select(at, ahead, tables[ahead] < x);
    }
    return f32(at - base);
}

// A 3D LUT is stored [r][g][b], with four floats per entry.
fn t_entry(table: u32, at: u32) -> vec3f { return entries[table / 4u + at].xyz; }

fn t_tetrahedral(table: u32, size: f32, grid: vec3f) -> vec3f {
    let step_g = t_whole(size);
    let step_r = step_g * step_g;
    let low = min(floor(grid), vec3f(size - 2.0f));
    let f = grid - low;
    let at = t_whole(low.x) * step_r + t_whole(low.y) * step_g + t_whole(low.z);
    let whole = step_r + step_g + 1u;
    let largest = max(max(f.x, f.y), f.z);
    let least = min(min(f.x, f.y), f.z);
    let middle = max(min(f.x, f.y), min(max(f.x, f.y), f.z));
    let first = select(select(1u, step_g, f.y >= f.z), step_r, f.x >= f.y && f.x >= f.z);
    let third = whole - select(select(step_r, step_g, f.y <= f.x), 1u, f.z <= f.x && f.z <= f.y);
    var colour = t_entry(table, at) * (1.0f - largest);
    colour = fma(t_entry(table, at + first), vec3f(largest - middle), colour);
    colour = fma(t_entry(table, at + third), vec3f(middle - least), colour);
    return fma(t_entry(table, at + whole), vec3f(least), colour);
}

fn t_edge(table: u32, at: u32, fraction: f32) -> vec3f {
    let low = t_entry(table, at);
    return fma(t_entry(table, at + 1u) - low, vec3f(fraction), low);
}

fn t_trilinear(table: u32, size: f32, grid: vec3f) -> vec3f {
    let step_g = t_whole(size);
    let step_r = step_g * step_g;
    let low = min(floor(grid), vec3f(size - 2.0f));
    let f = grid - low;
    let near = t_whole(low.x) * step_r + t_whole(low.y) * step_g + t_whole(low.z);
    let far = near + step_r;
    let near_low = t_edge(table, near, f.z);
    let near_face = fma(t_edge(table, near + step_g, f.z) - near_low, vec3f(f.y), near_low);
    let far_low = t_edge(table, far, f.z);
    let far_face = fma(t_edge(table, far + step_g, f.z) - far_low, vec3f(f.y), far_low);
    return fma(far_face - near_face, vec3f(f.x), near_face);
}

// a * b - c * d, nearly as accurate as with a single rounding (Kahan).
fn t_products(a: f32, b: f32, c: f32, d: f32) -> f32 {
    let second = t_rounded(c * d);
    return t_fma(a, b, -second) + t_fma(-c, d, second);
}

fn t_cross(a: vec3f, b: vec3f) -> vec3f {
    return vec3f(t_products(a.y, b.z, a.z, b.y), t_products(a.z, b.x, a.x, b.z), t_products(a.x, b.y, a.y, b.x));
}

fn t_dot(a: vec3f, b: vec3f) -> f32 { return t_fma(a.x, b.x, t_fma(a.y, b.y, a.z * b.z)); }

// Solve q = x a + y b + z c for x, y, z by Cramer's rule; also return the determinant.
fn t_solved(a: vec3f, b: vec3f, c: vec3f, q: vec3f) -> vec4f {
    let normal = t_cross(b, c);
    let scale = t_dot(a, normal);
    return vec4f(t_dot(q, normal) / scale, t_dot(q, t_cross(c, a)) / scale, t_dot(q, t_cross(a, b)) / scale, scale);
}

// q - x a - y b - z c.
fn t_left(q: f32, a: f32, b: f32, c: f32, shares: vec4f) -> f32 {
    let x = t_rounded(shares.x * a);
    let y = t_rounded(shares.y * b);
    let z = t_rounded(shares.z * c);
    let lost = t_fma(shares.x, a, -x) + t_fma(shares.y, b, -y) + t_fma(shares.z, c, -z);
    return t_rounded(t_rounded(t_rounded(q - x) - y) - z) - lost;
}

// The position of a colour in the 3D LUT, in entries: a walk over the boxes around its cells, and in a cell over its
// six tetrahedra. A node of the tree is two entries; see engine/ops/cube_tree.py and engine/kernel/interpolation.py.
fn t_inverse_lut3d(table: u32, tree: u32, size: f32, nodes: f32, colour: vec3f) -> vec3f {
    let step_g = t_whole(size);
    let step_r = step_g * step_g;
    var found = vec3f(0.0f);
    var best = -1e-3f;
    var at = 0u;
    while at < u32(nodes) && best < -5e-7f {
        let low = entries[tree / 4u + 2u * at];
        let high = entries[tree / 4u + 2u * at + 1u];
        let inside = all(low.xyz <= colour) && all(colour <= high.xyz);
        at = select(u32(low.w), at + 1u, inside);
        if !inside || high.w < 0.0f {
            continue;
        }
        let cell = u32(high.w);
        let corner = vec3f(f32(cell / step_r), f32((cell / step_g) % step_g), f32(cell % step_g));
        let c0 = t_entry(table, cell);
        let c3 = t_entry(table, cell + step_r + step_g + 1u);
        let q = colour - c0;
        for (var k = 0u; k < 6u; k++) {
            let first = select(select(1u, step_g, k < 4u), step_r, k < 2u);
            let second = select(select(1u, step_g, k == 0u || k == 5u), step_r, k == 2u || k == 4u);
            let c1 = t_entry(table, cell + first);
            let c2 = t_entry(table, cell + first + second);
            let a = c1 - c0;
            let b = c2 - c1;
            let c = c3 - c2;
            let s = t_solved(a, b, c, q);
            let rest = vec3f(
                t_left(q.x, a.x, b.x, c.x, s), t_left(q.y, a.y, b.y, c.y, s), t_left(q.z, a.z, b.z, c.z, s));
            let moved = t_solved(a, b, c, rest).xyz;
            let shares = s.xyz + moved; // one step of refinement
            let least = t_min(t_min(1.0f - shares.x, shares.x - shares.y), t_min(shares.y - shares.z, shares.z));
            if abs(s.w) > 0.0f && abs(s.w) < 3.0e38f && all(abs(moved) < vec3f(1e-3f)) && least > best {
                best = least;
                let along = clamp(shares, vec3f(0.0f), vec3f(1.0f));
                found = corner + vec3f(
                    select(select(along.z, along.y, second == step_r), along.x, first == step_r),
                    select(select(along.z, along.y, second == step_g), along.x, first == step_g),
                    select(select(along.z, along.y, second == 1u), along.x, first == 1u),
                );
            }
        }
    }
    return found;
}

// The pixels of a workgroup are contiguous; an invocation takes every 256th of them.
@compute @workgroup_size(256)
fn point(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) place: u32) {
    let first = (group.y * number(1u) + group.x) * 256u * PIXELS + place;
    for (var turn = 0u; turn < PIXELS; turn++) {
        let i = first + 256u * turn;
        if i >= number(0u) {
            return;
        }
        let pixel = unpacked(source[i]);
//READS//
        let r_in = pixel.r;
        let g_in = pixel.g;
        let b_in = pixel.b;
        let a_in = pixel.a;
        var r: f32;
        var g: f32;
        var b: f32;
        var a: f32;
//BODY//
        result[i] = packed(vec4f(r, g, b, a));
    }
}
