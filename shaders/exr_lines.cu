// From the bytes of EXR chunks to lines, and between lines and images. Lines hold, for each row of pixels and each channel,
// the samples of the whole row. The bytes of a chunk that was compressed are predicted (each but the first stands for
// its difference from the one before, plus 128) and split: those at even places come first. `chunk.cu` comes first.
//
// A chunk is cut at the same places of both halves into segments of SEGMENT bytes. A block sums up the bytes of the two
// segments, for the checksum and for what comes before a segment; a warp puts the sums of a chunk in order; then a block
// undoes the prediction of two segments and joins them.

#define THREADS 256
#define EACH 16  // bytes of a segment for each thread
#define SEGMENT (THREADS * EACH)
#define ADLER 65521u

// Of the bytes b[0], b[1], ... of a segment of n bytes: their sum, and that of (n - i) * b[i].
struct Sums { unsigned plain, weighted; };

// EACH bytes as words.
struct Bytes { unsigned words[EACH / 4]; };

__device__ __forceinline__ unsigned half_of(const Chunk &chunk) { return chunk.size / 2; }

// The sum of each pair of bytes, without carries between pairs.
__device__ __forceinline__ unsigned add_bytes(unsigned a, unsigned b) {
    return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

// `count` bytes from `place` on, then 0. The words that hold them are read, and the word behind those.
__device__ __forceinline__ Bytes load(const unsigned char *from, unsigned long long place, unsigned count) {
    const unsigned *words = (const unsigned *)(from + (place & ~3ull));
    const unsigned shift = 8 * (unsigned)(place & 3);
    Bytes bytes;
    unsigned low = count ? words[0] : 0;
#pragma unroll
    for (unsigned n = 0; n < EACH / 4; n++) {
        const unsigned left = count > 4 * n ? count - 4 * n : 0;
        const unsigned high = left ? words[n + 1] : 0, value = __funnelshift_r(low, high, shift);
        bytes.words[n] = left >= 4 ? value : left ? value & ((1u << 8 * left) - 1u) : 0;
        low = high;
    }
    return bytes;
}

// The sum of a value over the threads of a block, for all of them; `shared` has a word for each warp.
__device__ __forceinline__ unsigned block_sum(unsigned value, unsigned *shared) {
    for (unsigned by = 16; by; by /= 2) value += __shfl_xor_sync(WHOLE_WARP, value, by);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    unsigned total = 0;
#pragma unroll
    for (unsigned n = 0; n < THREADS / 32; n++) total += shared[n];
    return total;
}

// The sum of a value over the threads before this one.
__device__ __forceinline__ unsigned sum_before(unsigned value, unsigned *shared) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = value;
    for (unsigned by = 1; by < 32; by *= 2) {
        const unsigned other = __shfl_up_sync(WHOLE_WARP, sum, by);
        if (lane >= by) sum += other;
    }
    __syncthreads();
    if (lane == 31) shared[warp] = sum;
    __syncthreads();
    for (unsigned n = 0; n < warp; n++) sum += shared[n];
    return sum - value;
}

// Sum up the segments of chunks that were compressed: for each, those of the first half, then those of the second.
// There are `most` pairs of segments in the largest chunk, and so many blocks for each chunk.
extern "C" __global__ void __launch_bounds__(THREADS)
sum_segments(const Chunk *chunks, const int *verdicts, const unsigned char *planes, unsigned most, Sums *sums) {
    __shared__ unsigned shared[THREADS / 32];
    const unsigned number = blockIdx.x / most, segment = blockIdx.x % most;
    const Chunk chunk = chunks[number];
    const unsigned half = half_of(chunk), begin = segment * SEGMENT;
    if (is_raw(chunk) || verdicts[number] != GOOD || begin >= half) return;
    const unsigned length = min(half - begin, (unsigned)SEGMENT), at = threadIdx.x * EACH;
    for (unsigned second = 0; second < 2; second++) {
        const unsigned count = at < length ? min(length - at, (unsigned)EACH) : 0;
        const Bytes bytes = load(planes, chunk.planes + second * half + begin + at, count);
        unsigned plain = 0, weighted = 0;
#pragma unroll
        for (unsigned n = 0; n < EACH; n++) {
            const unsigned byte = bytes.words[n / 4] >> 8 * (n % 4) & 255;
            plain += byte;
            weighted += (length - at - n) * byte;
        }
        plain = block_sum(plain, shared);
        weighted = block_sum(weighted, shared);
        if (threadIdx.x == 0) sums[2 * (unsigned long long)most * number + second * most + segment] = {plain, weighted};
    }
}

