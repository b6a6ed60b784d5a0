package optcheck

import (
	"context"

	"github.com/muster-gpu/muster/harness"
)

// Checker checks tests that do not run: their kernels are assembled, or a folder has the machine code that ran.
type Checker struct {
	Tools    Tools
	Target   harness.Target
	Optimize int              // the level of optimization; drivers have 3
	Settings harness.Settings // of which Opaque counts
	Cubins   string           // a folder with machine code (harness.Plan.CodeFile); "" to assemble
}

// Missing is which tools it lacks; nil if there are all.
func (c Checker) Missing() error {
	if c.Cubins == "" {
		return c.Tools.Missing()
	}
	if !c.Tools.CanList() {
		return ErrNoDisassembler
	}
	return nil
}

// Aim sets the target: the one that a name says, or without one that of the machine code in the folder, or sm_90. The error is that there is
// no machine code for it.
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
