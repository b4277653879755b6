// Marks and ranges for a profiler do nothing here, and are no mistake.
#include <stdio.h>
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExt.h>

__global__ void nothing() {}

int main()
{
    nvtxEventAttributes_t look = {0};
    look.version = NVTX_VERSION;
    look.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    look.messageType = NVTX_MESSAGE_TYPE_ASCII;
    look.message.ascii = "a range";
    nvtxRangeId_t range = nvtxRangeStartEx(&look);
    nvtxNameCudaStream(0, "the default one");
    nvtxRangePush("inner");
    nothing<<<1, 32>>>();
    cudaDeviceSynchronize();
    nvtxRangePop();
    nvtxRangeEnd(range);
    printf("done\n"); // prints: done
    return 0;
}
