package plan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// TestOperations compares every operation with that of package rel.
func TestOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &scope{NewBuilder(), map[string]Node{}}
		w := &world{sizes.Draw(t, "n"), map[string]value{}}
		operands := map[rune][]*term{}
		for _, in := range []Input{{Name: "r0"}, {Name: "r1"}, {Name: "s0", Set: true}, {Name: "s1", Set: true}} {
			s.names[in.Name] = s.Input(in.Name, in.Set, 0)
			w.values[in.Name] = drawInput(t, w.n, in)
			kind := rune(in.Name[0])
			operands[kind] = append(operands[kind], named(in.Name, in.Set))
		}
		var terms []*term
		for i := range operations {
			var args []*term
			for j, kind := range strings.ToLower(operations[i].args) {
				args = append(args, operands[kind][j])
			}
			x := operations[i].apply(args)
			s.Check(x.text, IsEmpty, false, x.node(s))
			terms = append(terms, x)
		}
		compareChecks(t, s.Plan(), w, terms)
	})
}

// compareChecks computes a plan all of whose inputs the program decides.
func compareChecks(t *rapid.T, p *Plan, w *world, checks []*term) {
	f := p.NewFrame()
	f.Reset(w.n)
	for _, in := range p.Inputs {
		copy(f.value(in.Slot), w.values[in.Name].words(in.Set))
	}
	f.Compute(0)
	for i, x := range checks {
		if got, want := f.value(p.Checks[i].X), x.value(w).words(x.set); !slices.Equal(got, want) {
			t.Fatalf("%s = %x, want %x", x.text, got, want)
		}
	}
}

// TestModels computes random models: values, checks, reports; fixpoints among them. Then some
// variable becomes something else, and only what comes from its stage on is computed again.
func TestModels(t *testing.T) {
	multiplyChecks(t, 10)
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		f := m.NewFrame()
		for range 3 {
			w := m.drawWorld(t, sizes.Draw(t, "n"))
			f.Reset(w.n)
			m.compute(f, w, 0, m.Stages())
			m.compare(t, f, w)
			again := rapid.IntRange(1, m.Stages()-1).Draw(t, "stage")
			for stage := again; stage < m.Stages(); stage++ {
				m.redraw(t, w, stage)
			}
			m.compute(f, w, again, m.Stages())
			m.compare(t, f, w)
		}
	})
}

// Set and Rel make a world an Execution.
func (w *world) Set(name string) (rel.Set, bool) { return w.values[name].set, true }
func (w *world) Rel(name string) (rel.Rel, bool) { return w.values[name].rel, true }
func (w *world) N() int                          { return w.n }

// compare compares what a frame has, and Values have, with what package rel computes.
func (m *model) compare(t *rapid.T, f *Frame, w *world) {
	values := m.Of(w, func(_ *Values, i int) rel.Rel { return w.values[m.Choices[i].Name].rel })
	for i, x := range m.checks {
		want := x.value(w)
		if x.set {
			want.rel = rel.Identity(want.set)
		}
		if got := *values.Value(m.Checks[i].X); !got.Equal(want.rel) || values.Passes(&m.Checks[i]) != holds(&m.Checks[i], x.value(w)) {
			t.Fatalf("%s = %v, want %v", x.text, got, want.rel)
		}
	}
	for i, x := range m.checks {
		c := &m.Checks[i]
		want := x.value(w)
		if got := f.value(c.X); !slices.Equal(got, want.words(x.set)) {
			t.Fatalf("%s = %x, want %x", x.text, got, want.words(x.set))
		}
		if got := f.Holds(i); got != holds(c, want) {
			t.Fatalf("check %d of %s (negated: %v) holds: %v", c.Test, x.text, c.Negated, got)
		}
	}
	for i, x := range m.reports {
		c := &m.Plan.Reports[i]
		if got, ok := f.Raised(i), holds(c, x.value(w)); got == (ok == c.Undefined) {
			t.Fatalf("report %d of %s (undefined: %v) is %v, but that it holds is %v", c.Test, x.text, c.Undefined, got, ok)
		}
	}
	for i, args := range m.args {
		for j, x := range args {
			if got, want := f.value(m.Choices[i].Args[j]), x.value(w).words(x.set); !slices.Equal(got, want) {
				t.Fatalf("argument %d of choice %d: %s = %x, want %x", j, i, x.text, got, want)
			}
		}
	}
}

