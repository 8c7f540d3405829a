// What colour ops read of a pixel beside its channels. Inserted into point.wgsl for ops that read any of it.
//
// The backend prepends PLACE, the index in `numbers` of: width; first column and row; x, step_x, y and step_y of the
// place, each followed by what float32 loses of it. It adds the bindings of the planes.

fn t_place(index: u32) -> vec2f { return bitcast<vec2f>(vec2u(number(PLACE + index), number(PLACE + index + 1u))); }

// start + (at + .5) * step, and what float32 loses of it.
fn t_along(at: u32, start: vec2f, step: vec2f) -> vec2f {
    let centre = f32(bitcast<i32>(at)) + 0.5f;
    let product = t_rounded(centre * step.x);
    let whole = t_rounded(start.x + product);
    let back = t_rounded(whole - start.x);
    let lost = t_rounded(start.x - t_rounded(whole - back)) + t_rounded(product - back);
    let rest = t_rounded(lost + (t_fma(centre, step.x, -product) + t_fma(centre, step.y, start.y)));
    let sum = t_rounded(whole + rest);
    return vec2f(sum, rest - t_rounded(sum - whole));
}
