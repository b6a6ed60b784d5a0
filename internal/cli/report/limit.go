package report

import (
	"errors"
	"fmt"

	"github.com/muster-gpu/muster/sim"
)

// Limit is what cut an answer short, with the option that moves the bound on loops: others have the name of theirs in the message, or
// nothing to say which would do.
func Limit(err error) string {
	var bound *sim.BoundError
	if !errors.As(err, &bound) {
		return err.Error()
	}
	return fmt.Sprintf("%v; --unroll %d follows it further", err, 2*max(1, bound.Unroll))
}
