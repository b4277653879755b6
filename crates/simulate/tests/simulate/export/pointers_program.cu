// pointers.cu as a program. Build and run it:
//     nvcc -arch=native -o pointers_program pointers_program.cu && ./pointers_program
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

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

    // buffer m     = f32:iota*6
    const size_t n_m = 6;
    float *d_m;
    CHECK(cudaMalloc(&d_m, n_m * sizeof(float)));
    std::vector<float> h_m(n_m);
    for (size_t i = 0; i < n_m; ++i)
        h_m[i] = i;
    CHECK(cudaMemcpy(d_m, h_m.data(), n_m * sizeof(float), cudaMemcpyHostToDevice));

    // argument 2: buf:f32:uninit*2
    const size_t n_arg2 = 2;
    float *d_arg2;
    CHECK(cudaMalloc(&d_arg2, n_arg2 * sizeof(float)));
    std::vector<float> h_arg2(n_arg2);

    // buffer sums  = f32:7
    const size_t n_sums = 1;
    float *d_sums;
    CHECK(cudaMalloc(&d_sums, n_sums * sizeof(float)));
    std::vector<float> h_sums = {7.0f};
    CHECK(cudaMemcpy(d_sums, h_sums.data(), n_sums * sizeof(float), cudaMemcpyHostToDevice));

    // argument 1: buf:f32:uninit*1,uninit*1
    const size_t n_arg1 = 2;
    float *d_arg1;
    CHECK(cudaMalloc(&d_arg1, n_arg1 * sizeof(float)));
    std::vector<float> h_arg1(n_arg1);

    // buffer table = ptr:@m+8,@sums
    const size_t n_table = 2;
    void **d_table;
    CHECK(cudaMalloc(&d_table, n_table * sizeof(void *)));
    std::vector<void *> h_table = {d_m + 2, d_sums};
    CHECK(cudaMemcpy(d_table, h_table.data(), n_table * sizeof(void *), cudaMemcpyHostToDevice));

    // symbol scale = f32:2,0.5
    const size_t n_scale = 2;
    std::vector<float> h_scale = {2.0f, 0.5f};
    CHECK(cudaMemcpyToSymbol(scale, h_scale.data(), n_scale * sizeof(float)));

    // symbol calls = i32:40
    const size_t n_calls = 1;
    std::vector<int> h_calls = {40};
    CHECK(cudaMemcpyToSymbol(calls, h_calls.data(), n_calls * sizeof(int)));

    // launch rowSums<<<1, 2>>> struct:i32:2,3,ptr:@m struct:i32:0,1,0 buf:f32:uninit*2
    rowSums<<<1, 2>>>(Matrix{2, 3, d_m}, int3{0, 1, 0}, d_arg2);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // launch gather<float><<<1, 2>>> @table buf:f32:uninit*1,uninit*1
    gather<float><<<1, 2>>>((float **)d_table, d_arg1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect 2     = f32:8,6.5
    CHECK(cudaMemcpy(h_arg2.data(), d_arg2, n_arg2 * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> expected_arg2 = {8.0f, 6.5f};
    wrong += differing("argument 2", h_arg2, expected_arg2, 0, n_arg2, 0.0);

    // expect 1     = f32:2,7
    CHECK(cudaMemcpy(h_arg1.data(), d_arg1, n_arg1 * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> expected_arg1 = {2.0f, 7.0f};
    wrong += differing("argument 1", h_arg1, expected_arg1, 0, n_arg1, 0.0);

    CHECK(cudaMemcpy(h_m.data(), d_m, n_m * sizeof(float), cudaMemcpyDeviceToHost));
    show("m", h_m);
    show("argument 2", h_arg2);
    CHECK(cudaMemcpy(h_sums.data(), d_sums, n_sums * sizeof(float), cudaMemcpyDeviceToHost));
    show("sums", h_sums);
    show("argument 1", h_arg1);
    std::vector<float> now_scale(sizeof(scale) / sizeof(float));
    CHECK(cudaMemcpyFromSymbol(now_scale.data(), scale, now_scale.size() * sizeof(float)));
    show("scale", now_scale);
    std::vector<int> now_calls(sizeof(calls) / sizeof(int));
    CHECK(cudaMemcpyFromSymbol(now_calls.data(), calls, now_calls.size() * sizeof(int)));
    show("calls", now_calls);

    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_m));
    CHECK(cudaFree(d_arg2));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_arg1));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
