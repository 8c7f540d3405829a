// Inflate (RFC 1951) of zlib streams (RFC 1950), one warp for each. The bits of a block are cut into 32 pieces, one for
// each lane. A lane does not know where its first code begins: it guesses, and Huffman codes put themselves right after a
// few symbols. Lanes then begin anew where their neighbour ended until nothing changes, count what they give, and write
// it. No stream is trusted: a lane reads only within its input (and 16 bytes behind it), writes only within its output,
// and every pass over a block uses up bits, so that all of them end. The backend defines PIECE, the bits of a piece, and
// STAGED, the bytes that a warp writes at a time; `chunk.cu` comes first.

#define LITERAL_BITS 10
#define DISTANCE_BITS 9
#define MAX_CODE 15
#define LITERALS 288
#define DISTANCES 32
#define GROUP 8

enum Kind { LITERAL = 0, NUMBER = 1, END = 2, BAD = 3 };

// A canonical Huffman code. `fast` answers words up to `bits`: 0 for longer ones, else (low to high) 4 bits of length, 4
// of how many extra bits follow, 2 of Kind, and from bit 16 the literal, or the number without its extra bits.
struct Code {
    unsigned *fast, bits, first[MAX_CODE + 1], end[MAX_CODE + 1], index[MAX_CODE + 1];
    unsigned short *symbols;
    bool distances;
};

struct Tables {
    unsigned fast[(1 << LITERAL_BITS) + (1 << DISTANCE_BITS)];
    unsigned short symbols[LITERALS + DISTANCES];
    Code literals, distances;
    unsigned counts[MAX_CODE + 1], next[MAX_CODE + 1];
    unsigned char lengths[LITERALS + DISTANCES], stage[STAGED];
    unsigned short repeats[STAGED / 3];
};

__device__ __forceinline__ unsigned peek(const unsigned *words, unsigned position) {
    const unsigned at = position >> 5;
    return __funnelshift_r(__ldg(words + at), __ldg(words + at + 1), position & 31);
}

__device__ __forceinline__ unsigned low_bits(unsigned value, unsigned count) { return value & ((1u << count) - 1u); }

// What `fast` has of a symbol whose word has `length` bits (RFC 1951, 3.2.5).
__device__ unsigned entry_of(bool distance, unsigned symbol, unsigned length) {
    unsigned extra = 0, base;
    if (distance) {
        if (symbol > 29) return BAD << 8 | length;
        base = 1 + symbol;
        if (symbol >= 4) {
            extra = (symbol >> 1) - 1;
            base = 1 + ((2 + (symbol & 1)) << extra);
        }
        return base << 16 | NUMBER << 8 | extra << 4 | length;
    }
    if (symbol < 256) return symbol << 16 | LITERAL << 8 | length;
    if (symbol == 256) return END << 8 | length;
    if (symbol > 285) return BAD << 8 | length;
    const unsigned k = symbol - 257;
    base = k == 28 ? 258 : 3 + k;
    if (k >= 8 && k < 28) {
        extra = (k >> 2) - 1;
        base = 3 + ((4 + (k & 3)) << extra);
    }
    return base << 16 | NUMBER << 8 | extra << 4 | length;
}

// The entry of a word that is longer than `fast` answers.
__device__ unsigned search(const Code &code, unsigned bits) {
    const unsigned high = __brev(bits);
    for (unsigned length = code.bits + 1; length <= MAX_CODE; length++) {
        const unsigned value = high >> (32 - length);
        if (value < code.end[length] && value >= code.first[length])
            return entry_of(code.distances, code.symbols[code.index[length] + value - code.first[length]], length);
    }
    return BAD << 8;
}

// Take one word and its extra bits from the input; `value` is the literal or the number.
__device__ __forceinline__ Kind take(const Tables &t, const unsigned *words, unsigned &position, bool distance,
                                     unsigned &value) {
    const unsigned bits = peek(words, position);
    unsigned entry = t.fast[distance ? (1u << LITERAL_BITS) + low_bits(bits, DISTANCE_BITS) : low_bits(bits, LITERAL_BITS)];
    if (!entry) entry = search(distance ? t.distances : t.literals, bits);
    const unsigned length = entry & 15, extra = entry >> 4 & 15;
    value = (entry >> 16) + low_bits(bits >> length, extra);
    position += length + extra;
    return (Kind)(entry >> 8 & 3);
}

