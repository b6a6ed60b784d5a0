package litmus

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

// testGen draws tests that Parse could have returned.
var testGen = rapid.Custom(func(t *rapid.T) *Test {
	g := &generator{t, &Test{
		Format: rapid.SampledFrom(formats).Draw(t, "format"),
		Name:   name(rapid.StringMatching(`[A-Za-z0-9][-A-Za-z0-9+._\[\]]*( [a-z]+)?`).Draw(t, "name")),
		Doc:    rapid.StringMatching(`[a-z (*/é\n]*`).Draw(t, "doc"),
	}}
	if g.chance("metadata") {
		g.test.Meta = []Meta{{"Com", "Rf Fr"}, {"Source", "https://example.org/a//b"}, {"Empty", ""}}
	}
	g.threads()
	g.locations()
	g.registers()
	g.placement()
	g.test.Observed = rapid.SliceOfN(rapid.Custom(g.ref), 0, 3).Draw(t, "observed")
	if g.chance("filter") {
		g.test.Filter = g.prop(3)
	}
	g.test.Cond = Cond{
		Quant: rapid.SampledFrom([]Quantifier{Exists, NotExists, Forall, Final}).Draw(t, "quantifier"),
		Prop:  g.prop(3),
	}
	return g.test
})

type generator struct {
	*rapid.T
	test *Test
}

func (g *generator) chance(what string) bool { return rapid.Bool().Draw(g.T, what) }

func (g *generator) number(what string, low, high int) int {
	return rapid.IntRange(low, high).Draw(g.T, what)
}

func (g *generator) threads() {
	ids := rapid.Permutation([]int{0, 1, 2, 3, 12}).Draw(g.T, "ids")[:g.number("threads", 1, 5)]
	rows := g.number("rows", 0, 4)
	instruction := rapid.OneOf(
		rapid.SampledFrom([]string{"", "mov.s32 r0,1", "@!p bra L0", "L0:", "x: st x, 1", "st x,a/b(c)", "not r1 ,  r2"}),
		rapid.StringMatching(`([a-z0-9.%@!\[\]{}+-]([a-z0-9.,:%@!\[\]{}+ \té-]*[a-z0-9.,%@!\[\]{}+-])?)?`),
	)
	for _, id := range ids {
		th := &Thread{Name: name(fmt.Sprint(rapid.SampledFrom([]string{"P", "T"}).Draw(g.T, "letter"), id)), ID: id}
		for range rows {
			text := instruction.Draw(g.T, "cell")
			if p := (parser{scanner: scanner{text: text}, test: &Test{Format: formats[0]}}); p.startsSection(0) {
				text = "nop" // the other would end the program
			}
			th.Cells = append(th.Cells, Cell{src.NewFile("", text).Span(0, len(text))})
		}
		g.test.Threads = append(g.test.Threads, th)
	}
}

func (g *generator) value() Value {
	v := Value{Int: rapid.Int64().Draw(g.T, "integer")}
	if len(g.test.Locations) > 0 && g.chance("address") {
		v.Loc = rapid.SampledFrom(g.test.Locations).Draw(g.T, "of").Name.Text
	}
	return v
}

func (g *generator) locations() {
	names := rapid.Permutation([]string{"x", "y", "z10", "x1", "a.b", "_f", "global", "int"}).Draw(g.T, "locations")
	for _, n := range names[:g.number("locations", 0, len(names))] {
		l := &Location{Name: name(n), Region: rapid.SampledFrom([]Region{Global, Shared}).Draw(g.T, "region")}
		switch g.number("kind", 0, 3) {
		case 0:
			l.Size = g.number("size", 1, 12)
			for range g.number("elements", 0, l.Size) {
				l.Elems = append(l.Elems, g.value())
			}
		case 1:
			g.alias(l)
		default:
			l.Init = g.value()
		}
		g.test.Locations = append(g.test.Locations, l)
	}
}

