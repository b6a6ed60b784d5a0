package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// clusterPages are the pages of instructions on the shared memory of a cluster.
var clusterPages = map[string]page{
	"mapa":       {perform: (*walk).mapAddress},
	"getctarank": {perform: (*walk).rankOf},
}

// mapAddress executes mapa: it maps an address of shared memory to the corresponding address in
// another CTA of the cluster. A location that only one CTA has cannot be mapped.
func (w *walk) mapAddress(in *Instr) error {
	from, l, err := w.sharedAddress(in)
	if err != nil {
		return err
	}
	rank, err := w.count(in, "rank", 0)
	if err != nil {
		return err
	}
	there, has := pointer{Expr: from.Value}.in(int(rank), w.replicas, w.locs)
	if !has {
		return src.Errorf(in.At, "the CTA of rank %d has no %s", rank, w.locs[l].Name).
			WithHint("a shared location is in the CTAs of a test whose threads use it for their own")
	}
	return w.set(in.Dst, there.Expr, arith.U64, from.From)
}

// rankOf executes getctarank: the rank of the CTA in which an address is.
func (w *walk) rankOf(in *Instr) error {
	from, l, err := w.sharedAddress(in)
	if err != nil {
		return err
	}
	return w.set(in.Dst, event.Const(event.Int(int64(w.locs[l].Rank))), typeOf(in.Op.Words["type"]), from.From)
}

// sharedAddress returns the source "from". It must be an address of shared memory that does not
// depend on values read from memory.
func (w *walk) sharedAddress(in *Instr) (path.Held, event.Loc, error) {
	o := in.source("from")
	from, err := w.pointsTo(in, o)
	if err != nil {
		return from, event.NoLoc, err
	}
	at, known := from.Value.(event.Const)
	if !known {
		return from, event.NoLoc, src.Errorf(o.At, "the address of %s is not known", in.Opcode).WithHint("it must not depend on what is read from memory")
	}
	l, err := event.Resolve(w.locs, event.Value(at))
	if err != nil {
		return from, event.NoLoc, src.Errorf(o.At, "%v", err)
	}
	if w.locs[l].Region != litmus.Shared {
		return from, l, src.Errorf(o.At, "%s is not in shared memory", w.locs[l].Name)
	}
	return from, l, nil
}

// reachesCluster reports whether an address operand may be in the shared memory of another CTA of
// the cluster.
func (in *Instr) reachesCluster(o *Operand) bool {
	if in.Op.Form == nil {
		return in.Op.Space == isa.SharedCluster
	}
	if in.Op.Code == isa.Cluster {
		return true
	}
	word := in.Op.Words[o.Role]
	if o.Role == "bar" && word == "" {
		word = in.Op.Words["to"]
	}
	sends := (in.Op.Code == isa.St || in.Op.Code == isa.Red) && o.Role != "value" && in.Op.Words["to"] != "global"
	return word == "shared::cluster" || sends
}
