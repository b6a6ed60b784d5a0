package verify

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// maxPairs bounds the pairs of accesses of a kernel, and searchPairs those that are looked at when it cannot
// be verified by them: alarms are looked for where loops begin.
const (
	maxPairs    = 200_000
	searchPairs = 3_000
)

// questions asks about the trace of a kernel.
type questions struct {
	*prove.Prover
	ctx      context.Context
	config   Config
	setup    setup
	result   *Result
	mixed    bool // barriers of one number wait for all threads of the block, and for some
	trace    *symbolic.Trace
	near     *second         // another thread of the same block
	far      *second         // a thread of another block
	self     *second         // the same thread, elsewhere: in another round of a loop, or another lane of its warp acts for it
	same     *second         // the same thread, in the same rounds
	celled   bool            // what is known of cells of shared memory is noted
	settled  bool            // it is known which guesses are true
	stands   stands          // what the answers rely on
	counting bool            // some answer relies on that counters do not come round
	count    []symbolic.Read // what atomics that only count return
	elects   []election      // what at most one thread finds
	joins    []symbolic.Read // what atomics that go one way find
	amounts  map[amount]bool // what is known of what atomics add
	given    []handed        // what masters of blocks hand out
	under    []got           // what is known of what threads get as they count
	done     map[[2]*kernel.Instr]bool
	relies   map[[2]*kernel.Instr]bool // questions about these are answered by what was assumed on the way
	told     map[topic]bool            // what there are alarms about
	dumped   int                       // questions that were written
	no       map[string]bool           // conditions that are known not to hold together
	most     int                       // pairs of accesses
	putOff   []*question               // those that are asked when all others have been
	hasty    bool                      // arrays with few accesses come first
	arrivals *arrivals                 // at barriers of some threads of a block; nil if there are none
	order    map[*symbolic.Access]int  // which access it is; nil if lanes of a warp meet at barriers of the warp only
}

// second is the second thread.
type second struct {
	*term.Renaming
	apart  []*term.Term              // it is not the first, and in its place
	others map[*term.Term]*term.Term // its variables that stand for terms of the first, and these
	far    bool                      // it is in another block
	self   bool                      // it is the first
}

func newQuestions(p *problem, s setup, prover *prove.Prover, trace *symbolic.Trace) *questions {
	q := &questions{ctx: p.ctx, config: p.config, setup: s, result: p.empty(), Prover: prover, trace: trace, done: map[[2]*kernel.Instr]bool{}, relies: map[[2]*kernel.Instr]bool{}, told: map[topic]bool{}, amounts: map[amount]bool{}, no: map[string]bool{}, most: maxPairs, stands: newStands()}
	sh := trace.Shape
	q.near = q.newSecond(q.ofBlock(), false, sh.Thread)
	q.far = q.newSecond(nil, true, sh.Block)
	own := q.ofBlock()
	for _, t := range sh.Thread {
		for _, v := range t.Args() {
			own[v] = true
		}
	}
	q.self = q.newSecond(own, false, [3]*term.Term{})
	q.same = q.newSecond(trace.Private, false, [3]*term.Term{})
	q.count = q.counters()
	q.orders()
	q.arrivals = q.arrive()
	return q
}

// newSecond is a thread that shares some variables with the first and is in another place, or is the first if there are no places; nil
// if there is no such thread.
func (q *questions) newSecond(keep map[*term.Term]bool, far bool, place [3]*term.Term) *second {
	s := &second{far: far, others: map[*term.Term]*term.Term{}}
	s.Renaming = q.Rename(func(v *term.Term) *term.Term {
		if !q.trace.Private[v] || keep[v] {
			return v
		}
		if hi, ok := v.Bound(); ok {
			return q.UpTo(v.Name()+"'", hi)
		}
		return q.Var(v.Name()+"'", v.Width())
	})
	same := q.Bool(true)
	for _, t := range place {
		if s.self = t == nil; !s.self {
			same = q.And(same, q.Eq(t, s.Term(t)))
		}
	}
	if !s.self {
		same = q.Not(same)
	}
	s.apart = []*term.Term{same}
	for _, fact := range q.trace.Geometry {
		s.apart = append(s.apart, fact, s.Term(fact))
	}
	if s.apart[0].False() {
		return nil
	}
	for v, of := range q.trace.Others {
		s.others[s.Term(v)] = of
	}
	return s
}

