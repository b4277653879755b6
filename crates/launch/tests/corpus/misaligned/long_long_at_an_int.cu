// Eight bytes, four bytes too far on.
//@ launch store<<<1, 1>>> buf:i32:zeros*8
extern "C" __global__ void store(int* out) {
    *(long long*)(out + 1) = 5;  // expect: misaligned
}
