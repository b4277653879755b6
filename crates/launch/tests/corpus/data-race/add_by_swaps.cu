// The loop of the programming guide: a plain read, and a compare-and-swap that checks it again: a note.
// expect: clean
//@ launch add<<<2, 32>>> buf:f64:0
//@ expect 0 = f64:64
extern "C" __global__ void add(double* sum) {
    unsigned long long *at = (unsigned long long*)sum, old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __double_as_longlong(1.0 + __longlong_as_double(seen)));
    } while (seen != old);
}
