package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// TestSpecialize: what Specialize leaves out changes nothing, for one program after
// another in the same frame.
func TestSpecialize(t *testing.T) {
	multiplyChecks(t, 10)
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		plain, special := m.NewFrame(), m.NewFrame()
		for range 3 {
			w := m.drawWorld(t, sizes.Draw(t, "n"))
			first := rapid.IntRange(1, m.Stages()-1).Draw(t, "first")
			for _, f := range []*Frame{plain, special} {
				f.Reset(w.n)
				m.compute(f, w, 0, first)
			}
			doomed := special.Specialize(first)
			for range 2 {
				if doomed == Passed {
					m.sameFrom(t, first, w, plain, special)
				} else {
					m.compute(plain, w, first, m.Stages())
					if plain.Holds(doomed) {
						t.Fatalf("check %d is sure to fail, and holds", doomed)
					}
				}
				for stage := first; stage < m.Stages(); stage++ {
					m.redraw(t, w, stage)
				}
			}
		}
	})
}

// sameFrom runs both frames from a stage on and compares them.
func (m *model) sameFrom(t *rapid.T, first int, w *world, plain, special *Frame) {
	for stage := first; stage < m.Stages(); stage++ {
		for _, f := range []*Frame{plain, special} {
			m.fill(f, w, stage)
		}
		if want, got := plain.Run(stage, 0), special.Run(stage, 0); got != want {
			t.Fatalf("stage %d fails check %d, specialized %d", stage, want, got)
		}
		plain.Compute(stage)
		special.Compute(stage)
	}
	m.compare(t, special, w)
	for c := range m.Checks {
		if special.Dead(c) && !plain.Holds(c) {
			t.Fatalf("check %d is sure to hold, and fails", c)
		}
	}
}

// TestSpecializeByHand: a model of atomic operations is nothing to a program without them.
// What is left out for one program is there again for the next.
func TestSpecializeByHand(t *testing.T) {
	b := NewBuilder()
	rmw, loc, rf := b.Input("rmw", false, 0), b.Input("loc", false, VarOf(Places)), b.Input("rf", false, VarOf(Rf))
	co := b.Choose("co", Completions, loc, b.Inter(loc, rmw))
	around, _ := b.Fixpoint([]bool{false}, func(x []Node) []Node {
		return []Node{b.Union(b.Seq(rmw, rf), b.Seq(x[0], co))}
	})
	b.Check("placed", Irreflexive, false, b.Seq(rmw, loc))
	b.Check("atomic", IsEmpty, false, b.Inter(rmw, b.Seq(b.Inverse(rf), co)))
	b.Check("around", Acyclic, false, around[0])
	b.Check("reads", Acyclic, false, b.Union(rf, b.Seq(co, co)))
	b.Check("not", IsEmpty, true, b.Seq(rmw, co))
	p := b.Plan()
	f := p.NewFrame()
	some, none := rel.Of(4, [2]int{0, 1}), rel.New(4)
	for _, program := range []struct {
		rmw    rel.Rel
		first  Var
		dead   []bool
		doomed int
	}{
		{none, Places, []bool{true, true, true, false, false}, 4},
		{some, Rf, []bool{false, false, false, false, false}, Passed},
		{none, Rf, []bool{false, true, true, false, false}, 4}, // the first has been judged
	} {
		f.Reset(4)
		values := map[string]rel.Rel{"rmw": program.rmw, "loc": some.Inverse()}
		for _, in := range p.Inputs {
			copy(f.Rel(in.Slot), values[in.Name].Words())
		}
		for stage := range program.first.Stage() {
			f.Compute(stage)
		}
		before := stepsLeft(f)
		if got := f.Specialize(program.first.Stage()); got != program.doomed {
			t.Errorf("with %v: check %d is sure to fail, want %d", program.rmw, got, program.doomed)
		}
		for c, want := range program.dead {
			if f.Dead(c) != want {
				t.Errorf("with %v: %s is dead: %v", program.rmw, p.Checks[c].Name, !want)
			}
		}
		if left := stepsLeft(f); (left < before) != program.rmw.Empty() {
			t.Errorf("with %v: %d steps are left of %d", program.rmw, left, before)
		}
		if holds, want := f.Holds(0), program.rmw.Empty(); holds != want {
			t.Errorf("with %v: the first check holds: %v", program.rmw, holds)
		}
	}
}

func stepsLeft(f *Frame) (n int) {
	for _, code := range f.code {
		n += len(code)
	}
	return n
}

