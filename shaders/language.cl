// The kernels' words and storages in OpenCL C 1.2; see language.cu. Prepended to the shared kernels.
//
// The backend defines SOURCE and TARGET (float, half, or uchar for display) where a kernel has them.
#pragma OPENCL FP_CONTRACT OFF

#define GLOBAL __global
#define CONSTANT __constant
#define LOCAL __local
#define FUNCTION static inline
#define KERNEL __kernel void
#define KERNEL_OF(threads) __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void
#define UNIFORM_VALUES __constant const float *
#define VALUES_OF(uniforms) uniforms
#define LOCAL_PARAMETER(type, name) , __local type *name
#define LOCAL_MEMORY(type, name)
#define __restrict__ restrict

#define threadIdx ((uint2)(get_local_id(0), 0))
#define blockIdx ((uint2)(get_group_id(0), 0))
#define blockDim ((uint2)(get_local_size(0), 0))
#define gridDim ((uint2)(get_num_groups(0), 0))
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)
#define atomicAdd atomic_add

#define make_float3(x, y, z) ((float3)((x), (y), (z)))
#define make_float4(x, y, z, w) ((float4)((x), (y), (z), (w)))
#define __int_as_float as_float
#define __float_as_int as_int
#define __ldg(pointer) (*(pointer))
#define __ldcs(pointer) (*(pointer))

// Nothing is contracted, so each operation is rounded by itself.
#define __fmul_rn(a, b) ((a) * (b))
#define __fadd_rn(a, b) ((a) + (b))
#define __fsub_rn(a, b) ((a) - (b))
// Rounded down, for a from 0 to 2 ** 23 and b of 2 ** 23.
#define __fadd_rd(a, b) (floor(a) + (b))
#define fmaf fma
#define fminf fmin
#define fmaxf fmax
#define fabsf fabs
#define floorf floor
#define rintf rint
#define sqrtf sqrt
#define exp2f exp2
#define log2f log2

#define PASTED(a, b) a##b
#define NAMED(name, storage) PASTED(name, storage)
#define t_number NAMED(t_number_, SOURCE)
#define t_four NAMED(t_four_, SOURCE)
#define t_four_once t_four
#define t_put NAMED(t_put_, TARGET)
#define t_put_four NAMED(t_put_four_, TARGET)
#define t_put_four_once t_put_four

FUNCTION float t_of_half(ushort bits) { return vload_half(0, (const half *)&bits); }
FUNCTION uchar t_byte(float x) { return (uchar)(int)((x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f) * 255.0f + 0.5f); }

FUNCTION float t_number_float(const __global float *pixels, size_t at) { return pixels[at]; }
FUNCTION float t_number_half(const __global half *pixels, size_t at) { return vload_half(at, pixels); }
FUNCTION void t_put_float(__global float *pixels, size_t at, float x) { pixels[at] = x; }
FUNCTION void t_put_half(__global half *pixels, size_t at, float x) { vstore_half_rte(x, at, pixels); }
FUNCTION void t_put_uchar(__global uchar *pixels, size_t at, float x) { pixels[at] = t_byte(x); }

FUNCTION float4 t_four_float(const __global float *pixels, size_t i) { return vload4(i, pixels); }
FUNCTION float4 t_four_half(const __global half *pixels, size_t i) { return vload_half4(i, pixels); }
FUNCTION void t_put_four_float(__global float *pixels, size_t i, float4 p) { vstore4(p, i, pixels); }
FUNCTION void t_put_four_half(__global half *pixels, size_t i, float4 p) { vstore_half4_rte(p, i, pixels); }

FUNCTION void t_put_four_uchar(__global uchar *pixels, size_t i, float4 p) {
    vstore4((uchar4)(t_byte(p.x), t_byte(p.y), t_byte(p.z), 255), i, pixels);
}
