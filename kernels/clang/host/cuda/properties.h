// What a GPU is and has: attributes, with CUDA's numbers, and properties, which are attributes too (CUDA Runtime API,
// cudaDeviceAttr, cudaDeviceProp). CUDA 13 has no clock rates in cudaDeviceProp: older programs print them.

#pragma once
#pragma GCC system_header

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrSurfaceAlignment = 30,
    cudaDevAttrTexturePitchAlignment = 51,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrMultiGpuBoardGroupID = 85,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrCanFlushRemoteWrites = 98,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost = 101,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize = 109,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrSparseCudaArraySupported = 112,
    cudaDevAttrHostRegisterReadOnlySupported = 113,
    cudaDevAttrTimelineSemaphoreInteropSupported = 114,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrGPUDirectRDMASupported = 116,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117,
    cudaDevAttrGPUDirectRDMAWritesOrdering = 118,
    cudaDevAttrMemoryPoolSupportedHandleTypes = 119,
    cudaDevAttrClusterLaunch = 120,
    cudaDevAttrDeferredMappingCudaArraySupported = 121,
    cudaDevAttrIpcEventSupport = 125,
    cudaDevAttrMemSyncDomainCount = 126,
    cudaDevAttrNumaConfig = 130,
    cudaDevAttrNumaId = 131,
    cudaDevAttrMpsEnabled = 133,
    cudaDevAttrHostNumaId = 134,
    cudaDevAttrD3D12CigSupported = 135,
    cudaDevAttrVulkanCigSupported = 138,
    cudaDevAttrGpuPciDeviceId = 139,
    cudaDevAttrGpuPciSubsystemId = 140,
    cudaDevAttrHostNumaMemoryPoolsSupported = 142,
    cudaDevAttrHostNumaMultinodeIpcSupported = 143,
    cudaDevAttrHostMemoryPoolsSupported = 144,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147,
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3,
};

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t;

