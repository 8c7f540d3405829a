// Statistics of an image in CUDA C++: with sums in float64 and counts of 64 bits. The backend prepends language.cu and
// defines SOURCE (float or __half) and CHANNELS (3 or 4).

typedef unsigned long long ulong;

FUNCTION bool t_finite(float x) { return x - x == 0.0f; }

// Floats as integers of the same order, for atomicMin and atomicMax.
FUNCTION int t_ordered(float x) {
    const int bits = __float_as_int(x);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

// For each channel: minimum and maximum as ordered integers; sum; counts of finite, NaN, Inf, negative.
KERNEL statistics(const SOURCE *__restrict__ source, uint pixels, int *extremes, double *sums, ulong *counts) {
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
            const float x = t_number(source, i * CHANNELS + c);
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
