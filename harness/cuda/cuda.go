// Package cuda drives an NVIDIA GPU through the CUDA driver API, which is all that a
// machine with a driver has: no CUDA toolkit and no cgo. Names in parentheses below and
// in the comments of this package are those of the CUDA Driver API reference manual.
//
//	Driver    the loaded library and the one OS thread that talks to it
//	Device    what a GPU is: numbers that do not change
//	Context   a GPU in use (its primary context); owns what is made in it
//	Linked    PTX as machine code (cuLink…), so that it can be read before it runs
//	Module    machine code on the GPU; gives a Function (kernel) and its globals
//	Memory    a range of bytes on the GPU
//	Event     a moment in the GPU's queue of work, to measure time
//	Error     what a driver call answered; the other errors say what to do
//
// The calls of every goroutine are made one after the other by one goroutine that is
// locked to its OS thread, because a current context belongs to a thread
// (cuCtxSetCurrent). Only compilers run on threads of their own.
//
// A kernel may never end, and nothing but the end of the process stops it. So nothing
// here waits for a kernel without bound. A launch returns at once; Context.Wait waits
// for a limited time. A call in which the driver would wait for a running kernel, such as
// a copy, is refused with a BusyError until Wait has seen the kernels end.
package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// LibraryVariable is the environment variable that names the driver library for
// Open(""): a driver in an unusual place, or the stand-in of a test.
const LibraryVariable = "MUSTER_LIBCUDA"

// Driver is the CUDA driver library, ready for use. Its methods, and those of all objects that come
// from it, may be called concurrently.
type Driver struct {
	thread  *thread
	version Version

	// The rest is used on the thread only.
	api      *api
	current  handle // the context that is current on the thread
	contexts []*Context
	closed   bool // no new contexts
}

// Version is a version of CUDA, such as 12.4.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Open loads the driver library at path and initializes it (cuInit). An empty path
// stands for the file that the variable MUSTER_LIBCUDA names, or else for the places
// where drivers are installed.
//
// The error is a *NoDriverError if there is no such library, a *OldDriverError if it
// lacks something that this package needs, and a *Error if cuInit fails.
func Open(path string) (*Driver, error) {
	if path == "" {
		path = os.Getenv(LibraryVariable)
	}
	d := &Driver{thread: startThread()}
	err := d.run(func() error { return d.initialize(path) })
	if err != nil {
		d.thread.stop()
		return nil, err
	}
	return d, nil
}

// initialize runs on the thread.
func (d *Driver) initialize(path string) error {
	find, err := openLibrary(path)
	if err != nil {
		return err
	}
	if d.api, err = findAll(find); err != nil {
		return err
	}
	if err := d.check("cuInit", d.api.cuInit(0)); err != nil {
		return err
	}
	var version int32
	if err := d.check("cuDriverGetVersion", d.api.cuDriverGetVersion(&version)); err != nil {
		return err
	}
	d.version = Version{Major: int(version) / 1000, Minor: int(version) % 1000 / 10}
	return nil
}

// Version returns the newest CUDA version that the driver supports (cuDriverGetVersion).
func (d *Driver) Version() Version { return d.version }

// Context makes the device with the given index ready for use
// (cuDevicePrimaryCtxRetain). A device has at most one open Context in a Driver.
func (d *Driver) Context(index int) (*Context, error) {
	var c *Context
	err := d.run(func() error {
		if d.closed {
			return ErrClosed
		}
		for _, open := range d.contexts {
			if open.device.Index == index {
				return fmt.Errorf("device %d has a context that is not closed yet", index)
			}
		}
		var err error
		c, err = d.retain(index)
		return err
	})
	return c, err
}

// Close closes the open contexts and ends the thread. A second Close does nothing. The
// library stays loaded: a driver's own threads and exit handlers live in it.
//
// The error is that of Context.Close.
func (d *Driver) Close() error {
	var open []*Context
	err := d.run(func() error {
		d.closed = true
		open = slices.Clone(d.contexts)
		return nil
	})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	var errs []error
	for _, c := range slices.Backward(open) {
		errs = append(errs, c.Close())
	}
	d.thread.stop()
	return errors.Join(errs...)
}

// run runs f on the thread.
func (d *Driver) run(f func() error) error { return d.thread.run(context.Background(), f) }

// check turns the result of a driver call into an error. It runs on the thread.
func (d *Driver) check(call string, r Result) error {
	if r == Success {
		return nil
	}
	return &Error{Call: call, Code: r, Name: d.resultName(r), Meaning: d.resultMeaning(r), Fatal: r.sticky()}
}
