// Deflate (RFC 1951). Streams are cut into pieces of PIECE_BYTES, each of which becomes one block with codes of its own,
// so that all pieces are made at once. A warp makes a piece: it looks for repeats of at least LEAST bytes, in the piece and
// in the HISTORY bytes before it, takes those that cost less than the literals that they stand for, counts the symbols,
// makes the codes, and writes the bits from the start of the piece's slot. `join` in exr_chunks.cu puts the pieces of a
// stream together, bit by bit.

#define LANES 32
#define LEAST 4
#define MOST 258
#define HASH_BITS 11
#define HISTORY 16384u
#define FARTHEST 32768u
#define UNIT 8  // of costs: parts of a bit
#define LITERAL_CODES 286
#define DISTANCE_CODES 30
#define LENGTH_CODES 19
#define WHOLE_WARP 0xffffffffu
#define REPEAT_BITS (10 * UNIT)  // the codes of a repeat without its extra bits, before there are codes
#define TOO_LONG 0xffffffffu
#define ADLER 65521u

// Where the symbols of the three codes begin: those of literals and lengths, of distances, and of the lengths of both codes.
#define LITERALS 0
#define DISTANCES 288
#define ORDERS 320
#define SYMBOLS 340

struct Shared {
    union {
        unsigned recent[1 << HASH_BITS];  // the last two places of each hash, plus 1; the last is the low half
        unsigned buffer[64];              // bits on their way out
    };
    // Of each symbol: how often it comes, then the bits of its word, and the word, reversed.
    unsigned counts[SYMBOLS];
    unsigned short words[SYMBOLS];
    unsigned char lengths[SYMBOLS];
    unsigned weights[288];  // with `sorted` for make_words
    unsigned short sorted[288], literal_costs[256], runs[320];
    unsigned made, run_count;
};

__constant__ unsigned char ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// A number as its symbol, the count of its extra bits, and those.
struct Part { unsigned code, extra, value; };

__device__ __forceinline__ Part length_part(unsigned length) {
    const unsigned v = length - 3;
    if (length == MOST) return {285, 0, 0};
    if (v < 8) return {257 + v, 0, 0};
    const unsigned extra = 29 - __clz((int)v);
    return {261 + 4 * extra + ((v >> extra) & 3), extra, v & ((1u << extra) - 1u)};
}

__device__ __forceinline__ Part distance_part(unsigned distance) {
    const unsigned v = distance - 1;
    if (v < 4) return {v, 0, 0};
    const unsigned extra = 30 - __clz((int)v);
    return {2 * extra + 2 + ((v >> extra) & 1), extra, v & ((1u << extra) - 1u)};
}

__device__ __forceinline__ unsigned length_extra(unsigned code) { return code < 265 || code > 284 ? 0 : (code - 261) >> 2; }
__device__ __forceinline__ unsigned distance_extra(unsigned code) { return code < 4 ? 0 : (code >> 1) - 1; }
__device__ __forceinline__ unsigned run_extra(unsigned symbol) { return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7; }

// Four bytes from any place; `data` begins at a multiple of four, and seven bytes behind its end can be read.
__device__ __forceinline__ unsigned load4(const unsigned *data, unsigned place) {
    return __funnelshift_r(data[place >> 2], data[(place >> 2) + 1], 8 * (place & 3));
}

// The number of bytes from `place` on that equal those `distance` before them, up to `most`.
__device__ __forceinline__ unsigned common(const unsigned *data, unsigned place, unsigned distance, unsigned most) {
    for (unsigned n = 0; n < most; n += 4) {
        const unsigned differ = load4(data, place + n) ^ load4(data, place + n - distance);
        if (differ) return min(n + (__ffs((int)differ) - 1) / 8, most);
    }
    return most;
}

// What a repeat at `place` saves of the literals' bits, in UNITs. Long ones always do.
__device__ __forceinline__ int saving(const Shared &s, const unsigned char *bytes, unsigned place, unsigned length, unsigned distance) {
    int bits = -(int)(REPEAT_BITS + UNIT * distance_part(distance).extra);
    for (unsigned n = 0; n < min(length, 16u); n++) bits += s.literal_costs[bytes[place + n]];
    return bits + (length > 16 ? UNIT * (int)(length - 16) : 0);
}

