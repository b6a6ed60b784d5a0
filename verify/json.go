package verify

import (
	"strconv"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/wire"
)

// JSON returns the answer as muster verify --json prints it.
func (r *Result) JSON() *wire.Verification {
	v := &wire.Verification{
		File: r.File(), Kernel: r.Kernel.Name, Declaration: r.Kernel.Declaration(), Grid: r.Launch.Grid, Block: r.Launch.Block,
		Verdict: r.Verdict.String(), Assumptions: r.Assumptions, Notes: r.Notes,
		Statistics: wire.VerificationStats(r.Stats),
	}
	for _, a := range r.Alarms {
		v.Alarms = append(v.Alarms, r.alarm(a))
	}
	for _, o := range r.Open {
		u := wire.Undecided{Why: o.Why, Help: o.Help}
		if o.Instr != nil {
			at := r.place(o.Instr, nil)
			u.At = &at
		}
		v.Undecided = append(v.Undecided, u)
	}
	return v
}

func (r *Result) place(in *kernel.Instr, calls []*kernel.Instr) wire.KernelPlace {
	p := wire.KernelPlace{Line: in.At.Pos().Line, Text: r.text(in)}
	if places := r.Place(in); len(places) > 0 {
		p.Source, p.Inlined = places[0], places[1:]
	}
	for _, c := range calls {
		p.Calls = append(p.Calls, c.At.Pos().Line)
	}
	return p
}

func (r *Result) alarm(a *Alarm) wire.Alarm {
	made := wire.Alarm{Kind: a.Kind.String(), What: a.What, Grid: a.Launch.Grid, Block: a.Launch.Block, Replay: a.Replay, Litmus: a.Litmus}
	for _, p := range a.Points {
		made.Points = append(made.Points, wire.AlarmPoint{
			Thread: p.Thread, Block: p.Block, At: r.place(p.Instr, p.Calls), Access: p.Access.json(),
		})
	}
	for _, p := range a.Params {
		made.Params = append(made.Params, wire.AlarmParam{Name: p.Name, Offset: p.Offset, Size: p.Size, Value: decimal(p.Bits)})
	}
	for _, read := range a.Reads {
		made.Reads = append(made.Reads, wire.AlarmRead{
			Point: read.Of, At: r.place(read.Instr, nil), Array: read.Array.Name, Offset: read.Offset, Size: read.Size, Value: decimal(read.Bits),
		})
	}
	return made
}

func (a *Access) json() *wire.AlarmAccess {
	if a == nil {
		return nil
	}
	made := &wire.AlarmAccess{Kind: a.Kind.String(), Array: a.Array.Name, Space: spaceName(a.Array.Space), Offset: a.Offset, Size: a.Size}
	if a.Kind == Store {
		value := decimal(a.Value)
		made.Value = &value
	}
	if a.Strong != isa.NoScope {
		made.Scope = [...]string{"", "cta", "cluster", "gpu", "sys"}[a.Strong]
	}
	return made
}

func decimal(v uint64) string { return strconv.FormatUint(v, 10) }
