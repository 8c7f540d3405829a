// Weighted sums of neighbouring pixels, along the columns, then along the rows, for resize and blur.
//
// The backend defines SOURCE and TARGET (float or __half) and CHANNELS (3 or 4). Result i of an axis is the sum of
// weights[i * width + k] * pixel[first[i] + k] for k < count[i], added in that order, so that tiles are identical to
// the whole image. Between the passes the image is float.

typedef unsigned int uint;

__device__ __forceinline__ float t_number(float x) { return x; }
__device__ __forceinline__ float t_number(__half x) { return __half2float(x); }
__device__ __forceinline__ void t_put(float *to, float x) { *to = x; }
__device__ __forceinline__ void t_put(__half *to, float x) { *to = __float2half_rn(x); }

// One thread per number of a row: `row` numbers, `rows` result rows.
extern "C" __global__ void columns(const SOURCE *__restrict__ source, float *__restrict__ target, uint row, uint rows,
                                   const int *__restrict__ first, const int *__restrict__ count,
                                   const float *__restrict__ weights, uint width) {
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= row) return;
    for (uint y = blockIdx.y; y < rows; y += gridDim.y) {
        const SOURCE *from = source + (size_t)first[y] * row + x;
        const float *weight = weights + (size_t)y * width;
        float total = 0.0f;
        for (int k = 0; k < count[y]; ++k) total = fmaf(t_number(from[(size_t)k * row]), weight[k], total);
        target[(size_t)y * row + x] = total;
    }
}

// One thread per pixel: `across` results from each row of `row` numbers.
extern "C" __global__ void rows(const float *__restrict__ source, TARGET *__restrict__ target, uint row, uint across,
                                uint height, const int *__restrict__ first, const int *__restrict__ count,
                                const float *__restrict__ weights, uint width) {
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= across) return;
    for (uint y = blockIdx.y; y < height; y += gridDim.y) {
        const float *from = source + (size_t)y * row + (size_t)first[x] * CHANNELS;
        float total[CHANNELS] = {};
        for (int k = 0; k < count[x]; ++k) {
            const float weight = weights[(size_t)x * width + k];
            for (int c = 0; c < CHANNELS; ++c) total[c] = fmaf(from[k * CHANNELS + c], weight, total[c]);
        }
        for (int c = 0; c < CHANNELS; ++c) t_put(target + ((size_t)y * across + x) * CHANNELS + c, total[c]);
    }
}
