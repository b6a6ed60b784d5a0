package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/rules"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// alarm returns the alarm of a finding.
func alarm(trace *trace.Trace, f *ask.Finding) *Alarm {
	x := f.Question
	e := &evaluation{trace: trace, model: f.Model, other: x.Thread}
	a := &Alarm{Kind: AlarmKind(x.Kind), What: x.What, Contract: x.Contract, Launch: e.launch(), Hinges: f.Extern, Unmodelled: f.Unmodelled}
	a.Points = append(a.Points, e.point(x.First, x.Accesses[0], false))
	there := x.There()
	if there != nil {
		a.Points = append(a.Points, e.point(there, x.Accesses[1], true))
	}
	if x.Own {
		a.Points = append(a.Points, e.point(&x.Accesses[1].Point, x.Accesses[1], false))
	}
	if x.Kind == ask.Race {
		a.touches(0, x.Accesses[0])
		a.touches(1, x.Accesses[1])
	}
	for _, p := range trace.Params {
		a.Params = append(a.Params, Value{p.Variable.Name, p.Offset, p.Size, f.Model.Eval(p.Term)})
	}
	a.Reads, a.Returns = e.reads(0, x.First), e.returns(0)
	if there != nil {
		a.Returns = append(a.Returns, e.returns(1)...)
	}
	if x.Thread != nil && x.Other != nil {
		a.Reads = append(a.Reads, e.reads(1, x.Other)...)
	}
	return a
}

// touches makes a point of an alarm be about the lane that touches a row of a matrix, rather than
// the lane that gives its address. If possible, it chooses a lane of the block that is not the
// other thread of the alarm.
func (a *Alarm) touches(i int, of *trace.Access) {
	p, other := &a.Points[i], &a.Points[1-i]
	if of == nil || !rules.ByOthers(of) || p.Block != other.Block {
		return
	}
	block := a.Launch.Block
	linear := p.Thread[0] + uint64(block[0])*(p.Thread[1]+uint64(block[1])*p.Thread[2])
	from := max(other.Access.Offset-p.Access.Offset, 0)
	for at := from; at < isa.RowBytes && at < other.Access.Offset+int64(other.Access.Size)-p.Access.Offset; at++ {
		n := linear/warp*warp + rules.Toucher(of.Tile, linear%warp, uint64(at))
		thread := [3]uint64{n % uint64(block[0]), n / uint64(block[0]) % uint64(block[1]), n / uint64(block[0]*block[1])}
		if thread != other.Thread && n < uint64(block[0]*block[1]*block[2]) {
			p.Thread = thread
			return
		}
	}
}

// evaluation is the values of a model for two threads.
type evaluation struct {
	trace *trace.Trace
	model *term.Model
	other *ask.Thread // nil if the model is about one thread
}

// value returns a term for the first or the second thread.
func (e *evaluation) value(t *term.Term, second bool) uint64 {
	if second {
		t = e.other.Term(t)
	}
	return e.model.Eval(t)
}

func (e *evaluation) triple(t [3]*term.Term, second bool) (v [3]uint64) {
	for i := range v {
		v[i] = e.value(t[i], second)
	}
	return v
}

// launch returns the launch with the sizes that the model has chosen.
func (e *evaluation) launch() (l Launch) {
	for i := range 3 {
		l.Grid[i] = int(e.model.Eval(e.trace.Shape.Blocks[i]))
		l.Block[i] = int(e.model.Eval(e.trace.Shape.Threads[i]))
	}
	return l
}

func (e *evaluation) point(p *trace.Point, a *trace.Access, second bool) Point {
	made := Point{
		Thread: e.triple(e.trace.Shape.Thread, second), Block: e.triple(e.trace.Shape.Block, second),
		Instr: p.Instr, Calls: slices.Clone(p.Calls),
	}
	if a == nil {
		return made
	}
	made.Access = &Access{
		Kind: AccessKind(a.Kind), Array: arrayOf(a.Region), Size: a.Size, Unit: a.Unit, Strong: a.Strong,
		Offset: int64(e.value(a.Offset, second)),
	}
	if len(a.Values) > 0 {
		made.Access.Value = e.value(a.Values[0], second)
	}
	return made
}

func arrayOf(r *trace.Region) Array { return Array{r.Name, r.Space, r.Variable == nil} }

// reads returns what a thread reads on its way to a point.
func (e *evaluation) reads(thread int, to *trace.Point) (all []Read) {
	for _, r := range e.trace.Reads[:to.Reads] {
		if e.value(r.Guard, thread == 1) == 1 {
			all = append(all, Read{
				thread, r.Instr, arrayOf(r.Region), int64(e.value(r.Offset, thread == 1)), r.Size, e.value(r.Value, thread == 1),
			})
		}
	}
	return all
}

// returns returns what functions without a body return to a thread.
func (e *evaluation) returns(thread int) (all []Return) {
	for _, r := range e.trace.Returns {
		if e.value(r.Guard, thread == 1) == 1 {
			all = append(all, Return{thread, r.Instr, e.value(r.Value, thread == 1)})
		}
	}
	return all
}
