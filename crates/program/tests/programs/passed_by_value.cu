// Objects that own memory, passed by value and moved on: each is destroyed once. A structure that is passed
// by value has an address in the function that is called, on both sides.
#include <stdio.h>
#include <stdlib.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

template <class T> class Matrix {
  public:
    explicit Matrix(int n) : n(n), data((T *)malloc(n * sizeof(T)))
    {
        for (int i = 0; i < n; ++i)
            data[i] = i;
    }
    Matrix(Matrix &&other) : n(other.n), data(other.data) { other.data = nullptr; }
    ~Matrix() { free(data); }
    T last() const { return data[n - 1]; }

  private:
    int n;
    T *data;
};

struct Layer {
    explicit Layer(Matrix<float> m, std::vector<int> v) : m(std::move(m)), v(std::move(v)) {}
    Matrix<float> m;
    std::vector<int> v;
};

#define NOINLINE __attribute__((noinline))

NOINLINE size_t grown(std::vector<int> v)
{
    v.resize(1000);
    return v.size();
}
NOINLINE size_t longer(std::string s)
{
    s += ", and so much longer that it has to be moved";
    std::string other = std::move(s);
    return other.size();
}
NOINLINE int owned(std::unique_ptr<int> p, std::shared_ptr<int> q)
{
    std::unique_ptr<int> r = std::move(p);
    return *r + *std::move(q);
}
NOINLINE int twice(std::function<int(int)> f)
{
    std::function<int(int)> g = std::move(f);
    return g(g(1));
}

struct Large {
    int numbers[100];
    int count;
};
NOINLINE __host__ __device__ int sum(const Large &large)
{
    int s = 0;
    for (int i = 0; i < large.count; ++i)
        s += large.numbers[i];
    return s;
}
NOINLINE __host__ __device__ int kept(Large large) { return sum(large) + sum(large); }
NOINLINE __host__ __device__ int changed(Large large)
{
    large.numbers[0] = 100;
    return sum(large) + large.numbers[0];
}
__global__ void sums(int *out, Large large) { *out = kept(large) * 10000 + changed(large); }

int main()
{
    std::vector<int> v(10, 3);
    printf("%zu %zu\n", grown(v), v.size()); // prints: 1000 10
    printf("%zu\n", longer("text")); // prints: 48
    printf("%d\n", owned(std::make_unique<int>(7), std::make_shared<int>(8))); // prints: 15
    printf("%d\n", twice([v](int x) { return x + v[0]; })); // prints: 7
    Layer layer(Matrix<float>(5), v);
    printf("%g %d\n", layer.m.last(), layer.v[9]); // prints: 4 3

    Large large = {{1, 2, 3}, 50};
    int *out, result;
    cudaMalloc(&out, sizeof(int));
    sums<<<1, 1>>>(out, large);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", kept(large), changed(large), result); // prints: 12 205 120205
    cudaFree(out);
}
