// The kernels' words and storages in CUDA C++. The kernels are written in what it has in common with OpenCL C, whose words
// and storages are in language.cl.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

#define GLOBAL
#define CONSTANT
#define LOCAL __shared__
#define FUNCTION __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define KERNEL_OF(threads) extern "C" __global__ void __launch_bounds__(threads)
#define UNIFORM_VALUES const Uniforms
#define VALUES_OF(uniforms) uniforms.u
// Memory of a block whose size is known at the launch: a parameter of the kernel in OpenCL C.
#define LOCAL_PARAMETER(type, name)
#define LOCAL_MEMORY(type, name) extern __shared__ type name[]

// Samples are stored as float, __half, or for display as uchar. Four at a time are `Four` in memory; those that are read
// or written once leave the cache to others.
template <typename T> struct Four;
template <> struct Four<float> { typedef float4 type; };
template <> struct Four<__half> { typedef uint2 type; };
template <> struct Four<uchar> { typedef uchar4 type; };

FUNCTION float t_of_half(ushort bits) { return __half2float(__ushort_as_half(bits)); }

FUNCTION uchar t_byte(float x) {
    const float above = x > 0.0f ? x : 0.0f;
    return (uchar)(int)((above < 1.0f ? above : 1.0f) * 255.0f + 0.5f);
}

FUNCTION float t_number(const float *pixels, size_t at) { return pixels[at]; }
FUNCTION float t_number(const __half *pixels, size_t at) { return __half2float(pixels[at]); }
FUNCTION void t_put(float *pixels, size_t at, float x) { pixels[at] = x; }
FUNCTION void t_put(__half *pixels, size_t at, float x) { pixels[at] = __float2half_rn(x); }
FUNCTION void t_put(uchar *pixels, size_t at, float x) { pixels[at] = t_byte(x); }

FUNCTION float4 t_unpacked(float4 p) { return p; }

FUNCTION float4 t_unpacked(uint2 bits) {
    const __half *p = reinterpret_cast<const __half *>(&bits);
    return make_float4(__half2float(p[0]), __half2float(p[1]), __half2float(p[2]), __half2float(p[3]));
}

FUNCTION void t_pack(float4 p, float4 *four) { *four = p; }
FUNCTION void t_pack(float4 p, uchar4 *four) { *four = make_uchar4(t_byte(p.x), t_byte(p.y), t_byte(p.z), 255); }

FUNCTION void t_pack(float4 p, uint2 *four) {
    __half *halves = reinterpret_cast<__half *>(four);
    halves[0] = __float2half_rn(p.x);
    halves[1] = __float2half_rn(p.y);
    halves[2] = __float2half_rn(p.z);
    halves[3] = __float2half_rn(p.w);
}

template <typename T> FUNCTION float4 t_four(const T *pixels, size_t i) {
    return t_unpacked(__ldg(reinterpret_cast<const typename Four<T>::type *>(pixels) + i));
}

template <typename T> FUNCTION float4 t_four_once(const T *pixels, size_t i) {
    return t_unpacked(__ldcs(reinterpret_cast<const typename Four<T>::type *>(pixels) + i));
}

template <typename T> FUNCTION void t_put_four(T *pixels, size_t i, float4 p) {
    t_pack(p, reinterpret_cast<typename Four<T>::type *>(pixels) + i);
}

template <typename T> FUNCTION void t_put_four_once(T *pixels, size_t i, float4 p) {
    typename Four<T>::type four;
    t_pack(p, &four);
    __stcs(reinterpret_cast<typename Four<T>::type *>(pixels) + i, four);
}
