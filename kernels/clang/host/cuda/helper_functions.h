// What programs use of helper_functions.h of NVIDIA's samples (cuda-samples, Common/), in our words: timers and arguments.
// Read only where the program has none beside it.

#pragma once
#pragma GCC system_header

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

struct StopWatchInterface {
    float total;
    clock_t began;
    int runs;
};
inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = new StopWatchInterface{0, 0, 0};
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer)
{
    (*timer)->began = clock();
    return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->total += 1e3f * (clock() - (*timer)->began) / CLOCKS_PER_SEC;
    (*timer)->runs += 1;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer)
{
    **timer = StopWatchInterface{0, clock(), 0};
    return true;
}
// In milliseconds.
inline float sdkGetTimerValue(StopWatchInterface **timer) { return (*timer)->total; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->runs > 0 ? (*timer)->total / (*timer)->runs : 0.0f;
}

// What follows "name" in an argument such as --name or -name=value; null if there is none.
inline const char *wb_argument(int argc, const char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; ++i) {
        const char *text = argv[i];
        while (*text == '-')
            ++text;
        if (text != argv[i] && strncmp(text, name, length) == 0 && (text[length] == 0 || text[length] == '='))
            return text + length;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
    return wb_argument(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *value = wb_argument(argc, argv, name);
    return value != nullptr && *value == '=' ? atoi(value + 1) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *value = wb_argument(argc, argv, name);
    return value != nullptr && *value == '=' ? (float)atof(value + 1) : 0.0f;
}
