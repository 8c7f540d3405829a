// The largest or smallest value of each channel in a window, by steps that each take up to nine pixels of the last
// result; see engine/compute/backends/extremes.py. NaN is ignored, unless there is nothing else.

FUNCTION float t_either(bool upper, float a, float b) {
    return (upper ? a > b : a < b) || b != b ? a : b;
}

FUNCTION float4 t_joined(bool upper, float4 a, float4 b) {
    return make_float4(t_either(upper, a.x, b.x), t_either(upper, a.y, b.y), t_either(upper, a.z, b.z),
                       t_either(upper, a.w, b.w));
}

FUNCTION void t_extreme(bool upper, GLOBAL const float4 *source, GLOBAL float4 *target, int width, int height, int step_x,
                        int step_y) {
    const uint count = (uint)width * height;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const int x = i % width, y = i / width;
        const int left = max(x - step_x, 0), right = min(x + step_x, width - 1);
        float4 found = __ldg(source + i);
        for (int row = -1; row <= 1; ++row) {
            if (row != 0 && step_y == 0) continue;
            GLOBAL const float4 *from = source + (size_t)min(max(y + row * step_y, 0), height - 1) * width;
            if (row != 0) found = t_joined(upper, found, __ldg(from + x));
            if (step_x == 0) continue;
            found = t_joined(upper, found, __ldg(from + left));
            found = t_joined(upper, found, __ldg(from + right));
        }
        target[i] = found;
    }
}

KERNEL largest(GLOBAL const float4 *__restrict__ source, GLOBAL float4 *__restrict__ target, int width, int height,
               int step_x, int step_y) {
    t_extreme(true, source, target, width, height, step_x, step_y);
}

KERNEL smallest(GLOBAL const float4 *__restrict__ source, GLOBAL float4 *__restrict__ target, int width, int height,
                int step_x, int step_y) {
    t_extreme(false, source, target, width, height, step_x, step_y);
}
