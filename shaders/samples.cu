// A plane of a frame from codes: rounded to the nearest, ties to even, and clamped; NaN becomes the smallest.
//
// The backend defines WORD (unsigned char or unsigned short).

typedef unsigned int uint;

// `count` samples, `step` of each pixel of the source, from `channel` on, shifted up by `shift` bits.
extern "C" __global__ void samples(const float *__restrict__ source, WORD *__restrict__ target, uint count, uint step,
                                   uint channel, uint shift, float low, float high) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float code = __ldg(source + (size_t)(i / step) * 4 + channel + i % step);
        const float above = code > low ? code : low;
        target[i] = (WORD)((uint)rintf(above < high ? above : high) << shift);
    }
}