// all asks everything, until there are enough alarms.
func (q *questions) all() {
	q.settle()
	q.cells()
	q.count = q.counters()
	q.given = append(q.masters(), q.leaders()...)
	q.elects, q.joins = q.elections(), q.oneWay()
	asks := []func(){q.barriers, q.meetings, q.convergences, q.checks, q.copies, q.ownCopies, q.races}
	if q.config.Only == OnlyDivergence {
		asks = asks[:3]
	}
	if q.arrivals != nil && !q.arrivals.meet() { // what they order is not known
		asks = asks[:min(len(asks), 4)]
	}
	for _, ask := range asks {
		if ask(); q.ended() {
			return
		}
	}
}

// begin forgets what was found.
func (q *questions) begin() {
	r := q.result
	q.result = &Result{Kernel: r.Kernel, Module: r.Module, Launch: r.Launch, Config: r.Config, Stats: Stats{Invariants: r.Stats.Invariants}}
}

// search looks for alarms among the pairs of accesses that take least.
func (q *questions) search() {
	q.most, q.hasty = searchPairs, true
	q.all()
}

func (q *questions) ended() bool {
	return len(q.result.Alarms) >= q.config.Alarms || q.ctx.Err() != nil
}

// seconds are the second threads that there are.
func (q *questions) seconds(far bool) (all []*second) {
	if q.near != nil {
		all = append(all, q.near)
	}
	if q.far != nil && far && q.config.Only != OnlyBlock {
		all = append(all, q.far)
	}
	return all
}

// barriers asks whether a thread can come to a barrier to which another of its block does not come.
func (q *questions) barriers() {
	for i, b := range q.trace.Barriers {
		for _, s := range q.seconds(b.Scope == symbolic.Grid) {
			if q.ended() {
				return
			}
			x := &question{
				name: fmt.Sprintf("divergence-%d%s", i, s.suffix()), kind: Divergence, second: s,
				first: &b.Point, other: &b.Point, missing: true, warp: b.Scope == symbolic.Warp, more: q.meet(b.Scope, b.Rounds, s),
			}
			q.ask(x)
			if b.Number != nil && s.Term(b.Number) != b.Number {
				q.ask(&question{
					name: x.name + "-number", kind: Divergence, what: "the numbers of the barriers differ", second: s,
					first: &b.Point, other: &b.Point, more: append(q.meet(b.Scope, b.Rounds, s), q.Ne(b.Number, s.Term(b.Number))),
				})
			}
		}
	}
}

func (s *second) suffix() string {
	if s.far {
		return "-far"
	}
	return ""
}

// checks asks whether assertions can fail.
func (q *questions) checks() {
	for i, c := range q.trace.Checks {
		if q.ended() {
			return
		}
		q.checkChoices(fmt.Sprintf("check-%d", i), c)
	}
}

// checkFor asks whether an assertion can fail where more holds, too.
func (q *questions) checkFor(name string, c *symbolic.Check, more []*term.Term) {
	about := slices.ContainsFunc(append(more, c.Guard), q.aboutOther)
	if !about {
		q.ask(&question{name: name, kind: Assertion, what: c.What, contract: c.Hook, first: &c.Point, more: more})
		return
	}
	for _, s := range q.seconds(c.With != symbolic.SameBlock) {
		if c.With == symbolic.OtherBlock && !s.far {
			continue
		}
		together := more[:len(more):len(more)]
		for _, r := range c.Rounds {
			together = append(together, q.Eq(r, s.Term(r)))
		}
		q.ask(&question{name: name + s.suffix(), kind: Assertion, what: c.What, contract: c.Hook, second: s, first: &c.Point, more: together})
	}
}

// aboutOther reports that a term says something about the other thread.
func (q *questions) aboutOther(t *term.Term) bool {
	return mentions(t, func(v *term.Term) bool { return q.trace.Others[v] != nil })
}

// mentions reports that a term has a variable or a function in it.
func mentions(t *term.Term, is func(*term.Term) bool) bool {
	return visit(t, map[*term.Term]bool{}, is)
}

