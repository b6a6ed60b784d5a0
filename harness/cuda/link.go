package cuda

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Linked is machine code that the driver's compiler made from PTX.
type Linked struct {
	Cubin []byte // an ELF file, for nvdisasm and for Context.Load
	Info  string // the compiler's notes: registers, spills
}

// inputPTX is CU_JIT_INPUT_PTX, the input type of PTX text.
const inputPTX = 1

// Link compiles PTX to machine code for the context's GPU (cuLinkCreate, cuLinkAddData,
// cuLinkComplete) at the compiler's default level of optimization. name stands for the PTX in
// messages. Nothing is loaded: the machine code can be read before it runs. The compiler runs on a
// thread of its own, so several goroutines may link at a time, and while kernels run.
//
// The error is a *LinkError with the compiler's messages if the PTX is rejected.
func (c *Context) Link(name, ptx string) (*Linked, error) {
	if strings.IndexByte(ptx, 0) >= 0 {
		return nil,
			&LinkError{Name: name, Err: errors.New("the PTX has a NUL byte, at which the driver would stop to read")}
	}
	input := append([]byte(ptx), 0)
	err := c.do("Context.Link", func() error {
		c.linking.Add(1) // the context stays until the compiler has ended
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer c.linking.Done()
	var linked *Linked
	compiler := startThread()
	defer compiler.stop()
	err = compiler.run(context.Background(), func() error {
		log := newJITLog()
		defer log.unpin()
		cubin, err := c.link(name, input, log)
		if err != nil {
			return &LinkError{Name: name, Info: log.info(), Log: log.failure(), Err: err}
		}
		linked = &Linked{Cubin: cubin, Info: log.info()}
		return nil
	})
	return linked, err
}

// link runs on a thread of its own. Its errors do not affect the context.
func (c *Context) link(name string, ptx []byte, log *jitLog) (cubin []byte, err error) {
	d, api := c.driver, c.driver.api
	if err := d.check("cuCtxSetCurrent", api.cuCtxSetCurrent(c.handle)); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, d.check("cuCtxSetCurrent", api.cuCtxSetCurrent(0)))
	}()
	var state handle
	n, options, values := log.args()
	if err := d.check("cuLinkCreate", api.cuLinkCreate(n, options, values, &state)); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, d.check("cuLinkDestroy", api.cuLinkDestroy(state)))
	}()
	r := api.cuLinkAddData(state, inputPTX, &ptx[0], uint64(len(ptx)), name, 0, nil, nil)
	if err := d.check("cuLinkAddData", r); err != nil {
		return nil, err
	}
	var image *byte
	var size uint64
	if err := d.check("cuLinkComplete", api.cuLinkComplete(state, &image, &size)); err != nil {
		return nil, err
	}
	// The link state owns the image: cuLinkDestroy frees it.
	return bytes.Clone(unsafe.Slice(image, size)), nil
}

// Load loads the machine code of a cubin onto the GPU, unchanged (cuModuleLoadDataEx). name stands
// for it in messages.
//
// The error is a *LinkError if the driver rejects it, or if it is not a complete cubin, and a
// *BusyError while a kernel may be running.
func (c *Context) Load(name string, cubin []byte) (*Module, error) {
	if err := checkCubin(cubin); err != nil {
		return nil, &LinkError{Name: name, Err: err}
	}
	var m *Module
	err := c.doIdle("Context.Load", func() error {
		log := newJITLog()
		defer log.unpin()
		api := c.driver.api
		var module handle
		n, options, values := log.args()
		r := api.cuModuleLoadDataEx(&module, &cubin[0], n, options, values)
		if err := c.check("cuModuleLoadDataEx", r); err != nil {
			return &LinkError{Name: name, Info: log.info(), Log: log.failure(), Err: err}
		}
		m = &Module{name: name, handle: module}
		m.resource = c.own(func() error { return c.check("cuModuleUnload", api.cuModuleUnload(module)) })
		return nil
	})
	return m, err
}

// checkCubin reports what is wrong with a file that is not a cubin, or is truncated: the driver is
// not told its size and would read past its end. A cubin is a 64-bit little-endian ELF file, whose
// tables of segments and sections the header locates.
func checkCubin(cubin []byte) error {
	const headerSize = 64
	if len(cubin) < headerSize || !bytes.HasPrefix(cubin, []byte("\x7fELF\x02\x01")) {
		return errors.New("this is not a cubin: PTX has to be linked first (Context.Link)")
	}
	u16, u64 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint64
	for _, table := range []struct {
		name        string
		offset      uint64
		size, count uint16
	}{
		{"segments", u64(cubin[32:]), u16(cubin[54:]), u16(cubin[56:])},
		{"sections", u64(cubin[40:]), u16(cubin[58:]), u16(cubin[60:])},
	} {
		length, size := uint64(table.size)*uint64(table.count), uint64(len(cubin))
		if table.offset > size || length > size-table.offset {
			return fmt.Errorf("the cubin is cut off: its table of %s lies beyond its %d bytes", table.name, size)
		}
	}
	return nil
}

// The compiler options that are used (CUjit_option): two logs with their sizes, and verbose
// logging.
const (
	jitInfoLog      = 3  // CU_JIT_INFO_LOG_BUFFER
	jitInfoLogSize  = 4  // CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES
	jitErrorLog     = 5  // CU_JIT_ERROR_LOG_BUFFER
	jitErrorLogSize = 6  // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
	jitLogVerbose   = 12 // CU_JIT_LOG_VERBOSE
)

// jitLog has the options that make the compiler log what it does. Everything is pinned, because the
// driver keeps the pointers from cuLinkCreate to cuLinkDestroy; it writes into values how much of
// the logs it filled.
type jitLog struct {
	options [5]int32
	values  [5]uintptr // each is a void* that holds the value itself
	texts   [2][1 << 14]byte
	pinner  runtime.Pinner
}

func newJITLog() *jitLog {
	l := &jitLog{options: [5]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize, jitLogVerbose}}
	l.pinner.Pin(l)
	info, failure := &l.texts[0], &l.texts[1]
	l.values = [5]uintptr{
		uintptr(unsafe.Pointer(info)), uintptr(len(info)),
		uintptr(unsafe.Pointer(failure)), uintptr(len(failure)),
		1,
	}
	return l
}

func (l *jitLog) unpin()          { l.pinner.Unpin() }
func (l *jitLog) info() string    { return upToNUL(l.texts[0][:]) }
func (l *jitLog) failure() string { return upToNUL(l.texts[1][:]) }

// args returns the number of options and the two arrays, as three arguments of a call.
func (l *jitLog) args() (n uint32, options *int32, values *uintptr) {
	return uint32(len(l.options)), &l.options[0], &l.values[0]
}