// Make the code of `count` symbols with these lengths; false where they make none that is complete. One that
// `may_be_sparse` has no symbol, or one of one bit.
__device__ bool make_code(Tables &t, Code &code, const unsigned char *lengths, unsigned count, unsigned lane,
                          bool may_be_sparse = false) {
    if (lane <= MAX_CODE) t.counts[lane] = 0;
    for (unsigned n = lane; n < 1u << code.bits; n += 32) code.fast[n] = 0;
    __syncwarp();
    for (unsigned n = lane; n < count; n += 32)
        if (lengths[n]) atomicAdd(&t.counts[lengths[n]], 1u);
    __syncwarp();
    unsigned value = 0, index = 0, used = 0;
    for (unsigned length = 1; length <= MAX_CODE; length++) {
        const unsigned there = t.counts[length];
        value <<= 1;
        if (lane == 0) {
            code.first[length] = t.next[length] = value;
            code.end[length] = value + there;
            code.index[length] = index;
        }
        value += there;
        index += there;
        used += there << (MAX_CODE - length);
    }
    __syncwarp();
    const bool sparse = may_be_sparse && (used == 0 || (used == 1u << (MAX_CODE - 1) && t.counts[1] == 1));
    if (used != 1u << MAX_CODE && !sparse) return false;
    for (unsigned start = 0; start < count; start += 32) {
        const unsigned symbol = start + lane, length = symbol < count ? lengths[symbol] : 0;
        const unsigned same = __match_any_sync(WHOLE_WARP, length), below = same & ((1u << lane) - 1u);
        const unsigned mine = length ? t.next[length] + __popc(below) : 0;
        __syncwarp();
        if (length) {
            if (same >> lane == 1) t.next[length] = mine + 1;
            code.symbols[code.index[length] + mine - code.first[length]] = (unsigned short)symbol;
            if (length <= code.bits) {
                const unsigned entry = entry_of(code.distances, symbol, length);
                for (unsigned at = __brev(mine) >> (32 - length); at < 1u << code.bits; at += 1u << length)
                    code.fast[at] = entry;
            }
        }
        __syncwarp();
    }
    return true;
}

__constant__ unsigned char ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// The two codes of a dynamic block, whose description begins at `position`; false where it is damaged.
__device__ bool dynamic_codes(Tables &t, const unsigned *words, unsigned &position, unsigned end, unsigned lane) {
    const unsigned head = peek(words, position);
    const unsigned literals = 257 + (head & 31), distances = 1 + (head >> 5 & 31), orders = 4 + (head >> 10 & 15);
    position += 14;
    if (literals > 286 || distances > 30 || position + 3 * orders > end) return false;
    if (lane < 19) t.lengths[lane] = 0;
    __syncwarp();
    if (lane < orders) t.lengths[ORDER[lane]] = peek(words, position + 3 * lane) & 7;
    __syncwarp();
    position += 3 * orders;
    if (!make_code(t, t.literals, t.lengths, 19, lane)) return false;
    unsigned n = 0, last = 0;
    while (n < literals + distances && position < end) {
        const unsigned bits = peek(words, position), entry = t.fast[low_bits(bits, LITERAL_BITS)];
        if (!entry) return false;
        const unsigned length = entry & 15, symbol = entry >> 16;
        unsigned value = symbol, times = 1;
        position += length;
        if (symbol > 15) {
            if (symbol == 16 && n == 0) return false;
            const unsigned extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
            times = (symbol == 18 ? 11 : 3) + low_bits(bits >> length, extra);
            value = symbol == 16 ? last : 0;
            position += extra;
        }
        if (n + times > literals + distances) return false;
        for (unsigned k = lane; k < times; k += 32) {
            const unsigned at = n + k;  // literals from 0, distances from LITERALS
            t.lengths[at < literals ? at : LITERALS + at - literals] = (unsigned char)value;
        }
        last = value;
        n += times;
    }
    __syncwarp();
    if (n < literals + distances || t.lengths[256] == 0) return false;
    const bool whole = make_code(t, t.literals, t.lengths, literals, lane);
    return make_code(t, t.distances, t.lengths + LITERALS, distances, lane, true) && whole;
}

