// What `cargo bench` runs besides chapter 3: the accesses that programs mostly make.

constexpr int TILE = 16;

// c = a * b, for square matrices whose side is a multiple of 16.
extern "C" __global__ void matrixProduct(const float *a, const float *b, float *c, int side)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < side; at += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * side + at + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * side + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * side + column] = sum;
}

// Byte by byte.
extern "C" __global__ void copyBytes(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// Each block leaves the sums of its elements so far, by doubling distances in shared memory.
extern "C" __global__ void scan(const int *in, int *out, int n)
{
    __shared__ int sums[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (i < n)
        out[i] = sums[t];
}

// Through a tile in shared memory, whose rows are one longer for the sake of the banks; blocks of 32 x 8.
extern "C" __global__ void transpose(const float *in, float *out, int side)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}
