// Kernels call the functions of <math.h>; what they make of what was never written was never written either.
#include <math.h>
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void softmax(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i)
        sum += expf(in[i]);
    out[threadIdx.x] = expf(in[threadIdx.x]) / sum;
}

__global__ void several(double *out)
{
    double sine, cosine, whole;
    int exponent;
    sincos(0.5, &sine, &cosine);
    double fraction = modf(2.75, &whole);
    out[0] = sine * sine + cosine * cosine;
    out[1] = fraction + whole;
    out[2] = frexp(12.0, &exponent) * exponent;
    out[3] = powf(2.0f, 0.5f) + erf(0.25) + fmod(7.5, 2.0);
}

__global__ void unwritten(const float *in, float *out)
{
    out[threadIdx.x] = sinf(in[threadIdx.x]); // expect: error uninitialized-read
}

int main()
{
    float in[4] = {0, 1, 2, 3}, out[4];
    double four[4];
    float *d_in, *d_out;
    double *d_four;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMalloc(&d_four, sizeof four);
    unwritten<<<1, 4>>>(d_in, d_out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    softmax<<<1, 4>>>(d_in, d_out, 4);
    several<<<1, 1>>>(d_four);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(four, d_four, sizeof four, cudaMemcpyDeviceToHost);
    printf("%.6f %.6f %.6f %.6f\n", out[0], out[1], out[2], out[3]);
    // prints: 0.032059 0.087144 0.236883 0.643914
    printf("%g %g %g %.6f\n", four[0], four[1], four[2], four[3]); // prints: 1 2.75 3 3.190540
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_four);
    return 0;
}
