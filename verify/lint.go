package verify

import (
	"fmt"
	"maps"
	"math/bits"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Report selects notes that do not change the verdict: about code that is right but costs time.
type Report struct {
	BankConflicts bool // lanes of a warp that access different words of one bank of shared memory
	Divergence    bool // lanes of a warp that go different ways at a branch
}

// lintBudget bounds the conflicts of the solver for a question of a report.
const lintBudget = 2_000

// report adds the selected notes to those of a result.
type report struct {
	a     *ask.Asker
	terms *term.Builder
	r     *Result
}

func (p report) all() {
	if p.a.Threads().SameBlock == nil {
		return // no two threads are in a warp
	}
	if p.r.Config.Report.BankConflicts {
		p.bankConflicts()
	}
	if p.r.Config.Report.Divergence {
		p.warpDivergence()
	}
}

// Shared memory has 32 banks; words of 4 bytes that follow each other are in banks that follow each
// other, and lanes of a warp that access different words of one bank do so one after the other
// (CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later). Accesses of 8
// and of 16 bytes are made by halves and quarters of a warp.
const (
	banks    = 32
	bankWord = 4
	warp     = 32
)

// bankAccess is an access as banks see it.
type bankAccess struct {
	*trace.Access
	unit  int // the bytes in one bank, or in the adjacent banks that an access needs
	slots int // units in all banks
	lanes int // of a warp, which access memory together
}

func bankAccessOf(a *trace.Access) (b bankAccess, ok bool) {
	unit := max(bankWord, a.Size)
	if a.Region.Space != isa.Shared || a.Copy != nil || a.Tile != nil || unit&(unit-1) != 0 || unit > 16 {
		return b, false
	}
	slots := banks * bankWord / unit
	return bankAccess{a, unit, slots, min(warp, slots)}, true
}

// conflict is a conflict of banks at an instruction.
type conflict struct {
	text   string
	degree int // the number of successive accesses; 0 if it depends on values that are read
}

// bankConflicts records conflicts of banks: of each instruction the worst that was found.
func (p report) bankConflicts() {
	worst := map[*kernel.Instr]conflict{}
	var order []*kernel.Instr
	asked := map[string]bool{}
	for _, a := range p.a.Trace().Accesses {
		b, ok := bankAccessOf(a)
		key := fmt.Sprintf("%p %d %d", a.Instr, a.Offset.ID(), a.Guard.ID())
		if !ok || asked[key] || p.a.Config.Stop() {
			continue
		}
		asked[key] = true
		found, ok := p.bankConflict(b)
		if !ok {
			continue
		}
		if old, known := worst[a.Instr]; !known {
			order = append(order, a.Instr)
			worst[a.Instr] = found
		} else if found.degree > old.degree {
			worst[a.Instr] = found
		}
	}
	for _, in := range order {
		p.r.Notes = append(p.r.Notes, worst[in].text)
	}
}

// bankConflict returns a conflict of banks of two lanes that access memory together.
func (p report) bankConflict(b bankAccess) (found conflict, ok bool) {
	s := p.a.Threads().SameBlock
	shift := p.terms.Const(uint64(bits.TrailingZeros(uint(b.unit))), 64)
	unit := p.terms.LShr(b.Offset, shift)
	slot := p.terms.And(unit, p.terms.Const(uint64(b.slots-1), 64))
	group := p.terms.LShr(p.a.Trace().Shape.Linear, p.terms.Const(uint64(bits.TrailingZeros(uint(b.lanes))), 32))
	more := s.BothAt(&b.Point, b.Rounds, p.terms.And(p.terms.Eq(group, s.Term(group)), p.terms.And(p.terms.Eq(slot, s.Term(slot)), p.terms.Ne(unit, s.Term(unit)))))
	if v := b.Region.Variable; v != nil && v.Size() >= b.Size {
		inside := p.terms.ULe(b.Offset, p.terms.Const(uint64(v.Size()-b.Size), 64))
		more = p.terms.And(more, p.terms.And(inside, s.Term(inside))) // no access leaves its array
	}
	model, answer := p.lint("bank-conflict", &b.Point, more)
	switch answer {
	case sat.Unsat:
		return found, false
	case sat.Unknown:
		return conflict{text: fmt.Sprintf("bank conflicts: whether there are any at %s is not decided", p.r.Where(b.Instr))}, true
	}
	e := &evaluation{trace: p.a.Trace(), model: model, other: s}
	first, second := e.point(&b.Point, b.Access, false), e.point(&b.Point, b.Access, true)
	extent := "where that is what threads read"
	if p.placed(b.Offset) {
		found.degree = p.degree(b, model)
		extent = fmt.Sprintf("%d lanes of a warp one after the other", found.degree)
		if term.Mentions(b.Offset, func(v *term.Term) bool { return !p.a.Vars().Private(v) }) {
			extent += ", for some arguments"
		}
	}
	found.text = fmt.Sprintf("bank conflict at %s: %s; threads %v and %v access bytes %d and %d of %s, in bank %d", p.r.Where(b.Instr), extent,
		first.Thread, second.Thread, first.Access.Offset, second.Access.Offset, first.Access.Array, first.Access.Offset/bankWord%banks)
	return found, true
}

// placed reports whether a term depends on the place of the thread, and else on nothing that
// threads have for themselves.
func (p report) placed(t *term.Term) bool {
	place := map[*term.Term]bool{}
	for _, of := range [][3]*term.Term{p.a.Trace().Shape.Thread, p.a.Trace().Shape.Block} {
		for _, t := range of {
			for _, v := range t.Args() {
				place[v] = true
			}
		}
	}
	return !term.Mentions(t, func(v *term.Term) bool {
		return v.Op() == term.App || p.a.Vars().Private(v) && !place[v] || p.a.Vars().Havoc(v)
	})
}

// degree returns the number of lanes of a joint access that are at different units of one slot: the
// largest number of any warp of the block, for the arguments of a model. It counts all lanes that
// may make the access.
func (p report) degree(b bankAccess, model *term.Model) (most int) {
	sh := &p.a.Trace().Shape
	var size [3]uint64
	for i := range size {
		size[i] = model.Eval(sh.Threads[i])
	}
	known := p.placed(b.Guard)
	var units map[uint64]map[uint64]bool // of each slot
	for linear := range size[0] * size[1] * size[2] {
		if linear%uint64(b.lanes) == 0 {
			units = map[uint64]map[uint64]bool{}
		}
		lane := p.at(model, linear, size)
		if known && lane.Eval(b.Guard) == 0 {
			continue
		}
		unit := lane.Eval(b.Offset) / uint64(b.unit)
		slot := unit % uint64(b.slots)
		if units[slot] == nil {
			units[slot] = map[uint64]bool{}
		}
		units[slot][unit] = true
		most = max(most, len(units[slot]))
	}
	return most
}

// at returns a model for another thread of the block.
func (p report) at(model *term.Model, linear uint64, size [3]uint64) *term.Model {
	lane := &term.Model{Vars: maps.Clone(model.Vars), App: model.App}
	place := [3]uint64{linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]}
	for i, t := range p.a.Trace().Shape.Thread {
		for _, v := range t.Args() {
			lane.Vars[v.Name()] = place[i]
		}
	}
	return lane
}