__device__ void fixed_codes(Tables &t, unsigned lane) {
    for (unsigned n = lane; n < LITERALS; n += 32) t.lengths[n] = n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8;
    t.lengths[LITERALS + lane] = 5;
    __syncwarp();
    make_code(t, t.literals, t.lengths, LITERALS, lane);
    make_code(t, t.distances, t.lengths + LITERALS, DISTANCES, lane);
}

// What symbols give: bytes, and how many of them are repeats.
struct Sum { unsigned bytes, repeats; };

// Count what the symbols from `position` to `limit` give; `position` is then behind the last of them. LITERAL: all right.
__device__ Kind count(const Tables &t, const unsigned *words, unsigned &position, unsigned limit, Sum &sum) {
    sum = {0, 0};
    unsigned length = 0;  // of a repeat whose distance comes next
    while (position < limit || length) {
        unsigned value;
        const Kind kind = take(t, words, position, length > 0, value);
        if (kind > NUMBER) return kind;
        sum.bytes += length ? length : kind == LITERAL;
        sum.repeats += length > 0;
        length = kind == NUMBER && !length ? value : 0;
    }
    return LITERAL;
}

// What a warp writes next: bytes of the output that begin at `start`, in shared memory; what lies before is written.
struct Stage { const unsigned char *output; unsigned char *bytes; unsigned short *repeats; unsigned start; };

// Stage what the symbols from `position` to `limit` give, from `at` on: literals, and for a repeat its length and its
// distance in the first three of its bytes; where it stands goes into the list from `listed` on. False where one reaches
// before the output's beginning.
__device__ bool stage_symbols(const Tables &t, const unsigned *words, unsigned position, unsigned limit,
                              const Stage &stage, unsigned at, unsigned listed) {
    unsigned length = 0;
    while (position < limit || length) {
        unsigned value;
        const Kind kind = take(t, words, position, length > 0, value);
        if (kind > NUMBER) break;
        unsigned char *place = stage.bytes + (at - stage.start);
        if (kind == LITERAL || length) place[0] = (unsigned char)(length ? length - 3 : value);
        if (length) {
            if (value > at) return false;
            place[1] = (unsigned char)value;
            place[2] = (unsigned char)(value >> 8);
            stage.repeats[listed++] = (unsigned short)(at - stage.start);
        }
        at += length ? length : kind == LITERAL;
        length = kind == NUMBER && !length ? value : 0;
    }
    return true;
}

// Repeat `length` bytes of written output, a group of reads at a time.
__device__ __forceinline__ void repeat_written(const unsigned char *from, unsigned char *to, unsigned length) {
    for (unsigned done = 0; done < length; done += GROUP) {
        unsigned char group[GROUP];
#pragma unroll
        for (unsigned n = 0; n < GROUP; n++)
            if (done + n < length) group[n] = from[done + n];
#pragma unroll
        for (unsigned n = 0; n < GROUP; n++)
            if (done + n < length) to[done + n] = group[n];
    }
}

// Fill in the repeats of the list: those of bytes that are written already all at once, then the others in order.
__device__ void fill_repeats(const Stage &stage, unsigned count, unsigned lane) {
    for (unsigned first = 0; first < count; first += 32) {
        const bool mine = first + lane < count;
        const unsigned place = mine ? stage.repeats[first + lane] : 0, length = 3u + stage.bytes[place];
        const unsigned distance = stage.bytes[place + 1] | (unsigned)stage.bytes[place + 2] << 8;
        const bool written = mine && place + min(length, distance) <= distance;
        if (written && length <= distance)
            repeat_written(stage.output + stage.start + place - distance, stage.bytes + place, length);
        unsigned rest = __ballot_sync(WHOLE_WARP, mine && !(written && length <= distance));
        while (rest) {
            const unsigned next = (unsigned)__ffs((int)rest) - 1;
            rest &= rest - 1;
            const unsigned to = __shfl_sync(WHOLE_WARP, place, next), back = __shfl_sync(WHOLE_WARP, distance, next);
            const unsigned bytes = __shfl_sync(WHOLE_WARP, length, next);
            for (unsigned n = lane; n < bytes; n += 32) {
                const unsigned step = to + (n < back ? n : n % back);
                stage.bytes[to + n] = step < back ? stage.output[stage.start + step - back] : stage.bytes[step - back];
            }
            __syncwarp();
        }
    }
}

