// What host code calls: it is read, and not compiled. So functions take anything.
#pragma once

enum cudaError {
  cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError, cudaErrorNotReady, cudaErrorNoDevice,
  cudaErrorInvalidDevice, cudaErrorLaunchFailure, cudaErrorPeerAccessAlreadyEnabled, cudaErrorUnknown
};
typedef enum cudaError cudaError_t;
typedef struct muster_stream *cudaStream_t;
typedef struct muster_event *cudaEvent_t;
typedef struct muster_graph *cudaGraph_t;
typedef struct muster_graph_exec *cudaGraphExec_t;
typedef struct muster_pool *cudaMemPool_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef void (*cudaHostFn_t)(void *);
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMultiProcessorCount, cudaDevAttrCooperativeLaunch, cudaDevAttrMaxSharedMemoryPerBlock,
  cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrWarpSize, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseSetPreferredLocation = 3, cudaMemAdviseSetAccessedBy = 5 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum muster_flag {
  cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped, cudaHostAllocWriteCombined = 4, cudaMemAttachGlobal = 1, cudaMemAttachHost,
  cudaStreamDefault = 0, cudaStreamNonBlocking, cudaEventDefault = 0, cudaEventBlockingSync, cudaEventDisableTiming, cudaCpuDeviceId = -1,
  cudaDeviceScheduleAuto = 0, cudaDeviceMapHost = 8, cudaHostRegisterDefault = 0
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem, memPitch;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor, multiProcessorCount, integrated,
      canMapHostMemory, computeMode, concurrentKernels, memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor,
      managedMemory, cooperativeLaunch, unifiedAddressing, asyncEngineCount, deviceOverlap, ECCEnabled;
};
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e);

#define MUSTER_HOST(name) template <typename... T> cudaError_t name(T &&...);
MUSTER_HOST(cudaMalloc)
MUSTER_HOST(cudaMallocManaged)
MUSTER_HOST(cudaMallocHost)
MUSTER_HOST(cudaMallocPitch)
MUSTER_HOST(cudaMallocAsync)
MUSTER_HOST(cudaHostAlloc)
MUSTER_HOST(cudaHostGetDevicePointer)
MUSTER_HOST(cudaHostRegister)
MUSTER_HOST(cudaHostUnregister)
MUSTER_HOST(cudaFree)
MUSTER_HOST(cudaFreeHost)
MUSTER_HOST(cudaFreeAsync)
MUSTER_HOST(cudaMemcpy)
MUSTER_HOST(cudaMemcpyAsync)
MUSTER_HOST(cudaMemcpy2D)
MUSTER_HOST(cudaMemcpy2DAsync)
MUSTER_HOST(cudaMemcpyPeer)
MUSTER_HOST(cudaMemcpyPeerAsync)
MUSTER_HOST(cudaMemcpyToSymbol)
MUSTER_HOST(cudaMemcpyToSymbolAsync)
MUSTER_HOST(cudaMemcpyFromSymbol)
MUSTER_HOST(cudaMemcpyFromSymbolAsync)
MUSTER_HOST(cudaGetSymbolAddress)
MUSTER_HOST(cudaMemset)
MUSTER_HOST(cudaMemset2D)
MUSTER_HOST(cudaMemsetAsync)
MUSTER_HOST(cudaMemGetInfo)
MUSTER_HOST(cudaMemPrefetchAsync)
MUSTER_HOST(cudaMemAdvise)
MUSTER_HOST(cudaSetDevice)
MUSTER_HOST(cudaGetDevice)
MUSTER_HOST(cudaGetDeviceCount)
MUSTER_HOST(cudaGetDeviceProperties)
MUSTER_HOST(cudaDeviceGetAttribute)
MUSTER_HOST(cudaDeviceSetLimit)
MUSTER_HOST(cudaDeviceSetCacheConfig)
MUSTER_HOST(cudaDeviceSynchronize)
MUSTER_HOST(cudaDeviceReset)
MUSTER_HOST(cudaDeviceCanAccessPeer)
MUSTER_HOST(cudaDeviceEnablePeerAccess)
MUSTER_HOST(cudaDeviceDisablePeerAccess)
MUSTER_HOST(cudaSetDeviceFlags)
MUSTER_HOST(cudaThreadSynchronize)
MUSTER_HOST(cudaThreadExit)
MUSTER_HOST(cudaGetLastError)
MUSTER_HOST(cudaPeekAtLastError)
MUSTER_HOST(cudaStreamCreate)
MUSTER_HOST(cudaStreamCreateWithFlags)
MUSTER_HOST(cudaStreamCreateWithPriority)
MUSTER_HOST(cudaStreamSynchronize)
MUSTER_HOST(cudaStreamQuery)
MUSTER_HOST(cudaStreamWaitEvent)
MUSTER_HOST(cudaStreamAddCallback)
MUSTER_HOST(cudaStreamBeginCapture)
MUSTER_HOST(cudaStreamEndCapture)
MUSTER_HOST(cudaStreamDestroy)
MUSTER_HOST(cudaEventCreate)
MUSTER_HOST(cudaEventCreateWithFlags)
MUSTER_HOST(cudaEventRecord)
MUSTER_HOST(cudaEventSynchronize)
MUSTER_HOST(cudaEventQuery)
MUSTER_HOST(cudaEventElapsedTime)
MUSTER_HOST(cudaEventDestroy)
MUSTER_HOST(cudaFuncSetAttribute)
MUSTER_HOST(cudaFuncSetCacheConfig)
MUSTER_HOST(cudaFuncGetAttributes)
MUSTER_HOST(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
MUSTER_HOST(cudaOccupancyMaxPotentialBlockSize)
MUSTER_HOST(cudaLaunchKernel)
MUSTER_HOST(cudaLaunchCooperativeKernel)
MUSTER_HOST(cudaLaunchHostFunc)
MUSTER_HOST(cudaGraphInstantiate)
MUSTER_HOST(cudaGraphLaunch)
MUSTER_HOST(cudaGraphDestroy)
MUSTER_HOST(cudaGraphExecDestroy)
MUSTER_HOST(cudaProfilerStart)
MUSTER_HOST(cudaProfilerStop)
MUSTER_HOST(cudaDriverGetVersion)
MUSTER_HOST(cudaRuntimeGetVersion)
