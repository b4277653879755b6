// The candidates of the sweep of chapter 7 (benches/limit.rs), by name: type, threads in a block, loads in flight, how
// they are made, how the partial sums are finished, how a block adds, and blocks in a cluster.

#include "../ch7_limit.cu"

#define CANDIDATE(T, BLOCK, LOADS, LOAD, FINISH, SUM, CLUSTER)                                                \
    LIMIT(T##_##BLOCK##_##LOADS##_##LOAD##_##FINISH##_##SUM##_##CLUSTER, T, BLOCK, LOADS, LOAD, FINISH, SUM, CLUSTER)
#define BLOCKS(T, LOADS, LOAD, FINISH, SUM, CLUSTER)                                                          \
    CANDIDATE(T, 128, LOADS, LOAD, FINISH, SUM, CLUSTER)                                                      \
    CANDIDATE(T, 256, LOADS, LOAD, FINISH, SUM, CLUSTER)                                                      \
    CANDIDATE(T, 512, LOADS, LOAD, FINISH, SUM, CLUSTER)
#define ALL(T, FINISH, SUM)                                                                                   \
    BLOCKS(T, 1, ReadOnly, FINISH, SUM, 1)                                                                    \
    BLOCKS(T, 2, ReadOnly, FINISH, SUM, 1)                                                                    \
    BLOCKS(T, 4, ReadOnly, FINISH, SUM, 1)                                                                    \
    BLOCKS(T, 8, ReadOnly, FINISH, SUM, 1)                                                                    \
    CANDIDATE(T, 1024, 1, ReadOnly, FINISH, SUM, 1)                                                           \
    CANDIDATE(T, 1024, 2, ReadOnly, FINISH, SUM, 1)                                                           \
    CANDIDATE(T, 1024, 4, ReadOnly, FINISH, SUM, 1)
#define LARGE(T, FINISH, SUM)                                                                                 \
    CANDIDATE(T, 256, 4, PassL1, FINISH, SUM, 1)                                                              \
    CANDIDATE(T, 512, 4, PassL1, FINISH, SUM, 1)                                                              \
    CANDIDATE(T, 1024, 4, PassL1, FINISH, SUM, 1)                                                             \
    CANDIDATE(T, 256, 8, PassL1, FINISH, SUM, 1)                                                              \
    CANDIDATE(T, 512, 8, PassL1, FINISH, SUM, 1)                                                              \
    CANDIDATE(T, 1024, 8, PassL1, FINISH, SUM, 1)

ALL(int, Alone, ShuffleFirst)
ALL(int, Alone, SharedFirst)
ALL(int, OneWord, ShuffleFirst)
LARGE(int, OneWord, ShuffleFirst)

BLOCKS(int, 4, Streaming, OneWord, ShuffleFirst, 1)
BLOCKS(int, 4, PassL1By256, OneWord, ShuffleFirst, 1)

ALL(float, Alone, ShuffleFirst)
ALL(float, Gather, ShuffleFirst)
ALL(float, Gather, SharedFirst)
LARGE(float, Gather, SharedFirst)
BLOCKS(float, 4, Streaming, Gather, SharedFirst, 1)
BLOCKS(float, 4, PassL1By256, Gather, SharedFirst, 1)
BLOCKS(float, 1, ReadOnly, Gather, SharedFirst, 8)
BLOCKS(float, 2, ReadOnly, Gather, SharedFirst, 8)
BLOCKS(float, 4, ReadOnly, Gather, SharedFirst, 8)

typedef long long i64;
ALL(i64, Alone, ShuffleFirst)
ALL(i64, Gather, ShuffleFirst)
ALL(i64, Gather, SharedFirst)
LARGE(i64, Gather, SharedFirst)
