// What a program sets in its environment is there for it, and for nothing else.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

static const char *value(const char *name)
{
    const char *found = getenv(name);
    return found ? found : "(none)";
}

int main()
{
    printf("%s\n", value("WB_STREAMS")); // prints: (none)
    printf("%d %s\n", setenv("WB_STREAMS", "8", 1), value("WB_STREAMS")); // prints: 0 8
    setenv("WB_STREAMS", "9", 0);
    printf("%s\n", value("WB_STREAMS")); // prints: 8
    setenv("WB_STREAMS", "10", 1);
    printf("%s\n", value("WB_STREAMS")); // prints: 10
    char both[] = "WB_OTHER=a=b";
    putenv(both);
    printf("%s %s\n", value("WB_OTHER"), value("WB_OTHER=a")); // prints: a=b (none)
    unsetenv("WB_STREAMS");
    printf("%s %d\n", value("WB_STREAMS"), setenv("A=B", "1", 1)); // prints: (none) -1
    cudaSharedMemConfig banks;
    cudaDeviceGetSharedMemConfig(&banks);
    printf("%d\n", banks == cudaSharedMemBankSizeFourByte); // prints: 1
    return 0;
}
