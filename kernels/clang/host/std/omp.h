// Not there, and said so.

#error "<omp.h> is missing: the simulator runs the host as one thread, and knows no OpenMP"
