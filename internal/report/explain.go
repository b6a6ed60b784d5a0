package report

import (
	"strings"

	"github.com/muster-gpu/muster/sim"
)

// CheckText is the axiom of a reason as the model writes it, on one line.
func CheckText(r *sim.Reason) string { return strings.Join(strings.Fields(r.At.Text()), " ") }
