package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// Values are found by substitution along rf, for as many steps as values can go without coming out
// of thin air. A read has few possible values in litmus tests; each is a literal.

const (
	mostValues       = 256  // of an access
	mostCombinations = 4096 // of the values of reads, for one expression
)

// domain is the possible values of something, each with the literal that it has this value. A
// single certain value has the literal yes.
type domain struct {
	values []event.Value
	lits   []sat.Lit
	index  map[event.Value]bool
	before int // the number of values before the current hop
}

// has returns the literal of a value, or no.
func (d *domain) has(c *circuit, v event.Value) sat.Lit {
	if i := slices.Index(d.values, v); i >= 0 {
		return d.lits[i]
	}
	return c.no
}

// note adds a possible value. It returns false if the value was there.
func (d *domain) note(v event.Value) bool {
	if d.index == nil {
		d.index = map[event.Value]bool{}
	}
	if d.index[v] {
		return false
	}
	d.index[v] = true
	d.values = append(d.values, v)
	return true
}

// literals makes the literals of a domain. At most one is true. sure says that the single value
// does not depend on any read.
func (d *domain) literals(c *circuit, sure bool) {
	if d.lits = make([]sat.Lit, len(d.values)); len(d.lits) == 1 && sure {
		d.lits[0] = c.yes
		return
	}
	for i := range d.lits {
		d.lits[i] = c.NewVar()
	}
	c.atMostOne(d.lits)
}

// atMostOne adds that at most one of the literals is true.
func (c *circuit) atMostOne(lits []sat.Lit) {
	for i, l := range lits {
		for _, m := range lits[:i] {
			c.Add(l.Not(), m.Not())
		}
	}
}

// values is the possible values and locations of the accesses of a union.
type values struct {
	*circuit
	s   *union
	val []domain // by access
	at  []domain // by access: possible locations, as numbers of names
	// by read: for each of its paths, the conditions on its value alone; nil if one path has none
	wants [][][]demand
	rf    [][]sat.Lit // by read, by write: it reads from it; 0 if impossible
	reads []event.ID

	wrong []sat.Lit // a computation has no meaning, by computation that is possible
	loose sat.Lit   // some computation may have no meaning, so that reads need no source
	// even so, reads at a known location have a value, and meaningless values are not written
	tight sat.Lit

	strayed rel.Set             // accesses that may be at unexpected locations (air.go)
	parts   map[partKey]*domain // the parts computed so far, with literals
	// accesses with known values; those of the others are open (never.go); a set over no events if
	// all are known
	calm rel.Set
	once rel.Set // reads whose values findOnce computed (once.go)
	// pairs of a read and a write that it never reads from (never.go), or nil
	never *rel.Rel
}

// newValues returns values with empty domains.
func (c *circuit) newValues() *values {
	s := c.u
	v := &values{
		circuit: c, s: s, val: make([]domain, s.N()), at: make([]domain, s.N()),
		wants: make([][][]demand, s.N()), rf: make([][]sat.Lit, s.N()),
	}
	for e := range s.Events {
		if s.Events[e].Kind == event.Read {
			v.reads = append(v.reads, e)
		}
	}
	return v
}

// findValues finds the possible values, without clauses. It excludes the reads-from pairs of never.
func (c *circuit) findValues(never *rel.Rel) *values {
	v := c.newValues()
	v.never = never
	v.wanted()
	v.computeAll()
	v.findOnce()
	v.computeAll()
	for range v.hops() {
		if !v.hop() || v.beyond {
			break
		}
	}
	return v
}

// hops returns the maximal number of steps of a value that does not return to its origin: one per
// read that feeds a computation.
func (v *values) hops() (most int) {
	feeds := make([]bool, v.N)
	for e := range v.s.Events {
		for _, r := range append(v.needs(v.s.own[e], v.s.Events[e].Addr), v.needs(v.s.own[e], v.s.Events[e].Data)...) {
			feeds[r] = feeds[r] || r != e
		}
	}
	count := func(events []event.ID) (n int) {
		for _, e := range events {
			if feeds[e] {
				n++
			}
		}
		return n
	}
	if v.s.family == nil {
		for i := range v.s.members {
			most = max(most, count(v.s.members[i].at))
		}
		return most + 1
	}
	for _, paths := range v.s.paths {
		longest := 0
		for i := range paths {
			longest = max(longest, count(paths[i].events))
		}
		most += longest
	}
	return most + 1
}