// TestLowerBoundsFailForGood: a check that fails where variables are known in part fails for
// whatever they become.
func TestLowerBoundsFailForGood(t *testing.T) {
	multiplyChecks(t, 10)
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		m.failForGood(t, sizes.Draw(t, "n"), Var(rapid.IntRange(0, m.Stages()-2).Draw(t, "variable")))
	})
}

// TestLowerBoundsOfPlaces: so do checks of differences while some locations are not known.
func TestLowerBoundsOfPlaces(t *testing.T) {
	multiplyChecks(t, 20)
	diff := operations[slices.IndexFunc(operations, func(o operation) bool { return o.op == relop.Diff })]
	rapid.Check(t, func(t *rapid.T) {
		d, s := newDrawer(t)
		m := &model{}
		for range 4 {
			x := diff.apply([]*term{d.term(false, 2), d.term(false, 2)})
			s.Check(x.text, IsEmpty, false, x.node(s))
			m.checks = append(m.checks, x)
		}
		m.Plan = s.Plan()
		m.failForGood(t, rapid.IntRange(1, 4).Draw(t, "n"), Places)
	})
}

// failForGood draws what is known, v and what comes after it in part, and then more of it.
func (m *model) failForGood(t *rapid.T, n int, v Var) {
	low := m.drawWorld(t, n)
	placed := rel.Universe(low.n) // accesses whose locations are known
	if v == Places {
		placed = drawSet(t, low.n, "placed")
		m.confine(low, placed)
	}
	f := m.NewFrame()
	f.Reset(low.n)
	m.compute(f, low, 0, v.Stage())
	failed := m.failing(f, low, v)
	for range 3 {
		high := m.enlarge(t, low, v, placed)
		m.compute(f, high, v.Stage(), m.Stages())
		for _, c := range failed {
			if f.Holds(c) {
				t.Fatalf("check %d of %s (negated: %v) fails for a lower bound, and holds for more",
					c, m.checks[c].text, m.Checks[c].Negated)
			}
		}
	}
}

// failing lists the checks that Run finds to fail, when v and what comes after it are known
// in part: in each stage the first, and those that would be found were it not there.
func (m *model) failing(f *Frame, w *world, v Var) (failed []int) {
	for stage := v.Stage(); stage < m.Stages(); stage++ {
		m.fill(f, w, stage)
		if c := f.Run(stage, v.From()); c != Passed {
			failed = append(failed, c)
		}
		f.Compute(stage)
	}
	for i := range m.Checks {
		if c := &m.Checks[i]; c.Of&v.From() != 0 && c.Falls&v.From() == 0 && !f.Holds(i) {
			failed = append(failed, i)
		}
	}
	return failed
}

// confine leaves of the inputs that depend on anything what is about certain events.
func (m *model) confine(w *world, to rel.Set) {
	for _, in := range inputs {
		switch x := w.values[in.Name]; {
		case in.Of == 0:
		case in.Set:
			w.values[in.Name] = events(x.set.Inter(to))
		default:
			w.values[in.Name] = relation(x.rel.Restrict(to, to))
		}
	}
}

// enlarge adds to what v and the variables after it are; but not to what locations decide of
// events that are placed.
func (m *model) enlarge(t *rapid.T, low *world, v Var, placed rel.Set) *world {
	high := &world{low.n, map[string]value{}}
	add := func(name string, final rel.Set) {
		more := value{drawRel(t, low.n, "more "+name), drawSet(t, low.n, "more "+name)}
		more.rel, more.set = more.rel.Diff(rel.Product(final, final)), more.set.Diff(final)
		if old := low.values[name]; old.rel.N() == low.n {
			more.rel = more.rel.Union(old.rel)
		}
		if old := low.values[name]; old.set.N() == low.n {
			more.set = more.set.Union(old.set)
		}
		high.values[name] = more
	}
	for _, in := range inputs {
		final := rel.NewSet(low.n)
		if in.Of == VarOf(Places) {
			final = placed
		}
		if high.values[in.Name] = low.values[in.Name]; in.Of&v.From() != 0 {
			add(in.Name, final)
		}
	}
	for i, c := range m.Choices {
		if high.values[c.Name] = low.values[c.Name]; FirstChoice+Var(i) >= v {
			add(c.Name, rel.NewSet(low.n))
		}
	}
	return high
}

