// Statistics and scopes of an image. The backend defines SOURCE (float or __half), CHANNELS (3 or 4), the weights of
// luma and the scales of Cb and Cr.

typedef unsigned int uint;
typedef unsigned long long ulong;

__device__ __forceinline__ float t_number(float x) { return x; }
__device__ __forceinline__ float t_number(__half x) { return __half2float(x); }
__device__ __forceinline__ bool t_finite(float x) { return x - x == 0.0f; }

__device__ __forceinline__ float t_luma(float r, float g, float b) {
    return __fadd_rn(__fadd_rn(__fmul_rn(LUMA_R, r), __fmul_rn(LUMA_G, g)), __fmul_rn(LUMA_B, b));
}

__device__ __forceinline__ int t_bin(float x, float start, float scale, int bins, int in_stops) {
    const float placed = in_stops ? log2f(fmaxf(x, 0.0f)) : x;
    const float place = floorf(__fmul_rn(__fsub_rn(placed, start), scale));
    return (int)fminf(fmaxf(place, 0.0f), (float)(bins - 1));
}

// Floats as integers of the same order, for atomicMin and atomicMax.
__device__ __forceinline__ int t_ordered(float x) {
    const int bits = __float_as_int(x);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

// For each channel: minimum and maximum as ordered integers; sum; counts of finite, NaN, Inf, negative.
extern "C" __global__ void statistics(const SOURCE *__restrict__ source, ulong pixels, int *extremes, double *sums,
                                      ulong *counts) {
    __shared__ int least[CHANNELS], largest[CHANNELS];
    __shared__ double sum[CHANNELS];
    __shared__ uint tally[CHANNELS][4];
    if (threadIdx.x < CHANNELS) {
        least[threadIdx.x] = 0x7fffffff;
        largest[threadIdx.x] = (int)0x80000000;
        sum[threadIdx.x] = 0.0;
        for (int k = 0; k < 4; ++k) tally[threadIdx.x][k] = 0;
    }
    __syncthreads();
    for (int c = 0; c < CHANNELS; ++c) {
        int low = 0x7fffffff, high = (int)0x80000000;
        uint finite = 0, nan = 0, inf = 0, negative = 0;
        double total = 0.0;
        for (ulong i = blockIdx.x * (ulong)blockDim.x + threadIdx.x; i < pixels; i += (ulong)gridDim.x * blockDim.x) {
            const float x = t_number(source[i * CHANNELS + c]);
            negative += x < 0.0f;
            if (t_finite(x)) {
                low = min(low, t_ordered(x));
                high = max(high, t_ordered(x));
                total += x;
                ++finite;
            } else if (x != x) {
                ++nan;
            } else {
                ++inf;
            }
        }
        atomicMin(&least[c], low);
        atomicMax(&largest[c], high);
        atomicAdd(&sum[c], total);
        atomicAdd(&tally[c][0], finite);
        atomicAdd(&tally[c][1], nan);
        atomicAdd(&tally[c][2], inf);
        atomicAdd(&tally[c][3], negative);
    }
    __syncthreads();
    if (threadIdx.x < CHANNELS) {
        const int c = threadIdx.x;
        atomicMin(&extremes[2 * c], least[c]);
        atomicMax(&extremes[2 * c + 1], largest[c]);
        atomicAdd(&sums[c], sum[c]);
        for (int k = 0; k < 4; ++k) atomicAdd(&counts[4 * c + k], (ulong)tally[c][k]);
    }
}

// counts: R, G, B, luma x bin x column.
extern "C" __global__ void waveform(const SOURCE *__restrict__ source, ulong pixels, uint width, uint columns, int bins,
                                    float start, float scale, int in_stops, uint *counts) {
    const size_t plane = (size_t)bins * columns;
    for (ulong i = blockIdx.x * (ulong)blockDim.x + threadIdx.x; i < pixels; i += (ulong)gridDim.x * blockDim.x) {
        const uint column = (uint)((ulong)(i % width) * columns / width);
        const SOURCE *p = source + i * CHANNELS;
        const float r = t_number(p[0]), g = t_number(p[1]), b = t_number(p[2]);
        const float values[4] = {r, g, b, t_luma(r, g, b)};
        for (int k = 0; k < 4; ++k) {
            if (values[k] != values[k]) continue;
            const int bin = t_bin(values[k], start, scale, bins, in_stops);
            atomicAdd(&counts[k * plane + (size_t)bin * columns + column], 1u);
        }
    }
}

// A waveform with one column, counted in shared memory first, which holds 4 * bins counts.
extern "C" __global__ void histogram(const SOURCE *__restrict__ source, ulong pixels, int bins, float start,
                                     float scale, int in_stops, uint *counts) {
    extern __shared__ uint local[];
    for (int k = threadIdx.x; k < 4 * bins; k += blockDim.x) local[k] = 0;
    __syncthreads();
    for (ulong i = blockIdx.x * (ulong)blockDim.x + threadIdx.x; i < pixels; i += (ulong)gridDim.x * blockDim.x) {
        const SOURCE *p = source + i * CHANNELS;
        const float r = t_number(p[0]), g = t_number(p[1]), b = t_number(p[2]);
        const float values[4] = {r, g, b, t_luma(r, g, b)};
        for (int k = 0; k < 4; ++k) {
            if (values[k] == values[k]) atomicAdd(&local[k * bins + t_bin(values[k], start, scale, bins, in_stops)], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 4 * bins; k += blockDim.x) {
        if (local[k]) atomicAdd(&counts[k], local[k]);
    }
}

// counts: Cr from top to bottom x Cb from left to right.
extern "C" __global__ void vectorscope(const SOURCE *__restrict__ source, ulong pixels, int size, float extent,
                                       uint *counts) {
    const float scale = (float)size / (2.0f * extent);
    for (ulong i = blockIdx.x * (ulong)blockDim.x + threadIdx.x; i < pixels; i += (ulong)gridDim.x * blockDim.x) {
        const SOURCE *p = source + i * CHANNELS;
        const float r = t_number(p[0]), g = t_number(p[1]), b = t_number(p[2]), luma = t_luma(r, g, b);
        if (!t_finite(luma)) continue;
        const int across = t_bin(__fmul_rn(__fsub_rn(b, luma), TO_CB), -extent, scale, size, 0);
        const int up = t_bin(__fmul_rn(__fsub_rn(r, luma), TO_CR), -extent, scale, size, 0);
        atomicAdd(&counts[(size_t)(size - 1 - up) * size + across], 1u);
    }
}
