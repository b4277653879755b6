// Not there, and said so.

#error "<pthread.h> is missing: the simulator runs the host as one thread"