// TestWhatLowerBoundsTell: which checks count while rf is known in part.
func TestWhatLowerBoundsTell(t *testing.T) {
	b := NewBuilder()
	po, rf := b.Input("po", false, 0), b.Input("rf", false, VarOf(Rf))
	least := func(x, y Node) Node {
		results, _ := b.Fixpoint([]bool{false}, func(r []Node) []Node { return []Node{b.Union(x, b.Seq(r[0], y))} })
		return results[0]
	}
	for _, c := range []struct {
		x       Node
		negated bool
		falls   bool
	}{
		{b.Union(po, rf), false, false},
		{b.Union(po, rf), true, true},
		{b.Diff(po, rf), false, true},
		{b.Diff(po, rf), true, false},
		{b.Complement(rf), false, true},
		{b.Diff(po, b.Complement(rf)), false, false},
		{b.Seq(rf, b.Diff(po, rf)), false, true},
		{b.Seq(rf, b.Diff(po, rf)), true, true},
		{least(rf, po), false, false},
		{least(po, b.Diff(po, rf)), false, true},
		{least(po, b.Diff(po, rf)), true, false},
	} {
		b.Check("", IsEmpty, c.negated, c.x)
		if n := len(b.checks) - 1; c.falls != b.Plan().Checks[n].Falls.Has(Rf) {
			t.Errorf("check %d: falling with rf is not %v", n, c.falls)
		}
	}
}

// TestWhatKnownPlacesTell: which checks count while some locations are not known.
func TestWhatKnownPlacesTell(t *testing.T) {
	b := NewBuilder()
	po, rf, w := b.Input("po", false, 0), b.Input("rf", false, VarOf(Rf)), b.Input("W", true, 0)
	loc, vloc := b.Input("loc", false, VarOf(Places)), b.Input("vloc", false, VarOf(Places))
	global := b.Input("Global", true, VarOf(Places))
	strong := b.Inter(po, vloc)
	observed := b.Seq(b.Inter(strong, rf), b.Star(b.Seq(po, b.Inter(strong, rf))))
	for i, c := range []struct {
		x     Node
		falls bool
	}{
		{b.Union(po, loc), false},
		{b.Diff(po, loc), true},
		{b.Diff(loc, vloc), false},
		{b.Diff(po, b.Diff(loc, vloc)), true},
		{b.Diff(b.Inter(po, loc), b.Diff(loc, vloc)), false},
		{b.Diff(loc, b.Plus(vloc)), true}, // a detour may lead over an access that is placed later
		{b.Diff(loc, b.Inter(loc, b.Seq(po, vloc))), true},
		{b.Diff(b.Seq(observed, loc), strong), false},
		{b.Diff(observed, strong), true}, // where it ends may not be an access
		{b.Diff(b.To(observed, global), strong), false},
		{b.Diff(rf, vloc), false},
		{b.Diff(b.From(rf, global), b.Identity(b.Diff(w, global))), false},
		{b.Diff(b.From(rf, w), b.Identity(b.Domain(loc))), true},
		{b.Diff(b.Inverse(b.Inter(loc, po)), b.Product(global, global)), false},
		{b.Diff(b.Product(w, global), vloc), true},
	} {
		b.Check("", IsEmpty, false, c.x)
		if got := b.Plan().Checks[i].Falls.Has(Places); got != c.falls {
			t.Errorf("check %d: falling with places is %v", i, got)
		}
	}
}

// drawLinear draws a term of operations that mostly make a union of what each pair of a
// choice adds.
func (d *drawer) drawLinear(choice *term, depth int) *term {
	if depth == 0 {
		return choice
	}
	o := d.operation(false)
	for o.args == "" || o.args[0] != 'r' || o.args == "r" && d.below(4, "of one") > 0 {
		o = d.operation(false)
	}
	args := []*term{d.drawLinear(choice, depth-1)}
	for _, kind := range o.args[1:] {
		args = append(args, d.operand(kind, 1))
	}
	switch {
	case o.op == relop.Union && d.below(2, "both") == 1:
		args[1] = d.drawLinear(choice, depth-1)
	case o.args == "rr" && d.below(2, "swap") == 1:
		slices.Reverse(args)
	}
	return o.apply(args)
}

// TestLinear: of a linear check, pairs of the last choice add to X what each adds alone, and
// that starts and ends where Src and Dst say.
func TestLinear(t *testing.T) {
	multiplyChecks(t, 40)
	linear := 0
	rapid.Check(t, func(t *rapid.T) {
		d, s := newDrawer(t)
		m := &model{}
		m.drawChoice(d, s, 0)
		m.drawChoice(d, s, 1)
		x := d.drawLinear(named("choice1", false), 4)
		s.Check(x.text, Acyclic, false, x.node(s))
		m.checks = append(m.checks, x)
		m.Plan = s.Plan()
		if !m.Checks[0].Linear() {
			return
		}
		linear++
		w := m.drawWorld(t, rapid.IntRange(1, 5).Draw(t, "n"))
		f := m.NewFrame()
		f.Reset(w.n)
		m.compute(f, w, 0, m.Stages())
		m.addsUp(t, f, drawRel(t, w.n, "P"), drawRel(t, w.n, "Q"))
	})
	if linear == 0 {
		t.Error("no check was linear")
	}
}

