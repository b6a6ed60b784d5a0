package event

import (
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/rel"
)

// TestValidate breaks one rule of the sample at a time.
func TestValidate(t *testing.T) {
	tests := []struct {
		rule   string
		change func(*Execution)
		want   string
	}{
		{"po has the pairs of each thread", func(x *Execution) { x.Po.Remove(2, 4) }, "po is not the order"},
		{"po stays within a thread", func(x *Execution) { x.Po.Add(2, 5) }, "po is not the order"},
		{"po runs forward", func(x *Execution) { x.Po.Add(4, 2) }, "po is not the order"},
		{"initial writes are not in po", func(x *Execution) { x.Po.Add(0, 1) }, "po is not the order"},

		{"addr is in po", func(x *Execution) { x.Addr.Add(10, 8) }, "addr is not in program order"},
		{"data is in po", func(x *Execution) { x.Data.Add(5, 4) }, "data is not in program order"},
		{"ctrl is in po", func(x *Execution) { x.Ctrl.Add(5, 5) }, "ctrl is not in program order"},
		{"addr starts at reads", func(x *Execution) { x.Addr.Add(9, 10) }, "addr does not start at reads"},
		{"data starts at reads", func(x *Execution) { x.Data.Add(2, 4) }, "data does not start at reads"},
		{"ctrl starts at reads", func(x *Execution) { x.Ctrl.Add(3, 4) }, "ctrl does not start at reads"},
		{"data ends at writes", func(x *Execution) { x.Data.Add(5, 6) }, "data does not end at writes"},
		{"rmw is in po", func(x *Execution) { x.Rmw.Add(6, 9) }, "rmw is not from a read"},
		{"rmw starts at a read", func(x *Execution) { x.Rmw.Add(9, 11) }, "rmw is not from a read"},
		{"rmw ends at a write", func(x *Execution) { x.Rmw.Add(8, 10) }, "rmw is not from a read"},

		{"a fence has no address", func(x *Execution) { x.Events[3].Addr, x.Events[3].Data = at(0), integer(0) }, "event 3: address and data"},
		{"an access has an address", func(x *Execution) { x.Events[6].Addr = nil }, "event 6: address and data"},
		{"an access has data", func(x *Execution) { x.Events[6].Data = nil }, "event 6: address and data"},
		{"initial events are writes", func(x *Execution) { x.Events[1].Kind = Read }, "event 1: an initial event is not a write"},

		{"each read has an rf", func(x *Execution) { x.Rf[6] = -1 }, "event 6: rf is for reads"},
		{"only reads have an rf", func(x *Execution) { x.Rf[7] = 2 }, "event 7: rf is for reads"},
		{"rf starts at writes", func(x *Execution) { x.Rf[10] = 6 }, "event 10 reads from 6, which is no write"},
		{"rf keeps the location", func(x *Execution) { x.Rf[6] = 1 }, "event 6 reads from 1, which has another location"},
		{"rf keeps the value", func(x *Execution) { x.Rf[6] = 2 }, "event 6 reads from 2, which has another location or value"},
		{"the location is that of the address", func(x *Execution) { x.Loc[7] = 1 }, "event 7: its address is &0+0"},
		{"the value is that of the data", func(x *Execution) { x.Val[11] = Int(4) }, "event 11: its data is 3"},

		{"an address is that of a location", func(x *Execution) { x.Events[7].Addr = integer(0) }, "event 7: its address is 0"},
		{"data have a meaning", func(x *Execution) { x.Events[9].Data = meaningless }, "event 9: its data is div(v0,0)"},

		{"path conditions hold", func(x *Execution) { x.Conds[0].Want = false }, "the condition v0 = false of a path of thread 1"},
		{"path conditions have a meaning", func(x *Execution) { x.Conds[0].X = meaningless }, "the condition div(v0,0) = true"},

		{"co stays within a location", func(x *Execution) { x.Co.Add(2, 4) }, "co relates more than the writes"},
		{"co is for writes", func(x *Execution) { x.Co.Add(2, 6) }, "co relates more than the writes"},
		{"co is irreflexive", func(x *Execution) { x.Co.Add(7, 7) }, "co is not a strict order"},
		{"co is transitive", func(x *Execution) { x.Co.Remove(0, 7) }, "co is not a strict order"},
		{"co is total", func(x *Execution) { x.Co = x.Co.Diff(pairs(x.N(), "2-9")) }, "co is not total"},
		{"initial writes are first", func(x *Execution) { x.Co = x.Co.Diff(pairs(x.N(), "1-4")).Union(pairs(x.N(), "4-1")) }, "an initial write is not first"},
	}
	for _, tt := range tests {
		x := sample()
		tt.change(x)
		if err := x.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.rule, err, tt.want)
		}
	}
}

// meaningless has no value, whatever is read.
var meaningless = Op{Code: arith.Div, Type: arith.U64, Args: [arith.MaxOperands]Expr{ReadOf(0), integer(0)}}

// TestValidateReportsAll breaks three rules at once.
func TestValidateReportsAll(t *testing.T) {
	x := sample()
	x.Po = rel.New(x.N())
	x.Rf[6] = -1
	x.Co = rel.New(x.N())
	err := x.Validate()
	for _, want := range []string{"po is not the order", "rf is for reads", "co is not total"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not report that %s", err, want)
		}
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) < 3 || errors.Is(err, nil) {
		t.Errorf("the rules are not reported one by one: %v", err)
	}
}