// visit is mentions, leaving out what has been seen.
func visit(t *term.Term, seen map[*term.Term]bool, is func(*term.Term) bool) bool {
	if len(t.Args()) == 0 && t.Op() != term.Var && t.Op() != term.App || seen[t] {
		return false
	}
	seen[t] = true
	if (t.Op() == term.Var || t.Op() == term.App) && is(t) {
		return true
	}
	for _, a := range t.Args() {
		if visit(a, seen, is) {
			return true
		}
	}
	return false
}

// races asks about the pairs of accesses.
func (q *questions) races() {
	byRegion := map[*symbolic.Region][]*symbolic.Access{}
	var regions []*symbolic.Region
	seen := map[string]bool{}
	for _, a := range q.trace.Accesses {
		if key := q.sameness(a); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if byRegion[a.Region] == nil {
			regions = append(regions, a.Region)
		}
		byRegion[a.Region] = append(byRegion[a.Region], a)
	}
	if q.hasty {
		slices.SortStableFunc(regions, func(r, s *symbolic.Region) int { return len(byRegion[r]) - len(byRegion[s]) })
	}
	defer q.hardRaces()
	pairs := inOrder
	if q.hasty {
		pairs = byTurns
	}
	for a, b := range pairs(regions, byRegion) {
		if a.Kind == symbolic.Load && b.Kind == symbolic.Load {
			continue
		}
		if q.result.Stats.Pairs++; q.result.Stats.Pairs > q.most {
			q.open(&a.Point, "a smaller launch", "more than %d pairs of accesses", q.most)
			return
		}
		for _, s := range q.actors(a, b) {
			if q.ended() {
				return
			}
			q.race(a, b, s)
		}
	}
}

// hardRaces asks about the pairs of which a first try has told nothing, after all others: what goes wrong elsewhere is often easier to see.
func (q *questions) hardRaces() {
	all := q.putOff
	q.putOff = nil
	for _, x := range all {
		if q.ended() {
			return
		}
		q.ask(x)
	}
}

// sameness is the same for accesses of one instruction, in several rounds of a loop, that ask the same: pointers may lead it to another array in each.
// The first of them has the fewest facts before it.
func (q *questions) sameness(a *symbolic.Access) string {
	if q.order != nil {
		return fmt.Sprint(q.order[a]) // where it is matters
	}
	if a.Copy != nil {
		return fmt.Sprintf("%p", a) // so does when it has ended
	}
	key := fmt.Appendf(nil, "%p %p %d %d %d", a.Instr, a.Region, a.Offset.ID(), a.Guard.ID(), a.Arrived.ID())
	for _, e := range a.Epoch {
		key = fmt.Appendf(key, " %d", e.ID())
	}
	if q.config.SameValue {
		for _, v := range a.Values {
			key = fmt.Appendf(key, " %d", v.ID())
		}
	}
	return string(key)
}

// race asks whether a thread at a and another at b touch a byte in common, no barrier keeps them apart,
// and they are no accesses that may meet.
func (q *questions) race(a, b *symbolic.Access, s *second) {
	if q.done[[2]*kernel.Instr{a.Instr, b.Instr}] {
		return
	}
	more := []*term.Term{q.And(q.together(a, b, s), q.eachItsPart(a, b, s))}
	meet := q.mayMeet(a, b, s)
	if !more[0].False() {
		q.lean(a, b, s)
	}
	if more[0].False() || meet.True() {
		q.result.Stats.Simple++
		return
	}
	more = append(more, q.overlap(a, b, s), q.Not(meet))
	x := &question{
		name: fmt.Sprintf("race-%d-%d%s", a.Instr.At.Pos().Line, b.Instr.At.Pos().Line, s.suffix()), kind: Race, second: s,
		first: &a.Point, other: &b.Point, accesses: [2]*symbolic.Access{a, b}, more: more, later: true,
	}
	if readOnly(a, b) {
		x.what = unordered
	}
	if q.config.SameValue && a.Kind == symbolic.Store && b.Kind == symbolic.Store {
		x.unless = func() *term.Term { return q.differ(a, b, s) }
	}
	q.ask(x)
}

