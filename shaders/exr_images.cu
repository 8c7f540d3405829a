// Between lines, which hold the samples of each channel of a row of pixels together, and images, which hold those of each
// pixel together. The backend defines IMAGE (float or __half), the storage of images, and COMPONENTS (3 or 4).

enum Type { NONE = 0, HALF = 1, FLOAT = 2, UINT = 3 };

// A channel of the lines: the byte of a line at which it begins, and its Type; NONE where a component has no channel.
struct Channel { unsigned long long start; int type, unused; };

struct Channels { Channel of[COMPONENTS]; };

__device__ __forceinline__ void store(float *to, float value) { *to = value; }
__device__ __forceinline__ void store(__half *to, float value) { *to = __float2half_rn(value); }
__device__ __forceinline__ void store_half(float *to, __half value) { *to = __half2float(value); }
__device__ __forceinline__ void store_half(__half *to, __half value) { *to = value; }
__device__ __forceinline__ float number(float value) { return value; }
__device__ __forceinline__ float number(__half value) { return __half2float(value); }
__device__ __forceinline__ __half as_half(float value) { return __float2half_rn(value); }
__device__ __forceinline__ __half as_half(__half value) { return value; }

// Samples of 4 bytes lie at any even place.
__device__ __forceinline__ unsigned load_four(const unsigned char *from) {
    const unsigned short *pair = (const unsigned short *)from;
    return (size_t)from % 4 ? pair[0] | (unsigned)pair[1] << 16 : *(const unsigned *)from;
}

__device__ __forceinline__ void store_four(unsigned char *to, unsigned value) {
    unsigned short *pair = (unsigned short *)to;
    if ((size_t)to % 4) pair[0] = (unsigned short)value, pair[1] = (unsigned short)(value >> 16);
    else *(unsigned *)to = value;
}

// Make an image of `width` x `height` pixels from lines of `line_bytes` bytes.
extern "C" __global__ void gather(const unsigned char *__restrict__ lines, IMAGE *__restrict__ image, unsigned width,
                                  unsigned height, unsigned long long line_bytes, const Channels channels) {
    const unsigned long long pixels = (unsigned long long)width * height, step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long n = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; n < pixels; n += step) {
        const unsigned y = (unsigned)(n / width), x = (unsigned)(n - (unsigned long long)y * width);
        const unsigned char *line = lines + y * line_bytes;
        IMAGE *pixel = image + n * COMPONENTS;
#pragma unroll
        for (int c = 0; c < COMPONENTS; c++) {
            const unsigned char *from = line + channels.of[c].start;
            const int type = channels.of[c].type;
            if (type == HALF) store_half(pixel + c, ((const __half *)from)[x]);
            else if (type == FLOAT) store(pixel + c, __int_as_float((int)load_four(from + 4ull * x)));
            else if (type == UINT) store(pixel + c, (float)load_four(from + 4ull * x) * 2.3283064365386963e-10f);
            else store(pixel + c, 0.0f);
        }
    }
}

// Write an image into lines.
extern "C" __global__ void scatter(const IMAGE *__restrict__ image, unsigned char *__restrict__ lines, unsigned width,
                                   unsigned height, unsigned long long line_bytes, const Channels channels) {
    const unsigned long long pixels = (unsigned long long)width * height, step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long n = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; n < pixels; n += step) {
        const unsigned y = (unsigned)(n / width), x = (unsigned)(n - (unsigned long long)y * width);
        unsigned char *line = lines + y * line_bytes;
        const IMAGE *pixel = image + n * COMPONENTS;
#pragma unroll
        for (int c = 0; c < COMPONENTS; c++) {
            unsigned char *to = line + channels.of[c].start;
            const int type = channels.of[c].type;
            if (type == HALF) ((__half *)to)[x] = as_half(pixel[c]);
            else if (type == FLOAT) store_four(to + 4ull * x, (unsigned)__float_as_int(number(pixel[c])));
        }
    }
}
