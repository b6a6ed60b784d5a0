package cuda

import "unsafe"

// handle is an opaque pointer of the driver: CUcontext, CUmodule, CUfunction, CUevent, CUlinkState
// or CUstream.
type handle uintptr

// defaultStream is the queue of fills and events of a context, and of kernels that do not ask for
// another. It is the legacy stream: work in it begins when work queued before in all other streams
// has ended, and they wait for it (CUDA Runtime API, "Stream synchronization behavior").
const defaultStream handle = 0

// find looks up a C function by its symbol and makes the Go function variable that fn points to
// call it.
type find func(symbol string, fn any) error

// function is a C function and the Go function variable that calls it.
type function struct {
	symbol string
	fn     any
}

// all looks up functions.
func (f find) all(functions []function) error {
	for _, wanted := range functions {
		if err := f(wanted.symbol, wanted.fn); err != nil {
			return err
		}
	}
	return nil
}

// api is the part of the driver API that this package calls. The signatures are those of
// cuda.h, with an output parameter as a Go pointer.
type api struct {
	find find // for functions that only some drivers have

	cuInit             func(flags uint32) Result
	cuDriverGetVersion func(version *int32) Result
	cuGetErrorName     func(r Result, name **byte) Result
	cuGetErrorString   func(r Result, text **byte) Result

	cuDeviceGetCount     func(count *int32) Result
	cuDeviceGet          func(device *int32, index int32) Result
	cuDeviceGetName      func(name *byte, size int32, device int32) Result
	cuDeviceGetUuid      func(uuid *[16]byte, device int32) Result
	cuDeviceGetAttribute func(value *int32, attribute int32, device int32) Result
	cuDeviceTotalMem     func(bytes *uint64, device int32) Result

	cuDevicePrimaryCtxRetain  func(ctx *handle, device int32) Result
	cuDevicePrimaryCtxRelease func(device int32) Result
	cuCtxSetCurrent           func(ctx handle) Result

	cuLinkCreate  func(n uint32, options *int32, values *uintptr, state *handle) Result
	cuLinkAddData func(state handle, kind int32, data *byte, size uint64, name string, n uint32,
		options *int32, values *uintptr) Result
	cuLinkComplete func(state handle, cubin **byte, size *uint64) Result
	cuLinkDestroy  func(state handle) Result

	cuModuleLoadDataEx  func(module *handle, image *byte, n uint32, options *int32, values *uintptr) Result
	cuModuleUnload      func(module handle) Result
	cuModuleGetFunction func(function *handle, module handle, name string) Result
	cuModuleGetGlobal   func(address *uint64, bytes *uint64, module handle, name string) Result

	cuMemGetInfo func(free, total *uint64) Result
	cuMemAlloc   func(address *uint64, bytes uint64) Result
	cuMemFree    func(address uint64) Result
	cuMemsetD32  func(address uint64, value uint32, words uint64) Result
	cuMemcpyHtoD func(to uint64, from unsafe.Pointer, bytes uint64) Result
	cuMemcpyDtoH func(to unsafe.Pointer, from uint64, bytes uint64) Result

	cuFuncSetAttribute func(function handle, attribute int32, value int32) Result
	cuLaunchKernel     func(function handle, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream handle,
		params *unsafe.Pointer, extra *unsafe.Pointer) Result

	cuEventCreate      func(event *handle, flags uint32) Result
	cuEventDestroy     func(event handle) Result
	cuEventRecord      func(event, stream handle) Result
	cuEventQuery       func(event handle) Result
	cuEventElapsedTime func(milliseconds *float32, start, end handle) Result

	cuStreamCreate  func(stream *handle, flags uint32) Result
	cuStreamDestroy func(stream handle) Result

	// These are nil until they are needed, because not every driver has them.
	cuFuncGetParamInfo     func(function handle, index uint64, offset, size *uint64) Result
	cuLaunchKernelEx       func(config *launchConfig, function handle, params, extra *unsafe.Pointer) Result
	cuTensorMapEncodeTiled encodeTiled
	virtual                *virtualAPI
	peer                   *peerAPI
	images                 *imageAPI
}

// findAll looks up every function of the API. A suffix such as _v2 is the version of a function to
// which cuda.h has mapped the plain name since CUDA 4 to 11.
func findAll(find find) (*api, error) {
	a := &api{find: find}
	return a, find.all([]function{
		{"cuInit", &a.cuInit},
		{"cuDriverGetVersion", &a.cuDriverGetVersion},
		{"cuGetErrorName", &a.cuGetErrorName},
		{"cuGetErrorString", &a.cuGetErrorString},
		{"cuDeviceGetCount", &a.cuDeviceGetCount},
		{"cuDeviceGet", &a.cuDeviceGet},
		{"cuDeviceGetName", &a.cuDeviceGetName},
		{"cuDeviceGetUuid_v2", &a.cuDeviceGetUuid},
		{"cuDeviceGetAttribute", &a.cuDeviceGetAttribute},
		{"cuDeviceTotalMem_v2", &a.cuDeviceTotalMem},
		{"cuDevicePrimaryCtxRetain", &a.cuDevicePrimaryCtxRetain},
		{"cuDevicePrimaryCtxRelease_v2", &a.cuDevicePrimaryCtxRelease},
		{"cuCtxSetCurrent", &a.cuCtxSetCurrent},
		{"cuLinkCreate_v2", &a.cuLinkCreate},
		{"cuLinkAddData_v2", &a.cuLinkAddData},
		{"cuLinkComplete", &a.cuLinkComplete},
		{"cuLinkDestroy", &a.cuLinkDestroy},
		{"cuModuleLoadDataEx", &a.cuModuleLoadDataEx},
		{"cuModuleUnload", &a.cuModuleUnload},
		{"cuModuleGetFunction", &a.cuModuleGetFunction},
		{"cuModuleGetGlobal_v2", &a.cuModuleGetGlobal},
		{"cuMemGetInfo_v2", &a.cuMemGetInfo},
		{"cuMemAlloc_v2", &a.cuMemAlloc},
		{"cuMemFree_v2", &a.cuMemFree},
		{"cuMemsetD32_v2", &a.cuMemsetD32},
		{"cuMemcpyHtoD_v2", &a.cuMemcpyHtoD},
		{"cuMemcpyDtoH_v2", &a.cuMemcpyDtoH},
		{"cuFuncSetAttribute", &a.cuFuncSetAttribute},
		{"cuLaunchKernel", &a.cuLaunchKernel},
		{"cuEventCreate", &a.cuEventCreate},
		{"cuEventDestroy_v2", &a.cuEventDestroy},
		{"cuEventRecord", &a.cuEventRecord},
		{"cuEventQuery", &a.cuEventQuery},
		{"cuEventElapsedTime", &a.cuEventElapsedTime},
		{"cuStreamCreate", &a.cuStreamCreate},
		{"cuStreamDestroy_v2", &a.cuStreamDestroy},
	})
}
