// argv, globals that are computed before main, statics, a recursion, function pointers, and what atexit
// calls.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

static int next()
{
    static int count = 41;
    return ++count;
}

int answer = next();

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

typedef int (*Function)(int);
static Function functions[] = {fibonacci, abs};

static void goodbye()
{
    puts("goodbye");
}

int main(int argc, char **argv)
{
    atexit(goodbye);
    printf("%d arguments, %s, answer %d\n", argc, argv[argc - 1], answer);
    // prints: 3 arguments, last, answer 42
    printf("%d %d %d\n", functions[0](15), functions[1](-7), next()); // prints: 610 7 43
    return 7; // returns: 7, prints: goodbye
}
