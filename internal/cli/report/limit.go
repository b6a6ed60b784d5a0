package report

import (
	"errors"
	"fmt"

	"github.com/muster-gpu/muster/sim"
)

// Limit returns the message of an error that cut an answer short. To the bound on loops it adds the
// flag that raises it; other messages name their flag, or no flag helps.
func Limit(err error) string {
	var bound *sim.BoundError
	if !errors.As(err, &bound) {
		return err.Error()
	}
	return fmt.Sprintf("%v; --unroll %d follows it further", err, 2*max(1, bound.Unroll))
}
