// shared.cu as a program. Build and run it:
//     nvcc -arch=native -o shared_program shared_program.cu && ./shared_program
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

// Blocks of two dimensions, clusters, and more shared memory than a kernel gets without asking.
__global__ void ranks(unsigned *out)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    out[blockIdx.x] = rank;
}

__global__ void reversed(const int *in, int *out)
{
    extern __shared__ int tile[];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    tile[10000 + t] = in[t];
    __syncthreads();
    out[t] = tile[10000 + blockDim.x * blockDim.y - 1 - t];
}

// Ends the program where a call of the CUDA runtime fails.
#define CHECK(...)                                                                                  \
    do {                                                                                            \
        const cudaError_t status = __VA_ARGS__;                                                     \
        if (status != cudaSuccess) {                                                                \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << cudaGetErrorString(status) << '\n'; \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

// Counts the elements from `first` to before `end` that are not as expected, and prints the first of
// them. A float may be off by `within` times the expected value, or by `within` if that is below 1.
template <typename T>
size_t differing(const char *name, const std::vector<T> &actual, const std::vector<T> &expected,
                 size_t first, size_t end, double within)
{
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
        const double is = actual[i];
        const double wanted = expected[i];
        const double allowed = within * std::fmax(std::fabs(wanted), 1.0);
        const bool isClose = within > 0 && std::fabs(is - wanted) <= allowed;
        if (actual[i] == expected[i] || isClose || (std::isnan(is) && std::isnan(wanted)))
            continue;
        if (count == 0)
            std::cout << name << '[' << i << "] is " << +actual[i] << ", expected " << +expected[i] << '\n';
        ++count;
    }
    return count;
}

// Prints the first elements of an array.
template <typename T> void show(const char *name, const std::vector<T> &elements)
{
    const size_t shown = elements.size() < 8 ? elements.size() : 8;
    std::cout << name << ':';
    for (size_t i = 0; i < shown; ++i)
        std::cout << ' ' << +elements[i];
    std::cout << (shown < elements.size() ? " ...\n" : "\n");
}

int main()
{
    std::cout.precision(9); // a float has no more digits
    size_t wrong = 0;

    // buffer in  = i32:iota*64
    const size_t n_in = 64;
    int *d_in;
    CHECK(cudaMalloc(&d_in, n_in * sizeof(int)));
    std::vector<int> h_in(n_in);
    for (size_t i = 0; i < n_in; ++i)
        h_in[i] = i;
    CHECK(cudaMemcpy(d_in, h_in.data(), n_in * sizeof(int), cudaMemcpyHostToDevice));

    // buffer out = i32:zeros*64
    const size_t n_out = 64;
    int *d_out;
    CHECK(cudaMalloc(&d_out, n_out * sizeof(int)));
    std::vector<int> h_out(n_out);
    CHECK(cudaMemcpy(d_out, h_out.data(), n_out * sizeof(int), cudaMemcpyHostToDevice));

    // buffer all = u32:uninit*8
    const size_t n_all = 8;
    unsigned *d_all;
    CHECK(cudaMalloc(&d_all, n_all * sizeof(unsigned)));
    std::vector<unsigned> h_all(n_all);

    // launch ranks<<<8, 1>>> cluster=4 @all
    {
        cudaLaunchAttribute cluster = {};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = 4;
        cluster.val.clusterDim.y = 1;
        cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = 8;
        config.blockDim = 1;
        config.dynamicSmemBytes = 0;
        config.attrs = &cluster;
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, ranks, d_all));
    }
    CHECK(cudaDeviceSynchronize());

    // launch reversed<<<1, (16,4), 41000>>> @in @out
    reversed<<<1, dim3(16, 4), 41000>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // launch reversed<<<1, (16,4), 51200>>> @in @out
    CHECK(cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, 51200));
    reversed<<<1, dim3(16, 4), 51200>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect all = u32:0,1,2,3,0,1,2,3
    CHECK(cudaMemcpy(h_all.data(), d_all, n_all * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::vector<unsigned> expected_all = {0, 1, 2, 3, 0, 1, 2, 3};
    wrong += differing("all", h_all, expected_all, 0, n_all, 0.0);

    CHECK(cudaMemcpy(h_in.data(), d_in, n_in * sizeof(int), cudaMemcpyDeviceToHost));
    show("in", h_in);
    CHECK(cudaMemcpy(h_out.data(), d_out, n_out * sizeof(int), cudaMemcpyDeviceToHost));
    show("out", h_out);
    show("all", h_all);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_all));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
