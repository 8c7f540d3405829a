// A pixel of a planar frame. Inserted into point.cu for frames of movies.
//
// The backend defines WORD (unsigned char or unsigned short), SHIFT (by which the bits of a sample are shifted up), STEP
// (samples from one Cb to the next), ACROSS and DOWN (whether chroma is subsampled by 2), CHROMA and ALPHA (whether there
// are such planes).

// Samples without gaps between rows. The region of `width` columns begins at pixel (column, row). `phase_*`: half luma
// samples from the first luma sample to the first of chroma. `neutral`: the code of no colour.
struct Planes {
    const WORD *luma, *cb, *cr, *alpha;
    int column, row, luma_row, chroma_width, chroma_height, phase_x, phase_y;
    uint width;
    float neutral;
};

__device__ __forceinline__ float t_code(const WORD *plane, size_t at) { return (float)(int)(__ldg(plane + at) >> SHIFT); }

// Chroma at a position in quarters of a sample, interpolated between the samples around it. All of it is exact.
__device__ __forceinline__ float t_chroma(const Planes &planes, const WORD *plane, int across, int down) {
    const int left = max(across >> 2, 0) * STEP, right = min((across >> 2) + 1, planes.chroma_width - 1) * STEP;
    const size_t above = (size_t)max(down >> 2, 0) * planes.chroma_width * STEP;
    const float share = (float)(across & 3) * 0.25f;
    float high = t_code(plane, above + left);
    if (ACROSS) high += (t_code(plane, above + right) - high) * share;
    if (!DOWN) return high;
    const size_t below = (size_t)min((down >> 2) + 1, planes.chroma_height - 1) * planes.chroma_width * STEP;
    float low = t_code(plane, below + left);
    if (ACROSS) low += (t_code(plane, below + right) - low) * share;
    return high + (low - high) * ((float)(down & 3) * 0.25f);
}

__device__ __forceinline__ Pixel t_pixel(const Planes &planes, uint i) {
    const int x = planes.column + (int)(i % planes.width), y = planes.row + (int)(i / planes.width);
    const size_t at = (size_t)y * planes.luma_row + x;
    Pixel p = {t_code(planes.luma, at), planes.neutral, planes.neutral, 1.0f};
    if (CHROMA) {
        const int across = ACROSS ? 2 * x - planes.phase_x : 4 * x, down = DOWN ? 2 * y - planes.phase_y : 4 * y;
        p.g = t_chroma(planes, planes.cb, across, down);
        p.b = t_chroma(planes, planes.cr, across, down);
    }
    if (ALPHA) p.a = t_code(planes.alpha, at);
    return p;
}
