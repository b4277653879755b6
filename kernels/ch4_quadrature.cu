// Chapter 4.2, work whose depth nobody knows: the area under a curve, found by dividing
// intervals until each is fine enough. Only the work itself shows which intervals have to be
// divided.
//
// Each interval is a node of a binary tree, numbered as in a heap: node 1 is [0, 1], and the halves
// of node i are 2*i and 2*i + 1. Areas are whole numbers in units of 2^-40, so that every order of
// additions gives the same sum.

typedef unsigned long long Node;

// As in ch4_nested.cu.
static __device__ void checkLaunch(unsigned int *failure)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        atomicCAS(&failure[0], 0u, (unsigned int)error);
        atomicAdd(&failure[1], 1u);
    }
}

// ANCHOR: curve
// A zigzag with n teeth, narrower and narrower towards 0.
static __device__ double curve(double x, unsigned int n)
{
    double r = 1.0 / x;
    return r < n ? fabs(r - floor(r) - 0.5) : 0.0;
}

// Returns whether the node has to be divided. If not, `area` is its area.
static __device__ bool isCoarse(Node node, unsigned int n, long long *area)
{
    int level = 63 - __clzll(node);
    double width = 1.0 / (1ull << level);
    double start = (node - (1ull << level)) * width;
    double coarse = curve(start + 0.5 * width, n);
    double fine = 0.5 * (curve(start + 0.25 * width, n) + curve(start + 0.75 * width, n));
    *area = __double2ll_rn(fine * width * (1ull << 40));
    return fabs(fine - coarse) > 1.0 / 256 && level < 48;
}
// ANCHOR_END: curve

// Flat: thread t does everything below node first + t, one node after another.
// ANCHOR: depthFirst
extern "C" __global__ void depthFirst(unsigned int first, unsigned long long *total, unsigned int n)
{
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= first) {
        return;
    }
    Node root = first + t, node = root;
    long long sum = 0, area;
    for (;;) {
        if (isCoarse(node, n, &area)) {
            node = 2 * node;
            continue;
        }
        sum += area;
        while (node != root && node % 2 == 1) { // a right half: so its parent is done
            node /= 2;
        }
        if (node == root) {
            break;
        }
        node += 1;
    }
    atomicAdd(total, (unsigned long long)sum);
}
// ANCHOR_END: depthFirst

// ANCHOR: level
// All nodes of one level, counts[0] of them. Those that have to be divided leave their halves in
// `halves`, counts[1] in all. The others add their area to `total`.
static __device__ void divideNodes(const Node *nodes, Node *halves, unsigned int *counts,
                                   unsigned long long *total, unsigned int n)
{
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    unsigned int count = counts[0], threads = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        long long area;
        if (isCoarse(nodes[i], n, &area)) {
            // One atomic addition for all lanes that are here: the first lane reserves the places,
            // and each takes its own.
            unsigned int here = __activemask(), first = __ffs(here) - 1, lane = threadIdx.x % 32;
            unsigned int place = 0;
            if (lane == first) {
                place = atomicAdd(&counts[1], 2 * __popc(here));
            }
            place = __shfl_sync(here, place, first) + 2 * __popc(here & ((1u << lane) - 1));
            halves[place] = 2 * nodes[i];
            halves[place + 1] = 2 * nodes[i] + 1;
        } else if (area != 0) {
            atomicAdd(&sum, (unsigned long long)area);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && sum != 0) {
        atomicAdd(total, sum);
    }
}

// Flat: one level, for the host or a graph to launch.
extern "C" __global__ void divideLevel(const Node *nodes, Node *halves, unsigned int *counts,
                                       unsigned long long *total, unsigned int n)
{
    divideNodes(nodes, halves, counts, total, n);
}
// ANCHOR_END: level

// Nested: the last block to finish knows how many nodes the next level has, and launches that
// level.
// ANCHOR: gpuRecursiveDivide
extern "C" __global__ void gpuRecursiveDivide(Node *nodes, Node *halves, unsigned int *counts,
                                              unsigned int *finished, unsigned long long *total,
                                              unsigned int n, unsigned int *failure)
{
    divideNodes(nodes, halves, counts, total, n);
    if (threadIdx.x == 0) {
        __threadfence(); // this block's part of counts[1], before it counts itself as finished
        if (atomicAdd(finished, 1) == gridDim.x - 1) {
            __threadfence(); // all blocks have finished, before their parts of counts[1] are read
            unsigned int count = atomicAdd(&counts[1], 0);
            if (count > 0) {
                unsigned int blocks = (count + blockDim.x - 1) / blockDim.x;
                gpuRecursiveDivide<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(
                    halves, nodes, counts + 1, finished + 1, total, n, failure);
                checkLaunch(failure);
            }
        }
    }
}
// ANCHOR_END: gpuRecursiveDivide

// Flat, for a graph with a loop: the level that `level` says. The last block to finish it says
// whether the graph goes on with the next one.
// ANCHOR: divideLevelWhile
extern "C" __global__ void divideLevelWhile(Node *even, Node *odd, unsigned int *counts,
                                            unsigned int *finished, unsigned int *level,
                                            unsigned long long *total, unsigned int n,
                                            cudaGraphConditionalHandle loop)
{
    unsigned int now = *level;
    divideNodes(now % 2 ? odd : even, now % 2 ? even : odd, counts + now, total, n);
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(finished + now, 1) == gridDim.x - 1) {
            __threadfence();
            *level = now + 1;
            cudaGraphSetConditional(loop, atomicAdd(&counts[now + 1], 0) > 0);
        }
    }
}
// ANCHOR_END: divideLevelWhile

// One launch, whose threads take nodes from a queue until the whole of [0, 1] is done.
// ANCHOR: divideQueue
struct Queue {
    unsigned int taken, offered; // places that have a reader; a writer
    unsigned long long done;     // width of the intervals that are done, in units of 2^-48
};

// A place holds 0 until its node is there. It has one writer and one reader in all.
extern "C" __global__ void divideQueue(Queue *queue, Node *places, unsigned long long *total,
                                       unsigned int n)
{
    unsigned int warp = __activemask(), mine = atomicAdd(&queue->taken, 1);
    unsigned long long width = 0;
    long long sum = 0, area;
    Node node = 0;
    for (;;) {
        if (node == 0) {
            node = *(volatile Node *)&places[mine];
        }
        if (__all_sync(warp, node == 0)) { // nothing to do: say what is done, and look for the end
            if (width != 0) {
                atomicAdd(total, (unsigned long long)sum);
                atomicAdd(&queue->done, width);
                width = sum = 0;
            }
            if (__any_sync(warp, *(volatile unsigned long long *)&queue->done == 1ull << 48)) {
                return;
            }
        } else if (node != 0 && isCoarse(node, n, &area)) { // keep one half, offer the other
            node = 2 * node;
            atomicExch(&places[atomicAdd(&queue->offered, 1)], node + 1);
        } else if (node != 0) {
            sum += area;
            width += 1ull << (48 - (63 - __clzll(node)));
            node = 0;
            mine = atomicAdd(&queue->taken, 1);
        }
    }
}
// ANCHOR_END: divideQueue
