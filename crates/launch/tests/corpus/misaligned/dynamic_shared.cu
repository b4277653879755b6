// Floats first, then vectors, in one piece of dynamic shared memory: the vectors start at byte 12.
//@ launch pack<<<1, 1, 64>>> buf:f32:zeros*4
extern "C" __global__ void pack(float4* out) {
    extern __shared__ float s[];
    float4* vectors = (float4*)(s + 3);
    vectors[threadIdx.x] = make_float4(1, 2, 3, 4);  // expect: misaligned
    *out = vectors[threadIdx.x];  // expect-also: misaligned
}