// The two last places with the hash of the four bytes at `place`, plus 1; 0 where there is none. All lanes call it, each
// for the place behind the one before, and remember their places.
__device__ __forceinline__ uint2 places_before(Shared &s, const unsigned *data, unsigned place, unsigned end) {
    const unsigned lane = threadIdx.x & 31;
    const bool hashed = place + LEAST <= end;
    const unsigned hash = hashed ? load4(data, place) * 2654435761u >> (32 - HASH_BITS) : (1u << HASH_BITS) + lane;
    const unsigned same = __match_any_sync(WHOLE_WARP, hash), earlier = same & ((1u << lane) - 1u);
    const unsigned known = hashed ? s.recent[hash] : 0;
    uint2 found = {known & 0xffffu, known >> 16};
    if (earlier) found = {place - lane + 32u - (unsigned)__clz((int)earlier), found.x};  // the last such lane, plus 1
    __syncwarp();
    if (hashed && same >> lane == 1) s.recent[hash] = found.x << 16 | (place + 1);
    __syncwarp();
    return found;
}

// A repeat, and what it saves.
struct Repeat { unsigned length, distance; int saved; };

// Keep the better of two repeats at `place`: `best`, and one of those bytes that begin `distance` before.
__device__ __forceinline__ void improve(const Shared &s, const unsigned *data, unsigned place, unsigned distance, unsigned most, Repeat &best) {
    if (distance > FARTHEST) return;
    const unsigned length = common(data, place, distance, most);
    const int saved = length >= LEAST ? saving(s, (const unsigned char *)data, place, length, distance) : 0;
    if (saved > best.saved || (distance == 1 && saved && saved == best.saved)) best = {length, distance, saved};
}

// Write the bytes from `begin` up to `end` as tokens, and count their symbols: a literal is its byte, a repeat
// length << 16 | distance. Returns the number of tokens. `begin` is a multiple of 32.
__device__ unsigned tokenize(Shared &s, const unsigned *data, unsigned begin, unsigned end, unsigned *tokens) {
    const unsigned lane = threadIdx.x;
    const unsigned char *bytes = (const unsigned char *)data;
    for (unsigned n = lane; n < 1u << HASH_BITS; n += LANES) s.recent[n] = 0;
    __syncwarp();
    for (unsigned base = 0; base < begin; base += LANES) places_before(s, data, base + lane, end);
    unsigned cursor = begin, made = 0;  // the first place that no token covers, and the tokens so far
    for (unsigned base = begin; base < end; base += LANES) {
        const unsigned place = base + lane;
        const uint2 found = places_before(s, data, place, end);
        if (cursor >= base + LANES) continue;  // a long repeat covers these
        Repeat best = {0, 0, 0};
        if (found.x && place >= cursor) {
            const unsigned most = min((unsigned)MOST, end - place);
#pragma unroll 1
            for (unsigned n = 0; n < 3; n++) {
                const unsigned before = n == 0 ? found.x : n == 1 ? found.y : place;
                if (before && (n == 0 || before != found.x)) improve(s, data, place, place + 1 - before, most, best);
            }
        }
        const unsigned length = best.length, distance = best.distance;
        const int saved = best.saved;
        const int next = __shfl_sync(WHOLE_WARP, saved, lane + 1);
        unsigned good = __ballot_sync(WHOLE_WARP, saved > 0 && (lane == 31 || next <= saved));
        unsigned at = cursor > base ? cursor - base : 0, taken = 0, covered = at ? (1u << at) - 1u : 0;
        good &= ~covered;
        while (good) {
            const unsigned first = (unsigned)__ffs((int)good) - 1, end = first + __shfl_sync(WHOLE_WARP, length, first);
            taken |= 1u << first;
            const unsigned below = end < 32 ? (1u << end) - 1u : 0xffffffffu;
            covered |= below & ~((1u << first) - 1u);
            good &= ~below;
            at = end;
        }
        const unsigned last = min(end - base, (unsigned)LANES);
        cursor = base + max(at, last);
        const unsigned inside = last < 32 ? (1u << last) - 1u : 0xffffffffu;
        const unsigned starts = (taken | ~covered) & inside;
        if (starts >> lane & 1) {
            const bool repeats = taken >> lane & 1;
            const unsigned byte = bytes[place];
            tokens[made + __popc(starts & ((1u << lane) - 1u))] = repeats ? length << 16 | distance : byte;
            atomicAdd(&s.counts[repeats ? length_part(length).code : byte], 1u);
            if (repeats) atomicAdd(&s.counts[DISTANCES + distance_part(distance).code], 1u);
        }
        made += __popc(starts);
    }
    __syncwarp();
    return made;
}

