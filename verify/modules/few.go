package modules

import (
	"context"
	"fmt"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/few"
)

// Few asks about one block of a few threads as a whole, unless Threads is 0.
type Few struct {
	Threads int
	Engine  string // intervals or schedules
	Equals  string // module with the kernel to compare with; "" for none
}

// Engines are the values of Few.Engine.
var Engines = []string{"intervals", "schedules"}

// Check reports options that are invalid or contradict each other.
func (w *Few) Check() error {
	switch {
	case w.Engine != Engines[0] && w.Engine != Engines[1]:
		return unexpected("engine", w.Engine, Engines)
	case w.Equals != "" && w.Threads == 0:
		return fmt.Errorf("--equals compares blocks of a few threads: --threads says how many")
	case w.Threads < 0 || w.Threads > few.MaxThreads:
		return fmt.Errorf("--threads %d: 1 to %d threads are looked at as a whole", w.Threads, few.MaxThreads)
	}
	return nil
}

// config returns the configuration of package few, with the block's shape if one is given.
func (w *Few) config(c *verify.Config) (few.Config, error) {
	made := few.Config{
		Block: verify.Dim{w.Threads, 1, 1}, Contract: c.Contract, Values: c.Values, Budget: c.Budget, Alarms: c.Alarms,
	}
	if c.Budget == verify.DefaultBudget { // whole blocks need more
		made.Budget = few.DefaultBudget
	}
	if w.Engine == Engines[1] {
		made.Engine = few.Schedules
	}
	if b := c.Launch.Block; b != (verify.Dim{}) {
		if made.Block = b; b[0]*b[1]*b[2] != w.Threads {
			return made, fmt.Errorf("a block of %s has not %d threads", b, w.Threads)
		}
	}
	return made, nil
}

// verify verifies a kernel, or compares it with another.
func (w *Few) verify(
	ctx context.Context, m *kernel.Module, k *kernel.Function, c *verify.Config,
) (*verify.Result, error) {
	config, err := w.config(c)
	if err != nil {
		return nil, err
	}
	if w.Equals == "" {
		return few.Verify(ctx, m, k, config)
	}
	text, err := src.ReadFile(w.Equals, maxModule)
	if err != nil {
		return nil, err
	}
	other, err := kernel.Parse(src.NewFile(w.Equals, text))
	if err != nil {
		return nil, err
	}
	f := counterpart(other, k.Name)
	if f == nil {
		return nil, fmt.Errorf("%s has no kernel", w.Equals)
	}
	other, f = other.With(f)
	return few.Equal(ctx, m, k, few.Other{Module: other, Kernel: f}, config)
}

// counterpart returns the kernel of a module that has the name, or else its first kernel.
func counterpart(m *kernel.Module, name string) (found *kernel.Function) {
	for _, f := range m.Funcs {
		if f.Entry && !f.Declared && (found == nil || f.Name == name) {
			found = f
		}
	}
	return found
}
