package cuda

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrClosed is the error of calls on an object after its Close, or after the Close of its context
// or driver.
var ErrClosed = errors.New("used after Close")

// Error is a failed driver call.
type Error struct {
	Call    string // the function, without its version: cuMemAlloc
	Code    Result
	Name    string // CUDA_ERROR_…
	Meaning string // in English
	Fatal   bool   // the context is unusable
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, int32(e.Code), e.Meaning)
}

// Unwrap returns the code, for errors.Is(err, cuda.OutOfMemory).
func (e *Error) Unwrap() error { return e.Code }

// NoDriverError reports that the driver library could not be loaded.
type NoDriverError struct {
	Library string
	Reason  error
}

func (e *NoDriverError) Error() string {
	return fmt.Sprintf("no NVIDIA driver: %s cannot be loaded (%v): install the driver of your GPU; "+
		"in a container, pass the GPU to it; set %s if the driver is in an unusual place",
		e.Library, e.Reason, LibraryVariable)
}

// Unwrap returns the reason.
func (e *NoDriverError) Unwrap() error { return e.Reason }

// OldDriverError reports that the driver library lacks a function. A driver of CUDA 11.4 has all
// but cuLaunchKernelEx (11.8), which only clusters need, and cuTensorMapEncodeTiled (12.0), which
// only tensor maps need.
type OldDriverError struct {
	Symbol string
}

func (e *OldDriverError) Error() string {
	return fmt.Sprintf("the driver is too old: it has no %s: update the NVIDIA driver", e.Symbol)
}

// OutOfMemoryError reports that an allocation did not fit. The sizes are in bytes.
type OutOfMemoryError struct {
	Asked, Free, Total uint64
	Err                error
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("%v: asked for %d bytes; %d of %d are free", e.Err, e.Asked, e.Free, e.Total)
}

// Unwrap returns the driver's error.
func (e *OutOfMemoryError) Unwrap() error { return e.Err }

// UnfitError reports why the device cannot run a launch of that size.
type UnfitError struct{ Why string }

func (e *UnfitError) Error() string { return e.Why }

// LinkError reports that PTX or machine code was rejected, with the messages of the driver's
// compiler (CU_JIT_INFO_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER).
type LinkError struct {
	Name      string // the name of the code
	Info, Log string // the compiler's notes, and its errors
	Err       error
}

func (e *LinkError) Error() string {
	message := fmt.Sprintf("%s: %v", e.Name, e.Err)
	for _, log := range []string{e.Log, e.Info} {
		if log := strings.TrimSpace(log); log != "" {
			message += "\n" + log
		}
	}
	return message
}

// Unwrap returns the driver's error.
func (e *LinkError) Unwrap() error { return e.Err }

// TimeoutError reports that a wait ended before the kernel did.
type TimeoutError struct {
	Kernel string        // the last kernel launched; empty if the thread did not answer in time
	Waited time.Duration // for how long
	Cause  error         // context.DeadlineExceeded for the limit, or why the context ended
}

func (e *TimeoutError) Error() string {
	what := "kernel " + e.Kernel + " is still running"
	if e.Kernel == "" {
		what = "the GPU is still busy"
	}
	return fmt.Sprintf("%s after %v (%v): nothing but the end of this process stops a running kernel",
		what, e.Waited.Round(time.Microsecond), e.Cause)
}

// Unwrap returns the cause.
func (e *TimeoutError) Unwrap() error { return e.Cause }

// Timeout reports that this is a timeout, as errors of the standard library do.
func (e *TimeoutError) Timeout() bool { return true }

// BusyError reports that a call was refused because the driver might have waited for a kernel to
// end, perhaps for ever.
type BusyError struct {
	Call string // the call that was refused
	// the last kernel launched; "" if the queue holds MaxQueued fills and event records instead
	Kernel string
}

func (e *BusyError) Error() string {
	if e.Kernel == "" {
		return fmt.Sprintf("%s: the queue is full: wait for it first (Context.Wait)", e.Call)
	}
	return fmt.Sprintf("%s: kernel %s may still be running: wait for it first (Context.Wait)", e.Call, e.Kernel)
}

// Breaks reports whether this process cannot use the GPU after the error: a kernel still runs, or
// has made the context unusable.
func Breaks(err error) bool {
	var late *TimeoutError
	var broken *BrokenError
	var answer *Error
	return errors.As(err, &late) || errors.As(err, &broken) || errors.As(err, &answer) && answer.Fatal
}

// BrokenError reports that a call was refused because an earlier error, such as a kernel's access
// to a wrong address, has made the context unusable.
type BrokenError struct {
	Call string // the call that was refused
	Err  error  // what broke the context
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf(
		"%s: the context is broken and this process must end before the GPU is used again, because of %v",
		e.Call, e.Err)
}

// Unwrap returns what broke the context.
func (e *BrokenError) Unwrap() error { return e.Err }
