// The candidates of the sweep of chapter 7 (benches/limit.rs), by name: type, loads in flight, how they are made,
// how the partial sums are finished, and blocks in a cluster.

#include "../ch7_limit.cu"

#define LOADS_1_TO_8(T, LOAD, FINISH, CLUSTER)                                                                \
    CANDIDATE(T, 1, LOAD, FINISH, CLUSTER)                                                                    \
    CANDIDATE(T, 2, LOAD, FINISH, CLUSTER)                                                                    \
    CANDIDATE(T, 4, LOAD, FINISH, CLUSTER)                                                                    \
    CANDIDATE(T, 8, LOAD, FINISH, CLUSTER)
#define CANDIDATE(T, LOADS, LOAD, FINISH, CLUSTER)                                                            \
    LIMIT(T##_##LOADS##_##LOAD##_##FINISH##_##CLUSTER, T, LOADS, LOAD, FINISH, CLUSTER)

LOADS_1_TO_8(int, ReadOnly, OneWord, 1)
LOADS_1_TO_8(int, Streaming, OneWord, 1)
LOADS_1_TO_8(int, PassL1, OneWord, 1)
LOADS_1_TO_8(int, PassL1By256, OneWord, 1)
LOADS_1_TO_8(int, ReadOnly, Ticket, 1)
LOADS_1_TO_8(int, ReadOnly, Slots, 1)
LOADS_1_TO_8(int, ReadOnly, OneWord, 4)
LOADS_1_TO_8(int, ReadOnly, OneWord, 8)
LOADS_1_TO_8(int, ReadOnly, OneWord, 16)

LOADS_1_TO_8(float, ReadOnly, Slots, 1)
LOADS_1_TO_8(float, Streaming, Slots, 1)
LOADS_1_TO_8(float, PassL1, Slots, 1)
LOADS_1_TO_8(float, PassL1By256, Slots, 1)
LOADS_1_TO_8(float, ReadOnly, Ticket, 1)
LOADS_1_TO_8(float, ReadOnly, Slots, 4)
LOADS_1_TO_8(float, ReadOnly, Slots, 8)
LOADS_1_TO_8(float, ReadOnly, Slots, 16)
