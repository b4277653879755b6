// Chapter 8.1: what the last addition costs alone, from one number per GPU up to a gigabyte.

constexpr unsigned int BLOCK = 512;

// ANCHOR: addFromPeer
// Adds another GPU's numbers to this one's. `theirs` lies in the memory of the other: its loads go through
// NVLink, 16 bytes each, and the thread asks for two before it waits for one. All arrays begin at a multiple
// of 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK)
    addFromPeer(const unsigned int *mine, const unsigned int *theirs, unsigned int *g_odata,
                unsigned int size)
{
    unsigned int vectors = size / 4, stride = gridDim.x * BLOCK, thread = blockIdx.x * BLOCK + threadIdx.x;
    for (unsigned int i = thread; i < vectors; i += stride) {
        uint4 there = ((const uint4 *)theirs)[i], here = ((const uint4 *)mine)[i];
        ((uint4 *)g_odata)[i] =
            make_uint4(here.x + there.x, here.y + there.y, here.z + there.z, here.w + there.w);
    }
    if (thread < size % 4) { // what is left behind the last 16 bytes
        unsigned int i = vectors * 4 + thread;
        g_odata[i] = mine[i] + theirs[i];
    }
}
// ANCHOR_END: addFromPeer
