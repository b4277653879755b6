// The runtime API, with the names, the numbers and the default arguments that CUDA 13 gives them (CUDA Runtime API). The
// C functions are the simulator's; a template is what is one in CUDA too. What an older CUDA had is refused with what
// replaced it, or works as it did.

#pragma once
#pragma GCC system_header

#include "errors.h"
#include "properties.h"

#define CUDART_VERSION 13000
#define CUDART_CB

// NVIDIA's samples ask whether these headers were read.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

// ---- types

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaEventInterprocess 4
#define cudaEventRecordDefault 0
#define cudaEventRecordExternal 1
#define cudaEventWaitDefault 0
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaHostRegisterDefault 0
#define cudaHostRegisterPortable 1
#define cudaHostRegisterMapped 2
#define cudaHostRegisterIoMemory 4
#define cudaHostRegisterReadOnly 8
#define cudaPeerAccessDefault 0
#define cudaMemAttachGlobal 1
#define cudaMemAttachHost 2
#define cudaMemAttachSingle 4
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceBlockingSync 4
#define cudaDeviceMapHost 8
#define cudaDeviceLmemResizeToMax 16
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define cudaOccupancyDefault 0
#define cudaOccupancyDisableCachingOverride 1

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6,
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation = 2,
    cudaMemRangeAttributeAccessedBy = 3,
    cudaMemRangeAttributeLastPrefetchLocation = 4,
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4,
};
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2,
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2,
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2,
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8,
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
};

struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch;
    size_t xsize;
    size_t ysize;
};
struct cudaExtent {
    size_t width;
    size_t height;
    size_t depth;
};
struct cudaPos {
    size_t x;
    size_t y;
    size_t z;
};
struct cudaMemcpy3DParms {
    struct cudaArray *srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    struct cudaArray *dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
WB_INLINE_HOST cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
    return {ptr, pitch, xsize, ysize};
}
WB_INLINE_HOST cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
WB_INLINE_HOST cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};

extern "C" {

// ---- launches. The first three are what clang makes of kernel<<<grid, block, bytes, stream>>>(…).

int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0);
WB_BOTH_SIDES void *cudaGetParameterBuffer(size_t alignment, size_t size);
WB_BOTH_SIDES cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block,
                                           unsigned int shared_bytes = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);

// ---- errors

WB_BOTH_SIDES cudaError_t cudaGetLastError();
WB_BOTH_SIDES cudaError_t cudaPeekAtLastError();
WB_BOTH_SIDES const char *cudaGetErrorName(cudaError_t error);
WB_BOTH_SIDES const char *cudaGetErrorString(cudaError_t error);

// ---- devices

WB_BOTH_SIDES cudaError_t cudaGetDevice(int *device);
WB_BOTH_SIDES cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
WB_BOTH_SIDES cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
WB_BOTH_SIDES cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
WB_BOTH_SIDES cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int from, int to);
WB_BOTH_SIDES cudaError_t cudaDriverGetVersion(int *version);
WB_BOTH_SIDES cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

// ---- allocations

WB_BOTH_SIDES cudaError_t cudaMalloc(void **address, size_t bytes);
WB_BOTH_SIDES cudaError_t cudaFree(void *address);
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned int flags);
cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *address, cudaExtent extent);
cudaError_t cudaMallocHost(void **address, size_t bytes);
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int flags);
cudaError_t cudaFreeHost(void *address);
cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *address);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address);

// ---- copies and sets

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
WB_BOTH_SIDES cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream = 0);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream = 0);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = 0);
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaMemset(void *address, int value, size_t bytes);
WB_BOTH_SIDES cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream = 0);
cudaError_t cudaMemset3D(cudaPitchedPtr address, int value, cudaExtent extent);
// CUDA 13's forms; those below take a device's number, as CUDA 12 had it.
cudaError_t __wb_prefetch(const void *address, size_t bytes, int device, cudaStream_t stream);
cudaError_t __wb_advise(const void *address, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemRangeGetAttribute(void *value, size_t size, cudaMemRangeAttribute attribute, const void *address,
                                     size_t bytes);

// ---- streams and events

cudaError_t cudaStreamCreate(cudaStream_t *stream);
WB_BOTH_SIDES cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
WB_BOTH_SIDES cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
WB_BOTH_SIDES cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes = 0,
                                     unsigned int flags = cudaMemAttachSingle);
cudaError_t cudaEventCreate(cudaEvent_t *event);
WB_BOTH_SIDES cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
WB_BOTH_SIDES cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned int flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
WB_BOTH_SIDES cudaError_t cudaEventDestroy(cudaEvent_t event);

// ---- graphs

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

// ---- kernels

WB_BOTH_SIDES cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, cudaSharedMemConfig config);
WB_BOTH_SIDES cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                                        int block_size, size_t shared_bytes);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks, int block_size);
cudaError_t __wb_max_potential_block_size(int *min_grid_size, int *block_size, const void *kernel, size_t shared_bytes,
                                          int limit);

