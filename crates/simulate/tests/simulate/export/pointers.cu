// Structures, tables of pointers, variables of the device, and a template.
struct Matrix {
    int rows, columns;
    const float *data;
};
__constant__ float scale[2];
__device__ int calls;

__global__ void rowSums(Matrix m, int3 first, float *sums)
{
    float sum = first.y;
    for (int i = 0; i < m.columns; ++i)
        sum += m.data[threadIdx.x * m.columns + i];
    sums[threadIdx.x] = scale[threadIdx.x] * sum;
    atomicAdd(&calls, 1);
}

template <typename T> __global__ void gather(T **table, T *out)
{
    out[threadIdx.x] = *table[threadIdx.x];
}
template __global__ void gather<float>(float **, float *);
//@ buffer table = ptr:@m+8,@sums
//@ buffer m     = f32:iota*6
//@ symbol scale = f32:2,0.5
//@ symbol calls = i32:40
//@ launch rowSums<<<1, 2>>> struct:i32:2,3,ptr:@m struct:i32:0,1,0 buf:f32:uninit*2
//@ buffer sums  = f32:7
//@ launch gather<float><<<1, 2>>> @table buf:f32:uninit*1,uninit*1
//@ symbol calls = i32:
//@ expect 2     = f32:8,6.5
//@ expect 1     = f32:2,7