// demand is a condition of a path on the value of one read.
type demand struct {
	x    event.Expr
	want bool
}

// wanted sets the conditions of the paths on single reads.
func (v *values) wanted() {
	for _, r := range v.reads {
		for _, p := range v.s.paths[v.s.Events[r].Thread] {
			if !slices.Contains(p.events, r) {
				continue
			}
			all := v.wantedBy(&p, r)
			if len(all) == 0 {
				v.wants[r] = nil
				break
			}
			if !slices.ContainsFunc(v.wants[r], func(known []demand) bool { return slices.Equal(known, all) }) {
				v.wants[r] = append(v.wants[r], all)
			}
		}
	}
}

// wantedBy returns the conditions of a path on the value of r alone.
func (v *values) wantedBy(p *path, r event.ID) (all []demand) {
	for _, c := range p.conds {
		if needs := v.needs(p.events, c.X); len(needs) == 1 && needs[0] == r {
			all = append(all, demand{c.X, c.Want})
		}
	}
	return all
}

// wantedOf reports whether some path allows a read to have a value.
func (v *values) wantedOf(e event.ID, x event.Value) bool {
	env := func(int) (event.Value, bool) { return x, true }
	grants := func(d demand) bool {
		got, err := d.x.Eval(env)
		return err != nil || got.True() == d.want
	}
	for _, all := range v.wants[e] {
		if !slices.ContainsFunc(all, func(d demand) bool { return !grants(d) }) {
			return true
		}
	}
	return len(v.wants[e]) == 0
}

// needs returns the reads that an expression of a path depends on.
func (v *values) needs(path []event.ID, x event.Expr) (reads []event.ID) {
	if x == nil {
		return nil
	}
	event.EachRead(x, func(n int) {
		if e := path[n]; !slices.Contains(reads, e) {
			reads = append(reads, e)
		}
	})
	return reads
}

// hop moves values from writes to the reads that may read from them, and recomputes what depends on
// them. It returns false if it added nothing.
func (v *values) hop() (more bool) {
	for e := range v.s.Events {
		v.val[e].before = len(v.val[e].values)
	}
	for _, r := range v.reads {
		if v.once.N() > 0 && v.once.Has(r) || !v.isCalm(r) {
			continue
		}
		for w := range v.s.Events {
			if v.s.Events[w].Kind != event.Write || !v.maySee(r, w) {
				continue
			}
			for _, x := range v.val[w].values[:v.val[w].before] {
				more = v.wantedOf(r, x) && v.val[r].note(x) || more
			}
		}
	}
	return v.computeAll() || more
}

// computeAll computes addresses and the values of writes from the values that reads have so far. It
// returns false if it added nothing.
func (v *values) computeAll() (more bool) {
	for e := range v.s.Events {
		ev := &v.s.Events[e]
		if !ev.IsMem() || v.computed(e) {
			continue
		}
		more = v.findPlace(e) || more
		if ev.Kind == event.Write && v.isCalm(e) {
			v.each(v.s.own[e], ev.Data, func(x event.Value, err error, _ []sat.Lit) {
				more = err == nil && v.val[e].note(x) || more
			})
		}
	}
	return more
}

// computed reports whether the address and the value of an access depend on no read and have been
// computed.
func (v *values) computed(e event.ID) bool {
	return len(v.at[e].values) > 0 && v.sure(e, v.s.Events[e].Addr) && (v.s.Events[e].Kind == event.Read || len(v.val[e].values) > 0 && v.sure(e, v.s.Events[e].Data))
}

// sure reports whether an expression of an access depends on no read.
func (v *values) sure(e event.ID, x event.Expr) bool {
	return len(v.needs(v.s.own[e], x)) == 0
}

// maySee reports whether a read may read from a write.
func (v *values) maySee(r, w event.ID) bool {
	if v.s.Events[w].Kind != event.Write || v.never != nil && v.never.Has(r, w) {
		return false
	}
	for _, x := range v.at[r].values {
		for _, y := range v.at[w].values {
			if v.physical(x) == v.physical(y) {
				return true
			}
		}
	}
	return false
}

// physical returns the location that a name stands for.
func (v *values) physical(x event.Value) event.Loc { return event.Physical(v.s.Locs, int(x.Int)) }