// Put the sums of a chunk's segments in order, one warp for each chunk: `plain` becomes the sum of all bytes before a
// segment. With `checked`, the Adler-32 of the bytes must be the one in `expected`.
extern "C" __global__ void __launch_bounds__(32)
finish_sums(const Chunk *chunks, int *verdicts, unsigned most, Sums *sums, const unsigned *expected, int checked) {
    const unsigned lane = threadIdx.x, half = half_of(chunks[blockIdx.x]);
    if (is_raw(chunks[blockIdx.x]) || verdicts[blockIdx.x] != GOOD) return;
    sums += 2 * (unsigned long long)most * blockIdx.x;
    unsigned before = 0;                                     // the sum of all bytes so far
    unsigned a = 1, b = 0;                                   // the parts of the Adler-32 so far
    for (unsigned second = 0; second < 2; second++)
        for (unsigned first = 0; first * SEGMENT < half; first += 32) {
            const unsigned segment = first + lane, begin = segment * SEGMENT;
            const bool there = begin < half;
            const Sums mine = there ? sums[second * most + segment] : Sums{0, 0};
            const unsigned length = there ? min(half - begin, (unsigned)SEGMENT) : 0;
            unsigned plain = mine.plain, bytes = length;     // of this segment and those before it
            for (unsigned by = 1; by < 32; by *= 2) {
                const unsigned other = __shfl_up_sync(WHOLE_WARP, plain, by), more = __shfl_up_sync(WHOLE_WARP, bytes, by);
                if (lane >= by) plain += other, bytes += more;
            }
            if (there) sums[second * most + segment].plain = before + plain - mine.plain;
            const unsigned earlier = (a + plain - mine.plain) % ADLER;
            unsigned gained = (unsigned)(((unsigned long long)earlier * length + mine.weighted) % ADLER);
            for (unsigned by = 16; by; by /= 2) gained += __shfl_xor_sync(WHOLE_WARP, gained, by);
            b = (b + gained) % ADLER;
            const unsigned total = __shfl_sync(WHOLE_WARP, plain, 31);
            a = (a + total) % ADLER;
            before += total;
        }
    if (lane == 0 && checked && (b << 16 | a) != expected[blockIdx.x]) verdicts[blockIdx.x] = WRONG_SUM;
}

// EACH bytes of a half with the prediction undone. All threads of a block call it.
__device__ __forceinline__ Bytes undone(const unsigned char *planes, unsigned long long chunk, unsigned place,
                                        unsigned count, unsigned before, unsigned *shared) {
    Bytes bytes = load(planes, chunk + place, count);
    unsigned total = 0;
#pragma unroll
    for (unsigned n = 0; n < EACH / 4; n++) {
        unsigned word = bytes.words[n];
        word = add_bytes(word, word << 8);
        word = add_bytes(word, word << 16);
        bytes.words[n] = add_bytes(word, total * 0x01010101u);
        total = bytes.words[n] >> 24;
    }
    const unsigned base = (before + sum_before(total, shared)) & 255;
    const unsigned odd = place % 2 ? 0x00800080u : 0x80008000u;  // each step took 128 away, too
#pragma unroll
    for (unsigned n = 0; n < EACH / 4; n++) bytes.words[n] = add_bytes(bytes.words[n], base * 0x01010101u) ^ odd;
    return bytes;
}

