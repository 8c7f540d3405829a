// The storage of a pixel: four floats, four halves in two words, or four bytes for display.

fn from_float(pixel: vec4f) -> vec4f { return pixel; }
fn to_float(pixel: vec4f) -> vec4f { return pixel; }

fn from_half(pixel: vec2u) -> vec4f { return vec4f(unpack2x16float(pixel.x), unpack2x16float(pixel.y)); }
fn to_half(pixel: vec4f) -> vec2u {
    let bits = half_bits(pixel);
    return vec2u(bits.x | (bits.y << 16u), bits.z | (bits.w << 16u));
}

// For devices whose pack2x16float was found to give the results of half_bits.
fn to_half_packed(pixel: vec4f) -> vec2u { return vec2u(pack2x16float(pixel.xy), pack2x16float(pixel.zw)); }

// Rounds to nearest, ties to even. WGSL's pack2x16float may round either way and need not support Inf.
fn half_bits(x: vec4f) -> vec4u {
    let bits = bitcast<vec4u>(x);
    let magnitude = bits & vec4u(0x7fffffffu);
    let normal = (magnitude - vec4u(0x38000000u) + vec4u(0xfffu) + ((magnitude >> vec4u(13u)) & vec4u(1u))) >> vec4u(13u);
    let tiny = bitcast<vec4u>(bitcast<vec4f>(magnitude) + vec4f(0.5f)) - vec4u(0x3f000000u);
    var half = select(normal, tiny, magnitude < vec4u(0x38800000u));
    half = select(half, vec4u(0x7c00u), magnitude >= vec4u(0x477ff000u));
    half = select(half, vec4u(0x7e00u), magnitude > vec4u(0x7f800000u));
    return half | ((bits >> vec4u(16u)) & vec4u(0x8000u));
}

fn to_bytes(pixel: vec4f) -> u32 {
    let low = select(vec3f(0.0f), pixel.rgb, pixel.rgb > vec3f(0.0f));
    let held = select(vec3f(1.0f), low, low < vec3f(1.0f));
    let bytes = vec3u(held * 255.0f + 0.5f);
    return bytes.r | (bytes.g << 8u) | (bytes.b << 16u) | 0xff000000u;
}
