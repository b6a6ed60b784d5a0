package cuda

import (
	"fmt"
	"unsafe"
)

// Result is the result of a driver call (CUresult). As an error it can be tested: errors.Is(err,
// cuda.IllegalAddress).
type Result int32

// The results that programs test for. There are many more.
const (
	Success        Result = 0
	InvalidValue   Result = 1
	OutOfMemory    Result = 2
	NoDevice       Result = 100
	InvalidDevice  Result = 101
	InvalidPTX     Result = 218
	NotFound       Result = 500
	NotReady       Result = 600
	IllegalAddress Result = 700
	OutOfResources Result = 701
)

// meaning is what is known about a result.
type meaning struct {
	name   string
	text   string // what is wrong and, where possible, what to do about it
	sticky bool   // every later call in the context fails with the same result
}

// meanings has the results that our programs can meet and a user can act on. The driver names the
// others (cuGetErrorName, cuGetErrorString). The descriptions of CUresult tell which are sticky:
// "the process must be terminated and relaunched".
var meanings = map[Result]meaning{
	InvalidValue: {name: "CUDA_ERROR_INVALID_VALUE", text: "an argument is out of its range"},
	OutOfMemory:  {name: "CUDA_ERROR_OUT_OF_MEMORY", text: "the GPU has not enough free memory"},
	3: {
		name: "CUDA_ERROR_NOT_INITIALIZED",
		text: "the driver is not initialized: its kernel module may not be loaded",
	},
	34: {
		name: "CUDA_ERROR_STUB_LIBRARY",
		text: "this is the stub library of a CUDA toolkit, made to link with: take its folder out of LD_LIBRARY_PATH",
	},
	46: {
		name: "CUDA_ERROR_DEVICE_UNAVAILABLE",
		text: "another process has the GPU for itself: wait for it, or set the compute mode back " +
			"with nvidia-smi -c DEFAULT",
	},
	NoDevice: {
		name: "CUDA_ERROR_NO_DEVICE",
		text: "the driver sees no GPU: is one installed, passed to this container, and not hidden " +
			"by CUDA_VISIBLE_DEVICES?",
	},
	InvalidDevice: {name: "CUDA_ERROR_INVALID_DEVICE", text: "there is no device of this number"},
	200:           {name: "CUDA_ERROR_INVALID_IMAGE", text: "this is not machine code for a GPU, or it is damaged"},
	201:           {name: "CUDA_ERROR_INVALID_CONTEXT", text: "no context is current"},
	209:           {name: "CUDA_ERROR_NO_BINARY_FOR_GPU", text: "this machine code is for another kind of GPU"},
	214: {
		name:   "CUDA_ERROR_ECC_UNCORRECTABLE",
		text:   "the GPU's memory has an error that could not be corrected",
		sticky: true,
	},
	217: {
		name: "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
		text: "one of two GPUs cannot reach the memory of the other",
	},
	InvalidPTX: {name: "CUDA_ERROR_INVALID_PTX", text: "the driver's PTX compiler rejects the PTX"},
	220: {
		name:   "CUDA_ERROR_NVLINK_UNCORRECTABLE",
		text:   "a link between GPUs has an error that could not be corrected",
		sticky: true,
	},
	221: {
		name: "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
		text: "the driver's PTX compiler, libnvidia-ptxjitcompiler.so.1, is not found: install it, set " +
			"LD_LIBRARY_PATH to the folder that has it, or have a ptxas on PATH or in MUSTER_CUDA_BIN",
	},
	222: {
		name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
		text: "the PTX asks for a newer PTX ISA version than this driver knows: lower .version or update the driver",
	},
	226: {name: "CUDA_ERROR_CONTAINED", text: "the GPU has contained an error of its hardware", sticky: true},
	304: {
		name: "CUDA_ERROR_OPERATING_SYSTEM",
		text: "a call to the operating system failed: may this user open /dev/nvidia*?",
	},
	400:      {name: "CUDA_ERROR_INVALID_HANDLE", text: "a handle is not one of this context, or no longer"},
	NotFound: {name: "CUDA_ERROR_NOT_FOUND", text: "there is nothing of this name"},
	NotReady: {name: "CUDA_ERROR_NOT_READY", text: "the work before the event has not finished"},

	IllegalAddress: {
		name:   "CUDA_ERROR_ILLEGAL_ADDRESS",
		text:   "a kernel accessed memory that it must not",
		sticky: true,
	},
	OutOfResources: {
		name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
		text: "the kernel needs more registers or shared memory than a block can have",
	},
	702: {
		name:   "CUDA_ERROR_LAUNCH_TIMEOUT",
		text:   "the display's watchdog ended a kernel that ran too long",
		sticky: true,
	},
	704: {name: "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", text: "a GPU was let reach the memory of another twice"},
	710: {name: "CUDA_ERROR_ASSERT", text: "an assertion in a kernel failed", sticky: true},
	711: {name: "CUDA_ERROR_TOO_MANY_PEERS", text: "a GPU reaches the memory of as many others as it can already"},
	714: {name: "CUDA_ERROR_HARDWARE_STACK_ERROR", text: "a kernel's call stack is damaged or too small", sticky: true},
	715: {
		name:   "CUDA_ERROR_ILLEGAL_INSTRUCTION",
		text:   "a kernel met an instruction that does not exist",
		sticky: true,
	},
	716: {
		name:   "CUDA_ERROR_MISALIGNED_ADDRESS",
		text:   "a kernel accessed an address that is not a multiple of the access's size",
		sticky: true,
	},
	717: {
		name:   "CUDA_ERROR_INVALID_ADDRESS_SPACE",
		text:   "a kernel accessed an address of another state space than the instruction's",
		sticky: true,
	},
	718: {name: "CUDA_ERROR_INVALID_PC", text: "a kernel jumped to where no code is", sticky: true},
	719: {name: "CUDA_ERROR_LAUNCH_FAILED", text: "a kernel failed", sticky: true},
	721: {
		name:   "CUDA_ERROR_TENSOR_MEMORY_LEAK",
		text:   "a kernel ended without freeing its tensor memory",
		sticky: true,
	},
	802: {
		name: "CUDA_ERROR_SYSTEM_NOT_READY",
		text: "the machine's GPUs are not ready yet: is the fabric manager running?",
	},
	803: {
		name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
		text: "the driver's library and its kernel module are of different versions: restart the machine, or install " +
			"the same version of both",
	},
	804: {
		name: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
		text: "the forward-compatibility driver serves no GPU of this kind: remove it from the library path or " +
			"update the installed driver",
	},
	805: {
		name: "CUDA_ERROR_MPS_CONNECTION_FAILED",
		text: "the MPS server does not answer: start it or unset CUDA_MPS_PIPE_DIRECTORY",
	},
	810: {
		name:   "CUDA_ERROR_MPS_CLIENT_TERMINATED",
		text:   "the MPS server has ended this process's use of the GPU",
		sticky: true,
	},
	911: {name: "CUDA_ERROR_EXTERNAL_DEVICE", text: "another device that the GPU works with has failed", sticky: true},
	999: {name: "CUDA_ERROR_UNKNOWN", text: "the driver does not say what: is the kernel module nvidia_uvm loaded?"},
}

// Error returns the result's name, such as CUDA_ERROR_ILLEGAL_ADDRESS, if it is known without the
// driver.
func (r Result) Error() string {
	if m, ok := meanings[r]; ok {
		return m.name
	}
	return fmt.Sprintf("CUDA error %d", int32(r))
}

// sticky reports whether the context is unusable after r.
func (r Result) sticky() bool { return meanings[r].sticky }

// resultName returns the name of r. It runs on the thread.
func (d *Driver) resultName(r Result) string {
	if m, ok := meanings[r]; ok {
		return m.name
	}
	var name *byte
	if d.api.cuGetErrorName(r, &name) != Success || name == nil {
		return r.Error()
	}
	return text(name)
}

// resultMeaning describes r. It runs on the thread.
func (d *Driver) resultMeaning(r Result) string {
	if m, ok := meanings[r]; ok {
		return m.text
	}
	var words *byte
	if d.api.cuGetErrorString(r, &words) != Success || words == nil {
		return "an error that this driver does not describe"
	}
	return text(words)
}

// text copies the C string at p.
func text(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
