// Weighted sums for resize and blur: along the columns into a strip of float rows, then along the rows of the strip.
//
// The backend prepends storages.wgsl, the aliases Source and Target, and `unpacked` and `packed`. A result is always
// the same sum in the same order, regardless of its place in a strip, a buffer or a tile.

@group(0) @binding(0) var<storage, read> source: array<Source>;
@group(0) @binding(1) var<storage, read_write> strip: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> result: array<Target>;
// For each result: the first source pixel, the number of pixels, and the set of weights.
@group(0) @binding(3) var<storage, read> spans: array<vec4i>;
// The first weight of every set, then the second of every set, and so on.
@group(0) @binding(4) var<storage, read> weights: array<f32>;
@group(0) @binding(5) var<storage, read> numbers: array<i32>;

// Numbers: width of the source; rows of the strip; the strip's first row in the image; first and end row (exclusive) of
// the source in this buffer; whether the sums begin here; sets of weights.
@compute @workgroup_size(16, 16)
fn down(@builtin(global_invocation_id) id: vec3u) {
    let x = i32(id.x);
    let y = i32(id.y);
    let width = numbers[0];
    if x >= width || y >= numbers[1] {
        return;
    }
    let span = spans[numbers[2] + y];
    let top = numbers[3];
    let sets = numbers[6];
    let first = max(span.x, top);
    let end = min(span.x + span.y, numbers[4]);
    var total = vec4f(0.0f);
    if numbers[5] == 0 {
        total = strip[y * width + x];
    }
    for (var row = first; row < end; row++) {
        let weight = weights[(row - span.x) * sets + span.z];
        total = fma(unpacked(source[(row - top) * width + x]), vec4f(weight), total);
    }
    strip[y * width + x] = total;
}

// Numbers: width of the strip; width of the result; rows; their first row in the strip, and in this buffer of the
// result; sets of weights.
@compute @workgroup_size(16, 16)
fn along(@builtin(global_invocation_id) id: vec3u) {
    let x = i32(id.x);
    let y = i32(id.y);
    if x >= numbers[1] || y >= numbers[2] {
        return;
    }
    let span = spans[x];
    let sets = numbers[5];
    let start = (numbers[3] + y) * numbers[0] + span.x;
    var total = vec4f(0.0f);
    for (var k = 0; k < span.y; k++) {
        total = fma(strip[start + k], vec4f(weights[k * sets + span.z]), total);
    }
    result[(numbers[4] + y) * numbers[1] + x] = packed(total);
}
