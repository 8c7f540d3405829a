// EXR's run lengths, one warp for each chunk. A count below 0 is followed by that many bytes as they are, any other by
// one byte, which comes that often and once more. Nothing is read beyond the chunk or written beyond its slot.
// `chunk.cu` comes first.

__device__ bool unpack_runs(const unsigned char *from, unsigned packed, unsigned char *to, unsigned size,
                            unsigned lane) {
    unsigned written = 0, base = 0;
    unsigned byte = lane < packed ? from[lane] : 0;  // those from `base` on
    for (unsigned at = 0; at < packed;) {
        if (at - base > 30) {
            base = at;
            byte = base + lane < packed ? from[base + lane] : 0;
        }
        const int count = (signed char)__shfl_sync(WHOLE_WARP, byte, at - base);
        const unsigned value = __shfl_sync(WHOLE_WARP, byte, at - base + 1);
        const unsigned length = count < 0 ? (unsigned)-count : (unsigned)count + 1, taken = count < 0 ? length : 1;
        if (at + 1 + taken > packed || length > size - written) return false;
        for (unsigned n = lane; n < length; n += 32)
            to[written + n] = count < 0 ? from[at + 1 + n] : (unsigned char)value;
        written += length;
        at += 1 + taken;
    }
    return written == size;
}

extern "C" __global__ void __launch_bounds__(32)
unpack(const unsigned char *packed, const Chunk *chunks, unsigned char *planes, int *verdicts) {
    const Chunk chunk = chunks[blockIdx.x];
    if (is_raw(chunk) || verdicts[blockIdx.x] != GOOD) return;
    const bool right = chunk.packed <= LARGEST && chunk.size <= LARGEST;
    const bool good = right && unpack_runs(packed + chunk.source, chunk.packed, planes + chunk.planes, chunk.size,
                                           threadIdx.x);
    if (threadIdx.x == 0) verdicts[blockIdx.x] = good ? GOOD : DAMAGED;
}
