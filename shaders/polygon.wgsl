// The distance to a polygon. Inserted into point.wgsl for ops that use it; see engine/kernel/interpolation.py.

// a - b, and what its rounding loses (Knuth).
fn t_difference(a: f32, b: f32) -> vec2f {
    let whole = t_rounded(a - b);
    let back = t_rounded(whole - a);
    return vec2f(whole, t_rounded(a - t_rounded(whole - back)) - t_rounded(b + back));
}

// How far x is from the interval between a and b; below 0 inside it, and a little outside, for low-order parts.
fn t_outside(x: f32, a: f32, b: f32) -> f32 { return max(min(a, b) - x, x - max(a, b)) - abs(x) * 2.4e-7f; }

// `path` is a curve of three channels: x, y and 0 of each vertex. The point is at + low. An edge is skipped if it is
// further away than the nearest one so far, and no ray to the right crosses it.
fn t_path_distance(path: u32, size: f32, at: vec2f, low: vec2f) -> f32 {
    let count = t_whole(size);
    let down = path + count + 1u;
    var b = vec2f(tables[path + count - 1u], tables[down + count - 1u]);
    var nearest = 3.4028234663852886e38f;
    var inside = false;
    for (var k = 0u; k < count; k++) {
        let a = b;
        b = vec2f(tables[path + k], tables[down + k]);
        let outside = vec2f(t_outside(at.x, a.x, b.x), t_outside(at.y, a.y, b.y));
        let apart = max(outside, vec2f(0.0f));
        let level = outside.y <= 0.0f && (outside.x <= 0.0f || min(a.x, b.x) > at.x);
        if !level && dot(apart, apart) > nearest * 1.001f {
            continue;
        }
        let q = t_difference(at.x, a.x) + vec2f(0.0f, low.x);
        let r = t_difference(at.y, a.y) + vec2f(0.0f, low.y);
        let e = t_difference(b.x, a.x);
        let f = t_difference(b.y, a.y);
        let s = t_difference(at.x, b.x) + vec2f(0.0f, low.x);
        let t = t_difference(at.y, b.y) + vec2f(0.0f, low.y);
        let lost = t_fma(e.x, r.y, e.y * r.x) - t_fma(f.x, q.y, f.y * q.x);
        let side = t_rounded(t_products(e.x, r.x, f.x, q.x)) + lost;
        let along = t_fma(q.x, e.x, r.x * f.x);
        let length = t_fma(e.x, e.x, f.x * f.x);
        let gx = s.x + s.y;
        let gy = t.x + t.y;
        let squared = select(t_fma(gx, gx, gy * gy), side / length * side, along > 0.0f && along < length);
        nearest = select(nearest, squared, t_less(squared, nearest));
        let crosses = (r.x + r.y >= 0.0f) != (gy >= 0.0f) && (side > 0.0f) == (b.y > a.y);
        inside = inside != crosses;
    }
    return select(-1.0f, 1.0f, inside) * sqrt(nearest);
}

