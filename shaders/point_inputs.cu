// What colour ops read of a pixel beside its channels. Prepended to point.cu for ops that read any of it.
//
// The backend defines IMAGES, the number of images of four planes.

// The centre of pixel (i, j) is (x + (column + i + .5) * step_x, ...); *_low is what float32 loses of a number.
typedef struct {
    float x, x_low, step_x, step_x_low, y, y_low, step_y, step_y_low;
    int column, row;
    uint width;
} Place;

typedef struct {
    float x, y, x_low, y_low;
    float4 planes[2];
} Inputs;

// start + (at + .5) * step, and what float32 loses of it.
FUNCTION float t_along(int at, float start, float start_low, float step, float step_low, float *low) {
    const float centre = (float)at + 0.5f, product = __fmul_rn(centre, step), whole = __fadd_rn(start, product);
    const float back = __fsub_rn(whole, start);
    const float lost = __fadd_rn(__fsub_rn(start, __fsub_rn(whole, back)), __fsub_rn(product, back));
    const float rest = lost + (fmaf(centre, step, -product) + fmaf(centre, step_low, start_low));
    const float sum = __fadd_rn(whole, rest);
    *low = __fsub_rn(rest, __fsub_rn(sum, whole));
    return sum;
}

FUNCTION Inputs t_inputs(const Place place, GLOBAL const float4 *low, GLOBAL const float4 *high, uint i) {
    Inputs in;
    const int column = place.column + (int)(i % place.width), row = place.row + (int)(i / place.width);
    in.x = t_along(column, place.x, place.x_low, place.step_x, place.step_x_low, &in.x_low);
    in.y = t_along(row, place.y, place.y_low, place.step_y, place.step_y_low, &in.y_low);
    if (IMAGES > 0) in.planes[0] = __ldcs(low + i);
    if (IMAGES > 1) in.planes[1] = __ldcs(high + i);
    return in;
}