// question is a question about one thread or two.
type question struct {
	name     string
	kind     AlarmKind
	what     string
	second   *second // nil if it is about one thread
	first    *symbolic.Point
	other    *symbolic.Point  // where the second thread is; nil if it is anywhere
	own      *symbolic.Access // an asynchronous copy that it has not waited for; else nil
	missing  bool             // the second thread is not where other says
	later    bool             // it is put off if a first try tells nothing
	tried    bool             // that has been so
	bare     sat.Result       // what the first try has told without what was assumed on the way
	contract bool             // it is about what a contract says
	warp     bool             // it is about threads of a warp, of which the other may have ended
	accesses [2]*symbolic.Access
	more     []*term.Term
	unless   func() *term.Term // one more condition, which takes long to ask about; may be nil
}

// places are the instructions that the question is about.
func (x *question) places() (places [2]*kernel.Instr) {
	places[0] = x.first.Instr
	if x.other != nil {
		places[1] = x.other.Instr
	}
	return places
}

// ask asks a question, and notes an alarm if the answer is yes. What holds without what was assumed on the
// way, and whatever values are stored, is asked first: that is most of what holds, and takes less time. It is not where that did not
// suffice the last time for these instructions, and what was assumed did.
func (q *questions) ask(x *question) {
	if len(q.told) > 0 && q.told[q.topic(x)] {
		return // in another round of a loop that is unrolled, or another copy of its body
	}
	c, ok := q.conditions(x)
	if !ok || q.never(c.all) {
		q.result.Stats.Simple++
		return
	}
	core := c.all
	if x.unless != nil {
		c.add(x.unless())
	}
	q.assume(c, x)
	q.subsets(c)
	c.propagate()
	try := firstTry(q.config.Budget)
	answer := prove.Answer{Result: x.bare}
	if !x.tried {
		q.result.Stats.Questions++
	}
	if !x.tried && !q.relies[x.places()] {
		answer = q.checkWithin(try, x, core)
		x.bare = answer.Result
	}
	if answer.Result == sat.Unsat || c.no || q.never(c.all) {
		return
	}
	if answer.Result != sat.Sat || x.tried || !holds(answer.Model, c.all) {
		if !x.later || x.tried {
			try = q.config.Budget
		}
		answer = q.checkWithin(try, x, c.all)
		q.relies[x.places()] = answer.Result == sat.Unsat
	}
	if answer.Result == sat.Unknown && q.ctx.Err() != nil { // see Result.Ended
		q.stopped(x)
		return
	}
	if answer.Result == sat.Unknown && x.later && !x.tried {
		x.tried = true
		q.putOff = append(q.putOff, x)
		return
	}
	if answer.Result == sat.Unknown && x.bare == sat.Unknown && q.check(x, core).Result == sat.Unsat {
		return
	}
	if answer.Result != sat.Unsat && q.bits(c) {
		answer = q.check(x, c.all)
	}
	if answer.Result == sat.Sat && !q.fits(answer.Model) {
		answer = q.fitting(x, c)
	}
	if answer.Result == sat.Sat {
		answer = q.onMultiples(x, c, answer)
	}
	switch answer.Result {
	case sat.Sat:
		q.alarm(x, c.all, answer.Model)
	case sat.Unknown:
		if q.ctx.Err() == nil { // else it was stopped
			q.hard(x, c.all)
		}
	}
}

// firstTry is how many conflicts a question may meet before what was assumed is added to it: products are hard without the bounds that
// are among that.
func firstTry(budget int) int {
	if most := 2_000; budget == 0 || budget > most {
		return most
	}
	return budget
}

// holds reports that a model is one of all conditions.
func holds(m *term.Model, conditions []*term.Term) bool {
	return !slices.ContainsFunc(conditions, func(t *term.Term) bool { return m.Eval(t) == 0 })
}

// never reports that conditions are known not to hold together.
func (q *questions) never(conditions []*term.Term) bool { return q.no[keyOf(conditions)] }

// check asks the solver.
func (q *questions) check(x *question, conditions []*term.Term) prove.Answer {
	return q.checkWithin(q.config.Budget, x, conditions)
}

