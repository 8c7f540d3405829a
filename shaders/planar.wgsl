// A pixel of a planar frame. Inserted into point.wgsl for frames of movies.
//
// The buffer `source` holds rows of all planes, samples of 8 or 16 bits packed into words. The backend prepends PLANAR,
// the index in `numbers` of those of PlanarNumbers in engine/compute/backends/wgpu/numbers.py.

fn t_planar(index: u32) -> u32 { return number(PLANAR + index); }

fn t_column(i: u32) -> i32 { return i32(t_planar(1u) + i % t_planar(0u)); }
fn t_row(i: u32) -> i32 { return i32(t_planar(2u) + i / t_planar(0u)); }

// Whether the buffer has the row of a pixel.
fn t_is_here(i: u32) -> bool {
    let row = u32(t_row(i));
    return row >= t_planar(3u) && row < t_planar(4u);
}

// The code of a sample, whose index counts from the first of its plane in the frame; `plane` may be below 0.
fn t_code(plane: u32, index: u32) -> f32 {
    let at = plane + index;
    let packing = t_planar(5u);
    let bits = 32u >> packing;
    let word = source[at >> packing] >> (bits * (at & ((1u << packing) - 1u)));
    return f32((word & ((1u << bits) - 1u)) >> t_planar(6u));
}

// Chroma at a position in quarters of a sample, interpolated between the samples around it. All of it is exact.
fn t_chroma(plane: u32, across: i32, down: i32) -> f32 {
    let last = vec2i(i32(t_planar(12u)), i32(t_planar(13u))) - 1;
    let near = clamp(vec2i(across >> 2u, down >> 2u), vec2i(0), last);
    let far = clamp(vec2i(across >> 2u, down >> 2u) + 1, vec2i(0), last);
    let share = vec2f(f32(across & 3), f32(down & 3)) * 0.25f;
    let step = t_planar(7u);
    let above = u32(near.y) * t_planar(14u);
    let below = u32(far.y) * t_planar(14u);
    let left = step * u32(near.x);
    let right = step * u32(far.x);
    let first = t_code(plane, above + left);
    let second = t_code(plane, below + left);
    let high = first + (t_code(plane, above + right) - first) * share.x;
    let low = second + (t_code(plane, below + right) - second) * share.x;
    return high + (low - high) * share.y;
}

fn t_pixel(i: u32) -> vec4f {
    let x = t_column(i);
    let y = t_row(i);
    let at = u32(y) * t_planar(15u) + u32(x);
    let neutral = f32(t_planar(20u));
    var pixel = vec4f(t_code(t_planar(8u), at), neutral, neutral, 1.0f);
    if t_planar(12u) > 0u {
        let across = select(4 * x, 2 * x - i32(t_planar(18u)), t_planar(16u) > 0u);
        let down = select(4 * y, 2 * y - i32(t_planar(19u)), t_planar(17u) > 0u);
        pixel.g = t_chroma(t_planar(9u), across, down);
        pixel.b = t_chroma(t_planar(10u), across, down);
    }
    if t_planar(21u) > 0u {
        pixel.a = t_code(t_planar(11u), at);
    }
    return pixel;
}
