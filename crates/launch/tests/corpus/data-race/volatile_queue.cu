// Lanes take the head of a queue without an atomic: several take the same element.
//@ launch take<<<1, 32>>> buf:i32:zeros*1 buf:i32:zeros*64
extern "C" __global__ void take(volatile int* head, int* taken) {
    int mine;
    while ((mine = *head) < 64) {      // expect: data-race
        *head = mine + 1;
        atomicAdd(&taken[mine], 1);
    }
}