// Write what the symbols from `position` to `limit` give, one after the other, each repeat by all lanes: for input that
// gives so much that it can't be staged. All lanes have the same arguments.
__device__ bool write_symbols(const Tables &t, const unsigned *words, unsigned position, unsigned limit,
                              unsigned char *out, unsigned at, unsigned lane) {
    while (position < limit) {
        unsigned value, distance;
        const Kind kind = take(t, words, position, false, value);
        if (kind > NUMBER) return true;
        if (kind == LITERAL) {
            if (lane == 0) out[at] = (unsigned char)value;
            at++;
            continue;
        }
        if (take(t, words, position, true, distance) != NUMBER) return true;
        if (distance > at) return false;
        __syncwarp();
        for (unsigned n = lane; n < value; n += 32) out[at + n] = out[at - distance + (n < distance ? n : n % distance)];
        at += value;
    }
    __syncwarp();
    return true;
}

// The sum of a lane's value and those of the lanes before, up to `most`.
__device__ __forceinline__ unsigned sum_up(unsigned value, unsigned most, unsigned lane) {
    for (unsigned by = 1; by < 32; by *= 2) {
        const unsigned other = __shfl_up_sync(WHOLE_WARP, value, by);
        if (lane >= by) value = min(value + other, most);
    }
    return value;
}

// The symbols of one block; false where they are damaged. `position` and `written` move on.
__device__ bool block_body(Tables &t, const unsigned *words, unsigned &position, unsigned end, unsigned char *out,
                           unsigned &written, unsigned size, unsigned lane) {
    for (;;) {
        const unsigned limit = min(position + (lane + 1) * PIECE, end);
        unsigned begin = min(position + lane * PIECE, end), stopped = begin;
        Sum mine;
        Kind stop = count(t, words, stopped, limit, mine);
        bool dead = false;  // nothing is left for this lane: the block has ended before it
        for (bool changed = true; __any_sync(WHOLE_WARP, changed);) {
            const unsigned before = __shfl_up_sync(WHOLE_WARP, stopped, 1);
            const bool closed = __shfl_up_sync(WHOLE_WARP, (int)(stop != LITERAL || dead), 1);
            const unsigned wanted = lane ? before : position;
            const bool ends = lane && closed;
            changed = ends != dead || (!ends && wanted != begin);
            if (changed) {
                dead = ends;
                begin = stopped = wanted;
                mine = {0, 0};
                stop = ends ? LITERAL : count(t, words, stopped, limit, mine);
            }
        }
        if (__any_sync(WHOLE_WARP, !dead && (stop == BAD || stopped > end))) return false;
        const unsigned bytes = sum_up(mine.bytes, size + 1, lane), repeats = sum_up(mine.repeats, size + 1, lane);
        const unsigned fitting = __ballot_sync(WHOLE_WARP, bytes <= STAGED), last = max(__popc(fitting), 1) - 1;
        const unsigned total = __shfl_sync(WHOLE_WARP, bytes, last);
        if (total > size - written) return false;
        if (fitting) {
            const Stage stage = {out, t.stage, t.repeats, written};
            const unsigned until = lane <= last && !dead ? limit : begin;
            const bool right = stage_symbols(t, words, begin, until, stage, written + bytes - mine.bytes, repeats - mine.repeats);
            if (!__all_sync(WHOLE_WARP, right)) return false;
            __syncwarp();
            fill_repeats(stage, __shfl_sync(WHOLE_WARP, repeats, last), lane);
            for (unsigned n = lane; n < total; n += 32) out[written + n] = t.stage[n];
            __syncwarp();
        } else {
            const unsigned first = __shfl_sync(WHOLE_WARP, limit, 0);
            if (!write_symbols(t, words, position, first, out, written, lane)) return false;
        }
        written += total;
        const unsigned ends = __ballot_sync(WHOLE_WARP, !dead && stop == END && lane <= last);
        position = __shfl_sync(WHOLE_WARP, stopped, ends ? __ffs((int)ends) - 1 : last);
        if (ends) return true;
        if (position >= end) return false;
    }
}