// TestSharing: of equal operations there is one, in whatever order the operands of a
// union come.
func TestSharing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s := newDrawer(t)
		d.fixpoints = 4 // no fixpoints: these are not shared
		x := d.term(false, 5)
		first := x.node(s)
		if again := x.node(s); again != first {
			t.Fatalf("%s is node %d, then node %d", x.text, first, again)
		}
		y := d.term(false, 3).node(s)
		if s.Union(first, y) != s.Union(y, first) || s.Inter(first, y) != s.Inter(y, first) {
			t.Fatal("x | y and y | x, or x & y and y & x, are not the same node")
		}
		s.Check("x", IsEmpty, false, first)
		s.Check("x again", Acyclic, false, x.node(s))
		s.Check("x | y", IsEmpty, false, s.Union(y, first))
		p := s.Plan()
		seen := map[[4]Slot]bool{}
		for _, stage := range p.stages {
			for _, in := range stage.code {
				step := [4]Slot{Slot(in.op), in.x, in.y, 0}
				if int(in.dst) >= p.rels {
					step[3] = 1 // of a set: an empty set is not an empty relation
				}
				if seen[step] {
					t.Fatalf("step %v comes twice", step)
				}
				seen[step] = true
			}
		}
	})
}

// TestLaws are the identities that the builder knows.
func TestLaws(t *testing.T) {
	b := NewBuilder()
	r, s := b.Input("r", false, 0), b.Input("s", true, 0)
	none, all, nobody, everybody := b.Empty(false), b.Full(false), b.Empty(true), b.Full(true)
	id := b.Identity(everybody)
	for name, pair := range map[string][2]Node{
		"r | r = r":         {b.Union(r, r), r},
		"r | 0 = r":         {b.Union(none, r), r},
		"r | ~0 = ~0":       {b.Union(r, all), all},
		"r & ~0 = r":        {b.Inter(all, r), r},
		"r & 0 = 0":         {b.Inter(r, none), none},
		`r \ r = 0`:         {b.Diff(r, r), none},
		`s \ _ = {}`:        {b.Diff(s, everybody), nobody},
		"~~r = r":           {b.Complement(b.Complement(r)), r},
		"~{} = _":           {b.Complement(nobody), everybody},
		"r; 0 = 0":          {b.Seq(r, none), none},
		"id; r = r":         {b.Seq(id, r), r},
		"[s]; r = r from s": {b.Seq(b.Identity(s), r), b.From(r, s)},
		"r; [s] = r to s":   {b.Seq(r, b.Identity(s)), b.To(r, s)},
		"r++ = r+":          {b.Plus(b.Plus(r)), b.Plus(r)},
		"(r^-1)^-1 = r":     {b.Inverse(b.Inverse(r)), r},
		"(s*_)^-1 = _*s":    {b.Inverse(b.Product(s, everybody)), b.Product(everybody, s)},
		"[{}] = 0":          {b.Identity(nobody), none},
		"r? = r | id":       {b.Opt(r), b.Union(id, r)},
		"Input is one":      {b.Input("r", false, 0), r},
		"[s]^-1 = [s]":      {b.Inverse(b.Identity(s)), b.Identity(s)},
		"[s]+ = [s]":        {b.Plus(b.Identity(s)), b.Identity(s)},
		"r* = r+ | id":      {b.Star(r), b.Union(b.Plus(r), id)},
		`r \ 0 = r`:         {b.Diff(r, none), r},
		"r from _ = r":      {b.From(r, everybody), r},
		"r to _ = r":        {b.To(r, everybody), r},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: nodes %d and %d", name, pair[0], pair[1])
		}
	}
}

// TestStages: what depends on what says where it is computed.
func TestStages(t *testing.T) {
	b := NewBuilder()
	po, loc, rf := b.Input("po", false, 0), b.Input("loc", false, VarOf(Places)), b.Input("rf", false, VarOf(Rf))
	co := b.Choose("co", Completions, loc, b.Inter(po, loc))
	last := b.Choose("last", Completions, b.Seq(rf, co), po)
	nodes := []Node{b.Plus(po), b.Inter(po, loc), b.Seq(loc, rf), b.Union(po, b.Seq(b.Inverse(rf), co)), b.Inter(last, po)}
	for _, x := range slices.Backward(nodes) {
		b.Check("", Acyclic, false, x)
	}
	p := b.Plan()
	if p.Stages() != len(nodes) {
		t.Fatalf("%d stages, want %d", p.Stages(), len(nodes))
	}
	for s, stage := range p.stages {
		var checks []Slot
		for _, in := range stage.code {
			if in.op == opCheck {
				checks = append(checks, in.x)
			}
		}
		if want := Slot(len(nodes) - 1 - s); !slices.Equal(checks, []Slot{want}) {
			t.Errorf("stage %d has the checks %v, want %d", s, checks, want)
		}
	}
	if c := p.Choices[0]; !c.Known() || c.Of != [2]Vars{VarOf(Places), VarOf(Places)} || c.Falls != 0 {
		t.Errorf("coherence: %+v is not known once locations are", c)
	}
	if c := p.Choices[1]; c.Known() || c.Of[0]|c.Of[1] != VarOf(Rf)|VarOf(FirstChoice) || c.Falls != 0 {
		t.Errorf("the other choice: %+v", c)
	}
	if v := FirstChoice + Var(len(p.Choices)) - 1; v != FirstChoice+1 {
		t.Errorf("the last choice is %d", v)
	}
}

