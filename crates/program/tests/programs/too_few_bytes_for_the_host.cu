// malloc is given a number of elements.
#include <cstdio>
#include <cstdlib>

int main()
{
    const int n = 1000;
    float *h = (float *)malloc(n);
    for (int i = 0; i < n; i++)
        h[i] = i; // expect: error out-of-bounds
    free(h);
    return 0;
}
