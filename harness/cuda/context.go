package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// MaxQueued bounds the launches, fills and event records of a context between two waits. A driver's
// queue is not much longer, and a call that finds it full waits without bound.
const MaxQueued = 256

// closeGrace bounds the time that Close waits for kernels that are still running.
const closeGrace = 200 * time.Millisecond

// Context is a GPU in use: the device's primary context and the objects made in it. All work goes
// to one queue, in the order of the calls.
type Context struct {
	driver *Driver
	device Device
	id     int32  // CUdevice
	handle handle // CUcontext

	linking sync.WaitGroup // compilers that run

	// The rest is used on the driver's thread only.
	owned    []*resource // in the order in which they were made
	broken   error       // the sticky error that made the context useless
	closed   bool        // no new calls
	released bool        // no calls at all

	kernel   string // the last kernel launched
	queued   uint64 // number of launches, fills and event records so far
	launched uint64 // the value of queued after the last launch
	marked   uint64 // how many pieces of work precede the last record of event
	finished uint64 // how many pieces of work a wait has seen finished
	event    handle
	streams  []handle // beside the default one, in the order in which launches asked for them
}

const eventDisableTiming = 2 // CU_EVENT_DISABLE_TIMING

// retain makes a context. It runs on the thread.
func (d *Driver) retain(index int) (*Context, error) {
	id, device, err := d.describe(index)
	if err != nil {
		return nil, err
	}
	c := &Context{driver: d, device: device, id: id}
	if err := d.check("cuDevicePrimaryCtxRetain", d.api.cuDevicePrimaryCtxRetain(&c.handle, id)); err != nil {
		return nil, fmt.Errorf("device %d: %w", index, err)
	}
	if err := c.begin(); err != nil {
		_ = c.release()
		return nil, fmt.Errorf("device %d: %w", index, err)
	}
	d.contexts = append(d.contexts, c)
	return c, nil
}

// begin makes what every context needs. It runs on the thread.
func (c *Context) begin() error {
	if err := c.makeCurrent(); err != nil {
		return err
	}
	api := c.driver.api
	if err := c.check("cuEventCreate", api.cuEventCreate(&c.event, eventDisableTiming)); err != nil {
		return err
	}
	c.own(func() error { return c.check("cuEventDestroy", api.cuEventDestroy(c.event)) })
	return nil
}

// Device describes the GPU.
func (c *Context) Device() Device { return c.device }

// MemoryInfo returns the free and total bytes of the GPU's memory (cuMemGetInfo).
func (c *Context) MemoryInfo() (free, total uint64, err error) {
	err = c.do("Context.MemoryInfo", func() error {
		return c.check("cuMemGetInfo", c.driver.api.cuMemGetInfo(&free, &total))
	})
	return free, total, err
}

// Close frees, in the reverse of the order in which they were made, the events, memory
// and modules of the context, and then releases the context
// (cuDevicePrimaryCtxRelease). A second Close does nothing.
//
// The driver would wait for running kernels. So Close gives them a fifth of a second; if
// one still runs then, Close frees nothing and returns a *TimeoutError. It may be called
// again, in case the kernel does end.
func (c *Context) Close() error {
	_ = c.driver.run(func() error {
		c.closed = true // from here on nothing is launched
		return nil
	})
	waited := c.await(context.Background(), closeGrace, c.onThread)
	var known *BrokenError
	if errors.As(waited, &known) {
		waited = nil
	}
	err := c.driver.run(func() error {
		switch {
		case c.released:
			return nil
		case c.broken == nil && c.busy():
			return waited
		}
		return errors.Join(waited, c.release())
	})
	if err == ErrClosed { // the driver closed it
		return nil
	}
	return err
}

// release frees everything. In a broken context the driver would answer each call with the same
// error, which has been reported; the end of the context frees everything in it. It runs on the
// thread.
func (c *Context) release() error {
	d := c.driver
	c.linking.Wait()
	c.released = true
	d.contexts = slices.DeleteFunc(d.contexts, func(open *Context) bool { return open == c })
	var errs []error
	if c.broken == nil {
		errs = append(errs, c.makeCurrent())
		for _, r := range slices.Backward(c.owned) {
			errs = append(errs, r.destroy())
		}
	}
	d.current = 0
	errs = append(errs,
		d.check("cuCtxSetCurrent", d.api.cuCtxSetCurrent(0)),
		d.check("cuDevicePrimaryCtxRelease", d.api.cuDevicePrimaryCtxRelease(c.id)))
	if c.broken != nil {
		return nil
	}
	return errors.Join(errs...)
}

