// What goes wrong in a library is said of the line that called it.
#include <fstream>
#include <vector>
#include <cuda_runtime.h>

static void save(const std::vector<int> &values)
{
    std::ofstream file("values.txt"); // expect: warning host-access
    for (int value : values)
        file << value << '\n';
}

int main()
{
    save(std::vector<int>(4, 7));
    return 0;
}
