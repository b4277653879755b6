// Asynchronous copies that a wait leaves out. They are written as PTX, since the headers have none before
// compute capability 8.0.

#define COPY(to, from)                                                                                       \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),   \
                 "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

// A wait is for groups that are committed.
extern "C" __global__ void noCommit(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]);
    WAIT(0); // noCommit
    __syncthreads();
    out[t] = s[63 - t];
}

// The commit comes after the wait, which leaves out one group too many by that.
extern "C" __global__ void commitAfterWait(const int *in, int *out, int tiles)
{
    __shared__ int s[3][64];
    int t = threadIdx.x;
    for (int tile = 0; tile < 2; tile++) {
        COPY(&s[tile][t], &in[tile * 64 + t]);
        COMMIT();
    }
    WAIT(1);
    __syncthreads();
    int sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 2 < tiles)
            COPY(&s[(tile + 2) % 3][t], &in[(tile + 2) * 64 + t]);
        sum += s[tile % 3][63 - t];
        WAIT(1); // commitAfterWait
        COMMIT();
        __syncthreads();
    }
    out[t] = sum;
}