// checkWithin asks the solver, which gives up after so many conflicts.
func (q *questions) checkWithin(budget int, x *question, conditions []*term.Term) prove.Answer {
	q.Forget()
	answer := q.Check(budget, conditions...)
	if answer.Result == sat.Unsat {
		q.no[keyOf(conditions)] = true
	}
	if q.config.Dump != nil {
		q.dumped++
		name := fmt.Sprintf("%04d-%s", q.dumped, x.name)
		err := q.config.Dump(name, func(w io.Writer) error {
			fmt.Fprintf(w, "(set-info :status %s)\n", answer.Result)
			return term.WriteSMTLIB(w, conditions...)
		})
		if err != nil {
			q.open(x.first, "", "the question %s is not written: %v", name, err)
		}
	}
	return answer
}

// stopped notes what was being asked when there was no more time.
func (q *questions) stopped(x *question) {
	where := q.result.Where(x.first.Instr)
	if x.other != nil && x.other.Instr != x.first.Instr {
		where += " and " + q.result.Where(x.other.Instr)
	}
	q.result.Notes = append(q.result.Notes, fmt.Sprintf("when that was, the question was whether this can be %s: %s (%s); bounds for the sizes that are open make it easier",
		x.kind.sentence(), q.result.text(x.first.Instr), where))
}

// hard has the other solver, if there is one, answer.
func (q *questions) hard(x *question, conditions []*term.Term) {
	if q.config.Solver != nil {
		unsat, err := q.config.Solver.Unsat(q.ctx, func(w io.Writer) error { return term.WriteSMTLIB(w, conditions...) })
		switch {
		case err == nil && unsat:
			q.stands.on[assume.Solver] = true
			return
		case err == nil:
			q.open(x.first, "", "the other solver says that this can be %s, but not how", x.kind.sentence())
		default:
			q.open(x.first, "", "the other solver fails: %v", err)
		}
		return
	}
	q.open(x.first, "--solver z3, or bounds for the sizes that are open", "whether this can be %s is not decided after %d conflicts", x.kind.sentence(), q.config.Budget)
}

// conditions are what a question asks of its model, without the facts; false if simplification shows that
// there is none.
func (q *questions) conditions(x *question) (*conjunction, bool) {
	c := newConjunction(q.Builder)
	c.add(x.more...)
	if x.second != nil {
		c.add(x.second.apart...)
	} else {
		c.add(q.trace.Geometry...)
	}
	c.add(x.first.Guard)
	if x.other != nil {
		there := x.second.Term(x.other.Guard)
		if x.missing { // and is not on its way there, in a loop that was left
			there = q.And(q.Not(there), q.Not(x.second.Term(q.trace.Lost)))
		}
		c.add(there)
	}
	return c, !c.no
}

// assume adds the facts.
func (q *questions) assume(c *conjunction, x *question) {
	defer q.instantiate(c, x)
	c.add(q.trace.Facts[:x.first.Facts]...)
	defer q.place(c, x.second)
	if x.second != nil {
		facts := x.first.Facts
		if x.other != nil {
			facts = x.other.Facts
		}
		for _, f := range q.trace.Facts[:facts] {
			c.add(x.second.Term(f))
		}
		q.define(c, x.second)
		q.inStep(c, x.second)
		if !x.second.self {
			q.counted(c, x)
			q.elected(c, x.second)
			q.joined(c, x.second)
		}
	}
}

// define says what the variables that stand for terms of the other thread are.
func (q *questions) define(c *conjunction, s *second) {
	if len(q.trace.Others) == 0 {
		return
	}
	seen := map[*term.Term]bool{}
	for i := 0; i < len(c.all); i++ {
		visit(c.all[i], seen, func(v *term.Term) bool {
			if of, ok := q.trace.Others[v]; ok {
				c.add(q.Eq(v, s.Term(of)))
			} else if of, ok := s.others[v]; ok {
				c.add(q.Eq(v, of))
			}
			return false
		})
	}
}

// open notes why there is no verdict.
func (q *questions) open(at *symbolic.Point, help, format string, args ...any) {
	r := Reason{at.Instr, fmt.Sprintf(format, args...), help}
	if !slices.Contains(q.result.Open, r) {
		q.result.Open = append(q.result.Open, r)
	}
}
