// Minimum, maximum and mean of the finite values of each channel, and counts: one Part per workgroup, combined by the
// host.
//
// The backend prepends storages.wgsl, the alias Source, and `unpacked`.

struct Part {
    least: vec4f,
    largest: vec4f,
    total: vec4f, // in units of 2 ** 32, so that no sum overflows
    finite: vec4u,
    nan: vec4u,
    inf: vec4u,
    negative: vec4u,
}

@group(0) @binding(0) var<storage, read> source: array<Source>;
@group(0) @binding(1) var<storage, read_write> parts: array<Part>;
// Pixels; workgroups.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;

const LARGEST = 3.4028234663852886e38f;
const THREADS = 128u;
var<workgroup> shared_parts: array<Part, THREADS>;

fn with_pixel(part: Part, pixel: vec4f) -> Part {
    let magnitude = bitcast<vec4u>(pixel) & vec4u(0x7fffffffu);
    let finite = magnitude < vec4u(0x7f800000u);
    let one = vec4u(1u);
    let zero = vec4u(0u);
    return Part(
        select(part.least, pixel, finite & (pixel < part.least)),
        select(part.largest, pixel, finite & (pixel > part.largest)),
        part.total + select(vec4f(0.0f), pixel * 2.3283064365386963e-10f, finite),
        part.finite + select(zero, one, finite),
        part.nan + select(zero, one, magnitude > vec4u(0x7f800000u)),
        part.inf + select(zero, one, magnitude == vec4u(0x7f800000u)),
        part.negative + select(zero, one, pixel < vec4f(0.0f)),
    );
}

fn joined(a: Part, b: Part) -> Part {
    return Part(
        min(a.least, b.least),
        max(a.largest, b.largest),
        a.total + b.total,
        a.finite + b.finite,
        a.nan + b.nan,
        a.inf + b.inf,
        a.negative + b.negative,
    );
}

@compute @workgroup_size(THREADS)
fn statistics(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let none = vec4u(0u);
    var part = Part(vec4f(LARGEST), vec4f(-LARGEST), vec4f(0.0f), none, none, none, none);
    for (var i = group.x * THREADS + thread; i < numbers[0]; i += numbers[1] * THREADS) {
        part = with_pixel(part, unpacked(source[i]));
    }
    shared_parts[thread] = part;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            shared_parts[thread] = joined(shared_parts[thread], shared_parts[thread + half]);
        }
        workgroupBarrier();
    }
    if thread == 0u {
        parts[group.x] = shared_parts[0];
    }
}