// The properties that are attributes: WB_ATTRIBUTE(type, property, attribute).
#define WB_ATTRIBUTES                                                                                                  \
    WB_ATTRIBUTE(size_t, sharedMemPerBlock, MaxSharedMemoryPerBlock)                                                   \
    WB_ATTRIBUTE(int, regsPerBlock, MaxRegistersPerBlock)                                                              \
    WB_ATTRIBUTE(int, warpSize, WarpSize)                                                                              \
    WB_ATTRIBUTE(size_t, memPitch, MaxPitch)                                                                           \
    WB_ATTRIBUTE(int, maxThreadsPerBlock, MaxThreadsPerBlock)                                                          \
    WB_ATTRIBUTE(int, clockRate, ClockRate)                                                                            \
    WB_ATTRIBUTE(size_t, totalConstMem, TotalConstantMemory)                                                           \
    WB_ATTRIBUTE(int, major, ComputeCapabilityMajor)                                                                   \
    WB_ATTRIBUTE(int, minor, ComputeCapabilityMinor)                                                                   \
    WB_ATTRIBUTE(size_t, textureAlignment, TextureAlignment)                                                           \
    WB_ATTRIBUTE(size_t, texturePitchAlignment, TexturePitchAlignment)                                                 \
    WB_ATTRIBUTE(int, deviceOverlap, GpuOverlap)                                                                       \
    WB_ATTRIBUTE(int, multiProcessorCount, MultiProcessorCount)                                                        \
    WB_ATTRIBUTE(int, kernelExecTimeoutEnabled, KernelExecTimeout)                                                     \
    WB_ATTRIBUTE(int, integrated, Integrated)                                                                          \
    WB_ATTRIBUTE(int, canMapHostMemory, CanMapHostMemory)                                                              \
    WB_ATTRIBUTE(int, computeMode, ComputeMode)                                                                        \
    WB_ATTRIBUTE(size_t, surfaceAlignment, SurfaceAlignment)                                                           \
    WB_ATTRIBUTE(int, concurrentKernels, ConcurrentKernels)                                                            \
    WB_ATTRIBUTE(int, ECCEnabled, EccEnabled)                                                                          \
    WB_ATTRIBUTE(int, pciBusID, PciBusId)                                                                              \
    WB_ATTRIBUTE(int, pciDeviceID, PciDeviceId)                                                                        \
    WB_ATTRIBUTE(int, pciDomainID, PciDomainId)                                                                        \
    WB_ATTRIBUTE(int, tccDriver, TccDriver)                                                                            \
    WB_ATTRIBUTE(int, asyncEngineCount, AsyncEngineCount)                                                              \
    WB_ATTRIBUTE(int, unifiedAddressing, UnifiedAddressing)                                                            \
    WB_ATTRIBUTE(int, memoryClockRate, MemoryClockRate)                                                                \
    WB_ATTRIBUTE(int, memoryBusWidth, GlobalMemoryBusWidth)                                                            \
    WB_ATTRIBUTE(int, l2CacheSize, L2CacheSize)                                                                        \
    WB_ATTRIBUTE(int, persistingL2CacheMaxSize, MaxPersistingL2CacheSize)                                              \
    WB_ATTRIBUTE(int, maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor)                                        \
    WB_ATTRIBUTE(int, streamPrioritiesSupported, StreamPrioritiesSupported)                                            \
    WB_ATTRIBUTE(int, globalL1CacheSupported, GlobalL1CacheSupported)                                                  \
    WB_ATTRIBUTE(int, localL1CacheSupported, LocalL1CacheSupported)                                                    \
    WB_ATTRIBUTE(size_t, sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor)                                 \
    WB_ATTRIBUTE(int, regsPerMultiprocessor, MaxRegistersPerMultiprocessor)                                            \
    WB_ATTRIBUTE(int, managedMemory, ManagedMemory)                                                                    \
    WB_ATTRIBUTE(int, isMultiGpuBoard, IsMultiGpuBoard)                                                                \
    WB_ATTRIBUTE(int, multiGpuBoardGroupID, MultiGpuBoardGroupID)                                                      \
    WB_ATTRIBUTE(int, hostNativeAtomicSupported, HostNativeAtomicSupported)                                            \
    WB_ATTRIBUTE(int, singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio)                              \
    WB_ATTRIBUTE(int, pageableMemoryAccess, PageableMemoryAccess)                                                      \
    WB_ATTRIBUTE(int, concurrentManagedAccess, ConcurrentManagedAccess)                                                \
    WB_ATTRIBUTE(int, computePreemptionSupported, ComputePreemptionSupported)                                          \
    WB_ATTRIBUTE(int, canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem)                            \
    WB_ATTRIBUTE(int, cooperativeLaunch, CooperativeLaunch)                                                            \
    WB_ATTRIBUTE(size_t, sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin)                                         \
    WB_ATTRIBUTE(int, pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables)                  \
    WB_ATTRIBUTE(int, directManagedMemAccessFromHost, DirectManagedMemAccessFromHost)                                  \
    WB_ATTRIBUTE(int, maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)                                          \
    WB_ATTRIBUTE(int, accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize)                                            \
    WB_ATTRIBUTE(size_t, reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)                                      \
    WB_ATTRIBUTE(int, hostRegisterSupported, HostRegisterSupported)                                                    \
    WB_ATTRIBUTE(int, memoryPoolsSupported, MemoryPoolsSupported)                                                      \
    WB_ATTRIBUTE(int, clusterLaunch, ClusterLaunch)                                                                   

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem;
    int maxThreadsDim[3];
    int maxGridSize[3];
#define WB_ATTRIBUTE(type, property, attribute) type property;
    WB_ATTRIBUTES
#undef WB_ATTRIBUTE
    // There are no textures.
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int cooperativeMultiDeviceLaunch;
};

extern "C" {
WB_BOTH_SIDES cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
const char *__wb_device_name(int device);
size_t __wb_device_memory(int device);
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    int value = 0;
    cudaError_t error = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device);
    if (error != cudaSuccess) {
        return error;
    }
    *properties = {};
    strncpy(properties->name, __wb_device_name(device), sizeof properties->name - 1);
    properties->totalGlobalMem = __wb_device_memory(device);
    for (int axis = 0; axis < 3; ++axis) {
        cudaDeviceGetAttribute(&properties->maxThreadsDim[axis], (cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + axis), device);
        cudaDeviceGetAttribute(&properties->maxGridSize[axis], (cudaDeviceAttr)(cudaDevAttrMaxGridDimX + axis), device);
    }
#define WB_ATTRIBUTE(type, property, attribute)                                                                        \
    cudaDeviceGetAttribute(&value, cudaDevAttr##attribute, device);                                                    \
    properties->property = value;
    WB_ATTRIBUTES
#undef WB_ATTRIBUTE
    return cudaSuccess;
}
#undef WB_ATTRIBUTES
