// Weighted sums of neighbouring pixels, along the columns, then along the rows, for resize and blur.
//
// The backend defines SOURCE and TARGET (float or half), CHANNELS (3 or 4), GROUP and WARPS. A thread adds up a
// group of GROUP results of an axis, so that it reads a pixel once for all of them; see engine/kernel/tap_groups.py. A
// result is always the same sum in the same order, regardless of its group, so that tiles are identical to the whole
// image. Between the passes the image is a strip of rows of float4.

#define LANES 32  // threads of a warp
#define THREADS (LANES * WARPS)

// The steps of a group: the first source pixel, their number, the step in the weights where the group's begin, and the
// steps, from and to (exclusive), that all its results use.
typedef struct {
    int first, steps, at, since, until;
} Span;

// Pixel i of an image of CHANNELS channels.
FUNCTION float4 t_pixel(GLOBAL const SOURCE *pixels, size_t i) {
    if (CHANNELS == 4) return t_four(pixels, i);
    return make_float4(t_number(pixels, 3 * i), t_number(pixels, 3 * i + 1), t_number(pixels, 3 * i + 2), 0.0f);
}

FUNCTION void t_put_pixel(GLOBAL TARGET *pixels, size_t i, float4 p) {
    if (CHANNELS == 4) {
        t_put_four(pixels, i, p);
    } else {
        t_put(pixels, 3 * i, p.x);
        t_put(pixels, 3 * i + 1, p.y);
        t_put(pixels, 3 * i + 2, p.z);
    }
}

// Add a pixel to the results that use it; a weight of NaN says that one does not. With `all`, every one uses it.
FUNCTION void t_add(bool all, float4 *total, float4 p, GLOBAL const float *weights) {
#pragma unroll
    for (int four = 0; four < GROUP; four += 4) {
        const float4 w = __ldg((GLOBAL const float4 *)(weights + four));
        const float weight[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (!all && weight[k] != weight[k]) continue;
            float4 *sum = total + four + k;
            *sum = make_float4(fmaf(p.x, weight[k], sum->x), fmaf(p.y, weight[k], sum->y), fmaf(p.z, weight[k], sum->z),
                               fmaf(p.w, weight[k], sum->w));
        }
    }
}

