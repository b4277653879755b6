// Chapter 4.3: the sums of the rows of a ragged array. Row r has the elements offsets[r] up to
// offsets[r + 1] of `values`; offsets[0] is 0, and offsets[m] is n, the number of elements.
//
// blockDim.x is a multiple of 32 everywhere. There are fewer than 2^32 - 8 elements and rows; what
// counts both together has 64 bits.

typedef unsigned long long Wide;

// As in ch4_nested.cu.
static __device__ void checkLaunch(unsigned int *failure)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        atomicCAS(&failure[0], 0u, (unsigned int)error);
        atomicAdd(&failure[1], 1u);
    }
}

// Every lane gets the sum of its WIDTH neighbours: of the warp.
template <unsigned int WIDTH = 32, typename T> static __device__ T warpSum(T sum)
{
    for (unsigned int lanes = WIDTH / 2; lanes > 0; lanes /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    }
    return sum;
}

// Thread 0 gets the sum of the block.
static __device__ unsigned int blockSum(unsigned int sum)
{
    __shared__ unsigned int sums[32];
    unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    sum = warpSum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    return warp == 0 ? warpSum(lane < blockDim.x / 32 ? sums[lane] : 0) : 0;
}

// ---- a thread, a warp, a block per row

// ANCHOR: threadPerRow
extern "C" __global__ void threadPerRow(const unsigned int *values, const unsigned int *offsets,
                                        unsigned int *sums, unsigned int m)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) {
        return;
    }
    unsigned int sum = 0;
    for (unsigned int i = offsets[row]; i < offsets[row + 1]; ++i) {
        sum += values[i];
    }
    sums[row] = sum;
}
// ANCHOR_END: threadPerRow

// ANCHOR: warpPerRow
extern "C" __global__ void warpPerRow(const unsigned int *values, const unsigned int *offsets,
                                      unsigned int *sums, unsigned int m)
{
    size_t row = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= m) {
        return;
    }
    unsigned int lane = threadIdx.x % 32, sum = 0;
    for (size_t i = offsets[row] + (size_t)lane; i < offsets[row + 1]; i += 32) {
        sum += values[i];
    }
    sum = warpSum(sum);
    if (lane == 0) {
        sums[row] = sum;
    }
}
// ANCHOR_END: warpPerRow

// ANCHOR: blockPerRow
extern "C" __global__ void blockPerRow(const unsigned int *values, const unsigned int *offsets,
                                       unsigned int *sums, unsigned int m)
{
    size_t row = blockIdx.x;
    if (row >= m) {
        return;
    }
    unsigned int sum = 0;
    for (size_t i = offsets[row] + (size_t)threadIdx.x; i < offsets[row + 1]; i += blockDim.x) {
        sum += values[i];
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        sums[row] = sum;
    }
}
// ANCHOR_END: blockPerRow

// ---- a child per row

// ANCHOR: addRow
constexpr unsigned int CHILD = 256; // threads per block of a child

// A child: one thread per element of one row. Each block adds its part to the row's sum.
extern "C" __global__ void addRow(const unsigned int *row, unsigned int length, unsigned int *sum)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int part = blockSum(i < length ? row[i] : 0);
    if (threadIdx.x == 0) {
        atomicAdd(sum, part);
    }
}

static __device__ void launchChild(const unsigned int *row, unsigned int length, unsigned int *sum,
                                   unsigned int *failure)
{
    *sum = 0; // the child sees what this thread wrote before the launch
    addRow<<<(length + CHILD - 1) / CHILD, CHILD, 0, cudaStreamFireAndForget>>>(row, length, sum);
    checkLaunch(failure);
}
// ANCHOR_END: addRow

// ANCHOR: childPerRow
extern "C" __global__ void childPerRow(const unsigned int *values, const unsigned int *offsets,
                                       unsigned int *sums, unsigned int m, unsigned int *failure)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) {
        return;
    }
    unsigned int first = offsets[row], length = offsets[row + 1] - first;
    if (length > 0) {
        launchChild(values + first, length, &sums[row], failure);
    } else {
        sums[row] = 0;
    }
}
// ANCHOR_END: childPerRow

// ANCHOR: childPerLongRow
constexpr unsigned int THRESHOLD = 256; // longer rows are not added up by one thread

static __device__ unsigned int sumOfShortRow(const unsigned int *row, unsigned int length)
{
    unsigned int sum = 0;
    for (unsigned int i = 0; i < length; ++i) {
        sum += row[i];
    }
    return sum;
}

extern "C" __global__ void childPerLongRow(const unsigned int *values, const unsigned int *offsets,
                                           unsigned int *sums, unsigned int m, unsigned int *failure)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) {
        return;
    }
    unsigned int first = offsets[row], length = offsets[row + 1] - first;
    if (length > THRESHOLD) {
        launchChild(values + first, length, &sums[row], failure);
    } else {
        sums[row] = sumOfShortRow(values + first, length);
    }
}
// ANCHOR_END: childPerLongRow

// ---- one child for many rows

