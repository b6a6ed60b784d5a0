package cuda

import "fmt"

// Module is machine code on the GPU. Its methods are refused with a *BusyError while a
// kernel may be running.
type Module struct {
	name     string
	handle   handle
	resource *resource
}

// Function is a kernel of a module.
type Function struct {
	name   string
	module *Module
	handle handle
	params []uint64 // the sizes of its parameters in bytes; nil if the driver does not tell

	allowed [2]int32 // what it has opted in to; used on the thread only
}

// Function returns the kernel with a name, an .entry of the PTX (cuModuleGetFunction).
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{name: name, module: m}
	c := m.resource.context
	err := m.resource.doIdle("Module.Function", func() error {
		r := c.driver.api.cuModuleGetFunction(&f.handle, m.handle, name)
		if err := c.check("cuModuleGetFunction", r); err != nil {
			return fmt.Errorf("kernel %s of %s: %w", name, m.name, err)
		}
		f.params = c.paramSizes(f.handle)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Name returns the kernel's name.
func (f *Function) Name() string { return f.name }

// paramSizes returns the sizes of a kernel's parameters, or nil: drivers before CUDA 12.4 do not
// tell. It runs on the thread.
func (c *Context) paramSizes(function handle) []uint64 {
	api := c.driver.api
	if api.cuFuncGetParamInfo == nil && api.find("cuFuncGetParamInfo", &api.cuFuncGetParamInfo) != nil {
		return nil
	}
	sizes := []uint64{}
	for {
		var offset, size uint64
		switch api.cuFuncGetParamInfo(function, uint64(len(sizes)), &offset, &size) {
		case Success:
			sizes = append(sizes, size)
		case InvalidValue: // there is no parameter with this index
			return sizes
		default:
			return nil
		}
	}
}

// Global returns a variable of the module by its name (cuModuleGetGlobal). The memory lives as long
// as the module; closing it does nothing.
func (m *Module) Global(name string) (*Memory, error) {
	c := m.resource.context
	global := &Memory{resource: m.resource, global: true}
	err := m.resource.doIdle("Module.Global", func() error {
		r := c.driver.api.cuModuleGetGlobal(&global.address, &global.size, m.handle, name)
		if err := c.check("cuModuleGetGlobal", r); err != nil {
			return fmt.Errorf("variable %s of %s: %w", name, m.name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return global, nil
}

// Close unloads the module (cuModuleUnload); its functions and globals are closed with it. A second
// Close does nothing.
func (m *Module) Close() error {
	return m.resource.close("Module.Close")
}
