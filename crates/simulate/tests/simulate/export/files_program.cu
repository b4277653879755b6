// files.cu as a program. Build and run it:
//     nvcc -arch=native -o files_program files_program.cu && ./files_program
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

// Elements that come from a file and go to one.
__global__ void doubled(const short *in, int *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
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

// Fills an array with the bytes of a file, which must be of the same size.
template <typename T> void readFile(const char *name, std::vector<T> &elements)
{
    FILE *file = std::fopen(name, "rb");
    const size_t count = file ? std::fread(elements.data(), sizeof(T), elements.size(), file) : 0;
    if (!file || count != elements.size() || std::fgetc(file) != EOF) {
        const size_t bytes = elements.size() * sizeof(T);
        std::cerr << name << " cannot be read, or does not have " << bytes << " bytes\n";
        std::exit(1);
    }
    std::fclose(file);
}

// Writes the bytes of an array to a file.
template <typename T> void writeFile(const char *name, const std::vector<T> &elements)
{
    FILE *file = std::fopen(name, "wb");
    const size_t count = file ? std::fwrite(elements.data(), sizeof(T), elements.size(), file) : 0;
    if (!file || count != elements.size() || std::fclose(file) != 0) {
        std::cerr << name << " cannot be written\n";
        std::exit(1);
    }
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

    // buffer in  = i16:file=four.bin
    const size_t n_in = 4;
    short *d_in;
    CHECK(cudaMalloc(&d_in, n_in * sizeof(short)));
    std::vector<short> h_in(n_in);
    readFile("four.bin", h_in);
    CHECK(cudaMemcpy(d_in, h_in.data(), n_in * sizeof(short), cudaMemcpyHostToDevice));

    // buffer out = i32:uninit*4
    const size_t n_out = 4;
    int *d_out;
    CHECK(cudaMalloc(&d_out, n_out * sizeof(int)));
    std::vector<int> h_out(n_out);

    // launch <<<1, 4>>> @in @out
    doubled<<<1, 4>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect out = i32:2,4,6,-8
    CHECK(cudaMemcpy(h_out.data(), d_out, n_out * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> expected_out = {2, 4, 6, -8};
    wrong += differing("out", h_out, expected_out, 0, n_out, 0.0);

    // save out   = doubled.bin
    writeFile("doubled.bin", h_out);

    CHECK(cudaMemcpy(h_in.data(), d_in, n_in * sizeof(short), cudaMemcpyDeviceToHost));
    show("in", h_in);
    show("out", h_out);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
