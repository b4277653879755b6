// Tiles of 32 by 32 in blocks of 32 by 8: what a warp reads and what it writes lies side by side.
// ANCHOR: transpose
__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int column = 32 * blockIdx.x + threadIdx.x;
    int row = 32 * blockIdx.y + threadIdx.y;
    for (int i = 0; i < 32; i += blockDim.y) {
        if (row + i < rows && column < columns) {
            tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * columns + column];
        }
    }
    __syncthreads();
    column = 32 * blockIdx.y + threadIdx.x;
    row = 32 * blockIdx.x + threadIdx.y;
    for (int i = 0; i < 32; i += blockDim.y) {
        if (row + i < columns && column < rows) {
            out[(row + i) * rows + column] = tile[threadIdx.x][threadIdx.y + i];
        }
    }
}
//@ buffer in  = f32 64x96:iota
//@ buffer out = f32 96x64
//@ launch transpose<<<dim3(96/32, 64/32), dim3(32, 8)>>> @in @out i32:64 i32:96
// ANCHOR_END: transpose