// TestReportsApart: what only reports need is computed when a report is asked for.
func TestReportsApart(t *testing.T) {
	b := NewBuilder()
	po, rf := b.Input("po", false, 0), b.Input("rf", false, VarOf(Rf))
	b.Check("check", Acyclic, false, b.Union(po, rf))
	b.Report("flag", IsEmpty, true, b.Seq(b.Plus(po), rf), false)
	b.Report("undefined", IsEmpty, false, b.Inter(po, rf), true)
	p := b.Plan()
	for s, want := range []int{0, 0, 2} { // the union and its check, for rf
		if got := len(p.stages[s].code); got != want {
			t.Errorf("stage %d has %d steps apart from reports, want %d", s, got, want)
		}
	}
	f := p.NewFrame()
	f.Reset(3)
	for _, try := range []struct {
		po, rf          rel.Rel
		flag, undefined bool
	}{
		{rel.Of(3, [2]int{0, 1}), rel.Of(3, [2]int{1, 2}), true, false},
		{rel.Of(3, [2]int{0, 1}), rel.Of(3, [2]int{0, 1}), false, true},
		{rel.New(3), rel.Of(3, [2]int{0, 1}), false, false},
	} {
		copy(f.Rel(p.Inputs[0].Slot), try.po.Words())
		copy(f.Rel(p.Inputs[1].Slot), try.rf.Words())
		for s := range p.Stages() {
			if failed := f.Run(s, 0); failed != Passed {
				t.Fatalf("check %d fails", failed)
			}
		}
		if flag, undefined := f.Raised(0), f.Raised(1); flag != try.flag || undefined != try.undefined {
			t.Errorf("po %v, rf %v: flag %v, undefined %v", try.po, try.rf, flag, undefined)
		}
	}
}

// TestFixpointsByHand has a set and a relation that need each other, and a fixpoint in
// another.
func TestFixpointsByHand(t *testing.T) {
	b := NewBuilder()
	r, s := b.Input("r", false, 0), b.Input("s", true, 0)
	// What r leads to from s, and the pairs of r by which it does.
	both, _ := b.Fixpoint([]bool{true, false}, func(x []Node) []Node {
		return []Node{b.Union(s, b.Range(x[1])), b.From(r, x[0])}
	})
	// Each round of the outer one closes what there is, and adds the way back.
	outer, _ := b.Fixpoint([]bool{false}, func(x []Node) []Node {
		inner, _ := b.Fixpoint([]bool{false}, func(y []Node) []Node {
			return []Node{b.Union(b.Union(r, x[0]), b.Seq(y[0], y[0]))}
		})
		return []Node{b.Union(inner[0], b.Inverse(x[0]))}
	})
	for _, x := range []Node{both[0], both[1], outer[0]} {
		b.Check("", IsEmpty, false, x)
	}
	p := b.Plan()
	f := p.NewFrame()
	f.Reset(6)
	values := map[string][]uint64{
		"r": rel.Of(6, [2]int{0, 1}, [2]int{1, 2}, [2]int{4, 5}).Words(), "s": {1 << 1},
	}
	for _, in := range p.Inputs {
		copy(f.value(in.Slot), values[in.Name])
	}
	f.Compute(0)
	connected := rel.Where(6, func(a, b int) bool { return a <= 2 && b <= 2 || a >= 4 && b >= 4 })
	for i, want := range [][]uint64{{1<<1 | 1<<2}, rel.Of(6, [2]int{1, 2}).Words(), connected.Words()} {
		if got := f.value(p.Checks[i].X); !slices.Equal(got, want) {
			t.Errorf("fixpoint %d: %b, want %b", i, got, want)
		}
	}
}

// TestTooManyFixpoints: each has a bit.
func TestTooManyFixpoints(t *testing.T) {
	b := NewBuilder()
	r := b.Input("r", false, 0)
	body := func(x []Node) []Node { return []Node{b.Union(r, b.Seq(x[0], r))} }
	for i := range maxRecursions {
		if _, ok := b.Fixpoint([]bool{false}, body); !ok {
			t.Fatalf("no room for fixpoint %d", i)
		}
	}
	if _, ok := b.Fixpoint([]bool{false}, body); ok {
		t.Error("a fixpoint more than there are bits")
	}
}

// TestTooManyChoices: each is a variable, and variables are bits.
func TestTooManyChoices(t *testing.T) {
	b := NewBuilder()
	r := b.Input("r", false, 0)
	for !b.TooManyChoices() {
		b.Choose("c", Completions, r, r)
	}
	p := b.Plan()
	if v := FirstChoice + Var(len(p.Choices)) - 1; v != 63 || v.From() != 1<<63 {
		t.Errorf("the last of as many choices as there can be is variable %d, %x", v, v.From())
	}
}