// Append up to 64 bits of each lane, one lane after the other, to the `at` bits that are in `out`; returns the new count.
// Whole words leave s.buffer, whose first word holds what is not yet one.
__device__ unsigned put_bits(Shared &s, unsigned *out, unsigned at, unsigned long long value, unsigned bits) {
    const unsigned lane = threadIdx.x;
    unsigned sum = bits;
    for (unsigned by = 1; by < 32; by *= 2) {
        const unsigned other = __shfl_up_sync(WHOLE_WARP, sum, by);
        if (lane >= by) sum += other;
    }
    const unsigned total = __shfl_sync(WHOLE_WARP, sum, 31), start = (at & 31) + sum - bits, word = start >> 5, shift = start & 31;
    if (bits) {
        atomicOr(&s.buffer[word], (unsigned)(value << shift));
        const unsigned long long rest = shift ? value >> (32 - shift) : value >> 32;
        if ((unsigned)rest) atomicOr(&s.buffer[word + 1], (unsigned)rest);
        if ((unsigned)(rest >> 32)) atomicOr(&s.buffer[word + 2], (unsigned)(rest >> 32));
    }
    __syncwarp();
    const unsigned whole = ((at & 31) + total) >> 5;
    for (unsigned n = lane; n < whole; n += LANES) out[(at >> 5) + n] = s.buffer[n];
    const unsigned left = s.buffer[whole];
    __syncwarp();
    for (unsigned n = lane; n <= whole + 2 && n < 64; n += LANES) s.buffer[n] = n ? 0 : left;
    __syncwarp();
    return at + total;
}

// Lengths of the words of a Huffman code for `weights` in ascending order, in place (Moffat and Katajainen 1995).
__device__ void minimum_redundancy(unsigned *a, int n) {
    if (n == 1) { a[0] = 1; return; }
    a[0] += a[1];
    int root = 0, leaf = 2, next;
    for (next = 1; next < n - 1; next++) {
        if (leaf >= n || a[root] < a[leaf]) { a[next] = a[root]; a[root++] = next; } else a[next] = a[leaf++];
        if (leaf >= n || (root < next && a[root] < a[leaf])) { a[next] += a[root]; a[root++] = next; } else a[next] += a[leaf++];
    }
    a[n - 2] = 0;
    for (next = n - 3; next >= 0; next--) a[next] = a[a[next]] + 1;
    int available = 1, used = 0, depth = 0;
    root = n - 2; next = n - 1;
    while (available > 0) {
        while (root >= 0 && (int)a[root] == depth) { used++; root--; }
        while (available > used) { a[next--] = depth; available--; }
        available = 2 * used; depth++; used = 0;
    }
}

// Make the words of `count` symbols from `first` on, none of them longer than `longest` bits; at least two words, as all readers want.
__device__ __noinline__ void make_words(Shared &s, unsigned first, unsigned count, unsigned longest) {
    const unsigned lane = threadIdx.x;
    unsigned *counts = s.counts + first;
    unsigned char *lengths = s.lengths + first;
    unsigned short *words = s.words + first;
    if (lane == 0) {
        unsigned used = 0;
        for (unsigned n = 0; n < count; n++) used += counts[n] != 0;
        for (unsigned n = 0; used < 2; n++) if (!counts[n]) { counts[n] = 1; used++; }
        s.made = used;
    }
    __syncwarp();
    const unsigned used = s.made;
    for (unsigned n = lane; n < count; n += LANES) {  // the rank of each symbol by its count
        lengths[n] = 0;
        const unsigned mine = counts[n];
        if (!mine) continue;
        unsigned place = 0;
        for (unsigned k = 0; k < count; k++) place += counts[k] && (counts[k] < mine || (counts[k] == mine && k < n));
        s.sorted[place] = (unsigned short)n;
        s.weights[place] = mine;
    }
    __syncwarp();
    if (lane == 0) {
        minimum_redundancy(s.weights, (int)used);
        unsigned there[16] = {0};
        for (unsigned n = 0; n < used; n++) there[min(s.weights[n], longest)]++;
        unsigned total = 0;
        for (unsigned n = 1; n <= longest; n++) total += there[n] << (longest - n);
        while (total > 1u << longest) {  // too many short words: lengthen one, and pair a longest one with it
            unsigned n = longest - 1;
            while (!there[n]) n--;
            there[n]--; there[n + 1] += 2; there[longest]--; total--;
        }
        unsigned place = used, next[16], value = 0;
        for (unsigned n = 1; n <= longest; n++) {
            next[n] = value = (value + (n > 1 ? there[n - 1] : 0)) << 1;
            for (unsigned k = 0; k < there[n]; k++) lengths[s.sorted[--place]] = (unsigned char)n;
        }
        for (unsigned n = 0; n < count; n++)
            if (lengths[n]) words[n] = (unsigned short)(__brev(next[lengths[n]]++) >> (32 - lengths[n]));
    }
    __syncwarp();
}

