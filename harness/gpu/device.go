package gpu

import (
	"slices"

	"github.com/muster-gpu/muster/harness/cuda"
)

// device is a device in use.
type device struct {
	*cuda.Context
	modules kept[*module] // by PTX
	passed  *cuda.Event   // the position in the queue that another device waits for
}

// module is a loaded module.
type module struct {
	*cuda.Module
	functions map[string]*cuda.Function
}

// linkedWith returns the device with an index, followed by the other devices of its kind that can
// access the memory of all devices listed before them, and vice versa.
func linkedWith(driver *cuda.Driver, devices []cuda.Device, index int) []cuda.Device {
	all := []cuda.Device{devices[index]}
	for i, d := range devices {
		if i != index && d.Target() == all[0].Target() && !slices.ContainsFunc(all, func(other cuda.Device) bool {
			return !driver.Linked(d, other) || !driver.Linked(other, d)
		}) {
			all = append(all, d)
		}
	}
	return all
}

// device returns the device with a number among those that play a test together. Devices are opened
// on demand.
func (g *GPU) device(number int) (*device, error) {
	for len(g.devices) <= number {
		if err := g.use(g.linked[len(g.devices)]); err != nil {
			return nil, err
		}
	}
	return g.devices[number], nil
}

// use opens one more device. If that fails, it may be tried again.
func (g *GPU) use(more cuda.Device) (err error) {
	c, err := g.driver.Context(more.Index)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = c.Close()
		}
	}()
	d := &device{Context: c, modules: kept[*module]{most: mostModules}}
	if d.passed, err = c.NewEvent(); err != nil {
		return err
	}
	for _, other := range g.devices {
		if err := d.Reach(other.Context); err != nil {
			return err
		}
		if err := other.Reach(c); err != nil {
			return err
		}
	}
	g.devices = append(g.devices, d)
	return nil
}

// others returns the contexts of all devices in use except one.
func (g *GPU) others(but *device) (all []*cuda.Context) {
	for _, d := range g.devices {
		if d != but {
			all = append(all, d.Context)
		}
	}
	return all
}

// load loads a module, unless it is loaded.
func (d *device) load(ptx string, cubin []byte) (*module, error) {
	if m, ok := d.modules.of[ptx]; ok {
		return m, nil
	}
	loaded, err := d.Context.Load("litmus.cubin", cubin)
	if err != nil {
		return nil, err
	}
	m := &module{loaded, map[string]*cuda.Function{}}
	if old, full := d.modules.add(ptx, m); full {
		return m, old.Close()
	}
	return m, nil
}

// function returns an entry point of the module.
func (m *module) function(entry string) (*cuda.Function, error) {
	if f := m.functions[entry]; f != nil {
		return f, nil
	}
	f, err := m.Function(entry)
	if err == nil {
		m.functions[entry] = f
	}
	return f, err
}
