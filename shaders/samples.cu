// A plane of a frame from codes: rounded to the nearest, ties to even, and clamped; NaN becomes the smallest.
//
// The backend defines WORD (uchar or ushort).

// Noise from -1 to 1, of a triangular distribution: two halves of a hash (Wellons, "lowbias32", 2018).
FUNCTION float t_noise(uint h) {
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h ^= h >> 16;
    return (float)((int)(h & 0xffffu) - (int)(h >> 16)) * 1.52587890625e-05f;
}

// `count` samples, `step` of each pixel of the source, from `channel` on, shifted up by `shift` bits. The noise counts
// `share` times; it is made from `key`, or for the second sample of a pixel from `next_key`.
KERNEL samples(GLOBAL const float *__restrict__ source, GLOBAL WORD *__restrict__ target, uint count, uint step,
                                   uint channel, uint shift, uint key, uint next_key, float share, float low,
                                   float high) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint pixel = i / step, second = i % step;
        const float noise = t_noise(pixel + (second ? next_key : key)) * share;
        const float code = __ldg(source + (size_t)pixel * 4 + channel + second) + noise;
        const float above = code > low ? code : low;
        target[i] = (WORD)((uint)rintf(above < high ? above : high) << shift);
    }
}