FUNCTION void t_clear(float4 *total) {
#pragma unroll
    for (int k = 0; k < GROUP; ++k) total[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// Rows `top` to `end` (exclusive) of the result, into the strip. A warp adds up a group of them for 32 columns.
KERNEL_OF(THREADS)
columns(GLOBAL const SOURCE *__restrict__ source, GLOBAL float4 *__restrict__ strip, uint width, uint across, uint top,
        uint end, GLOBAL const Span *__restrict__ spans, GLOBAL const float *__restrict__ weights) {
    const uint x = blockIdx.x % across * LANES + threadIdx.x % LANES;
    const uint y = top + (blockIdx.x / across * WARPS + threadIdx.x / LANES) * GROUP;
    if (x >= width || y >= end) return;
    const Span span = spans[y / GROUP];
    GLOBAL const float *weight = weights + (size_t)span.at * GROUP;
    GLOBAL const SOURCE *from = source + ((size_t)span.first * width + x) * CHANNELS;
    const size_t row = (size_t)width * CHANNELS;
    float4 total[GROUP];
    t_clear(total);
    int step = 0;
#pragma unroll 4
    for (; step < span.since; ++step, from += row, weight += GROUP) t_add(false, total, t_pixel(from, 0), weight);
#pragma unroll 4
    for (; step < span.until; ++step, from += row, weight += GROUP) t_add(true, total, t_pixel(from, 0), weight);
#pragma unroll 4
    for (; step < span.steps; ++step, from += row, weight += GROUP) t_add(false, total, t_pixel(from, 0), weight);
#pragma unroll
    for (int k = 0; k < GROUP; ++k) {
        if (y + k < end) strip[(size_t)(y + k - top) * width + x] = total[k];
    }
}

// A block computes WARPS groups of results in 32 rows: a warp one group, a lane one row. Pixels come by way of shared
// memory, a chunk of each row at a time, so that a warp reads and writes neighbours; a row there is one pixel longer
// than the chunk, so that the lanes use different banks.
#define CHUNK 16

// The pixels of a thread in a chunk of the strip that begins at column `at`.
FUNCTION void t_fetch(float4 *ahead, GLOBAL const float4 *strip, int at, uint width, uint top, uint rows) {
    const uint x = min(at + threadIdx.x % CHUNK, width - 1);
#pragma unroll
    for (int n = 0; n < LANES * CHUNK / THREADS; ++n) {
        const uint y = min(top + (threadIdx.x + n * THREADS) / CHUNK, rows - 1);
        ahead[n] = __ldg(strip + (size_t)y * width + x);
    }
}

// The results of the first `rows` rows of the strip, `result` in each, into the target from row `first` on.
KERNEL_OF(THREADS)
rows(GLOBAL const float4 *__restrict__ strip, GLOBAL TARGET *__restrict__ target, uint width, uint result, uint across,
     uint first, uint rows, GLOBAL const Span *__restrict__ spans, GLOBAL const float *__restrict__ weights) {
    LOCAL float4 pixels[LANES][CHUNK + 1];
    const uint lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, top = blockIdx.x / across * LANES;
    const uint group = blockIdx.x % across * WARPS, last = (result - 1) / GROUP;
    const Span span = spans[min(group + warp, last)], final = spans[min(group + WARPS - 1, last)];
    const int end = final.first + final.steps;
    GLOBAL const float *weight = weights + (size_t)span.at * GROUP;
    float4 total[GROUP], ahead[LANES * CHUNK / THREADS];
    t_clear(total);
    int at = spans[group].first;
    t_fetch(ahead, strip, at, width, top, rows);
    for (; at < end; at += CHUNK) {
        __syncthreads();
#pragma unroll
        for (int n = 0; n < LANES * CHUNK / THREADS; ++n) {
            pixels[(threadIdx.x + n * THREADS) / CHUNK][threadIdx.x % CHUNK] = ahead[n];
        }
        __syncthreads();
        if (at + CHUNK < end) t_fetch(ahead, strip, at + CHUNK, width, top, rows);
        const int step = at - span.first, begin = max(-step, 0), stop = min(span.steps - step, CHUNK);
        GLOBAL const float *here = weight + (long)step * GROUP;
        if (step >= span.since && step + CHUNK <= span.until) {
#pragma unroll 4
            for (int k = 0; k < CHUNK; ++k) t_add(true, total, pixels[lane][k], here + k * GROUP);
        } else {
            for (int k = begin; k < stop; ++k) t_add(false, total, pixels[lane][k], here + k * GROUP);
        }
    }
    for (int turn = 0; turn < WARPS; ++turn) {
        __syncthreads();
        if (warp == turn) {
#pragma unroll
            for (int k = 0; k < GROUP; ++k) pixels[lane][k] = total[k];
        }
        __syncthreads();
        for (uint n = threadIdx.x; n < LANES * GROUP; n += THREADS) {
            const uint y = top + n / GROUP, x = (group + turn) * GROUP + n % GROUP;
            if (y < rows && x < result) t_put_pixel(target, (size_t)(first + y) * result + x, pixels[n / GROUP][n % GROUP]);
        }
    }
}

// Results that are one source pixel each: `column[x]` and `row[y]` say which.
KERNEL gather(GLOBAL const SOURCE *__restrict__ source, GLOBAL TARGET *__restrict__ target, uint width, uint result,
              uint across, GLOBAL const int *__restrict__ column, GLOBAL const int *__restrict__ row) {
    const uint x = blockIdx.x % across * blockDim.x + threadIdx.x, y = blockIdx.x / across;
    if (x < result) t_put_pixel(target, (size_t)y * result + x, t_pixel(source, (size_t)row[y] * width + column[x]));
}