// ANCHOR: addRows
// A long row of a list, and the blocks of the child that come before its own.
struct LongRow {
    unsigned int row, blocksBefore;
};

// A child: blocks of `each` elements, those of the first row of the list, then those of the second, …
extern "C" __global__ void addRows(const LongRow *list, unsigned int rows, unsigned int each,
                                   const unsigned int *values, const unsigned int *offsets,
                                   unsigned int *sums)
{
    unsigned int low = 0, high = rows - 1; // the last row whose blocks do not begin after this block
    while (low < high) {
        unsigned int middle = (low + high + 1) / 2;
        if (list[middle].blocksBefore <= blockIdx.x) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    LongRow mine = list[low];
    size_t begin = offsets[mine.row] + (size_t)(blockIdx.x - mine.blocksBefore) * each;
    size_t end = min(begin + each, (size_t)offsets[mine.row + 1]);
    unsigned int sum = 0;
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        sum += values[i];
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        atomicAdd(&sums[mine.row], sum);
    }
}
// ANCHOR_END: addRows

// ANCHOR: childPerBlock
// The parent: a thread adds up a short row and puts a long one on the list. `counts` has the list's
// rows in its upper half and their blocks in the lower one, so that one atomic addition gives a row
// its place in both.
static __device__ void addOrList(const unsigned int *values, const unsigned int *offsets,
                                 unsigned int *sums, unsigned int m, unsigned int each, LongRow *list,
                                 Wide *counts)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) {
        return;
    }
    unsigned int first = offsets[row], length = offsets[row + 1] - first;
    if (length <= THRESHOLD) {
        sums[row] = sumOfShortRow(values + first, length);
        return;
    }
    sums[row] = 0;
    Wide before = atomicAdd(counts, 1ull << 32 | ((length - 1) / each + 1));
    list[before >> 32] = LongRow{(unsigned int)row, (unsigned int)before};
}

// One child for all long rows of this block, whose part of `lists` has a place for each thread.
static __device__ void childForThisBlock(const unsigned int *values, const unsigned int *offsets,
                                         unsigned int *sums, unsigned int m, unsigned int each,
                                         LongRow *lists, unsigned int *failure)
{
    __shared__ Wide counts;
    if (threadIdx.x == 0) {
        counts = 0;
    }
    __syncthreads();
    LongRow *list = lists + (size_t)blockIdx.x * blockDim.x;
    addOrList(values, offsets, sums, m, each, list, &counts);
    __syncthreads(); // what the block wrote, thread 0 sees, and so does the child that it launches
    if (threadIdx.x == 0 && counts != 0) {
        addRows<<<(unsigned int)counts, CHILD, 0, cudaStreamFireAndForget>>>(
            list, counts >> 32, each, values, offsets, sums);
        checkLaunch(failure);
    }
}

extern "C" __global__ void childPerBlock(const unsigned int *values, const unsigned int *offsets,
                                         unsigned int *sums, unsigned int m, LongRow *lists,
                                         unsigned int *failure)
{
    childForThisBlock(values, offsets, sums, m, CHILD, lists, failure);
}
// ANCHOR_END: childPerBlock

// ANCHOR: childPerBlockCoarse
constexpr unsigned int COARSE = 16 * CHILD; // elements per block of a child

extern "C" __global__ void childPerBlockCoarse(const unsigned int *values,
                                               const unsigned int *offsets, unsigned int *sums,
                                               unsigned int m, LongRow *lists, unsigned int *failure)
{
    childForThisBlock(values, offsets, sums, m, COARSE, lists, failure);
}
// ANCHOR_END: childPerBlockCoarse

// ANCHOR: childPerGrid
// One child for all long rows, launched by the last block to finish. `counts` and `finished` are 0,
// and are left at 0.
extern "C" __global__ void childPerGrid(const unsigned int *values, const unsigned int *offsets,
                                        unsigned int *sums, unsigned int m, LongRow *list, Wide *counts,
                                        unsigned int *finished, unsigned int *failure)
{
    addOrList(values, offsets, sums, m, COARSE, list, counts);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // this block's rows, before it counts itself as finished
        if (atomicInc(finished, gridDim.x - 1) == gridDim.x - 1) {
            __threadfence(); // all blocks have finished, before the list is handed on
            Wide all = atomicExch(counts, 0);
            if (all != 0) {
                addRows<<<(unsigned int)all, CHILD, 0, cudaStreamFireAndForget>>>(
                    list, all >> 32, COARSE, values, offsets, sums);
                checkLaunch(failure);
            }
        }
    }
}
// ANCHOR_END: childPerGrid

// ---- flattened: equal shares of the merge path

