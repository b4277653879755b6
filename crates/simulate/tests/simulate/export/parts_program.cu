// parts.cu as a program. Build and run it:
//     nvcc -arch=native -o parts_program parts_program.cu && ./parts_program
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

// Buffers of many kinds, filled in every way.
__global__ void mix(const unsigned char *bytes, const bool *flags, const long long *wide, size_t *sizes,
                    unsigned int *counts, short *small, double *out, const double *table, int half)
{
    unsigned i = threadIdx.x;
    out[i] = bytes[i] + flags[i] + wide[i] + double(sizes[i]) + table[i] + half;
    counts[i] += i;
    small[i + 8] = -small[i];
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

// Random number i of those that a seed gives, at least 0 and less than 1 (SplitMix64).
static double randomUnit(uint64_t seed, uint64_t i)
{
    uint64_t bits = seed + (i + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return (bits >> 11) / 9007199254740992.0; // 53 bits, divided by 2^53
}

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

    // buffer bytes  = u8:random:7*8
    const size_t n_bytes = 8;
    unsigned char *d_bytes;
    CHECK(cudaMalloc(&d_bytes, n_bytes * sizeof(unsigned char)));
    std::vector<unsigned char> h_bytes(n_bytes);
    for (size_t i = 0; i < n_bytes; ++i)
        h_bytes[i] = int(101.0 * randomUnit(7, i));
    CHECK(cudaMemcpy(d_bytes, h_bytes.data(), n_bytes * sizeof(unsigned char), cudaMemcpyHostToDevice));

    // buffer flags  = u8:1,0,1,1,0,zeros*2,1
    const size_t n_flags = 8;
    unsigned char *d_flags;
    CHECK(cudaMalloc(&d_flags, n_flags * sizeof(unsigned char)));
    std::vector<unsigned char> h_flags(n_flags);
    h_flags[0] = 1;
    h_flags[2] = 1;
    h_flags[3] = 1;
    h_flags[7] = 1;
    CHECK(cudaMemcpy(d_flags, h_flags.data(), n_flags * sizeof(unsigned char), cudaMemcpyHostToDevice));

    // buffer wide   = i64:-9223372036854775808,iota:10*6,-1
    const size_t n_wide = 8;
    long long *d_wide;
    CHECK(cudaMalloc(&d_wide, n_wide * sizeof(long long)));
    std::vector<long long> h_wide(n_wide);
    h_wide[0] = INT64_MIN;
    for (size_t i = 1; i < 7; ++i)
        h_wide[i] = i + 9;
    h_wide[7] = -1;
    CHECK(cudaMemcpy(d_wide, h_wide.data(), n_wide * sizeof(long long), cudaMemcpyHostToDevice));

    // buffer sizes  = u64:zeros*2,5*3,2^40,1,18446744073709551615
    const size_t n_sizes = 8;
    size_t *d_sizes;
    CHECK(cudaMalloc(&d_sizes, n_sizes * sizeof(size_t)));
    std::vector<size_t> h_sizes(n_sizes);
    for (size_t i = 2; i < 5; ++i)
        h_sizes[i] = 5;
    h_sizes[5] = 1099511627776;
    h_sizes[6] = 1;
    h_sizes[7] = 18446744073709551615ULL;
    CHECK(cudaMemcpy(d_sizes, h_sizes.data(), n_sizes * sizeof(size_t), cudaMemcpyHostToDevice));

    // buffer counts = u32:iota:3*8
    const size_t n_counts = 8;
    unsigned int *d_counts;
    CHECK(cudaMalloc(&d_counts, n_counts * sizeof(unsigned int)));
    std::vector<unsigned int> h_counts(n_counts);
    for (size_t i = 0; i < n_counts; ++i)
        h_counts[i] = i + 3;
    CHECK(cudaMemcpy(d_counts, h_counts.data(), n_counts * sizeof(unsigned int), cudaMemcpyHostToDevice));

    // buffer small  = i16:random*8,uninit*8
    const size_t n_small = 16;
    short *d_small;
    CHECK(cudaMalloc(&d_small, n_small * sizeof(short)));
    std::vector<short> h_small(n_small);
    for (size_t i = 0; i < 8; ++i)
        h_small[i] = int(201.0 * randomUnit(1, i)) - 100;
    CHECK(cudaMemcpy(d_small, h_small.data(), 8 * sizeof(short), cudaMemcpyHostToDevice));

    // buffer out    = f64:uninit*10
    const size_t n_out = 10;
    double *d_out;
    CHECK(cudaMalloc(&d_out, n_out * sizeof(double)));
    std::vector<double> h_out(n_out);

    // buffer table  = f64:0.1*2,random*8
    const size_t n_table = 10;
    double *d_table;
    CHECK(cudaMalloc(&d_table, n_table * sizeof(double)));
    std::vector<double> h_table(n_table);
    for (size_t i = 0; i < 2; ++i)
        h_table[i] = 0.1;
    for (size_t i = 2; i < 10; ++i)
        h_table[i] = 2.0 * randomUnit(1, i - 2) - 1.0;
    CHECK(cudaMemcpy(d_table, h_table.data(), n_table * sizeof(double), cudaMemcpyHostToDevice));

    // buffer limits = f32:inf,-inf,nan,-0,1e-45,0.1
    const size_t n_limits = 6;
    float *d_limits;
    CHECK(cudaMalloc(&d_limits, n_limits * sizeof(float)));
    std::vector<float> h_limits = {INFINITY, -INFINITY, NAN, -0.0f, 1e-45f, 0.1f};
    CHECK(cudaMemcpy(d_limits, h_limits.data(), n_limits * sizeof(float), cudaMemcpyHostToDevice));

    // launch mix<<<1, 8>>> @bytes @flags @wide @sizes @counts @small @out @table+16 i32:-5
    mix<<<1, 8>>>(d_bytes, (bool *)d_flags, d_wide, d_sizes, d_counts, d_small, d_out, d_table + 2, -5);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect counts = u32:3,5,7,9,11,13,15,17
    CHECK(cudaMemcpy(h_counts.data(), d_counts, n_counts * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    std::vector<unsigned int> expected_counts = {3, 5, 7, 9, 11, 13, 15, 17};
    wrong += differing("counts", h_counts, expected_counts, 0, n_counts, 0.0);

    // expect out    = f64:uninit*1,20.5,uninit*8 within 3
    CHECK(cudaMemcpy(h_out.data(), d_out, n_out * sizeof(double), cudaMemcpyDeviceToHost));
    std::vector<double> expected_out(n_out);
    expected_out[1] = 20.5;
    wrong += differing("out", h_out, expected_out, 1, 2, 3.0);

    // expect wide   = i64:-9223372036854775808,iota:10*6,-1
    CHECK(cudaMemcpy(h_wide.data(), d_wide, n_wide * sizeof(long long), cudaMemcpyDeviceToHost));
    std::vector<long long> expected_wide(n_wide);
    expected_wide[0] = INT64_MIN;
    for (size_t i = 1; i < 7; ++i)
        expected_wide[i] = i + 9;
    expected_wide[7] = -1;
    wrong += differing("wide", h_wide, expected_wide, 0, n_wide, 0.0);

    // expect limits = f32:inf,-inf,nan,-0,1e-45,0.1
    CHECK(cudaMemcpy(h_limits.data(), d_limits, n_limits * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> expected_limits = {INFINITY, -INFINITY, NAN, -0.0f, 1e-45f, 0.1f};
    wrong += differing("limits", h_limits, expected_limits, 0, n_limits, 0.0);

    CHECK(cudaMemcpy(h_bytes.data(), d_bytes, n_bytes * sizeof(unsigned char), cudaMemcpyDeviceToHost));
    show("bytes", h_bytes);
    CHECK(cudaMemcpy(h_flags.data(), d_flags, n_flags * sizeof(unsigned char), cudaMemcpyDeviceToHost));
    show("flags", h_flags);
    show("wide", h_wide);
    CHECK(cudaMemcpy(h_sizes.data(), d_sizes, n_sizes * sizeof(size_t), cudaMemcpyDeviceToHost));
    show("sizes", h_sizes);
    show("counts", h_counts);
    CHECK(cudaMemcpy(h_small.data(), d_small, n_small * sizeof(short), cudaMemcpyDeviceToHost));
    show("small", h_small);
    show("out", h_out);
    CHECK(cudaMemcpy(h_table.data(), d_table, n_table * sizeof(double), cudaMemcpyDeviceToHost));
    show("table", h_table);
    show("limits", h_limits);

    CHECK(cudaFree(d_bytes));
    CHECK(cudaFree(d_flags));
    CHECK(cudaFree(d_wide));
    CHECK(cudaFree(d_sizes));
    CHECK(cudaFree(d_counts));
    CHECK(cudaFree(d_small));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_limits));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
