// The same mistake, thousands of times, is said once.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

struct Point {
    float x;
    float y;
};

int main()
{
    const int n = 5000;
    Point *points = (Point *)malloc(n * sizeof(Point));
    for (int i = 0; i < n; ++i)
        points[i].x = i;
    for (int i = 0; i < n; ++i) {
        if (points[i].x + points[i].y > 1e30f) // expect: error uninitialized-read
            printf("%d\n", i);
    }
    printf("done\n"); // prints: done
    free(points);
    return 0;
}
