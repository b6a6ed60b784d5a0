package figure

import (
	"cmp"
	"context"
	"fmt"

	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// Find verifies the kernels of an input and returns the figure of an alarm. Alarms are numbered
// from 1 in the order in which verify prints them.
func Find(ctx context.Context, in *modules.Input, name string, number int) (*Figure, error) {
	if number < 1 {
		return nil, fmt.Errorf("no alarm has number %d: they are numbered from 1 on, as verify prints them", number)
	}
	in.Config.Alarms = max(number, verify.DefaultAlarms)
	in.Keep = true
	if _, err := in.Prepare(ctx, []string{name}); err != nil {
		return nil, err
	}
	m := in.Verify(ctx, name)
	if err := cmp.Or(m.Err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	var names modules.Names
	names.Add(&m)
	if err := names.Check(in); err != nil {
		return nil, err
	}
	count := 0
	for _, r := range m.Results {
		for _, a := range r.Alarms {
			if count++; count == number {
				return New(ctx, r, a)
			}
		}
	}
	return nil, fmt.Errorf("%s: no alarm %d, for verify has %d for this launch", name, number, count)
}
