// What the kernels that decode chunks know of one. The layout is that of CHUNK in the backend.

#define WHOLE_WARP 0xffffffffu
#define LARGEST (1u << 28)  // bytes of a chunk, packed or not: the positions of its bits fit 32 bits

enum Verdict { GOOD = 0, DAMAGED = 1, WRONG_SUM = 2 };

// `source`: its first packed byte. `planes`: where its bytes go that still are split and predicted; a multiple of 16.
// Its pixels are `width` x `height` from (x, y) of the lines on.
struct Chunk {
    unsigned long long source, planes;
    unsigned packed, size;
    int x, y, width, height;
};

__device__ __forceinline__ bool is_raw(const Chunk &chunk) { return chunk.packed == chunk.size; }
