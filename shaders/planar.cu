// A pixel of a planar frame. Inserted into point.cu for frames of movies.
//
// The backend defines WORD (uchar or ushort), SHIFT (by which the bits of a sample are shifted up), STEP (samples from one
// Cb to the next), ACROSS and DOWN (whether chroma is subsampled by 2), CHROMA and ALPHA (whether there are such planes).

// Samples without gaps between rows; Cr begins with sample `cr_first` of its plane. The region of `width` columns begins at
// pixel (column, row). `phase_*`: half luma samples from the first luma sample to the first of chroma. `neutral`: the code
// of no colour.
typedef struct {
    int column, row, luma_row, chroma_width, chroma_height, phase_x, phase_y, cr_first;
    uint width;
    float neutral;
} Frame;

#define PLANE GLOBAL const WORD *__restrict__
#define ORIGIN PLANE luma, PLANE cb, PLANE cr, PLANE alpha, const Frame frame
#define PIXEL(i) t_planar(luma, cb, cr, alpha, frame, i)

FUNCTION float t_code(GLOBAL const WORD *plane, size_t at) { return (float)(int)(__ldg(plane + at) >> SHIFT); }

// Chroma at a position in quarters of a sample, interpolated between the samples around it. All of it is exact.
FUNCTION float t_chroma(const Frame frame, GLOBAL const WORD *plane, int across, int down) {
    const int left = max(across >> 2, 0) * STEP, right = min((across >> 2) + 1, frame.chroma_width - 1) * STEP;
    const size_t above = (size_t)max(down >> 2, 0) * frame.chroma_width * STEP;
    const float share = (float)(across & 3) * 0.25f;
    float high = t_code(plane, above + left);
    if (ACROSS) high += (t_code(plane, above + right) - high) * share;
    if (!DOWN) return high;
    const size_t below = (size_t)min((down >> 2) + 1, frame.chroma_height - 1) * frame.chroma_width * STEP;
    float low = t_code(plane, below + left);
    if (ACROSS) low += (t_code(plane, below + right) - low) * share;
    return high + (low - high) * ((float)(down & 3) * 0.25f);
}

FUNCTION float4 t_planar(GLOBAL const WORD *luma, GLOBAL const WORD *cb, GLOBAL const WORD *cr, GLOBAL const WORD *alpha,
                         const Frame frame, uint i) {
    const int x = frame.column + (int)(i % frame.width), y = frame.row + (int)(i / frame.width);
    const size_t at = (size_t)y * frame.luma_row + x;
    float blue = frame.neutral, red = frame.neutral;
    if (CHROMA) {
        const int across = ACROSS ? 2 * x - frame.phase_x : 4 * x, down = DOWN ? 2 * y - frame.phase_y : 4 * y;
        blue = t_chroma(frame, cb, across, down);
        red = t_chroma(frame, cr + frame.cr_first, across, down);
    }
    return make_float4(t_code(luma, at), blue, red, ALPHA ? t_code(alpha, at) : 1.0f);
}
