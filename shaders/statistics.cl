// Statistics of an image in OpenCL C, without float64: one Part per thread, joined by the host. The backend prepends
// language.cl and defines SOURCE (float or half) and CHANNELS (3 or 4).

typedef struct {
    float4 least, largest;
    float4 total;  // in units of 2 ** 32, so that no sum overflows
    uint4 finite, nan, inf, negative;
} Part;

KERNEL statistics(GLOBAL const SOURCE *source, uint pixels, GLOBAL Part *parts) {
    Part part = {(float4)(MAXFLOAT), (float4)(-MAXFLOAT), (float4)(0.0f), (uint4)(0), (uint4)(0), (uint4)(0), (uint4)(0)};
    float4 lost = (float4)(0.0f);
    for (uint i = get_global_id(0); i < pixels; i += get_global_size(0)) {
        const size_t at = (size_t)i * 3;
        const float4 p = CHANNELS == 4 ? t_four(source, i)
                                       : (float4)(t_number(source, at), t_number(source, at + 1), t_number(source, at + 2), 0.0f);
        const int4 finite = isfinite(p);
        part.least = select(part.least, p, finite & (p < part.least));
        part.largest = select(part.largest, p, finite & (p > part.largest));
        const float4 term = select((float4)(0.0f), p * 2.3283064365386963e-10f, finite);
        const float4 sum = part.total + term, back = sum - part.total;  // two-sum: the addition's error (Knuth)
        lost += (part.total - (sum - back)) + (term - back);
        part.total = sum;
        part.finite -= as_uint4(finite);  // a condition that holds is -1
        part.nan -= as_uint4(isnan(p));
        part.inf -= as_uint4(isinf(p));
        part.negative -= as_uint4(p < 0.0f);
    }
    part.total += lost;
    parts[get_global_id(0)] = part;
}
