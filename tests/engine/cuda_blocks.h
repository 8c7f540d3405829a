// CUDA blocks on the processor: every thread of a block is a fiber, collectives are barriers, and the order in which
// threads take their turns is random. It finds what depends on that order, which a real device may hide.
#pragma once
#include <ucontext.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <algorithm>
using std::min; using std::max;
#define __device__
#define __global__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
struct Dim { unsigned x, y, z; };
struct uint4 { unsigned x, y, z, w; };
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
struct uint2 { unsigned x, y; };
struct uchar4 { unsigned char x, y, z, w; };
static inline uchar4 make_uchar4(int x, int y, int z, int w) {
    return {(unsigned char)x, (unsigned char)y, (unsigned char)z, (unsigned char)w};
}
struct float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
struct __half { _Float16 value; };
static inline float __half2float(__half x) { return (float)x.value; }
static inline __half __float2half_rn(float x) { return {(_Float16)x}; }
static inline __half __ushort_as_half(unsigned short x) { __half y; memcpy(&y, &x, 2); return y; }
static inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
static inline int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned by) {
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (unsigned n = 0; n < 4; n++) result |= (unsigned)(both >> 8 * (by >> 4 * n & 7) & 255) << 8 * n;
    return result;
}
namespace host {
struct Warp { unsigned waiting = 0, generation = 0; uint64_t slots[32]; };
struct Fiber { ucontext_t context; std::vector<char> stack; Dim index; bool done; };
static std::vector<Fiber> fibers; static std::vector<Warp> warps;
static ucontext_t scheduler; static unsigned current, block_waiting, block_generation, alive;
static std::function<void()> body;
static void yield() { swapcontext(&fibers[current].context, &scheduler); }
static void entry() { body(); fibers[current].done = true; alive--; swapcontext(&fibers[current].context, &scheduler); }
static unsigned lane() { return current & 31; }
static Warp &warp() { return warps[current >> 5]; }
static void warp_barrier(unsigned mask) {
    Warp &w = warp(); unsigned g = w.generation;
    w.waiting |= 1u << lane();
    if ((w.waiting & mask) == mask) { w.waiting = 0; w.generation++; return; }
    while (w.generation == g) yield();
}
template <typename T> static uint64_t bits(T v) { uint64_t x = 0; memcpy(&x, &v, sizeof(T)); return x; }
template <typename T> static T value(uint64_t x) { T v; memcpy(&v, &x, sizeof(T)); return v; }
}
static Dim blockIdx, blockDim, gridDim;
#define threadIdx (host::fibers[host::current].index)
static inline void __syncthreads() {
    unsigned g = host::block_generation;
    if (++host::block_waiting == host::fibers.size()) { host::block_waiting = 0; host::block_generation++; return; }
    while (host::block_generation == g) host::yield();
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) { host::warp_barrier(mask); }
template <typename T> static T __shfl_sync(unsigned mask, T v, unsigned from) {
    host::warp().slots[host::lane()] = host::bits(v); host::warp_barrier(mask);
    T r = host::value<T>(host::warp().slots[from & 31]); host::warp_barrier(mask); return r;
}
template <typename T> static T __shfl_up_sync(unsigned mask, T v, unsigned by) {
    return __shfl_sync(mask, v, host::lane() >= by ? host::lane() - by : host::lane());
}
template <typename T> static T __shfl_xor_sync(unsigned mask, T v, unsigned by) { return __shfl_sync(mask, v, host::lane() ^ by); }
static inline unsigned __ballot_sync(unsigned mask, int p) {
    host::warp().slots[host::lane()] = p != 0; host::warp_barrier(mask);
    unsigned r = 0; for (unsigned n = 0; n < 32; n++) if (mask >> n & 1 && host::warp().slots[n]) r |= 1u << n;
    host::warp_barrier(mask); return r;
}
static inline unsigned __match_any_sync(unsigned mask, unsigned v) {
    host::warp().slots[host::lane()] = v; host::warp_barrier(mask);
    unsigned r = 0; for (unsigned n = 0; n < 32; n++) if (mask >> n & 1 && host::warp().slots[n] == v) r |= 1u << n;
    host::warp_barrier(mask); return r;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == mask; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline unsigned __brev(unsigned x) { unsigned r = 0; for (int n = 0; n < 32; n++) r |= (x >> n & 1) << (31 - n); return r; }
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { s &= 31; return s ? lo >> s | hi << (32 - s) : lo; }
template <typename T> static T __ldg(const T *p) { return *p; }
template <typename T> static T __ldcs(const T *p) { return *p; }
template <typename T> static void __stcs(T *p, T x) { *p = x; }
template <typename T> static T atomicAdd(T *p, T v) { T o = *p; *p += v; return o; }
template <typename T> static T atomicMax(T *p, T v) { T o = *p; if (v > o) *p = v; return o; }
template <typename T> static T atomicMin(T *p, T v) { T o = *p; if (v < o) *p = v; return o; }
template <typename T> static T atomicOr(T *p, T v) { T o = *p; *p |= v; return o; }
static inline void __threadfence_block() {}
namespace host {
static unsigned seed = 1;
static unsigned random() { seed = seed * 1664525u + 1013904223u; return seed >> 8; }
// Run a kernel over `blocks` blocks of `threads` threads (a multiple of 32), one block after the other.
template <typename F> static void launch(unsigned blocks, unsigned threads, F kernel) {
    fibers.resize(threads); warps.assign(threads / 32, Warp()); body = kernel;
    gridDim = {blocks, 1, 1}; blockDim = {threads, 1, 1};
    for (unsigned b = 0; b < blocks; b++) {
        blockIdx = {b, 0, 0}; block_waiting = 0; alive = threads;
        for (auto &w : warps) w = Warp();
        for (unsigned t = 0; t < threads; t++) {
            Fiber &f = fibers[t]; f.stack.resize(1 << 18); f.index = {t, 0, 0}; f.done = false;
            getcontext(&f.context); f.context.uc_stack.ss_sp = f.stack.data(); f.context.uc_stack.ss_size = f.stack.size();
            f.context.uc_link = nullptr; makecontext(&f.context, entry, 0);
        }
        unsigned stride = 1 + 2 * (random() % 16);
        while (alive) {
            unsigned first = random() % threads;
            for (unsigned n = 0; n < threads; n++) {
                current = (first + n * stride) % threads;
                if (!fibers[current].done) swapcontext(&scheduler, &fibers[current].context);
            }
        }
    }
}
}
