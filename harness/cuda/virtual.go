package cuda

import (
	"errors"
	"fmt"
)

// virtualAPI is the part of the driver API that maps memory at addresses of choice (CUDA 10.2).
type virtualAPI struct {
	cuMemGetAllocationGranularity func(granularity *uint64, prop *allocationProp, option int32) Result
	cuMemCreate                   func(allocation *uint64, bytes uint64, prop *allocationProp, flags uint64) Result
	cuMemRelease                  func(allocation uint64) Result
	cuMemAddressReserve           func(address *uint64, bytes, alignment, at, flags uint64) Result
	cuMemAddressFree              func(address, bytes uint64) Result
	cuMemMap                      func(address, bytes, offset, allocation, flags uint64) Result
	cuMemUnmap                    func(address, bytes uint64) Result
	cuMemSetAccess                func(address, bytes uint64, access *accessDesc, n uint64) Result
}

// location is CUmemLocation of cuda.h.
type location struct{ kind, id int32 }

// allocationProp is CUmemAllocationProp of cuda.h.
type allocationProp struct {
	kind     int32
	_        int32 // requestedHandleTypes
	location location
	_        handle  // win32HandleMetaData
	_        [8]byte // allocFlags
}

// accessDesc is CUmemAccessDesc of cuda.h.
type accessDesc struct {
	location location
	flags    int32
}

const (
	locationDevice     = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	allocationPinned   = 1 // CU_MEM_ALLOCATION_TYPE_PINNED, memory that does not move
	granularityMinimum = 0 // CU_MEM_ALLOC_GRANULARITY_MINIMUM
	accessReadWrite    = 3 // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
)

// findVirtual looks up those functions, once. It runs on the thread.
func (a *api) findVirtual() (*virtualAPI, error) {
	if a.virtual != nil {
		return a.virtual, nil
	}
	v := &virtualAPI{}
	err := a.find.all([]function{
		{"cuMemGetAllocationGranularity", &v.cuMemGetAllocationGranularity},
		{"cuMemCreate", &v.cuMemCreate},
		{"cuMemRelease", &v.cuMemRelease},
		{"cuMemAddressReserve", &v.cuMemAddressReserve},
		{"cuMemAddressFree", &v.cuMemAddressFree},
		{"cuMemMap", &v.cuMemMap},
		{"cuMemUnmap", &v.cuMemUnmap},
		{"cuMemSetAccess", &v.cuMemSetAccess},
	})
	if err != nil {
		return nil, err
	}
	a.virtual = v
	return v, nil
}

// AllocAliased allocates bytes of the GPU's memory with n addresses, virtual aliases of each other
// (PTX ISA, "Aliases"). Each is a Memory of its own; the bytes are freed when all of them are
// closed. The initial contents are undefined. Kernels of the other contexts can access them, too.
//
// The errors are those of Alloc.
func (c *Context) AllocAliased(bytes uint64, n int, others ...*Context) ([]*Memory, error) {
	if n < 1 {
		return nil, fmt.Errorf("memory needs an address")
	}
	var all []*Memory
	err := c.doIdle("Context.AllocAliased", func() error {
		v, err := c.driver.api.findVirtual()
		if err != nil {
			return err
		}
		var access []accessDesc
		for _, who := range append([]*Context{c}, others...) {
			access = append(access, accessDesc{location{locationDevice, who.id}, accessReadWrite})
		}
		all, err = c.aliased(v, bytes, n, access)
		return err
	})
	return all, err
}

// aliased runs on the thread.
func (c *Context) aliased(v *virtualAPI, bytes uint64, n int, access []accessDesc) (all []*Memory, err error) {
	prop := &allocationProp{kind: allocationPinned, location: access[0].location}
	var granularity, allocation uint64
	if err := c.check("cuMemGetAllocationGranularity",
		v.cuMemGetAllocationGranularity(&granularity, prop, granularityMinimum)); err != nil {
		return nil, err
	}
	size := (bytes + granularity - 1) / granularity * granularity
	err = c.check("cuMemCreate", v.cuMemCreate(&allocation, size, prop, 0))
	if errors.Is(err, OutOfMemory) {
		return nil, c.outOfMemory(size, err)
	}
	if err != nil {
		return nil, err
	}
	// A mapping stays until it is unmapped, even after the allocation itself is released.
	defer func() {
		err = errors.Join(err, c.check("cuMemRelease", v.cuMemRelease(allocation)))
		if err != nil {
			for _, m := range all {
				err = errors.Join(err, m.resource.abandon())
			}
			all = nil
		}
	}()
	for range n {
		m, err := c.mapped(v, allocation, bytes, size, access)
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}

// mapped maps an allocation at a new address. It runs on the thread.
func (c *Context) mapped(v *virtualAPI, allocation, bytes, size uint64, access []accessDesc) (*Memory, error) {
	m := &Memory{size: bytes}
	if err := c.check("cuMemAddressReserve", v.cuMemAddressReserve(&m.address, size, 0, 0, 0)); err != nil {
		return nil, err
	}
	unreserve := func() error { return c.check("cuMemAddressFree", v.cuMemAddressFree(m.address, size)) }
	if err := c.check("cuMemMap", v.cuMemMap(m.address, size, 0, allocation, 0)); err != nil {
		return nil, errors.Join(err, unreserve())
	}
	unmap := func() error {
		return errors.Join(c.check("cuMemUnmap", v.cuMemUnmap(m.address, size)), unreserve())
	}
	if err := c.check("cuMemSetAccess",
		v.cuMemSetAccess(m.address, size, &access[0], uint64(len(access)))); err != nil {
		return nil, errors.Join(err, unmap())
	}
	m.resource = c.own(unmap)
	return m, nil
}
