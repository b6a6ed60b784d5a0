package simtest

import (
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/sim"
)

// AxiomaticQuery returns the query of a test as package sim poses it to the axiomatic engine.
func AxiomaticQuery(test *sim.Test) *axiomatic.Query {
	of := test.Query()
	q := &axiomatic.Query{Observe: of.Observe, Keep: of.Keep, Asks: of.Asks}
	if q.Keep == nil {
		q.Keep = final.Truth(true)
	}
	q.States = of.Want != engine.Verdict
	q.Flags, q.Hangs = q.States, q.States
	return q
}
