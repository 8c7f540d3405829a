// The distance to a polygon. Inserted into point.cu for ops that use it; see engine/kernel/interpolation.py.

// a - b, and what its rounding loses (Knuth).
FUNCTION float t_difference(float a, float b, float *lost) {
    const float whole = __fsub_rn(a, b), back = __fsub_rn(whole, a);
    *lost = __fsub_rn(__fsub_rn(a, __fsub_rn(whole, back)), __fadd_rn(b, back));
    return whole;
}

// How far x is from the interval between a and b; below 0 inside it, and a little outside, for low-order parts.
FUNCTION float t_outside(float x, float a, float b) {
    return fmaxf(fminf(a, b) - x, x - fmaxf(a, b)) - fabsf(x) * 2.4e-7f;
}

// `path` is a curve of three channels: x, y and 0 of each vertex. The point is (x + x_low, y + y_low). An edge is skipped
// if it is further away than the nearest one so far, and no ray to the right crosses it.
FUNCTION float t_path_distance(GLOBAL const float *path, float size, float x, float y, float x_low, float y_low) {
    const int count = t_whole(size);
    GLOBAL const float *across = t_channel(path, 0, size), *down = t_channel(path, 1, size);
    float ax = __ldg(across + 2 * count - 2), ay = __ldg(down + 2 * count - 2);
    float nearest = 3.4028234663852886e38f;
    bool inside = false;
    for (int k = 0; k < count; ++k) {
        const float bx = __ldg(across + 2 * k), by = __ldg(down + 2 * k);
        const float beside = t_outside(x, ax, bx), above = t_outside(y, ay, by);
        const float far_x = fmaxf(beside, 0.0f), far_y = fmaxf(above, 0.0f);
        const bool level = above <= 0.0f && (beside <= 0.0f || fminf(ax, bx) > x);
        if (level || !(fmaf(far_x, far_x, far_y * far_y) > nearest * 1.001f)) {
            float qx_low, qy_low, ex_low, ey_low, fx_low, fy_low;
            const float qx = t_difference(x, ax, &qx_low), qy = t_difference(y, ay, &qy_low);
            const float ex = t_difference(bx, ax, &ex_low), ey = t_difference(by, ay, &ey_low);
            const float fx = t_difference(x, bx, &fx_low), fy = t_difference(y, by, &fy_low);
            qx_low += x_low;
            qy_low += y_low;
            const float low = fmaf(ex, qy_low, ex_low * qy) - fmaf(ey, qx_low, ey_low * qx);
            const float side = t_products(ex, qy, ey, qx) + low;
            const float along = fmaf(qx, ex, qy * ey), length = fmaf(ex, ex, ey * ey);
            const float gx = fx + (fx_low + x_low), gy = fy + (fy_low + y_low);
            const bool between = along > 0.0f && along < length;
            const float squared = between ? side / length * side : fmaf(gx, gx, gy * gy);
            nearest = squared < nearest ? squared : nearest;
            if ((qy + qy_low >= 0.0f) != (gy >= 0.0f) && (side > 0.0f) == (by > ay)) inside = !inside;
        }
        ax = bx;
        ay = by;
    }
    return inside ? sqrtf(nearest) : -sqrtf(nearest);
}

