// A plane of a frame from codes: rounded to the nearest, ties to even, and clamped; NaN becomes the smallest.

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
// Samples of the plane in the buffer; workgroups in a row; first word of the plane; its first row; samples in a row;
// samples per column; the first and the end row (exclusive) of the source in its buffer; channel; binary logarithm of
// the samples in a word; by how many bits they are shifted up; the smallest and the largest code; whether noise is
// added; what it is made from for the first and for the second sample of a column.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;

// Noise from -1 to 1, of a triangular distribution: two halves of a hash (Wellons, "lowbias32", 2018).
fn noise(number: u32) -> f32 {
    var h = (number ^ (number >> 16u)) * 0x7feb352du;
    h = (h ^ (h >> 15u)) * 0x846ca68bu;
    h = h ^ (h >> 16u);
    return f32(i32(h & 0xffffu) - i32(h >> 16u)) * 1.52587890625e-05f;
}

fn code_of(x: f32) -> u32 {
    let is_nan = (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
    let low = f32(numbers[11]);
    return u32(round(clamp(select(x, low, is_nan), low, f32(numbers[12]))));
}

@compute @workgroup_size(256)
fn samples(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) place: u32) {
    let word = (group.y * numbers[1] + group.x) * 256u + place;
    let first = word << numbers[9];
    let bits = 32u >> numbers[9];
    var content = 0u;
    var written = 0u;
    for (var n = 0u; n < (1u << numbers[9]); n++) {
        let at = first + n;
        let row = numbers[3] + at / numbers[4];
        if at >= numbers[0] || row < numbers[6] || row >= numbers[7] {
            continue;
        }
        let column = at % numbers[4];
        let second = column % numbers[5];
        let pixel = at / numbers[5] + (numbers[3] - numbers[6]) * (numbers[4] / numbers[5]);
        let number = at / numbers[5] + numbers[3] * (numbers[4] / numbers[5]) + numbers[14u + second];
        let added = noise(number) * f32(numbers[13]);
        let code = code_of(source[4u * pixel + numbers[8] + second] + added);
        content |= (code << numbers[10]) << (bits * n);
        written |= ((1u << bits) - 1u) << (bits * n);
    }
    if written != 0u {
        result[numbers[2] + word] = (result[numbers[2] + word] & ~written) | content;
    }
}