// Make the runs of the lengths of both codes (RFC 1951, 3.2.7), and the code of those runs.
__device__ void make_header(Shared &s, unsigned &literals, unsigned &distances, unsigned &orders) {
    literals = LITERAL_CODES; distances = DISTANCE_CODES; orders = LENGTH_CODES;
    while (literals > 257 && !s.lengths[literals - 1]) literals--;
    while (distances > 1 && !s.lengths[DISTANCES + distances - 1]) distances--;
    if (threadIdx.x == 0) {
        for (unsigned n = 0; n < LENGTH_CODES; n++) s.counts[ORDERS + n] = 0;
        unsigned n = 0, made = 0;
        const unsigned count = literals + distances;
        auto length = [&](unsigned k) -> unsigned { return k < literals ? s.lengths[k] : s.lengths[DISTANCES + k - literals]; };
        while (n < count) {
            const unsigned value = length(n);
            unsigned times = 1;
            while (n + times < count && length(n + times) == value) times++;
            n += times;
            if (value == 0) {
                while (times >= 11) { const unsigned k = min(times, 138u); s.runs[made++] = (unsigned short)(18 | (k - 11) << 5); times -= k; }
                if (times >= 3) { s.runs[made++] = (unsigned short)(17 | (times - 3) << 5); times = 0; }
            } else {
                s.runs[made++] = (unsigned short)value; times--;
                while (times >= 3) { const unsigned k = min(times, 6u); s.runs[made++] = (unsigned short)(16 | (k - 3) << 5); times -= k; }
            }
            while (times--) s.runs[made++] = (unsigned short)value;
        }
        for (unsigned k = 0; k < made; k++) s.counts[ORDERS + (s.runs[k] & 31)]++;
        s.run_count = made;
    }
    __syncwarp();
    make_words(s, ORDERS, LENGTH_CODES, 7);
    while (orders > 4 && !s.lengths[ORDERS + ORDER[orders - 1]]) orders--;
}

__device__ __forceinline__ unsigned long long warp_sum(unsigned long long value) {
    for (unsigned by = 16; by; by /= 2) value += __shfl_xor_sync(WHOLE_WARP, value, by);
    return value;
}

// The bits that the block takes, or a few more.
__device__ unsigned block_bits(const Shared &s, unsigned orders) {
    const unsigned lane = threadIdx.x;
    unsigned long long bits = 0;
    for (unsigned n = lane; n < LITERAL_CODES; n += LANES) bits += s.counts[n] * (s.lengths[n] + length_extra(n));
    for (unsigned n = lane; n < DISTANCE_CODES; n += LANES) bits += s.counts[DISTANCES + n] * (s.lengths[DISTANCES + n] + distance_extra(n));
    for (unsigned n = lane; n < s.run_count; n += LANES) bits += s.lengths[ORDERS + (s.runs[n] & 31)] + run_extra(s.runs[n] & 31);
    return 17 + 3 * orders + (unsigned)warp_sum(bits);
}

// Count the bytes of a piece, estimate what each costs as a literal, and return the two sums of its Adler-32 (RFC 1950):
// of the bytes, and of each byte times the number of bytes from it to the end.
__device__ void survey(Shared &s, const unsigned char *bytes, unsigned size, unsigned *sums) {
    const unsigned lane = threadIdx.x;
    for (unsigned n = lane; n < SYMBOLS; n += LANES) s.counts[n] = 0;
    __syncwarp();
    unsigned long long plain = 0, weighted = 0;
    for (unsigned n = lane; n < size; n += LANES) {
        const unsigned byte = bytes[n];
        atomicAdd(&s.counts[byte], 1u);
        plain += byte;
        weighted += (unsigned long long)byte * (size - n);
    }
    plain = warp_sum(plain);
    weighted = warp_sum(weighted);
    if (lane == 0) {
        sums[0] = (unsigned)(plain % ADLER);
        sums[1] = (unsigned)(weighted % ADLER);
    }
    __syncwarp();
    for (unsigned n = lane; n < 256; n += LANES) {
        const float share = (float)max(s.counts[n], 1u) / (float)size;
        s.literal_costs[n] = (unsigned short)min(max(-log2f(share), 1.0f) * UNIT, 14.0f * UNIT);
        s.counts[n] = 0;
    }
    __syncwarp();
    if (lane == 0) s.counts[256] = 1;
    __syncwarp();
}

