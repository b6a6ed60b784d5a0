package optcheck

import (
	"context"

	"github.com/muster-gpu/muster/harness"
)

// Checker checks tests without running them: it assembles their kernels, or reads the machine code
// that ran from a folder.
type Checker struct {
	Tools    Tools
	Target   harness.Target
	Optimize int              // the level of optimization; drivers use 3
	Settings harness.Settings // only Opaque counts
	Cubins   string           // a folder with machine code (harness.Plan.CodeFile); "" to assemble
}

// Missing returns an error that names the tools it lacks, or nil.
func (c Checker) Missing() error {
	if c.Cubins == "" {
		return c.Tools.Missing()
	}
	if !c.Tools.CanList() {
		return ErrNoDisassembler
	}
	return nil
}

// Aim sets the target: the named one, or without a name that of the machine code in the folder, or
// sm_90. It returns an error if there is no machine code for it.
func (c *Checker) Aim(ctx context.Context, name string) (err error) {
	switch {
	case name != "":
		c.Target, err = harness.ParseTarget(name)
	case c.Cubins != "":
		c.Target, err = KeptTarget(c.Cubins)
	default:
		c.Target = harness.SM90
	}
	if err != nil || c.Cubins != "" {
		return err
	}
	return c.Tools.Knows(ctx, c.Target)
}

// Check compares the machine code of a test with the test.
func (c Checker) Check(ctx context.Context, p *harness.Plan) (*Report, error) {
	p = p.As(c.Settings)
	cubin, err := c.code(ctx, p)
	if err != nil {
		return nil, err
	}
	report := CheckCubin(ctx, p, cubin)
	if c.Optimize == 0 && c.Cubins == "" && report.Verdict == Passed {
		report.add(
			Finding{
				What: "without optimization each instruction waits for the one before: weak behaviour is hidden, " +
					"although the code is the test",
			})
	}
	return report, nil
}

func (c Checker) code(ctx context.Context, p *harness.Plan) ([]byte, error) {
	if c.Cubins != "" {
		return kept(c.Cubins, p)
	}
	return c.Tools.Assemble(ctx, p.Kernels(), c.Target, c.Optimize)
}
