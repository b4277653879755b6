// What programs use of book.h of "CUDA by Example" (Sanders and Kandrot), in our words: read only where the program has
// none beside it.

#pragma once
#pragma GCC system_header

#include <stdio.h>
#include <stdlib.h>

inline void HandleError(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s in %s at line %d\n", cudaGetErrorString(error), file, line);
    exit(EXIT_FAILURE);
}
#define HANDLE_ERROR(error) (HandleError(error, __FILE__, __LINE__))
#define HANDLE_NULL(a)                                                                                                 \
    do {                                                                                                               \
        if ((a) == NULL) {                                                                                             \
            printf("Host memory failed in %s at line %d\n", __FILE__, __LINE__);                                       \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

template <typename T> inline void swap(T &a, T &b)
{
    T before = a;
    a = b;
    b = before;
}

inline void *big_random_block(int size)
{
    unsigned char *data = (unsigned char *)malloc(size);
    HANDLE_NULL(data);
    for (int i = 0; i < size; i++)
        data[i] = rand();
    return data;
}
inline int *big_random_block_int(int size)
{
    int *data = (int *)malloc(size * sizeof(int));
    HANDLE_NULL(data);
    for (int i = 0; i < size; i++)
        data[i] = rand();
    return data;
}