// addsUp compares X of two relations together with X of one and of each pair of the other.
func (m *model) addsUp(t *rapid.T, f *Frame, p, q rel.Rel) {
	c := &m.Checks[0]
	of := func(chosen rel.Rel) rel.Rel {
		copy(f.Rel(m.Choices[1].Slot), chosen.Words())
		f.Compute(m.Stages() - 1)
		return rel.FromWords(f.n, slices.Clone(f.Rel(c.X)))
	}
	none, sum := of(rel.New(f.n)), of(p)
	src, dst := f.Rel(c.Src), f.Rel(c.Dst)
	for a, b := range q.Pairs() {
		alone := of(rel.Of(f.n, [2]int{a, b}))
		for x, y := range alone.Diff(none).Pairs() {
			if src[a]>>x&1 == 0 || dst[b]>>y&1 == 0 {
				t.Fatalf("%s: (%d, %d) adds (%d, %d), from none of %b or to none of %b",
					c.Name, a, b, x, y, src[a], dst[b])
			}
		}
		sum = sum.Union(alone)
	}
	if all := of(p.Union(q)); !all.Equal(sum) {
		t.Fatalf("%s: %v together, %v one by one", c.Name, all, sum)
	}
}

// TestEndsByHand: where what a pair adds starts and ends, after what stands around.
func TestEndsByHand(t *testing.T) {
	b := NewBuilder()
	po, w := b.Input("po", false, 0), b.Input("W", true, 0)
	co := b.Choose("co", Completions, po, po)
	b.Check("", Irreflexive, false, b.From(b.Seq(po, co), w))
	b.Check("", Irreflexive, false, b.To(b.Seq(co, po), w))
	p := b.Plan()
	f := p.NewFrame()
	f.Reset(4)
	values := map[string][]uint64{"po": rel.Of(4, [2]int{0, 1}, [2]int{2, 1}, [2]int{1, 3}).Words(), "W": {1<<0 | 1<<3}}
	for _, in := range p.Inputs {
		copy(f.value(in.Slot), values[in.Name])
	}
	f.Compute(0)
	for i, want := range []struct{ src, dst []uint64 }{
		{src: []uint64{0, 1 << 0, 0, 0}, dst: []uint64{1 << 0, 1 << 1, 1 << 2, 1 << 3}},
		{src: []uint64{1 << 0, 1 << 1, 1 << 2, 1 << 3}, dst: []uint64{0, 1 << 3, 0, 0}},
	} {
		src, dst := f.Rel(p.Checks[i].Src), f.Rel(p.Checks[i].Dst)
		if !slices.Equal(src, want.src) || !slices.Equal(dst, want.dst) {
			t.Errorf("check %d: from %b to %b, want %b, %b", i, src, dst, want.src, want.dst)
		}
	}
}

// TestLinearByHand: which checks are linear.
func TestLinearByHand(t *testing.T) {
	b := NewBuilder()
	po, rf, w := b.Input("po", false, 0), b.Input("rf", false, VarOf(Rf)), b.Input("W", true, 0)
	first := b.Choose("first", Completions, po, po)
	co := b.Choose("co", Completions, po, po)
	fr := b.Seq(b.Inverse(rf), co)
	for i, c := range []struct {
		x    Node
		want bool
	}{
		{b.Union(b.Union(po, rf), b.Union(co, fr)), true},
		{b.Inter(po, b.Seq(fr, first)), true},
		{b.Diff(b.From(b.To(co, w), w), rf), true},
		{b.Union(first, rf), false}, // does not depend on co
		{b.Diff(po, co), false},
		{b.Plus(co), false},
		{b.Seq(fr, co), false},
		{b.Inter(co, fr), false},
		{b.From(po, b.Domain(co)), false},
		{b.Identity(b.Range(co)), false},
	} {
		b.Check("", Irreflexive, false, c.x)
		b.Check("", Irreflexive, true, c.x)
		p := b.Plan()
		if got := p.Checks[2*i].Linear(); got != c.want {
			t.Errorf("check %d is linear: %v", i, got)
		}
		if p.Checks[2*i+1].Linear() {
			t.Errorf("check %d, negated, is linear", i)
		}
	}
}
