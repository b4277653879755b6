// Chapter 1 as a program: two recursions and a loop, all on the host. There is no kernel yet.
//
//     nvcc -o ch1_serial ch1_serial.cu && ./ch1_serial
#include <cstdio>
#include <cstdlib>
#include <vector>

// As the textbooks have it: an odd size loses its last element.
unsigned int recursiveReduce(unsigned int *data, size_t size)
{
    if (size <= 1) {
        return size == 1 ? data[0] : 0;
    }
    size_t half = size / 2;
    for (size_t i = 0; i < half; ++i) {
        data[i] += data[i + half];
    }
    return recursiveReduce(data, half);
}

// The half is rounded up: an element in the middle waits for the next step.
unsigned int recursiveReduceAnyLength(unsigned int *data, size_t size)
{
    if (size <= 1) {
        return size == 1 ? data[0] : 0;
    }
    size_t half = (size + 1) / 2;
    for (size_t i = 0; i + half < size; ++i) {
        data[i] += data[i + half];
    }
    return recursiveReduceAnyLength(data, half);
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1000;
    std::vector<unsigned int> numbers(size);
    unsigned int loop = 0;
    for (size_t i = 0; i < size; ++i) {
        numbers[i] = i * i % 1013;
        loop += numbers[i];
    }

    // Both recursions overwrite what they add up, so each gets a copy.
    std::vector<unsigned int> copy = numbers;
    unsigned int textbook = recursiveReduce(copy.data(), size);
    unsigned int anyLength = recursiveReduceAnyLength(numbers.data(), size);

    printf("%zu elements: the loop's sum is %u, the recursion's %u\n", size, loop, anyLength);
    printf("the textbook's recursion gives %u\n", textbook);
    return anyLength == loop ? EXIT_SUCCESS : EXIT_FAILURE;
}
