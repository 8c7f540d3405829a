// One pass of colour ops over a picture. The body is generated; see engine/dialects.py.
//
// The backend puts before this text: maths.wgsl, storages.wgsl, the aliases Source and Target, the functions
// `unpacked(Source) -> vec4f` and `packed(vec4f) -> Target`, and how many vec4 of uniforms and of numbers there are:
// UNIFORMS and NUMBERS. A pixel is always RGBA.

@group(0) @binding(0) var<storage, read> source: array<Source>;
@group(0) @binding(1) var<storage, read_write> result: array<Target>;
@group(0) @binding(2) var<uniform> u: array<vec4f, UNIFORMS>;
// All tables of the run, seen as single floats and as the entries of cubes.
@group(0) @binding(3) var<storage, read> tables: array<f32>;
@group(0) @binding(4) var<storage, read> entries: array<vec4f>;
// Pixels; invocations in a row of workgroups; the bits of Inf and of NaN; 0; where each table begins, in floats.
@group(0) @binding(5) var<uniform> numbers: array<vec4u, NUMBERS>;

fn t_offset(table: u32) -> u32 { return number(5u + table); }

// A curve lies channel by channel, each followed by its last value once more.
fn t_lookup(table: u32, channel: u32, size: f32, index: f32, fraction: f32) -> f32 {
    let entry = table + channel * (u32(size) + 1u) + u32(index);
    let low = tables[entry];
    return select(low, t_fma(fraction, tables[entry + 1u] - low, low), fraction > 0.0f);
}

// The last entry from `first` to `last` below x, by halving.
fn t_search(table: u32, channel: u32, size: f32, steps: u32, x: f32, first: f32, last: f32) -> f32 {
    let base = table + channel * (u32(size) + 1u);
    var at = base + u32(first);
    let end = base + u32(last);
    for (var step = 1u << (steps - 1u); step > 0u; step = step >> 1u) {
        let ahead = min(at + step, end);
        at = select(at, ahead, tables[ahead] < x);
    }
    return f32(at - base);
}

// A cube lies [r][g][b], four floats an entry.
fn t_entry(table: u32, at: u32) -> vec3f { return entries[table / 4u + at].xyz; }

fn t_tetrahedral(table: u32, size: f32, grid: vec3f) -> vec3f {
    let step_g = u32(size);
    let step_r = step_g * step_g;
    let low = min(floor(grid), vec3f(size - 2.0f));
    let f = grid - low;
    let at = u32(low.x) * step_r + u32(low.y) * step_g + u32(low.z);
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
    let step_g = u32(size);
    let step_r = step_g * step_g;
    let low = min(floor(grid), vec3f(size - 2.0f));
    let f = grid - low;
    let near = u32(low.x) * step_r + u32(low.y) * step_g + u32(low.z);
    let far = near + step_r;
    let near_low = t_edge(table, near, f.z);
    let near_face = fma(t_edge(table, near + step_g, f.z) - near_low, vec3f(f.y), near_low);
    let far_low = t_edge(table, far, f.z);
    let far_face = fma(t_edge(table, far + step_g, f.z) - far_low, vec3f(f.y), far_low);
    return fma(far_face - near_face, vec3f(f.x), near_face);
}

@compute @workgroup_size(256)
fn point(@builtin(global_invocation_id) id: vec3u) {
    let i = id.y * number(1u) + id.x;
    if i >= number(0u) {
        return;
    }
    let pixel = unpacked(source[i]);
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