// The bits of a token, and their count.
__device__ unsigned long long token_bits(const Shared &s, unsigned token, unsigned &bits) {
    if (!(token >> 16)) {
        bits = s.lengths[token];
        return s.words[token];
    }
    const Part l = length_part(token >> 16), d = distance_part(token & 0xffff);
    bits = s.lengths[l.code];
    unsigned long long value = s.words[l.code] | (unsigned long long)l.value << bits;
    bits += l.extra;
    value |= (unsigned long long)s.words[DISTANCES + d.code] << bits;
    bits += s.lengths[DISTANCES + d.code];
    value |= (unsigned long long)d.value << bits;
    bits += d.extra;
    return value;
}

// Make one block of the bytes from `begin` up to `end` in `out`, from its first bit on; returns its bits, or TOO_LONG if
// they don't fit `room` bytes, a multiple of 4.
__device__ unsigned deflate_piece(Shared &s, const unsigned *data, unsigned begin, unsigned end, bool last, unsigned *tokens,
                                  unsigned *out, unsigned room, unsigned *sums) {
    const unsigned lane = threadIdx.x;
    survey(s, (const unsigned char *)data + begin, end - begin, sums);
    const unsigned count = tokenize(s, data, begin, end, tokens);
    make_words(s, LITERALS, LITERAL_CODES, 15);
    make_words(s, DISTANCES, DISTANCE_CODES, 15);
    unsigned literals, distances, orders;
    make_header(s, literals, distances, orders);
    if (block_bits(s, orders) + 32 > 8 * room) return TOO_LONG;
    for (unsigned n = lane; n < 64; n += LANES) s.buffer[n] = 0;
    __syncwarp();
    const unsigned head = last | 2u << 1 | (literals - 257) << 3 | (distances - 1) << 8 | (orders - 4) << 13;
    unsigned at = put_bits(s, out, 0, head, lane ? 0 : 17);
    at = put_bits(s, out, at, lane < orders ? s.lengths[ORDERS + ORDER[lane]] : 0, lane < orders ? 3 : 0);
    for (unsigned n = lane; n < ((s.run_count + 31) & ~31u); n += LANES) {
        const bool there = n < s.run_count;
        const unsigned run = there ? s.runs[n] : 0, symbol = run & 31, length = s.lengths[ORDERS + symbol];
        at = put_bits(s, out, at, s.words[ORDERS + symbol] | (run >> 5) << length, there ? length + run_extra(symbol) : 0);
    }
    for (unsigned n = lane; n < ((count + 32) & ~31u); n += LANES) {  // one more than there are: the end of the block
        unsigned bits = 0;
        const unsigned long long value = n <= count ? token_bits(s, n < count ? tokens[n] : 256, bits) : 0;
        at = put_bits(s, out, at, value, bits);
    }
    if (lane == 0) out[at >> 5] = s.buffer[0];
    return at;
}

// Deflate all pieces. Piece n is PIECE_BYTES (the last of a stream: the rest) of the stream streams[n] from starts[n] on.
// A stream begins at a multiple of 4 of `input`, and 8 bytes behind it can be read. Its bits go to output + slots[n], in
// words of 4 bytes, where slots[n + 1] - slots[n] words are free. `tokens` has PIECE_BYTES words for each block.
extern "C" __global__ void __launch_bounds__(32)
deflate(const unsigned char *input, const unsigned long long *offsets, const unsigned *sizes, const unsigned *streams,
        const unsigned *starts, const unsigned long long *slots, unsigned pieces, unsigned *tokens, unsigned *output,
        unsigned *bits, unsigned *sums) {
    __shared__ Shared s;
    for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const unsigned stream = streams[piece], start = starts[piece], size = min((unsigned)PIECE_BYTES, sizes[stream] - start);
        const unsigned room = 4 * (unsigned)(slots[piece + 1] - slots[piece]);
        const unsigned history = min(start, HISTORY);
        const unsigned *data = (const unsigned *)(input + offsets[stream] + start - history);
        const unsigned made = deflate_piece(s, data, history, history + size, start + size == sizes[stream],
                                            tokens + (unsigned long long)blockIdx.x * PIECE_BYTES, output + slots[piece], room, sums + 2 * piece);
        if (threadIdx.x == 0) bits[piece] = made;
        __syncwarp();
    }
}