// Where a pair of bytes of a chunk belongs in the lines; the pairs of a run of samples follow each other.
struct Run { unsigned long long target; unsigned left; };

// The run that begins with pair number `pair` of a chunk. A row of it has `count` channels; `before` are the bytes of a
// pixel in the channels before each, and at last in all.
__device__ Run run_of(const Chunk &chunk, unsigned pair, const unsigned *before, unsigned count, unsigned width) {
    const unsigned row_bytes = chunk.width * before[count], row = 2 * pair / row_bytes, inside = 2 * pair - row * row_bytes;
    unsigned channel = 0;
    while (inside >= chunk.width * before[channel + 1]) channel++;
    const unsigned size = before[channel + 1] - before[channel], offset = inside - chunk.width * before[channel];
    const unsigned long long line = (unsigned long long)(chunk.y + row) * width * before[count];
    return {line + (unsigned long long)width * before[channel] + (unsigned long long)chunk.x * size + offset,
            (chunk.width * size - offset) / 2};
}

// Join the halves of chunks and put their samples where they belong in the lines, which are `width` pixels wide.
extern "C" __global__ void __launch_bounds__(THREADS)
lay_out(const Chunk *chunks, const int *verdicts, const unsigned char *packed, const unsigned char *planes,
        unsigned most, const Sums *sums, const unsigned *before, unsigned channels, unsigned width,
        unsigned char *lines) {
    __shared__ unsigned shared[THREADS / 32];
    const unsigned number = blockIdx.x / most, segment = blockIdx.x % most;
    const Chunk chunk = chunks[number];
    const unsigned half = half_of(chunk), begin = segment * SEGMENT;
    if (verdicts[number] != GOOD || begin >= half) return;
    const unsigned length = min(half - begin, (unsigned)SEGMENT), at = threadIdx.x * EACH;
    const unsigned count = at < length ? min(length - at, (unsigned)EACH) : 0, pair = begin + at;
    unsigned joined[EACH / 2];  // EACH pairs of bytes
    if (is_raw(chunk)) {
        const Bytes low = load(packed, chunk.source + 2 * pair, min(2 * count, (unsigned)EACH));
        const Bytes high = load(packed, chunk.source + 2 * pair + EACH, 2 * count > EACH ? 2 * count - EACH : 0);
#pragma unroll
        for (unsigned n = 0; n < EACH / 4; n++) joined[n] = low.words[n], joined[EACH / 4 + n] = high.words[n];
    } else {
        const Sums *mine = sums + 2 * (unsigned long long)most * number + segment;
        const Bytes low = undone(planes, chunk.planes, pair, count, mine[0].plain, shared);
        const Bytes high = undone(planes, chunk.planes, half + pair, count, mine[most].plain, shared);
#pragma unroll
        for (unsigned n = 0; n < EACH / 4; n++) {
            joined[2 * n] = __byte_perm(low.words[n], high.words[n], 0x5140);
            joined[2 * n + 1] = __byte_perm(low.words[n], high.words[n], 0x7362);
        }
    }
    if (!count) return;
    Run run = run_of(chunk, pair, before, channels, width);
    if (count == EACH && run.left >= EACH && run.target % 16 == 0) {
        uint4 *target = (uint4 *)(lines + run.target);
        target[0] = make_uint4(joined[0], joined[1], joined[2], joined[3]);
        target[1] = make_uint4(joined[4], joined[5], joined[6], joined[7]);
        return;
    }
#pragma unroll
    for (unsigned n = 0; n < EACH; n++) {
        if (n == count) break;
        if (!run.left) run = run_of(chunk, pair + n, before, channels, width);
        *(unsigned short *)(lines + run.target) = (unsigned short)(joined[n / 2] >> 16 * (n % 2));
        run.target += 2;
        run.left--;
    }
}
