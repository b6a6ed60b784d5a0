package models_test

import (
	"context"
	"testing"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// TestGenerateOrders: the orders of cross.cat are those of herd's definition, the unions of one
// order of each location.
func TestGenerateOrders(t *testing.T) {
	config := sim.Defaults()
	config.Engine = sim.Naive
	for _, name := range []string{
		"asplos15/coRR-inter-cta.litmus", "asplos15/cas-sl.litmus",
		"asplos15/mp-inter-cta.litmus",
	} {
		m, err := models.Load("main", models.Config{Files: map[string]string{"main.cat": `include "cross.cat"
let listed(S, given) = cross (map (fun at -> linearisations(at, given)) (classes-loc S))
procedure same(S, given) =
  let ours = generate_orders(S, given) and herds = listed(S, given)
  assert empty (ours \ herds) | (herds \ ours) as same-orders
end
call same(W, co0)
call same(W, po)
call same(W, 0)
call same(M, rf | co)
call same(M & _, rf | rf^-1)
call same(R, po | co0)
call same(F, 0)
assert empty generate_cos co0 \ listed(W, co0) as coherence
assert ~empty generate_cos co0 as some
`}})
		if err != nil {
			t.Fatal(err)
		}
		test, err := sim.Load(testFile(t, name), config)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := test.Run(context.Background(), m.Model); err != nil || len(r.States) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