// Copy a stored block.
__device__ bool stored(const unsigned *words, unsigned &position, unsigned end, unsigned char *out, unsigned &written,
                       unsigned size, unsigned lane) {
    position = (position + 7) & ~7u;
    if (position + 32 > end) return false;
    const unsigned head = peek(words, position), length = head & 0xffff;
    position += 32;
    if ((head >> 16 ^ 0xffff) != length || length > size - written || 8 * length > end - position) return false;
    const unsigned char *from = (const unsigned char *)words + position / 8;
    for (unsigned n = lane; n < length; n += 32) out[written + n] = from[n];
    __syncwarp();
    written += length;
    position += 8 * length;
    return true;
}

// All blocks of a stream from bit `position` to `end`, which must give exactly `size` bytes.
__device__ bool inflate_stream(Tables &t, const unsigned *words, unsigned &position, unsigned end, unsigned char *out,
                               unsigned size, unsigned lane) {
    unsigned written = 0;
    for (bool last = false; !last;) {
        if (position + 3 > end) return false;
        const unsigned head = peek(words, position), kind = head >> 1 & 3;
        position += 3;
        last = head & 1;
        __syncwarp();
        if (kind == 0) {
            if (!stored(words, position, end, out, written, size, lane)) return false;
            continue;
        }
        if (kind == 1) fixed_codes(t, lane);
        else if (kind == 3 || !dynamic_codes(t, words, position, end, lane)) return false;
        if (!block_body(t, words, position, end, out, written, size, lane)) return false;
    }
    return written == size;
}

// Whether these are the first two bytes of a zlib stream without a dictionary.
__device__ __forceinline__ bool is_zlib(unsigned method, unsigned flags) {
    return (method & 15) == 8 && method >> 4 <= 7 && !(flags & 32) && (method << 8 | flags) % 31 == 0;
}

// Inflate chunks that are not stored raw, but for those known to be damaged; `sums` are the Adler-32 at the end of their
// streams.
extern "C" __global__ void __launch_bounds__(32)
inflate(const unsigned char *packed, const Chunk *chunks, unsigned char *planes, int *verdicts,
        unsigned *sums) {
    __shared__ Tables t;
    const unsigned lane = threadIdx.x;
    const Chunk chunk = chunks[blockIdx.x];
    if (is_raw(chunk) || verdicts[blockIdx.x] != GOOD) return;
    if (lane == 0) {
        t.literals.fast = t.fast;
        t.literals.symbols = t.symbols;
        t.literals.bits = LITERAL_BITS;
        t.literals.distances = false;
        t.distances.fast = t.fast + (1 << LITERAL_BITS);
        t.distances.symbols = t.symbols + LITERALS;
        t.distances.bits = DISTANCE_BITS;
        t.distances.distances = true;
    }
    __syncwarp();
    const unsigned char *bytes = packed + chunk.source;
    const unsigned *words = (const unsigned *)(packed + (chunk.source & ~3ull));
    const unsigned begin = 8 * (unsigned)(chunk.source & 3), end = begin + 8 * chunk.packed;
    unsigned position = begin + 16;
    bool good = chunk.packed >= 6 && chunk.packed <= LARGEST && chunk.size <= LARGEST && is_zlib(bytes[0], bytes[1]);
    good = good && inflate_stream(t, words, position, end - 32, planes + chunk.planes, chunk.size, lane);
    good = good && ((position + 7) & ~7u) + 32 == end;  // nothing follows
    if (lane == 0) {
        verdicts[blockIdx.x] = good ? GOOD : DAMAGED;
        const unsigned char *sum = (const unsigned char *)words + (position + 7) / 8;
        if (good) sums[blockIdx.x] = (unsigned)sum[0] << 24 | sum[1] << 16 | sum[2] << 8 | sum[3];
    }
}