// each visits the values of an expression for all values of the reads that it needs, with the
// literals of these, if they exist yet.
func (v *values) each(path []event.ID, x event.Expr, visit func(event.Value, error, []sat.Lit)) {
	needs := v.needs(path, x)
	switch ways := v.ways(needs); {
	case ways <= v.whole:
		v.eachWay(path, x, needs, visit)
	case v.inParts(path, x, visit):
	case ways <= mostCombinations:
		v.eachWay(path, x, needs, visit)
	default:
		v.beyond = true
	}
}

// ways returns the number of combinations of the values of reads, or mostCombinations+1 if there
// are too many.
func (v *values) ways(reads []event.ID) int {
	ways := 1
	for _, r := range reads {
		n := len(v.val[r].values)
		if ways *= n; ways > mostCombinations || n > mostValues {
			return mostCombinations + 1
		}
	}
	return ways
}

// eachWay is each by enumeration of all combinations.
func (v *values) eachWay(path []event.ID, x event.Expr, needs []event.ID, visit func(event.Value, error, []sat.Lit)) {
	at := make([]int, len(needs))
	env := func(n int) (event.Value, bool) {
		i := slices.Index(needs, path[n])
		return v.val[needs[i]].values[at[i]], true
	}
	for n := range v.ways(needs) {
		if n%askEvery == 0 && v.over() {
			return
		}
		var lits []sat.Lit
		for i, r := range needs {
			if v.val[r].lits != nil {
				lits = append(lits, v.val[r].lits[at[i]])
			}
		}
		got, err := x.Eval(env)
		visit(got, err, lits)
		for i := range at {
			if at[i]++; at[i] < len(v.val[needs[i]].values) {
				break
			}
			at[i] = 0
		}
	}
}

// unless adds the clause that all literals of if_ imply l.
func (c *circuit) unless(l sat.Lit, if_ ...sat.Lit) {
	lits := make([]sat.Lit, 0, len(if_)+1)
	for _, m := range if_ {
		lits = append(lits, m.Not())
	}
	c.Add(append(lits, l)...)
}

// constrain makes the literals and the clauses by which values follow from reads-from.
func (v *values) constrain() {
	v.loose, v.tight = v.NewVar(), v.NewVar()
	for e := range v.s.Events {
		if ev := &v.s.Events[e]; ev.IsMem() {
			v.literals(&v.val[e], e, ev.Kind == event.Write && v.sure(e, ev.Data))
			v.literals(&v.at[e], e, v.sure(e, ev.Addr))
		}
	}
	for _, r := range v.reads {
		if !v.over() {
			v.sources(r)
			v.haveValue(r)
		}
	}
	for e := range v.s.Events {
		if v.s.Events[e].IsMem() && !v.over() {
			v.compute(e)
		}
	}
	for t, paths := range v.s.paths {
		for i := range paths {
			if !v.over() {
				v.follow(&paths[i], v.present.taken[t][i])
			}
		}
	}
}

// literals makes the literals of a domain of an event. They imply that the event is present.
func (v *values) literals(d *domain, e event.ID, sure bool) {
	d.literals(v.circuit, sure)
	for _, l := range d.lits {
		if l != v.yes {
			v.Add(l.Not(), v.present.here[e])
		}
	}
}

// follow adds the conditions of a path, under the literal that it is taken.
func (v *values) follow(p *path, taken sat.Lit) {
	for _, c := range p.conds {
		v.each(p.events, c.X, func(x event.Value, err error, lits []sat.Lit) {
			if err != nil {
				v.fail(append(lits, taken))
			} else if x.True() != c.Want {
				v.unless(taken.Not(), lits...)
			}
		})
	}
	for _, x := range p.of.Finals {
		v.each(p.events, x, func(_ event.Value, err error, lits []sat.Lit) {
			if err != nil {
				v.fail(append(lits, taken))
			}
		})
	}
}

// fail records a computation without meaning, which happens if all the literals hold.
func (v *values) fail(lits []sat.Lit) {
	g := v.NewVar()
	v.and(g, up|down, lits...)
	v.Add(g.Not(), v.loose)
	v.wrong = append(v.wrong, g)
}

