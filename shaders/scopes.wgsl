// Exact counts of histogram, waveform and vectorscope, as defined in engine/compute/statistics.py.
//
// The backend prepends maths.wgsl, storages.wgsl, the alias Source, `unpacked`, and NUMBERS, the number of vec4u of
// numbers.

@group(0) @binding(0) var<storage, read> source: array<Source>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
// Pixels; invocations in a row of workgroups; the bits of Inf and of NaN; 0; width of the image; bins, or the size of
// the vectorscope; columns of the waveform; whether the axis is in stops; and as floats the axis's start and scale.
@group(0) @binding(2) var<uniform> numbers: array<vec4u, NUMBERS>;

// Rec.709 luma and colour differences: ITU-R BT.709-6, items 3.2 and 3.3.
const LUMA = vec3f(0.2126f, 0.7152f, 0.0722f);
const TO_CB = f32(1.0 / 1.8556);
const TO_CR = f32(1.0 / 1.5748);

fn luma_of(colour: vec3f) -> f32 {
    return t_rounded(t_rounded(LUMA.r * colour.r) + t_rounded(LUMA.g * colour.g)) + t_rounded(LUMA.b * colour.b);
}

fn is_finite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u; }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn bin_of(x: f32) -> u32 {
    var value = x;
    if number(8u) != 0u {
        value = t_log2(t_max(x, 0.0f));
    }
    let place = floor((t_rounded(value) - bitcast<f32>(number(9u))) * bitcast<f32>(number(10u)));
    return u32(t_max(t_min(place, f32(number(6u) - 1u)), 0.0f));
}

// A histogram of up to 1024 bins.
const LOCAL = 4096u;
var<workgroup> local_counts: array<atomic<u32>, LOCAL>;

@compute @workgroup_size(256)
fn histogram(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let bins = number(6u);
    for (var i = thread; i < 4u * bins; i += 256u) { // not every driver clears it, although WGSL requires it
        atomicStore(&local_counts[i], 0u);
    }
    workgroupBarrier();
    for (var i = id.x; i < number(0u); i += number(1u)) {
        let colour = unpacked(source[i]).rgb;
        let values = vec4f(colour, luma_of(colour));
        for (var c = 0u; c < 4u; c++) {
            if !is_nan(values[c]) {
                atomicAdd(&local_counts[c * bins + bin_of(values[c])], 1u);
            }
        }
    }
    workgroupBarrier();
    for (var i = thread; i < 4u * bins; i += 256u) {
        let count = atomicLoad(&local_counts[i]);
        if count > 0u {
            atomicAdd(&counts[i], count);
        }
    }
}

@compute @workgroup_size(256)
fn waveform(@builtin(global_invocation_id) id: vec3u) {
    let i = id.y * number(1u) + id.x;
    if i >= number(0u) {
        return;
    }
    let columns = number(7u);
    let column = i % number(5u) * columns / number(5u);
    let colour = unpacked(source[i]).rgb;
    let values = vec4f(colour, luma_of(colour));
    for (var c = 0u; c < 4u; c++) {
        if !is_nan(values[c]) {
            atomicAdd(&counts[(c * number(6u) + bin_of(values[c])) * columns + column], 1u);
        }
    }
}

@compute @workgroup_size(256)
fn vectorscope(@builtin(global_invocation_id) id: vec3u) {
    let i = id.y * number(1u) + id.x;
    if i >= number(0u) {
        return;
    }
    let colour = unpacked(source[i]).rgb;
    let luma = luma_of(colour);
    if is_finite(luma) {
        let size = number(6u);
        let across = bin_of((colour.b - luma) * TO_CB);
        let up = bin_of((colour.r - luma) * TO_CR);
        atomicAdd(&counts[(size - 1u - up) * size + across], 1u);
    }
}
