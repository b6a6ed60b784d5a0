package cuda

import "errors"

// peerAPI is the part of the driver API with which GPUs access each other's memory (CUDA 8).
type peerAPI struct {
	cuDeviceGetP2PAttribute func(value *int32, attribute int32, from, to int32) Result
	cuCtxEnablePeerAccess   func(to handle, flags uint32) Result
	cuStreamWaitEvent       func(stream, event handle, flags uint32) Result
}

// The attributes of a link between two GPUs that are queried (CUdevice_P2PAttribute).
const (
	linkAccess  = 2 // CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
	linkAtomics = 3 // CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
)

// peers looks those functions up, once. It runs on the thread.
func (d *Driver) peers() (*peerAPI, error) {
	if d.api.peer != nil {
		return d.api.peer, nil
	}
	p := &peerAPI{}
	err := d.api.find.all([]function{
		{"cuDeviceGetP2PAttribute", &p.cuDeviceGetP2PAttribute},
		{"cuCtxEnablePeerAccess", &p.cuCtxEnablePeerAccess},
		{"cuStreamWaitEvent", &p.cuStreamWaitEvent},
	})
	if err != nil {
		return nil, err
	}
	d.api.peer = p
	return p, nil
}

// Linked reports whether kernels on one device can access the memory of another, with atomics that
// are atomic for both (cuDeviceGetP2PAttribute). If the driver does not tell, they cannot.
func (d *Driver) Linked(from, to Device) bool {
	err := d.run(func() error {
		api, err := d.peers()
		if err != nil {
			return err
		}
		var ids [2]int32
		for i, device := range []Device{from, to} {
			if err := d.check("cuDeviceGet", d.api.cuDeviceGet(&ids[i], int32(device.Index))); err != nil {
				return err
			}
		}
		for _, attribute := range []int32{linkAccess, linkAtomics} {
			var has int32
			if err := d.check("cuDeviceGetP2PAttribute",
				api.cuDeviceGetP2PAttribute(&has, attribute, ids[0], ids[1])); err != nil {
				return err
			}
			if has == 0 {
				return errNotLinked
			}
		}
		return nil
	})
	return err == nil
}

var errNotLinked = errors.New("the devices are not linked")

// Reach lets kernels of the context access all memory that another context allocates with Alloc, at
// the same addresses (cuCtxEnablePeerAccess). It must be called once for two contexts and a
// direction.
func (c *Context) Reach(other *Context) error {
	return c.doIdle("Context.Reach", func() error {
		if other.released {
			return ErrClosed
		}
		api, err := c.driver.peers()
		if err != nil {
			return err
		}
		return c.check("cuCtxEnablePeerAccess", api.cuCtxEnablePeerAccess(other.handle, 0))
	})
}

// Awaiting returns work that makes queue 0 of the context wait for the latest record of an event of
// another context at the time of queueing (cuStreamWaitEvent). Work that is queued later, in any
// stream, comes after it.
func (c *Context) Awaiting(e *Event) Work {
	const call = "Context.Awaiting"
	return Work{&resource{context: c}, call, "", func() error {
		if e.resource.closed {
			return ErrClosed
		}
		api, err := c.driver.peers()
		if err != nil {
			return err
		}
		return c.enqueue(call, "", func() error {
			return c.check("cuStreamWaitEvent", api.cuStreamWaitEvent(defaultStream, e.handle, 0))
		})
	}}
}