// ANCHOR: rowsBefore
// The path has n + m steps: every element, and after the elements of a row its end. So the end of
// row r is step offsets[r + 1] + r. Returns how many ends come before `step`.
static __device__ unsigned int rowsBefore(Wide step, const unsigned int *offsets, unsigned int m)
{
    unsigned int low = 0, high = m;
    while (low < high) {
        unsigned int middle = low + (high - low) / 2;
        if ((Wide)offsets[middle + 1] + middle < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
// ANCHOR_END: rowsBefore

// ANCHOR: mergePath
// A thread per `each` steps. `sums` is 0: a row that begins or ends in another thread's share is
// added to its sum; a row of this share alone is stored.
extern "C" __global__ void mergePath(const unsigned int *values, const unsigned int *offsets,
                                     unsigned int *sums, unsigned int n, unsigned int m,
                                     unsigned int each)
{
    Wide step = ((Wide)blockIdx.x * blockDim.x + threadIdx.x) * each, all = (Wide)n + m;
    if (step >= all) {
        return;
    }
    Wide end = min(step + each, all);
    unsigned int row = rowsBefore(step, offsets, m);
    unsigned int i = step - row; // the other steps were elements
    bool whole = i == offsets[row];
    unsigned int sum = 0, rowEnd = offsets[row + 1];
    for (; step < end; ++step) {
        if (i < rowEnd) {
            sum += values[i];
            ++i;
            continue;
        }
        if (whole) {
            sums[row] = sum;
        } else {
            atomicAdd(&sums[row], sum);
        }
        ++row;
        whole = true;
        sum = 0;
        rowEnd = row < m ? offsets[row + 1] : 0;
    }
    if (row < m && sum != 0) { // the carry: the row goes on in the next share
        atomicAdd(&sums[row], sum);
    }
}
// ANCHOR_END: mergePath

// ---- flattened, at the speed of the memory: a share per warp, tile by tile

// ANCHOR: tile
constexpr unsigned int SHARE_WARPS = 8; // warps per block
constexpr unsigned int RUN = 8;         // elements side by side in one lane
constexpr unsigned int RUNS = 2;        // such runs per lane
constexpr unsigned int TILE = 32 * RUN * RUNS;
// Steps of a row's end, here: a tile in which rows end takes longer than one that is only added.
constexpr Wide END_STEPS = 8;

// What a lane loads at once.
template <typename T> struct __align__(16) Four {
    T x[4];

    __device__ T sum() const { return (x[0] + x[1]) + (x[2] + x[3]); }
};

// A warp's shared memory. `upTo` has for each element of a tile the sum of its row's elements in its
// run, up to itself; `before` for each run what its first row has before it; `begins` whether a row
// begins at an element. `begins` is 0 between tiles.
template <typename T> struct Room {
    Four<T> upTo[TILE / 4];
    unsigned int begins[TILE / 4]; // a byte per element
    T before[TILE / RUN + 4];
};

// Where four elements stand in `upTo`: eight lanes that store at once use all banks.
static __device__ unsigned int place(unsigned int four)
{
    return four ^ (four >> 3 & 1);
}
// ANCHOR_END: tile

// ANCHOR: cut
// A place on the path: row i is open, and the elements before j are behind.
struct Cut {
    unsigned int row, element;
    unsigned int rowBegin; // of that row; n if there is none
};

// Half-warp h of a warp gets the place of `step`, which it gives: 64 places are tried at a time. A cut
// within a row of at most `whole` elements, or within the steps of the end before, is moved to the row's
// begin.
static __device__ Cut cutAt(Wide step, const unsigned int *offsets, unsigned int m, unsigned int whole)
{
    unsigned int half = threadIdx.x % 32 / 16, lane = threadIdx.x % 16;
    unsigned int low = 0, high = m;
    while (__any_sync(0xffffffff, low < high)) {
        unsigned int stride = (high - low) / 65 + 1, passed = 0;
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
            unsigned int row = low + (16 * k + lane + 1) * stride - 1;
            bool isBefore = row < high && (Wide)offsets[row + 1] + END_STEPS * row < step;
            passed += __popc(__ballot_sync(0xffffffff, isBefore) >> 16 * half & 0xffff);
        }
        if (low < high) {
            low += passed * stride;
            high = min(high, low + stride - 1);
        }
    }
    unsigned int rowBegin = offsets[low];
    Cut cut = {low, rowBegin, rowBegin};
    Wide rowStep = END_STEPS * low + rowBegin; // of the row's first element
    if (low < m && step > rowStep && offsets[low + 1] - rowBegin > whole) {
        cut.element += (unsigned int)(step - rowStep);
    }
    return cut;
}

static __device__ Cut ofHalf(Cut cut, unsigned int half)
{
    return Cut{__shfl_sync(0xffffffff, cut.row, 16 * half),
               __shfl_sync(0xffffffff, cut.element, 16 * half),
               __shfl_sync(0xffffffff, cut.rowBegin, 16 * half)};
}
// ANCHOR_END: cut

// ANCHOR: loadTile
// A lane's elements of the tile that begins at `from`; those outside of [first, end) are 0. `aligned`
// is a multiple of 16 bytes.
template <typename T>
static __device__ void loadTile(Four<T> *to, const T *aligned, unsigned int from, unsigned int first,
                                unsigned int end)
{
    unsigned int lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned int k = 0; k < RUNS * RUN / 4; ++k) {
        unsigned int four = k / (RUN / 4) * 32 * (RUN / 4) + lane * (RUN / 4) + k % (RUN / 4);
        unsigned int at = from + 4 * four;
        if (from >= first && from + TILE <= end) { // the whole tile
            int4 bits = __ldcs(reinterpret_cast<const int4 *>(aligned + at)); // it is read once
            to[k] = *reinterpret_cast<Four<T> *>(&bits);
        } else {
#pragma unroll
            for (unsigned int c = 0; c < 4; ++c) {
                to[k].x[c] = at + c >= first && at + c < end ? aligned[at + c] : T(0);
            }
        }
    }
}
// ANCHOR_END: loadTile

// ANCHOR: scanTile
// Fills `upTo` and `before`, and clears `begins`. `open` is what the open row has before the tile;
// returns what the last row has at the tile's end.
template <typename T> static __device__ T scanTile(Room<T> &room, const Four<T> *tile, T open)
{
    unsigned int lane = threadIdx.x % 32;
    if (lane == 0) {
        room.before[0] = open;
    }
#pragma unroll
    for (unsigned int k = 0; k < RUNS; ++k) {
        T sum = T(0);
        unsigned int any = 0;
#pragma unroll
        for (unsigned int v = 0; v < RUN / 4; ++v) {
            unsigned int four = (k * 32 + lane) * (RUN / 4) + v;
            unsigned int begins = room.begins[four];
            room.begins[four] = 0;
            any |= begins;
            Four<T> upTo = tile[k * (RUN / 4) + v];
            upTo.x[0] = begins & 0xff || v == 0 ? upTo.x[0] : sum + upTo.x[0];
            upTo.x[1] = begins & 0xff00 ? upTo.x[1] : upTo.x[0] + upTo.x[1];
            upTo.x[2] = begins & 0xff0000 ? upTo.x[2] : upTo.x[1] + upTo.x[2];
            upTo.x[3] = begins & 0xff000000 ? upTo.x[3] : upTo.x[2] + upTo.x[3];
            sum = upTo.x[3];
            room.upTo[place(four)] = upTo;
        }
        // The lanes' last sums, added up from the last lane in which a row begins.
        unsigned int begin = __ballot_sync(0xffffffff, any != 0) & 0xffffffff >> (31 - lane);
        unsigned int reach = begin != 0 ? lane - (31 - __clz(begin)) : lane;
#pragma unroll
        for (unsigned int lanes = 1; lanes < 32; lanes *= 2) {
            T other = __shfl_up_sync(0xffffffff, sum, lanes);
            sum = lanes <= reach ? other + sum : sum;
        }
        sum = begin != 0 ? sum : open + sum;
        room.before[k * 32 + lane + 1] = sum;
        open = __shfl_sync(0xffffffff, sum, 31);
    }
    return open;
}
// ANCHOR_END: scanTile

// ANCHOR: together
// A row of several parts: the last one to arrive adds them up, always in the same order. The first is in
// parts[places + second - 1], the others in parts[second] up to parts[last]. `arrived` is 0, and is left
// at 0.
template <typename T>
static __device__ void addTogether(unsigned int second, unsigned int last, unsigned int places, T *parts,
                                   unsigned int *arrived, T *rowSum)
{
    unsigned int lane = threadIdx.x % 32, others = last - second + 1, before = 0;
    __syncwarp();
    if (lane == 0) {
        __threadfence(); // this part, before it counts as arrived
        before = atomicInc(&arrived[second], others);
        __threadfence(); // all parts have arrived, before they are read
    }
    if (__shfl_sync(0xffffffff, before, 0) < others) {
        return;
    }
    __syncwarp();
    T sum = lane == 0 ? parts[places + second - 1] : T(0);
    // Parts are few, or there are many: 16 bytes at a time, but for the first and the last ones.
    unsigned int begin = min(last + 1, (second + 3) / 4 * 4), end = max(begin, (last + 1) / 4 * 4);
    if (second + lane < begin) {
        sum += parts[second + lane];
    }
#pragma unroll 4
    for (unsigned int k = begin + 4 * lane; k < end; k += 128) {
        Four<T> four = *reinterpret_cast<const Four<T> *>(parts + k);
        sum += four.sum();
    }
    if (end + lane <= last) {
        sum += parts[end + lane];
    }
    sum = warpSum(sum);
    if (lane == 0) {
        *rowSum = sum;
    }
}

// The same of a row that lies in several shares, each of which has a part.
template <typename T>
static __device__ void addShares(unsigned int row, unsigned int share, const unsigned int *offsets,
                                 unsigned int places, T *parts, unsigned int *arrived, T *sums)
{
    unsigned int second = (END_STEPS * row + offsets[row]) / share + 1;
    unsigned int last = (END_STEPS * row + offsets[row + 1]) / share;
    addTogether(second, last, places, parts, arrived, &sums[row]);
}
// ANCHOR_END: together

// ANCHOR: flattened
// A warp's share, from one cut to another. Of the rows that may end in the next tile 32 * WINDOW are looked
// at ahead; further ones are found as they come.
template <unsigned int WINDOW, typename T>
static __device__ void walk(Room<T> &room, Cut from, Cut to, const T *values, const unsigned int *offsets,
                            T *sums, unsigned int m, unsigned int share, T *parts, unsigned int *arrived)
{
    unsigned char *begins = reinterpret_cast<unsigned char *>(room.begins);
    unsigned int lane = threadIdx.x % 32;
    unsigned int mine = blockIdx.x * SHARE_WARPS + threadIdx.x / 32;
    unsigned int places = gridDim.x * SHARE_WARPS;
    bool isOpen = from.row < m && from.element > from.rowBegin; // the first row began before

    // From here on elements are counted from the last multiple of 16 bytes before the first one.
    unsigned int first = (reinterpret_cast<size_t>(values) / sizeof(T) + from.element) % 4;
    unsigned int origin = from.element - first, end = to.element - origin;
    const T *aligned = values + from.element - first;
    auto endOf = [&](unsigned int r) { return r < to.row ? offsets[r + 1] - origin : 0xffffffff; };
    unsigned int row = from.row, rowBegin = first;
    // The open row's sum so far: `open`, and what the lanes still have, if they have something.
    T open = T(0), lanes = T(0);
    bool haveLanes = false;
    Four<T> tile[RUNS * RUN / 4], next[RUNS * RUN / 4];
    unsigned int rowEnd[WINDOW];
    if (row < to.row || first < end) {
        loadTile(tile, aligned, 0, first, end);
    }
#pragma unroll
    for (unsigned int w = 0; w < WINDOW; ++w) {
        rowEnd[w] = endOf(row + 32 * w + lane);
    }
    __syncwarp();
    // Two, so that `next` need not be copied; with a large window that takes too many registers.
    constexpr unsigned int TILES_PER_TURN = WINDOW <= 2 ? 2 : 1;
#pragma unroll TILES_PER_TURN
    for (unsigned int base = 0; row < to.row || base < end; base += TILE) {
        unsigned int tileEnd = min(base + TILE, end);
        if (base + TILE < end) {
            loadTile(next, aligned, base + TILE, first, end);
        }
        unsigned int rows = 0; // that end in this tile
#pragma unroll
        for (unsigned int w = 0; w < WINDOW; ++w) {
            rows += __popc(__ballot_sync(0xffffffff, rowEnd[w] <= tileEnd));
        }
        if (rows == 0) {
            haveLanes = true;
#pragma unroll
            for (unsigned int k = 0; k < RUNS * RUN / 4; ++k) {
                lanes += tile[k].sum();
            }
        } else {
            // Where a row with elements ends, another begins, and no other row with elements ends.
            auto beginOf = [&](unsigned int w) {
                unsigned int left = __shfl_up_sync(0xffffffff, rowEnd[w], 1);
                unsigned int above =
                    w > 0 ? __shfl_sync(0xffffffff, rowEnd[w > 0 ? w - 1 : 0], 31) : rowBegin;
                return lane > 0 ? left : above;
            };
#pragma unroll
            for (unsigned int w = 0; w < WINDOW; ++w) {
                if (beginOf(w) < rowEnd[w] && rowEnd[w] < tileEnd) {
                    begins[rowEnd[w] - base] = 1;
                }
            }
            for (unsigned int more = 32; rows >= 32 * WINDOW && more == 32; rows += more) {
                unsigned int itsEnd = endOf(row + rows + lane);
                if (itsEnd < tileEnd && offsets[row + rows + lane] - origin < itsEnd) {
                    begins[itsEnd - base] = 1;
                }
                more = __popc(__ballot_sync(0xffffffff, itsEnd <= tileEnd));
            }
            // The rows of the next tile; they arrive while this one is added up.
            unsigned int nextRow = row + rows, nextEnd[WINDOW];
            unsigned int nextBegin = offsets[nextRow] - origin;
#pragma unroll
            for (unsigned int w = 0; w < WINDOW; ++w) {
                nextEnd[w] = endOf(nextRow + 32 * w + lane);
            }
            if (haveLanes) {
                open += warpSum(lanes);
                lanes = T(0);
                haveLanes = false;
            }
            __syncwarp();
            open = scanTile(room, tile, open);
            __syncwarp();
            const T *upTo = reinterpret_cast<const T *>(room.upTo);
            auto store = [&](unsigned int r, unsigned int itsBegin, unsigned int itsEnd) {
                T sum = T(0);
                if (itsBegin < itsEnd) {
                    unsigned int last = itsEnd - 1 - base;
                    sum = upTo[4 * place(last / 4) + last % 4];
                    if (itsBegin < base + last / RUN * RUN) {
                        sum = room.before[last / RUN] + sum;
                    }
                }
                __stcs(isOpen && r == from.row ? &parts[mine] : &sums[r], sum); // not read again here
            };
#pragma unroll
            for (unsigned int w = 0; w < WINDOW; ++w) {
                unsigned int itsBegin = beginOf(w);
                if (rowEnd[w] <= tileEnd) {
                    store(row + 32 * w + lane, itsBegin, rowEnd[w]);
                }
            }
            for (unsigned int r = row + 32 * WINDOW + lane; r < nextRow; r += 32) {
                store(r, offsets[r] - origin, endOf(r));
            }
            open = nextBegin == tileEnd ? T(0) : open;
            row = nextRow;
            rowBegin = nextBegin;
#pragma unroll
            for (unsigned int w = 0; w < WINDOW; ++w) {
                rowEnd[w] = nextEnd[w];
            }
            __syncwarp();
        }
#pragma unroll
        for (unsigned int k = 0; k < RUNS * RUN / 4; ++k) {
            tile[k] = next[k];
        }
    }
    // The carry, if the last row goes on in the next share.
    T carry = open + warpSum(lanes);
    bool goesOn = to.row < m && to.element > to.rowBegin;
    bool isOneRow = isOpen && to.row == from.row;
    if (goesOn && lane == 0) {
        parts[isOneRow ? mine : places + mine] = carry;
    }
    if (isOpen) {
        addShares(from.row, share, offsets, places, parts, arrived, sums);
    }
    if (goesOn && !isOneRow) {
        addShares(to.row, share, offsets, places, parts, arrived, sums);
    }
}

// Rows are short if a share has fewer elements per row: then many of them end in a tile.
constexpr unsigned int SHORT = 12;

// A warp per share of `share` steps. Whether its rows are short, each warp sees by itself.
template <typename T>
static __device__ void flatten(const T *values, const unsigned int *offsets, T *sums, unsigned int n,
                               unsigned int m, unsigned int share, unsigned int whole, T *parts,
                               unsigned int *arrived)
{
    __shared__ Room<T> rooms[SHARE_WARPS];
    Room<T> &room = rooms[threadIdx.x / 32];
    unsigned int lane = threadIdx.x % 32;
    unsigned int mine = blockIdx.x * SHARE_WARPS + threadIdx.x / 32;
    for (unsigned int four = lane; four < TILE / 4; four += 32) {
        room.begins[four] = 0;
    }
    Wide all = n + END_STEPS * m;
    Cut cut = cutAt(min((Wide)(mine + lane / 16) * share, all), offsets, m, whole);
    Cut from = ofHalf(cut, 0), to = ofHalf(cut, 1);
    if (SHORT * (Wide)(to.row - from.row) <= to.element - from.element) {
        walk<2>(room, from, to, values, offsets, sums, m, share, parts, arrived);
    } else {
        walk<5>(room, from, to, values, offsets, sums, m, share, parts, arrived);
    }
}
// ANCHOR_END: flattened

// ---- few rows: a block's warps share them

// ANCHOR: chunk
constexpr unsigned int CHUNK = 1024;   // elements that a warp loads at once
constexpr unsigned int MOST_WARPS = 8; // warps per block, and rows

// What a lane has of the elements from `first`, at most 3, up to `end`, at most 128 * LOADS, of `from`, a
// multiple of 16 bytes. All its loads are under way before the first is waited for.
template <unsigned int LOADS, typename T>
static __device__ T laneOfChunk(const T *from, unsigned int first, unsigned int end)
{
    unsigned int lane = threadIdx.x % 32;
    Four<T> four[LOADS];
    T sum = T(0);
    if (first == 0 && end == 128 * LOADS) {
#pragma unroll
        for (unsigned int k = 0; k < LOADS; ++k) {
            four[k] = *reinterpret_cast<const Four<T> *>(from + 128 * k + 4 * lane);
        }
    } else {
        // What fills no four: before the first of them, lanes 0 to 3; after the last one, lanes 4 to 7.
        unsigned int begin = (first + 3) / 4 * 4, last = end / 4 * 4;
        unsigned int i = lane < 4 ? lane : last + lane - 4;
        unsigned int least = lane < 4 ? first : begin, most = lane < 4 ? min(begin, end) : lane < 8 ? end : 0;
#pragma unroll
        for (unsigned int k = 0; k < LOADS; ++k) {
            unsigned int at = 128 * k + 4 * lane;
            four[k] = Four<T>{};
            if (at >= begin && at < last) {
                four[k] = *reinterpret_cast<const Four<T> *>(from + at);
            }
        }
        if (i >= least && i < most) {
            sum = from[i];
        }
    }
#pragma unroll
    for (unsigned int k = 0; k < LOADS; ++k) {
        sum += four[k].sum();
    }
    return sum;
}

// Elements from the last multiple of 16 bytes up to element `i`.
template <typename T> static __device__ unsigned int beyondFour(const T *values, unsigned int i)
{
    return (reinterpret_cast<size_t>(values) / sizeof(T) + i) % 4;
}

// Whether a row fits into one chunk.
template <typename T>
static __device__ bool isOneChunk(const T *values, unsigned int begin, unsigned int end)
{
    return end - begin + beyondFour(values, begin) <= CHUNK;
}

// What a lane has of such a row.
template <typename T>
static __device__ T laneOfOneChunk(const T *values, unsigned int begin, unsigned int end)
{
    unsigned int first = beyondFour(values, begin), last = end - begin + first;
    const T *aligned = values + begin - first;
    return last <= CHUNK / 4 ? laneOfChunk<CHUNK / 4 / 128>(aligned, first, last)
                             : laneOfChunk<CHUNK / 128>(aligned, first, last);
}

// What a lane has of every `warps`-th chunk of the elements from `begin` up to `end`, from chunk `chunk` on.
template <typename T>
static __device__ T laneOfChunks(const T *values, unsigned int begin, unsigned int end, unsigned int chunk,
                                 unsigned int warps)
{
    unsigned int first = beyondFour(values, begin), last = end - begin + first;
    const T *aligned = values + begin - first;
    T sum = T(0);
    for (unsigned int base = chunk * CHUNK; base < last; base += warps * CHUNK) {
        sum += laneOfChunk<CHUNK / 128>(aligned + base, base == 0 ? first : 0, min(CHUNK, last - base));
    }
    return sum;
}
// ANCHOR_END: chunk

// ANCHOR: help
// A row, and where it begins and ends.
struct Row {
    unsigned int row, begin, end;
};

// The row with element `at`. Where it begins and ends is among what the search has loaded.
static __device__ Row rowWith(unsigned int at, const unsigned int *offsets, unsigned int m)
{
    unsigned int lane = threadIdx.x % 32, low = 0, high = m;
    Row found = {};
    while (low < high) {
        unsigned int stride = (high - low) / 129 + 1, passed = 0, end[4];
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
            unsigned int row = low + (32 * k + lane + 1) * stride - 1;
            end[k] = row < high ? offsets[row + 1] : 0xffffffff;
        }
        unsigned int begin = 0, next = 0xffffffff; // this lane's last end up to `at`, its first one beyond
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
            bool isPassed = end[k] <= at;
            passed += __popc(__ballot_sync(0xffffffff, isPassed));
            begin = isPassed ? end[k] : begin;
            next = isPassed ? next : min(next, end[k]);
        }
        begin = __shfl_sync(0xffffffff, begin, passed - 1);
        next = __shfl_sync(0xffffffff, next, passed);
        found.begin = passed > 0 ? begin : found.begin;
        found.end = next != 0xffffffff ? next : found.end;
        low += passed * stride;
        high = min(high, low + stride - 1);
    }
    found.row = low;
    return found;
}

