package cuda

import (
	"errors"
	"fmt"
	"unsafe"
)

// Memory is a range of bytes on the GPU. Offsets and sizes are in bytes.
//
// All methods but Fill are refused with a *BusyError while a kernel may be running.
type Memory struct {
	address  uint64
	size     uint64
	resource *resource
	global   bool // a variable of a module, which is freed with it
}

// Alloc allocates bytes of the GPU's memory (cuMemAlloc). Its initial contents are undefined.
//
// The error is a *OutOfMemoryError if there is not enough, and a *BusyError while a kernel may be
// running.
func (c *Context) Alloc(bytes uint64) (*Memory, error) {
	m := &Memory{size: bytes}
	err := c.doIdle("Context.Alloc", func() error {
		api := c.driver.api
		err := c.check("cuMemAlloc", api.cuMemAlloc(&m.address, bytes))
		if errors.Is(err, OutOfMemory) {
			return c.outOfMemory(bytes, err)
		}
		if err != nil {
			return err
		}
		m.resource = c.own(func() error { return c.check("cuMemFree", api.cuMemFree(m.address)) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// outOfMemory returns the error that there are not enough bytes. It runs on the thread.
func (c *Context) outOfMemory(bytes uint64, err error) error {
	full := &OutOfMemoryError{Asked: bytes, Err: err}
	_ = c.driver.api.cuMemGetInfo(&full.Free, &full.Total) // zero if even this fails
	return full
}

// Address returns the address of the memory for a kernel (CUdeviceptr). A *Memory as an argument of
// a launch stands for it.
func (m *Memory) Address() uint64 { return m.address }

// Size returns the number of bytes.
func (m *Memory) Size() uint64 { return m.size }

// Fill sets every 32-bit word to value (cuMemsetD32), after the kernels that are running and before
// those that are launched later; it does not wait. The size must be a multiple of 4.
func (m *Memory) Fill(value uint32) error { return m.resource.context.Enqueue(m.Filling(value)) }

// Filling returns the work that Fill queues.
func (m *Memory) Filling(value uint32) Work {
	const call = "Memory.Fill"
	c := m.resource.context
	return Work{m.resource, call, "", func() error {
		if m.size%4 != 0 {
			return fmt.Errorf("%s: %d bytes are not a whole number of words", call, m.size)
		}
		return c.enqueue(call, "", func() error {
			return c.check("cuMemsetD32", c.driver.api.cuMemsetD32(m.address, value, m.size/4))
		})
	}}
}

// Write copies bytes to the GPU (cuMemcpyHtoD).
func (m *Memory) Write(offset uint64, from []byte) error {
	return m.copyIn("Memory.Write", offset, unsafe.Pointer(unsafe.SliceData(from)), uint64(len(from)))
}

// WriteWords copies 32-bit words to the GPU (cuMemcpyHtoD).
func (m *Memory) WriteWords(offset uint64, from []uint32) error {
	return m.copyIn("Memory.WriteWords", offset, unsafe.Pointer(unsafe.SliceData(from)), 4*uint64(len(from)))
}

// Read copies bytes from the GPU (cuMemcpyDtoH).
func (m *Memory) Read(offset uint64, to []byte) error {
	return m.copyOut("Memory.Read", offset, unsafe.Pointer(unsafe.SliceData(to)), uint64(len(to)))
}

// ReadWords copies 32-bit words from the GPU (cuMemcpyDtoH).
func (m *Memory) ReadWords(offset uint64, to []uint32) error {
	return m.copyOut("Memory.ReadWords", offset, unsafe.Pointer(unsafe.SliceData(to)), 4*uint64(len(to)))
}

func (m *Memory) copyIn(call string, offset uint64, from unsafe.Pointer, bytes uint64) error {
	c := m.resource.context
	return m.copy(call, offset, bytes, func() error {
		return c.check("cuMemcpyHtoD", c.driver.api.cuMemcpyHtoD(m.address+offset, from, bytes))
	})
}

func (m *Memory) copyOut(call string, offset uint64, to unsafe.Pointer, bytes uint64) error {
	c := m.resource.context
	return m.copy(call, offset, bytes, func() error {
		return c.check("cuMemcpyDtoH", c.driver.api.cuMemcpyDtoH(to, m.address+offset, bytes))
	})
}

// copy runs a copy if it stays within the memory.
func (m *Memory) copy(call string, offset, bytes uint64, run func() error) error {
	return m.resource.doIdle(call, func() error {
		if offset > m.size || bytes > m.size-offset {
			return fmt.Errorf("%s: %d bytes at offset %d are not within the memory's %d", call, bytes, offset, m.size)
		}
		if bytes == 0 {
			return nil
		}
		return run()
	})
}

// Close frees the memory (cuMemFree). A second Close does nothing, nor does closing a module's
// variable.
func (m *Memory) Close() error {
	if m.global {
		return nil
	}
	return m.resource.close("Memory.Close")
}