#ifdef WB_BORDER
WB_OLD("nvcc refuses it in a kernel: since CUDA 12 a kernel cannot wait for its children; launch what comes after them "
       "into cudaStreamTailLaunch")
__device__ cudaError_t cudaDeviceSynchronize();
#endif

#define WB_GONE(what) __attribute__((unavailable(what)))
cudaError_t cudaBindTexture(...) WB_GONE("it is gone since CUDA 12, and the simulator has no textures: use a pointer");
cudaError_t cudaUnbindTexture(...) WB_GONE("it is gone since CUDA 12, and the simulator has no textures: use a pointer");
cudaError_t cudaCreateTextureObject(...) WB_GONE("the simulator has no textures: use a pointer");
cudaError_t cudaMallocArray(...) WB_GONE("the simulator has no arrays for textures: use cudaMallocPitch()");
cudaError_t cudaMemcpyToArray(...) WB_GONE("the simulator has no arrays for textures: use cudaMemcpy2D()");
cudaError_t cudaIpcGetMemHandle(...) WB_GONE("the simulator runs one process");
#undef WB_GONE

} // extern "C"

// ---- templates

template <typename T> WB_INLINE_BOTH cudaError_t cudaMalloc(T **address, size_t bytes)
{
    return cudaMalloc((void **)address, bytes);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMallocManaged(T **address, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)address, bytes, flags);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)address, pitch, width, height);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaMallocHost(T **address, size_t bytes, unsigned int flags = 0)
{
    return flags ? cudaHostAlloc((void **)address, bytes, flags) : cudaMallocHost((void **)address, bytes);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaHostAlloc(T **address, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc((void **)address, bytes, flags);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)address, bytes, stream);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMallocFromPoolAsync(T **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)address, bytes, pool, stream);
}

template <typename T>
WB_INLINE_HOST cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                   cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                   cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                     cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

WB_INLINE_HOST int __wb_device(cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}
WB_INLINE_HOST cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, cudaMemLocation location,
                                                unsigned int, cudaStream_t stream = 0)
{
    return __wb_prefetch(address, bytes, __wb_device(location), stream);
}
WB_INLINE_HOST cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device, cudaStream_t stream = 0)
{
    return __wb_prefetch(address, bytes, device, stream);
}
WB_INLINE_HOST cudaError_t cudaMemAdvise(const void *address, size_t bytes, cudaMemoryAdvise advice,
                                         cudaMemLocation location)
{
    return __wb_advise(address, bytes, advice, __wb_device(location));
}
WB_INLINE_HOST cudaError_t cudaMemAdvise(const void *address, size_t bytes, cudaMemoryAdvise advice, int device)
{
    return __wb_advise(address, bytes, advice, device);
}

WB_INLINE_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
WB_INLINE_HOST cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(milliseconds, start, end);
}
WB_INLINE_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                unsigned long long flags = 0)
{
    return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
// CUDA 11's form.
WB_INLINE_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *,
                                                char *, size_t)
{
    return cudaGraphInstantiateWithFlags(executable, graph, 0);
}

template <typename T>
WB_INLINE_HOST cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
                                            cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                       size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <typename... Parameters, typename... Arguments>
WB_INLINE_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                              Arguments &&...arguments)
{
    return [&](Parameters... converted) {
        void *addresses[] = {(void *)&converted..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, addresses);
    }((Arguments &&)arguments...);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <typename T> WB_INLINE_HOST cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size,
                                                                         size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared_bytes);
}
template <typename T>
WB_INLINE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, T kernel,
                                                              size_t shared_bytes = 0, int limit = 0)
{
    return __wb_max_potential_block_size(min_grid_size, block_size, (const void *)kernel, shared_bytes, limit);
}
template <typename F, typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size, int *block_size, T kernel,
                                                                  F shared_bytes, int limit = 0)
{
    int most = 0;
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    for (int size = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; size >= 32; size -= 32) {
        int blocks = 0;
        cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, size, shared_bytes(size));
        if (error != cudaSuccess) {
            return error;
        }
        if (blocks * size > most) {
            most = blocks * size;
            *block_size = size;
            *min_grid_size = blocks * processors;
        }
    }
    return cudaSuccess;
}

// ---- what an older CUDA had

WB_OLD("nvcc refuses it: it is cudaDeviceSynchronize() since CUDA 4, and gone since CUDA 13")
WB_INLINE_HOST cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
WB_OLD("nvcc refuses it: it is cudaDeviceReset() since CUDA 4, and gone since CUDA 13")
WB_INLINE_HOST cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
WB_OLD("nvcc refuses it: it is cudaDeviceSetLimit() since CUDA 4, and gone since CUDA 13")
WB_INLINE_HOST cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
WB_OLD("nvcc refuses it: it is cudaDeviceSetCacheConfig() since CUDA 4, and gone since CUDA 13")
WB_INLINE_HOST cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
