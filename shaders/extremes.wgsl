// The largest or smallest value of each channel in a window, by steps that each take up to nine pixels of the last
// result; see engine/compute/backends/extremes.py. NaN is ignored, unless there is nothing else.

@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
// Width and height of the image; first row of the result and number of rows in its buffer; first and end row
// (exclusive) of the source in its buffer; whether the result begins with this buffer; steps; whether the largest is
// taken; the bits of NaN.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;

fn is_nan(x: vec4f) -> vec4<bool> { return (bitcast<vec4u>(x) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

fn joined(a: vec4f, b: vec4f) -> vec4f {
    let found = select(b, a, select((a < b), (a > b), vec4<bool>(numbers[9] != 0u)));
    return select(select(found, a, is_nan(b)), b, is_nan(a));
}

@compute @workgroup_size(16, 16)
fn extreme(@builtin(global_invocation_id) id: vec3u) {
    let width = i32(numbers[0]);
    let x = i32(id.x);
    if x >= width || id.y >= numbers[3] {
        return;
    }
    let y = i32(numbers[2] + id.y);
    let top = i32(numbers[4]);
    let step_x = i32(numbers[7]);
    let step_y = i32(numbers[8]);
    var found = bitcast<vec4f>(vec4u(numbers[10]));
    if numbers[6] == 0u {
        found = result[i32(id.y) * width + x];
    }
    for (var down = -1; down <= 1; down++) {
        let row = clamp(y + down * step_y, 0, i32(numbers[1]) - 1);
        if row < top || row >= i32(numbers[5]) || (down != 0 && step_y == 0) {
            continue;
        }
        let start = (row - top) * width;
        found = joined(found, source[start + x]);
        if step_x != 0 {
            found = joined(found, source[start + max(x - step_x, 0)]);
            found = joined(found, source[start + min(x + step_x, width - 1)]);
        }
    }
    result[i32(id.y) * width + x] = found;
}