// sources makes the literals of reads-from of a read: it has one source, at the same location, with
// the same value. If a computation may have no meaning (loose), it may have none.
func (v *values) sources(r event.ID) {
	v.rf[r] = make([]sat.Lit, v.N)
	var some []sat.Lit
	for w := range v.s.Events {
		if !v.maySee(r, w) || v.Compatible != nil && !v.Compatible.Has(r, w) {
			continue
		}
		l := v.NewVar()
		v.rf[r][w] = l
		some = append(some, l)
		v.Add(l.Not(), v.present.here[w])
		v.Add(l.Not(), v.present.here[r])
		v.meet(r, w, l)
		if !v.isCalm(r) {
			continue
		}
		for i, x := range v.val[w].values {
			if to := v.val[r].has(v.circuit, x); to != v.no || v.strayed.Empty() || !v.wantedOf(r, x) {
				v.unless(to, l, v.val[w].lits[i])
			}
		}
		for i, x := range v.val[r].values {
			v.unless(v.val[w].has(v.circuit, x), l, v.val[r].lits[i])
		}
	}
	v.atMostOne(some)
	if v.isCalm(r) {
		v.justify(&v.val[r], some)
	}
	if !v.isStrayed(r) { // otherwise it may be at a location without a write
		v.Add(append(some, v.loose, v.present.here[r].Not())...)
	}
}

// haveValue adds that a read at a known location has a value, under tight. A meaningless
// computation has no value, nor has anything that depends on it (event.Execution.Wrong), for
// example the address of a read. But a read at a known location has a value in each candidate of
// package enumerate.
func (v *values) haveValue(r event.ID) {
	if !v.isStrayed(r) && v.sure(r, v.s.Events[r].Addr) && len(v.at[r].values) > 0 {
		// by justify, a value has a source
		v.Add(append(slices.Clone(v.val[r].lits), v.tight.Not(), v.present.here[r].Not())...)
	}
}

// justify adds that something has a value only if one of some literals holds. This matters where
// reads need no source: a computation is meaningless only for values that are read.
func (v *values) justify(d *domain, by []sat.Lit) {
	for _, l := range d.lits {
		v.Add(append(by[:len(by):len(by)], l.Not())...)
	}
}

// justifyAll is justify for a value computed from reads.
func (v *values) justifyAll(d *domain, reads []event.ID) {
	for _, r := range reads {
		v.justify(d, v.val[r].lits)
	}
}

// meet adds that a read and a write are at one location if l holds.
func (v *values) meet(r, w event.ID, l sat.Lit) {
	for _, ends := range [][2]event.ID{{r, w}, {w, r}} {
		here, there := &v.at[ends[0]], &v.at[ends[1]]
		for i, x := range here.values {
			var same []sat.Lit
			for j, y := range there.values {
				if v.physical(x) == v.physical(y) {
					same = append(same, there.lits[j])
				}
			}
			v.Add(append(same, l.Not(), here.lits[i].Not())...)
		}
		if v.isStrayed(ends[0]) {
			v.Add(append(slices.Clone(here.lits), l.Not())...)
		}
	}
}

// compute adds the clauses of the address of an access and of the value of a write.
func (v *values) compute(e event.ID) {
	ev := &v.s.Events[e]
	v.each(v.s.own[e], ev.Addr, func(x event.Value, err error, lits []sat.Lit) {
		l, failure := event.Resolve(v.s.Locs, x)
		if err != nil || failure != nil {
			v.fail(append(lits, v.present.here[e]))
			return
		}
		v.unless(v.at[e].has(v.circuit, event.Int(int64(l))), append(lits, v.present.here[e])...)
	})
	if !v.isStrayed(e) {
		v.justifyAll(&v.at[e], v.needs(v.s.own[e], ev.Addr))
	}
	if ev.Kind != event.Write {
		return
	}
	v.each(v.s.own[e], ev.Data, func(x event.Value, err error, lits []sat.Lit) {
		lits = append(lits, v.present.here[e])
		if err != nil {
			v.fail(lits)
			for _, l := range v.val[e].lits {
				v.unless(l.Not(), append(lits, v.tight)...)
			}
			return
		}
		// has returns no for a value beyond the last hop: it is impossible
		v.unless(v.val[e].has(v.circuit, x), lits...)
	})
	v.justifyAll(&v.val[e], v.needs(v.s.own[e], ev.Data))
}

// where returns the literal that the names of two accesses satisfy same.
func (v *values) where(a, b event.ID, same func(x, y event.Loc) bool) sat.Lit {
	var ways []sat.Lit
	for i, x := range v.at[a].values {
		for j, y := range v.at[b].values {
			if same(int(x.Int), int(y.Int)) {
				ways = append(ways, v.both(v.at[a].lits[i], v.at[b].lits[j]))
			}
		}
	}
	return v.any(ways)
}
