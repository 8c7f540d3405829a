// The content of a window: a frame at its place on a plain background, and a layer over both. All values are bytes and
// integers, rounded as by Qt's raster painter, so that both give identical results.

struct Numbers {
    width: u32,       // of the target
    frame: u32,       // width of the frame
    background: u32,
    layer: u32,       // 1 if there is one, as large as the target
}

@group(0) @binding(0) var<storage, read> frame: array<u32>;
// For each column, then for each row of the target: two neighbours in the frame, 16 bits each; the weight of the second
// in 256ths, plus INSIDE where the frame covers the target.
@group(0) @binding(1) var<storage, read> places: array<vec2u>;
@group(0) @binding(2) var<storage, read> layer: array<u32>;  // premultiplied
@group(0) @binding(3) var<uniform> numbers: Numbers;

const INSIDE = 0x10000u;

fn bytes(pixel: u32) -> vec4u { return vec4u(pixel, pixel >> 8u, pixel >> 16u, pixel >> 24u) & vec4u(255u); }

fn between(a: vec4u, b: vec4u, share: u32) -> vec4u { return (a * (256u - share) + b * share) >> vec4u(8u); }

fn sampled(across: vec2u, down: vec2u) -> vec4u {
    let left = across.x & 0xffffu;
    let top = (down.x & 0xffffu) * numbers.frame;
    let right_share = across.y & 0xffffu;
    let below_share = down.y & 0xffffu;
    if (right_share | below_share) == 0u {
        return bytes(frame[top + left]);
    }
    let right = across.x >> 16u;
    let below = (down.x >> 16u) * numbers.frame;
    let first = between(bytes(frame[top + left]), bytes(frame[below + left]), below_share);
    let second = between(bytes(frame[top + right]), bytes(frame[below + right]), below_share);
    return between(first, second, right_share);
}

// Composite a premultiplied pixel over an opaque one.
fn over(pixel: vec4u, below: vec4u) -> vec4u {
    let rest = below * (255u - pixel.a);
    return pixel + ((rest + (rest >> vec4u(8u)) + 128u) >> vec4u(8u));
}

@vertex
fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return vec4f(f32(number & 1u) * 4.0 - 1.0, f32(number >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn shown(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let x = u32(at.x);
    let y = u32(at.y);
    let across = places[x];
    let down = places[numbers.width + y];
    var pixel = bytes(numbers.background);
    if (across.y & down.y & INSIDE) != 0u {
        pixel = sampled(across, down);
    }
    if numbers.layer != 0u {
        pixel = over(bytes(layer[y * numbers.width + x]), pixel);
    }
    return vec4f(vec3f(pixel.rgb) / 255.0, 1.0);
}
