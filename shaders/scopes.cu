// Scopes of an image. The backend defines SOURCE (float or half), CHANNELS (3 or 4), the weights of
// luma and the scales of Cb and Cr.

FUNCTION bool t_finite(float x) { return x - x == 0.0f; }

FUNCTION float t_luma(float r, float g, float b) {
    return __fadd_rn(__fadd_rn(__fmul_rn(LUMA_R, r), __fmul_rn(LUMA_G, g)), __fmul_rn(LUMA_B, b));
}

FUNCTION int t_bin(float x, float start, float scale, int bins, int in_stops) {
    const float placed = in_stops ? log2f(fmaxf(x, 0.0f)) : x;
    const float place = floorf(__fmul_rn(__fsub_rn(placed, start), scale));
    return (int)fminf(fmaxf(place, 0.0f), (float)(bins - 1));
}

// counts: R, G, B, luma x bin x column.
KERNEL waveform(GLOBAL const SOURCE *__restrict__ source, uint pixels, uint width, uint columns, int bins, float start,
                float scale, int in_stops, GLOBAL uint *counts) {
    const size_t plane = (size_t)bins * columns;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const uint column = (uint)((size_t)(i % width) * columns / width);
        const size_t at = (size_t)i * CHANNELS;
        const float r = t_number(source, at), g = t_number(source, at + 1), b = t_number(source, at + 2);
        const float values[4] = {r, g, b, t_luma(r, g, b)};
        for (int k = 0; k < 4; ++k) {
            if (values[k] != values[k]) continue;
            const int bin = t_bin(values[k], start, scale, bins, in_stops);
            atomicAdd(&counts[k * plane + (size_t)bin * columns + column], 1u);
        }
    }
}

// A waveform with one column, counted in local memory first, which holds 4 * bins counts.
KERNEL histogram(GLOBAL const SOURCE *__restrict__ source, uint pixels, int bins, float start, float scale, int in_stops,
                 GLOBAL uint *counts LOCAL_PARAMETER(uint, tally)) {
    LOCAL_MEMORY(uint, tally);
    for (int k = threadIdx.x; k < 4 * bins; k += blockDim.x) tally[k] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const size_t at = (size_t)i * CHANNELS;
        const float r = t_number(source, at), g = t_number(source, at + 1), b = t_number(source, at + 2);
        const float values[4] = {r, g, b, t_luma(r, g, b)};
        for (int k = 0; k < 4; ++k) {
            if (values[k] == values[k]) atomicAdd(&tally[k * bins + t_bin(values[k], start, scale, bins, in_stops)], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 4 * bins; k += blockDim.x) {
        if (tally[k]) atomicAdd(&counts[k], tally[k]);
    }
}

// counts: Cr from top to bottom x Cb from left to right.
KERNEL vectorscope(GLOBAL const SOURCE *__restrict__ source, uint pixels, int size, float extent, GLOBAL uint *counts) {
    const float scale = (float)size / (2.0f * extent);
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const size_t at = (size_t)i * CHANNELS;
        const float r = t_number(source, at), g = t_number(source, at + 1), b = t_number(source, at + 2), luma = t_luma(r, g, b);
        if (!t_finite(luma)) continue;
        const int across = t_bin(__fmul_rn(__fsub_rn(b, luma), TO_CB), -extent, scale, size, 0);
        const int up = t_bin(__fmul_rn(__fsub_rn(r, luma), TO_CR), -extent, scale, size, 0);
        atomicAdd(&counts[(size_t)(size - 1 - up) * size + across], 1u);
    }
}
