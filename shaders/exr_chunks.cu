// From lines to the bytes of EXR chunks. The bytes of a chunk that is compressed are split (those at even places come
// first), and each but the first is replaced by its difference from the one before, plus 128. Chunks are cut into pieces of
// PIECE_BYTES, a multiple of 4, which are compressed independently and put together bit by bit. The layout of Chunk is
// that of CHUNK in engine/compute/chunk_encoding.py.

#define THREADS 256
#define MOST_RUN 128
#define MOST_PLAIN 127
#define LEAST_RUN 3
#define TOO_LONG 0xffffffffu

// A chunk of `size` bytes: its pixels are `width` x `height` from (x, y) of the lines on. `planes` is where its bytes go
// to be compressed, `target` where its packed bytes go.
struct Chunk {
    unsigned long long planes, target;
    unsigned size, raw;
    int x, y, width, height;
};

// The lines: `width` pixels of `channels` channels; `before` are the bytes of a pixel in the channels before each, and at
// last in all of them.
struct Lines {
    const unsigned char *bytes;
    const unsigned *before;
    unsigned width, channels;
};

// Byte `place` of a chunk as it would be stored without compression.
__device__ __forceinline__ unsigned byte_of(const Chunk &chunk, const Lines &lines, unsigned place) {
    const unsigned long long line = (unsigned long long)lines.width * lines.before[lines.channels];
    if (chunk.width == (int)lines.width) return lines.bytes[chunk.y * line + place];
    const unsigned row_bytes = chunk.width * lines.before[lines.channels], row = place / row_bytes, inside = place - row * row_bytes;
    unsigned channel = 0;
    while (inside >= chunk.width * lines.before[channel + 1]) channel++;
    const unsigned sample = lines.before[channel + 1] - lines.before[channel];
    return lines.bytes[(chunk.y + row) * line + (unsigned long long)lines.width * lines.before[channel] +
                       (unsigned long long)chunk.x * sample + inside - chunk.width * lines.before[channel]];
}

// Byte `place` of a chunk after it was split.
__device__ __forceinline__ unsigned split_byte(const Chunk &chunk, const Lines &lines, unsigned place) {
    const unsigned half = chunk.size / 2;
    return byte_of(chunk, lines, place < half ? 2 * place : 2 * (place - half) + 1);
}

// Split and predict all pieces, one block for each.
extern "C" __global__ void __launch_bounds__(THREADS)
predict(const Chunk *chunks, const unsigned *streams, const unsigned *starts, const unsigned char *line_bytes,
        const unsigned *before, unsigned width, unsigned channels, unsigned char *planes) {
    const Chunk chunk = chunks[streams[blockIdx.x]];
    const Lines lines = {line_bytes, before, width, channels};
    const unsigned end = min(chunk.size, starts[blockIdx.x] + PIECE_BYTES);
    for (unsigned place = starts[blockIdx.x] + 4 * threadIdx.x; place < end; place += 4 * THREADS) {
        unsigned last = place ? split_byte(chunk, lines, place - 1) : 128, word = 0;
        for (unsigned n = 0; n < 4 && place + n < end; n++) {
            const unsigned byte = split_byte(chunk, lines, place + n);
            word |= ((byte - last + 128) & 255) << 8 * n;
            last = byte;
        }
        *(unsigned *)(planes + chunk.planes + place) = word;
    }
}

// Write EXR's run lengths of all pieces, one thread for each: a count below 0 and that many bytes as they are, or any other
// count and one byte, which comes that often and once more. slots[n + 1] - slots[n] words are free for piece n.
extern "C" __global__ void __launch_bounds__(32)
pack_runs(const Chunk *chunks, const unsigned *streams, const unsigned *starts, const unsigned long long *slots, unsigned pieces,
          const unsigned char *planes, unsigned *output, unsigned *bits) {
    const unsigned piece = blockIdx.x * 32 + threadIdx.x;
    if (piece >= pieces) return;
    const Chunk chunk = chunks[streams[piece]];
    const unsigned char *from = planes + chunk.planes + starts[piece];
    const unsigned size = min((unsigned)PIECE_BYTES, chunk.size - starts[piece]);
    const unsigned room = 4 * (unsigned)(slots[piece + 1] - slots[piece]);
    unsigned char *to = (unsigned char *)(output + slots[piece]);
    unsigned made = 0, plain = 0;  // `plain` bytes before `at` are waiting to be written as they are
    for (unsigned at = 0; at <= size;) {
        unsigned run = 0;
        while (at + run < size && run < MOST_RUN && from[at + run] == from[at]) run++;
        const bool ends = run >= LEAST_RUN || run == 0;
        if (plain && (ends || plain + run > MOST_PLAIN)) {
            if (made + plain + 1 > room) { bits[piece] = TOO_LONG; return; }
            to[made++] = (unsigned char)-(int)plain;
            for (unsigned n = at - plain; n < at; n++) to[made++] = from[n];
            plain = 0;
        }
        if (!run) break;
        if (run >= LEAST_RUN) {
            if (made + 2 > room) { bits[piece] = TOO_LONG; return; }
            to[made++] = (unsigned char)(run - 1);
            to[made++] = from[at];
        } else {
            plain += run;
        }
        at += run;
    }
    bits[piece] = 8 * made;
}

// Put the pieces of all chunks where they belong, one block for each piece: `bits[n]` bits from slots[n] on go to bit
// targets[n] of the output, which is 0. The bytes of raw chunks come from the lines, those of a chunk behind each other.
extern "C" __global__ void __launch_bounds__(THREADS)
join(const Chunk *chunks, const unsigned *streams, const unsigned *starts, const unsigned long long *slots, const unsigned *bits,
     const unsigned long long *targets, const unsigned *packed, const unsigned char *line_bytes, const unsigned *before,
     unsigned width, unsigned channels, unsigned *output) {
    const unsigned piece = blockIdx.x;
    const Chunk chunk = chunks[streams[piece]];
    if (chunk.raw) {
        const Lines lines = {line_bytes, before, width, channels};
        const unsigned end = min(chunk.size, starts[piece] + PIECE_BYTES);
        for (unsigned place = starts[piece] + threadIdx.x; place < end; place += THREADS)
            ((unsigned char *)output)[chunk.target + place] = (unsigned char)byte_of(chunk, lines, place);
        return;
    }
    const unsigned *from = packed + slots[piece];
    const unsigned long long begin = targets[piece], end = begin + bits[piece], first = begin >> 5, last = (end - 1) >> 5;
    for (unsigned long long word = first + threadIdx.x; word <= last; word += THREADS) {
        const unsigned valid = (unsigned)min(end - 32 * word, 32ull);
        unsigned value;
        if (word == first) {
            value = from[0] << (begin & 31);
        } else {
            const unsigned at = (unsigned)(32 * word - begin);
            value = __funnelshift_r(from[at >> 5], from[(at >> 5) + 1], at & 31);
        }
        if (valid < 32) value &= (1u << valid) - 1u;
        if (word == first || word == last) atomicOr(output + word, value);
        else output[word] = value;
    }
}