// lint asks whether two threads can reach a point where a condition holds.
func (p report) lint(name string, at *trace.Point, more *term.Term) (*term.Model, sat.Result) {
	return p.a.Possible(&ask.Question{Name: name, Thread: p.a.Threads().SameBlock, First: at, Other: at, More: []*term.Term{more}}, lintBudget)
}

// warpDivergence records branches at which lanes of a warp can go different ways.
func (p report) warpDivergence() {
	noted := map[*kernel.Instr]bool{}
	for _, b := range p.a.Trace().Branches {
		if noted[b.Instr] || p.a.Config.Stop() {
			continue
		}
		s := p.a.Threads().SameBlock
		_, answer := p.lint("warp-divergence", &b.Point, s.BothAt(&b.Point, b.Rounds, p.terms.And(s.SameWarp(), p.terms.Ne(b.Goes, s.Term(b.Goes)))))
		if noted[b.Instr] = answer != sat.Unsat; !noted[b.Instr] {
			continue
		}
		why := "the place of a thread decides"
		switch {
		case answer == sat.Unknown:
			why = "not decided"
		case !p.placed(b.Goes):
			why = "what threads read decides"
		}
		p.r.Notes = append(p.r.Notes, fmt.Sprintf("lanes of a warp may go different ways at %s: %s", p.r.Where(b.Instr), why))
	}
}
