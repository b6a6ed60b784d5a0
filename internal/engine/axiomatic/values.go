package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// Values are found by substitution along rf, as far as that can go without values out of thin air:
// no further than there are reads. What a read can return, by what its sources can write, is a short
// list in litmus tests; each entry is a literal.

const (
	mostValues       = 256  // that an access can have
	mostCombinations = 4096 // of values from which one is computed
)

// domain is the values that something can have, and of each whether it has it. Where there is but
// one, the literal is that of truth.
type domain struct {
	values []event.Value
	lits   []sat.Lit
	index  map[event.Value]bool
	before int // how many there were a round ago
}

// has is the literal of a value.
func (d *domain) has(c *circuit, v event.Value) sat.Lit {
	if i := slices.Index(d.values, v); i >= 0 {
		return d.lits[i]
	}
	return c.no
}

// note adds a value that something can have. It returns false if it was there.
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

// literals makes the literals of a domain: one of them at most is true. One that is sure is there
// whatever reads return.
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

// atMostOne says that not two literals are true.
func (c *circuit) atMostOne(lits []sat.Lit) {
	for i, l := range lits {
		for _, m := range lits[:i] {
			c.Add(l.Not(), m.Not())
		}
	}
}

// values are what the accesses of a structure can read and write, and where.
type values struct {
	*circuit
	s     *union
	val   []domain     // by access
	at    []domain     // by access: the names of locations, as numbers
	wants [][][]demand // by read: what each of its paths asks of its value alone; none if one asks nothing
	rf    [][]sat.Lit  // by read, by write: 0 where it is not possible
	reads []event.ID

	wrong []sat.Lit // computations without meaning that are not ruled out
	loose sat.Lit   // reads need not read, because something has no meaning
	tight sat.Lit   // but those whose location is known do, and what has no meaning is not written

	strayed rel.Set             // accesses that may be elsewhere than is known (air.go)
	parts   map[partKey]*domain // what has been computed in parts, with literals
	calm    rel.Set             // accesses whose values are known, where those of others are left open (never.go); that of no events if all are
	once    rel.Set             // reads whose values have been found (once.go)
	never   *rel.Rel            // relates reads to writes from which they do not read (never.go); nil if nothing is known of that
}

// newValues knows nothing of any value.
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

// findValues finds what can be; nothing is said about when. No read reads from a write to which never relates it.
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

// hops is how far values can go without coming back to where they were: once through each read from which
// something is computed.
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

// demand is what a path asks of the value of a read.
type demand struct {
	x    event.Expr
	want bool
}

// wanted notes what the paths ask of single reads.
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

// wantedBy is what a path asks of the value of a read alone.
func (v *values) wantedBy(p *path, r event.ID) (all []demand) {
	for _, c := range p.conds {
		if needs := v.needs(p.events, c.X); len(needs) == 1 && needs[0] == r {
			all = append(all, demand{c.X, c.Want})
		}
	}
	return all
}

// wantedOf reports that some path allows a value of a read.
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

// needs is the reads from which an expression of a path is computed.
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

// hop lets values go from writes to the reads that may read from them, and what is computed from
// these follow. It returns false if nothing was added.
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

// computeAll computes addresses, and what writes write, from what reads can return by now. It returns
// false if nothing was added.
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

// computed reports that an access depends on no read, and has been looked at.
func (v *values) computed(e event.ID) bool {
	return len(v.at[e].values) > 0 && v.sure(e, v.s.Events[e].Addr) && (v.s.Events[e].Kind == event.Read || len(v.val[e].values) > 0 && v.sure(e, v.s.Events[e].Data))
}

// sure reports that an access computes something from no read.
func (v *values) sure(e event.ID, x event.Expr) bool {
	return len(v.needs(v.s.own[e], x)) == 0
}

// maySee reports that a read may read from a write.
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

// physical is the location that a name stands for.
func (v *values) physical(x event.Value) event.Loc { return event.Physical(v.s.Locs, int(x.Int)) }

// each computes an expression for all values of the reads that it needs, with the literals that these have them, if there are literals yet.
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

// ways is how many combinations of values reads have; more than mostCombinations if one has too many.
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

// eachWay is each where there are few combinations.
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

// unless is the clause that a literal is true if others are.
func (c *circuit) unless(l sat.Lit, if_ ...sat.Lit) {
	lits := make([]sat.Lit, 0, len(if_)+1)
	for _, m := range if_ {
		lits = append(lits, m.Not())
	}
	c.Add(append(lits, l)...)
}

// constrain makes the literals and says how values follow from reads-from.
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

// literals makes the literals of what an event has if it is there.
func (v *values) literals(d *domain, e event.ID, sure bool) {
	d.literals(v.circuit, sure)
	for _, l := range d.lits {
		if l != v.yes {
			v.Add(l.Not(), v.present.here[e])
		}
	}
}

// follow says what a path asks for, if it is taken.
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

// fail notes a computation without meaning: it is one for the values of the literals.
func (v *values) fail(lits []sat.Lit) {
	g := v.NewVar()
	v.and(g, up|down, lits...)
	v.Add(g.Not(), v.loose)
	v.wrong = append(v.wrong, g)
}

// sources has a read read from one write, where it is and what it writes; where a computation has no meaning, perhaps from none.
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
	if !v.isStrayed(r) { // else there may be nothing where it is
		v.Add(append(some, v.loose, v.present.here[r].Not())...)
	}
}

// haveValue has a read have a value, if its location is known: a computation without meaning has none, nor has what depends on it
// (event.Execution.Wrong), and that may be where a read is; but such a read has a value in each candidate of package enumerate.
func (v *values) haveValue(r event.ID) {
	if !v.isStrayed(r) && v.sure(r, v.s.Events[r].Addr) && len(v.at[r].values) > 0 {
		v.Add(append(slices.Clone(v.val[r].lits), v.tight.Not(), v.present.here[r].Not())...) // and a value has a source: justify
	}
}

// justify says that something has no value unless one of some literals holds. That matters where reads need not
// read: a computation without meaning is one of values that are read.
func (v *values) justify(d *domain, by []sat.Lit) {
	for _, l := range d.lits {
		v.Add(append(by[:len(by):len(by)], l.Not())...)
	}
}

// justifyAll is justify for what is computed from reads.
func (v *values) justifyAll(d *domain, reads []event.ID) {
	for _, r := range reads {
		v.justify(d, v.val[r].lits)
	}
}

// meet says that a read and a write are at one location if a literal holds.
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

// compute says where an access is, and what a write writes.
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
		v.unless(v.val[e].has(v.circuit, x), lits...) // further than values can go: it cannot be
	})
	v.justifyAll(&v.val[e], v.needs(v.s.own[e], ev.Data))
}

// where is the literal that two accesses are at one place, as told by f from their names.
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