// do runs f on the thread, with the context current, unless the context is closed or broken. call
// is the name of the call, for errors.
func (c *Context) do(call string, f func() error) error {
	return c.doWithin(context.Background(), call, f)
}

// doIdle is do for a call in which the driver may wait for kernels: it is refused while one may be
// running. A copy, a free or an unload does wait; an allocation may; so may calls that load code,
// which drivers delay until a kernel or variable is requested (CUDA programming guide, "Lazy
// Loading").
func (c *Context) doIdle(call string, f func() error) error {
	return c.do(call, func() error {
		if c.busy() {
			return &BusyError{Call: call, Kernel: c.kernel}
		}
		return f()
	})
}

// doWithin is do with a context that bounds the wait for its turn.
func (c *Context) doWithin(ctx context.Context, call string, f func() error) error {
	err := c.onThread(ctx, call, func() error {
		if c.closed {
			return ErrClosed
		}
		return f()
	})
	if err == ErrClosed {
		return fmt.Errorf("%s: %w", call, ErrClosed)
	}
	return err
}

// onThread is doWithin for a Context that may be about to be released.
func (c *Context) onThread(ctx context.Context, call string, f func() error) error {
	return c.driver.thread.run(ctx, func() error {
		if c.released {
			return ErrClosed
		}
		if c.broken != nil {
			return &BrokenError{Call: call, Err: c.broken}
		}
		if err := c.makeCurrent(); err != nil {
			return err
		}
		return f()
	})
}

// makeCurrent makes the context current on the thread, where it runs.
func (c *Context) makeCurrent() error {
	d := c.driver
	if d.current == c.handle {
		return nil
	}
	if err := d.check("cuCtxSetCurrent", d.api.cuCtxSetCurrent(c.handle)); err != nil {
		return err
	}
	d.current = c.handle
	return nil
}

// check is Driver.check that records a sticky error. It runs on the thread.
func (c *Context) check(call string, r Result) error {
	err := c.driver.check(call, r)
	if !r.sticky() {
		return err
	}
	return c.breakDown(err)
}

// breakDown records what has made the context useless. It runs on the thread.
func (c *Context) breakDown(err error) error {
	if c.busy() {
		err = fmt.Errorf("kernel %s or one before it: %w", c.kernel, err)
	}
	if c.broken == nil {
		c.broken = err
	}
	return err
}

// busy reports whether a kernel may be running. Fills do not count, because they end by themselves.
// It runs on the thread.
func (c *Context) busy() bool { return c.launched > c.finished }

// enqueue makes a call that queues work: a kernel, if it is named, or something that is done soon
// after the kernels before it. A wait is for all of it: the driver reports an event that no wait
// has seen as not ready, even if only fills come before it. It runs on the thread.
func (c *Context) enqueue(call, kernel string, queue func() error) error {
	if c.queued-c.finished >= MaxQueued {
		return &BusyError{Call: call, Kernel: c.kernel}
	}
	if err := queue(); err != nil {
		return err
	}
	c.queued++
	if kernel != "" {
		c.kernel, c.launched = kernel, c.queued
	}
	return nil
}

// resource is an object of a context that must be freed.
type resource struct {
	context *Context
	destroy func() error // runs on the thread
	anytime bool         // destroy never waits for kernels
	closed  bool         // used on the thread only
}

// own records an object that the context must free. It runs on the thread.
func (c *Context) own(destroy func() error) *resource {
	r := &resource{context: c, destroy: destroy}
	c.owned = append(c.owned, r)
	return r
}

// do is Context.do for a call that uses r.
func (r *resource) do(call string, f func() error) error {
	return r.context.do(call, r.open(f))
}

// doIdle is Context.doIdle for a call that uses r.
func (r *resource) doIdle(call string, f func() error) error {
	return r.context.doIdle(call, r.open(f))
}

// open wraps f so that it fails once r has been closed.
func (r *resource) open(f func() error) func() error {
	return func() error {
		if r.closed {
			return ErrClosed
		}
		return f()
	}
}

// close frees r, once.
func (r *resource) close(call string) error {
	c := r.context
	err := r.do(call, func() error {
		if c.busy() && !r.anytime {
			return &BusyError{Call: call, Kernel: c.kernel}
		}
		return r.abandon()
	})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// abandon frees r immediately. It runs on the thread.
func (r *resource) abandon() error {
	c := r.context
	r.closed = true
	c.owned = slices.DeleteFunc(c.owned, func(owned *resource) bool { return owned == r })
	return r.destroy()
}