// The pieces of the array that lie in a row.
struct Pieces {
    unsigned int first, last;
};
static __device__ Pieces piecesOf(unsigned int begin, unsigned int end, unsigned int piece)
{
    return Pieces{(begin + piece - 1) / piece, end / piece - 1};
}

// A helper: of the array's pieces of `piece` elements it looks at every `helpers`-th, and adds up those that
// lie in a row of more than `most` elements.
template <typename T>
static __device__ void help(const T *values, const unsigned int *offsets, T *sums, unsigned int m,
                            unsigned int most, unsigned int piece, unsigned int pieces, unsigned int helpers,
                            T *parts, unsigned int *arrived)
{
    __shared__ Row rows[MOST_WARPS];
    __shared__ T ofWarps[MOST_WARPS][MOST_WARPS]; // of each piece
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned int turn = blockIdx.x; turn < pieces; turn += warps * helpers) {
        // A warp looks for the row of one piece, then all warps add up one piece after another.
        unsigned int mine = turn + warp * helpers;
        Row found = {m, 0, 0};
        if (mine < pieces) {
            unsigned int at = mine * piece;
            found = rowWith(at, offsets, m);
            bool isHelped = found.end - at >= piece && found.end - found.begin > most;
            found.row = isHelped ? found.row : m;
        }
        if (lane == 0) {
            rows[warp] = found;
        }
        if (!__syncthreads_or(found.row < m)) {
            continue;
        }
        for (unsigned int w = 0; w < warps; ++w) {
            Row row = rows[w];
            if (row.row == m) {
                continue;
            }
            unsigned int place = turn + w * helpers, at = place * piece;
            Pieces ofRow = piecesOf(row.begin, row.end, piece);
            unsigned int stop = place == ofRow.last ? row.end : at + piece; // what fills no piece, too
            T sum = warpSum(laneOfChunks(values, at, stop, warp, warps));
            if (lane == 0) {
                ofWarps[w][warp] = sum;
            }
            __syncthreads();
            if (warp == w) { // the others go on with the next piece
                sum = warpSum(lane < warps ? ofWarps[w][lane] : T(0));
                if (lane == 0) {
                    parts[place] = sum;
                }
                addTogether(ofRow.first, ofRow.last, pieces + 1, parts, arrived, &sums[row.row]);
            }
        }
        __syncthreads();
    }
}
// ANCHOR_END: help