// alias makes l an alias of what is there already, if anything is: a location or an alias.
func (g *generator) alias(l *Location) {
	if len(g.test.Locations) == 0 {
		return
	}
	of := rapid.SampledFrom(g.test.Locations).Draw(g.T, "aliased")
	l.Region, l.Size = of.Region, of.Size
	l.Alias = &Alias{Proxy: name(rapid.SampledFrom(proxies).Draw(g.T, "proxy")), Of: name(of.Name.Text)}
}

func (g *generator) registers() {
	for i := range g.test.Threads {
		for _, n := range []string{"r0", "%r1", "p", "$x.y"}[:g.number("registers", 0, 4)] {
			r := &Register{Thread: i, Name: name(n)}
			if g.chance("declared") {
				r.Type = rapid.SampledFrom(regTypes).Draw(g.T, "type")[1:]
			}
			if g.chance("initialised") {
				v := g.value()
				r.Init = &v
			}
			g.test.Registers = append(g.test.Registers, r)
		}
	}
	g.test.Registers = rapid.Permutation(g.test.Registers).Draw(g.T, "order")
}

// placement gives the test a scope tree or placements in the header; one thread may
// do without.
func (g *generator) placement() {
	threads := g.test.Threads
	all := make([]int, len(threads))
	for i := range all {
		all[i] = i
	}
	switch kind := g.number("placement", 0, 2); {
	case kind == 0 && len(threads) == 1:
	case kind == 1:
		gpu := g.chance("gpu")
		for _, th := range threads {
			th.Place = header(g.number("cta", 0, 2), g.number("cluster", -1, 1), Nowhere)
			if gpu {
				th.Place.Numbers[Device] = g.number("gpu", 0, 1)
			}
		}
	default:
		var root ScopeNode
		g.tree(&root, int(Device), rapid.Permutation(all).Draw(g.T, "threads"))
		g.test.Scopes = root.Children
	}
}

// tree puts threads below a node, in nodes no wider than a level.
func (g *generator) tree(n *ScopeNode, level int, threads []int) {
	for len(threads) > 0 {
		some := threads[:g.number("some", 1, len(threads))]
		threads = threads[len(some):]
		below := g.number("level", level, len(GPU.Levels))
		if below == len(GPU.Levels) {
			if level == int(Device) {
				below = int(CTA)
			} else {
				n.Threads = append(n.Threads, some...)
				continue
			}
		}
		child := &ScopeNode{Level: Level(below)}
		g.tree(child, below+1, some)
		n.Children = append(n.Children, child)
	}
}

func (g *generator) ref(t *rapid.T) Ref {
	g = &generator{t, g.test}
	if len(g.test.Locations) > 0 && g.chance("location") {
		l := rapid.SampledFrom(g.test.Locations).Draw(t, "of")
		r := Ref{Thread: -1, Name: l.Name.Text, Array: l.Size > 0}
		if r.Array {
			r.Index = g.number("index", 0, l.Size-1)
		}
		return r
	}
	i := g.number("thread", 0, len(g.test.Threads)-1)
	return Ref{Thread: i, ID: g.test.Threads[i].ID, Name: rapid.SampledFrom([]string{"r0", "r9", "%r10"}).Draw(t, "register")}
}

func (g *generator) operand() (o Operand) {
	if g.chance("constant") {
		o.Const = g.value()
	} else {
		r := g.ref(g.T)
		o.Ref = &r
	}
	return o
}

func (g *generator) prop(depth int) Prop {
	switch kind := g.number("proposition", 0, 5); {
	case kind == 0:
		return Truth(g.chance("truth"))
	case kind == 1 && depth > 0:
		return Not{g.prop(depth - 1)}
	case kind > 2 && depth > 0:
		op := rapid.SampledFrom([]Connective{Implies, Or, And}).Draw(g.T, "connective")
		return Binary{Op: op, X: g.prop(depth - 1), Y: g.prop(depth - 1)}
	}
	op := rapid.SampledFrom([]Comparison{Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual}).Draw(g.T, "comparison")
	return Atom{Op: op, X: g.operand(), Y: g.operand()}
}