// ANCHOR: chunked
// A row by its block.
template <typename T>
static __device__ void addByBlock(const T *values, unsigned int begin, unsigned int end, T *rowSum)
{
    __shared__ T ofWarps[MOST_WARPS];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    T sum;
    if (isOneChunk(values, begin, end)) { // the other warps have nothing to do
        if (warp > 0) {
            return;
        }
        sum = warpSum(laneOfOneChunk(values, begin, end));
    } else {
        sum = warpSum(laneOfChunks(values, begin, end, warp, warps));
        if (lane == 0) {
            ofWarps[warp] = sum;
        }
        __syncthreads();
        sum = warpSum<MOST_WARPS>(lane < warps ? ofWarps[lane] : T(0));
    }
    if (threadIdx.x == 0) {
        *rowSum = sum;
    }
}

// The first `helpers` blocks help with rows of more than `most` elements. Of the others each has `rows` rows,
// dealt out like cards, and deals their chunks out to its warps.
template <typename T>
static __device__ void addChunks(const T *values, const unsigned int *offsets, T *sums, unsigned int m,
                                 unsigned int rows, unsigned int most, unsigned int piece,
                                 unsigned int pieces, unsigned int helpers, T *parts, unsigned int *arrived)
{
    if (blockIdx.x < helpers) {
        help(values, offsets, sums, m, most, piece, pieces, helpers, parts, arrived);
        return;
    }
    __shared__ T ofWarps[MOST_WARPS][MOST_WARPS]; // of each row
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned int block = blockIdx.x - helpers, blocks = gridDim.x - helpers;
    if (rows == 1) { // nothing to deal out
        if (block >= m) {
            return;
        }
        unsigned int begin = offsets[block], end = offsets[block + 1];
        if (end - begin <= most) {
            addByBlock(values, begin, end, &sums[block]);
            return;
        }
    }
    unsigned int mine = warp * blocks + block; // the row whose sum this warp stores
    bool isRow = warp < rows && mine < m;
    // A lane for each row of the block.
    unsigned int row = lane * blocks + block, begin = 0, end = 0;
    if (lane < rows && row < m) {
        begin = offsets[row];
        end = offsets[row + 1];
    }
    if (__all_sync(0xffffffff, isOneChunk(values, begin, end))) { // a row for each warp
        begin = __shfl_sync(0xffffffff, begin, warp);
        end = __shfl_sync(0xffffffff, end, warp);
        if (isRow) {
            T sum = warpSum(laneOfOneChunk(values, begin, end));
            if (lane == 0) {
                sums[mine] = sum;
            }
        }
        return;
    }
    bool isLong = end - begin > most;
    Pieces ofRow = {};
    if (isLong) {
        ofRow = piecesOf(begin, end, piece);
        end = ofRow.first * piece; // the helpers add up the rest
    }
    unsigned int length = end - begin + beyondFour(values, begin);
    unsigned int chunks = begin < end ? (length - 1) / CHUNK + 1 : 0, dealt = 0;
    for (unsigned int r = 0; r < rows; ++r) {
        unsigned int itsBegin = __shfl_sync(0xffffffff, begin, r), itsEnd = __shfl_sync(0xffffffff, end, r);
        unsigned int itsChunks = __shfl_sync(0xffffffff, chunks, r), chunk = (warp - dealt) % warps;
        T sum = T(0);
        if (chunk < itsChunks) {
            sum = warpSum(laneOfChunks(values, itsBegin, itsEnd, chunk, warps));
        }
        if (lane == 0) {
            ofWarps[r][warp] = sum;
        }
        dealt += itsChunks;
    }
    __syncthreads();
    if (!isRow) {
        return;
    }
    T sum = warpSum(lane < warps ? ofWarps[warp][lane] : T(0));
    unsigned int first = __shfl_sync(0xffffffff, ofRow.first, warp);
    unsigned int last = __shfl_sync(0xffffffff, ofRow.last, warp);
    if (__shfl_sync(0xffffffff, isLong, warp)) {
        if (lane == 0) {
            parts[pieces + first] = sum;
        }
        addTogether(first, last, pieces + 1, parts, arrived, &sums[mine]);
    } else if (lane == 0) {
        sums[mine] = sum;
    }
}
// ANCHOR_END: chunked

// ---- the kernels by name

#define FLATTENED(name, T)                                                                           \
    extern "C" __global__ void __launch_bounds__(32 * SHARE_WARPS, 4)                                \
        name(const T *values, const unsigned int *offsets, T *sums, unsigned int n, unsigned int m,  \
             unsigned int share, unsigned int whole, T *parts, unsigned int *arrived)                \
    {                                                                                                \
        flatten(values, offsets, sums, n, m, share, whole, parts, arrived);                          \
    }
#define CHUNKED(name, T)                                                                             \
    extern "C" __global__ void __launch_bounds__(32 * MOST_WARPS, 4)                                 \
        name(const T *values, const unsigned int *offsets, T *sums, unsigned int m,                  \
             unsigned int rows, unsigned int most, unsigned int piece, unsigned int pieces,          \
             unsigned int helpers, T *parts, unsigned int *arrived)                                  \
    {                                                                                                \
        addChunks(values, offsets, sums, m, rows, most, piece, pieces, helpers, parts, arrived);     \
    }

FLATTENED(flattened, unsigned int)
FLATTENED(flattenedF32, float)
CHUNKED(chunked, unsigned int)
CHUNKED(chunkedF32, float)
