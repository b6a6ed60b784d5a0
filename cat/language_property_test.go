package cat

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

// TestLaws compares expressions that are equal on every candidate.
func TestLaws(t *testing.T) {
	laws := [][2]string{
		{"~(r | s)", "~r & ~s"},
		{"~(r & s)", "~r | ~s"},
		{"~(A | B)", "~A & ~B"},
		{"~(A & B)", "~A | ~B"},
		{"~(~r)", "r"},
		{"~(~A)", "A"},
		{`r \ s`, "r & ~s"},
		{`A \ B`, "A & ~B"},
		{"r & (s | q)", "r & s | r & q"},
		{"(r ; s)^-1", "s^-1 ; r^-1"},
		{"(r | s)^-1", "r^-1 | s^-1"},
		{"(r & s)^-1", "r^-1 & s^-1"},
		{"(r^-1)^-1", "r"},
		{"(r+)^-1", "(r^-1)+"},
		{"(r ; s) ; q", "r ; (s ; q)"},
		{"r ; (s | q)", "(r ; s) | (r ; q)"},
		{"r ; 0", "0"},
		{"r ; [_]", "r"},
		{"(r+)+", "r+"},
		{"(r*)*", "r*"},
		{"(r?)?", "r?"},
		{"(r+)?", "r*"},
		{"r | r ; r+", "r+"},
		{"r ; r*", "r+"},
		{"(r | s)*", "r* ; (s ; r*)*"},
		{"let rec x = r | (x ; x) in x", "r+"},
		{"let rec x = r | (r ; x) in x", "r+"},
		{"let rec x = r | (s ; y) and y = q | (r ; x) in x", "(s ; r)* ; (r | (s ; q))"},
		{"let rec S = A | range([S] ; r) in S", "range([A] ; r*)"},
		{"[A] ; [B]", "[A & B]"},
		{"[A | B]", "[A] | [B]"},
		{"A * B", "[A] ; _ ; [B]"},
		{"(A * B)^-1", "B * A"},
		{"domain(r)", "range(r^-1)"},
		{"[domain(r)]", "(r ; r^-1) & [_]"},
		{"toid(A)", "[A]"},
		{"WW(r) | WR(r) | RW(r) | RR(r)", "MM([W | R] ; r ; [W | R])"},
		{"WR(r)", "[W] ; r ; [R]"},
		{"fencerel(A)", "po ; [A] ; po"},
		{"fromto(A)", "fencerel(A)"},
		{"udr(r)", "udr(r^-1)"},
		{"imply(r, s) & r", "r & s"},
		{"nodetour(r, s, q)", `r \ (s ; q)`},
		{"at-least-one-writable(r)", "0"},
		{"if r subset s then r else r & s", "r & s"},
		{"if r = s then r else s", "s"},
		{"fold (fun (x, done) -> x | done) ({r, s, q}, 0)", "r | s | q"},
		{"fold (fun (e, done) -> e ++ done) (A, {})", "A"},
		{"fold (fun (p, done) -> p ++ done) (r, {})", "r"},
		{"map (fun x -> x) {r, s, q}", "{q, s, r}"},
		{"cross {{r, s}, {q, 0}}", "{r | q, r, s | q, s}"},
		{"{r, s} | {s, q}", "{q, r, s}"},
		{`{r, s, q} \ {s}`, `{r, q} \ {s}`},
		{"{A, B} & {B}", "{B}"},
		{"fold (fun (x, done) -> x | done) (partial-orders(r, 0), 0)", `r \ id`},
		{"fold (fun (x, done) -> x | done) (orientations(r), 0)", `udr(r) \ id`},
		{"fold (fun (x, done) -> x & done) (linearisations(A, 0), _ * _)", "0"},
		{"fold (fun (x, done) -> x | done) (linearisations(A, 0), 0)", `(A * A) \ id`},
		{"bisimulation(r, s)^-1", "bisimulation(r, s^-1)"},
		{"bisimulation(r, bisimulation(r, s))", "bisimulation(r, s)"},
		{"bisimulation(0, s)", "s"},
		{"delift(lift({A}, r))", "if [A] ; r ; [A] = 0 then 0 else A * A"},
		{"fold (fun (S, done) -> [S] | done) (classes((r | r^-1)+), 0)", "[domain(r) | range(r)]"},
		{"fold (fun (S, done) -> S * S | done) (classes((r | r^-1)+), 0)", "(r | r^-1)+"},
	}
	var text strings.Builder
	for i, law := range laws {
		fmt.Fprintf(&text, "let left%d = %s\nlet right%d = %s\n", i, law[0], i, law[1])
	}
	sets, rels := []string{"A", "B", "W", "R", "M"}, []string{"r", "s", "q", "po", "id"}
	v := NamesOf(sets, rels)
	m, _ := accepted(t, texts{"main.cat": text.String()}, v)
	rapid.Check(t, func(t *rapid.T) {
		c := randomSmall(t, sets, rels)
		c.sets["M"] = "0 1 2 3"[:2*c.n-1]
		c.rels["id"] = "00 11 22 33"[:3*c.n-1]
		end, err := endOf(m, c)
		if err != nil {
			t.Fatal(err)
		}
		for i, law := range laws {
			left, right := end.lookup(fmt.Sprint("left", i)).value, end.lookup(fmt.Sprint("right", i)).value
			if !equal(c.n, left, right) {
				t.Fatalf("%s is %s, but %s is %s", law[0], show(left), law[1], show(right))
			}
		}
	})
}

// polarity is how the value of a name counts where it stands: less of it may give more
// (odd), or there is no telling (hidden).
type polarity struct{ odd, hidden bool }

func (p polarity) in(outer polarity) polarity {
	return polarity{p.odd != outer.odd, p.hidden || outer.hidden}
}

// uses is the polarities of the names in an expression.
type uses map[string]map[polarity]bool

func (u uses) add(name string, p polarity) {
	if u[name] == nil {
		u[name] = map[polarity]bool{}
	}
	u[name][p] = true
}

// all adds the uses of v, at a place of polarity p.
func (u uses) all(v uses, p polarity) uses {
	for name, ps := range v {
		for q := range ps {
			u.add(name, q.in(p))
		}
	}
	return u
}

// through adds the uses of v wherever name, which stands for it, is used.
func (u uses) through(name string, of, v uses) uses {
	for p := range of[name] {
		u.all(v, p)
	}
	return u
}

func (u uses) without(names ...string) uses {
	u = maps.Clone(u)
	for _, name := range names {
		delete(u, name)
	}
	return u
}

// shrinks reports whether a larger value of the name may make the expression smaller.
func (u uses) shrinks(name string) bool {
	for p := range u[name] {
		if p.odd || p.hidden {
			return true
		}
	}
	return false
}

// body is an expression and an independent record of its polarities.
type body struct {
	text string
	uses uses
	bad  bool // an inner recursion shrinks
}

// bodies draws the bodies of recursions.
type bodies struct {
	*rapid.T
	fresh int
	rels  []string        // names of relations in scope
	funs  map[string]body // bodies of functions in scope; the parameter is the name in capitals
}

func (g *bodies) below(n int) int { return rapid.IntRange(0, n-1).Draw(g.T, "n") }

func (g *bodies) name(prefix string) string {
	g.fresh++
	return fmt.Sprint(prefix, g.fresh)
}

// mix makes an expression of others, each at a polarity.
func mix(format string, p polarity, parts ...body) body {
	b := body{uses: uses{}}
	var args []any
	for _, part := range parts {
		b.uses.all(part.uses, p)
		b.bad = b.bad || part.bad
		args = append(args, part.text)
	}
	b.text = fmt.Sprintf(format, args...)
	return b
}

func (g *bodies) leaf() body {
	name := g.rels[g.below(len(g.rels))]
	b := body{text: name, uses: uses{}}
	b.uses.add(name, polarity{})
	return b
}

var (
	even   = polarity{}
	odd    = polarity{odd: true}
	hidden = polarity{hidden: true}
)

// set draws a set of events.
func (g *bodies) set(depth int) body {
	switch g.below(5) {
	case 0:
		return body{text: "A", uses: uses{}}
	case 1:
		return mix("range(%s)", even, g.rel(depth-1))
	case 2:
		return mix("(domain(%s) | B)", even, g.rel(depth-1))
	case 3:
		return mix("~domain(%s)", odd, g.rel(depth-1))
	default:
		return mix("let (_, _, z) = (0, A, range(%s)) in z", even, g.rel(depth-1))
	}
}

// rel draws a relation.
func (g *bodies) rel(depth int) body {
	if depth <= 0 {
		return g.leaf()
	}
	depth--
	switch g.below(16) {
	case 0:
		return mix("(%s | %s)", even, g.rel(depth), g.rel(depth))
	case 1:
		return mix("(%s ; %s)", even, g.rel(depth), g.rel(depth))
	case 2:
		return mix("(%s & %s)", even, g.rel(depth), g.rel(depth))
	case 3:
		return mix("(%s)^-1", even, g.rel(depth))
	case 4:
		return mix("(%s)+", even, g.rel(depth))
	case 5:
		return mix("([%s] | (%s))", even, g.set(depth), g.rel(depth))
	case 6:
		return mix("((%s) * (%s))", even, g.set(depth), g.set(depth))
	case 7:
		return mix("(~(%s))", odd, g.rel(depth))
	case 8:
		return mix(`(%s \ %s)`, even, g.rel(depth), mix("%s", odd, g.rel(depth)))
	case 9:
		return mix("(%s | %s)", even, mix("bisimulation(r, %s)", hidden, g.rel(depth)), g.rel(depth))
	case 10:
		test := mix("%s subset %s", hidden, g.rel(depth), g.rel(depth))
		return mix("(if %s then %s else %s)", even, test, g.rel(depth), g.rel(depth))
	case 11:
		return mix("(match %s with || {} -> %s || e ++ rest -> e * rest | (%s) end)", even,
			mix("%s", hidden, g.set(depth)), g.rel(depth), g.rel(depth))
	case 12:
		return g.letIn(depth)
	case 13:
		return g.letRecIn(depth)
	case 14:
		return g.letFun(depth)
	default:
		return g.call(depth)
	}
}

// within draws a relation in a scope with more names.
func (g *bodies) within(depth int, names ...string) body {
	old := g.rels
	g.rels = append(append(g.rels[:len(g.rels):len(g.rels)], names...), names...)
	b := g.rel(depth)
	g.rels = old
	return b
}

// letIn draws a local name, or a pair of them.
func (g *bodies) letIn(depth int) body {
	x, y, v, w := g.name("x"), g.name("y"), g.rel(depth), g.rel(depth)
	in := g.within(depth, x, y)
	u := uses{}.all(v.uses, even).all(w.uses, even).all(in.uses.without(x, y), even)
	bad := v.bad || w.bad || in.bad
	if g.below(2) == 0 {
		text := fmt.Sprintf("(let %s = %s and %s = %s in %s)", x, v.text, y, w.text, in.text)
		return body{text, u.through(x, in.uses, v.uses).through(y, in.uses, w.uses), bad}
	}
	text := fmt.Sprintf("(let p = (%s, %s) in let (%s, %s) = p in %s)", v.text, w.text, x, y, in.text)
	for _, part := range []uses{v.uses, w.uses} { // either name may stand for either part
		u.through(x, in.uses, part).through(y, in.uses, part)
	}
	return body{text, u, bad}
}

func (g *bodies) letRecIn(depth int) body {
	x := g.name("x")
	v, in := g.within(depth, x), g.within(depth, x)
	outer := v.uses.without(x)
	u := uses{}.all(outer, even).all(in.uses.without(x), even).through(x, in.uses, outer)
	return body{fmt.Sprintf("(let rec %s = %s in %s)", x, v.text, in.text), u, v.bad || in.bad || v.uses.shrinks(x)}
}

func (g *bodies) letFun(depth int) body {
	f := g.name("f")
	x := strings.ToUpper(f)
	def := g.within(depth, x)
	old := g.funs
	g.funs = maps.Clone(old)
	g.funs[f] = def
	in := g.rel(depth)
	g.funs = old
	outer := def.uses.without(x)
	u := uses{}.all(outer, even).all(in.uses.without(f), even).through(f, in.uses, outer)
	return body{fmt.Sprintf("(let %s(%s) = %s in %s)", f, x, def.text, in.text), u, def.bad || in.bad}
}

func (g *bodies) call(depth int) body {
	if len(g.funs) == 0 {
		return g.leaf()
	}
	f := rapid.SampledFrom(slices.Sorted(maps.Keys(g.funs))).Draw(g.T, "f")
	arg := g.rel(depth)
	u := uses{}.all(arg.uses, even).through(strings.ToUpper(f), g.funs[f].uses, arg.uses)
	u.add(f, even)
	return body{fmt.Sprintf("%s(%s)", f, arg.text), u, arg.bad}
}

// TestRecursion draws recursions. The checker must reject exactly those that use a name in an
// antitone position, by the independent record of polarities. Those that it accepts must settle, on
// every candidate, in a solution.
func TestRecursion(t *testing.T) {
	sets, rels := []string{"A", "B"}, []string{"r", "s"}
	vocab := NamesOf(sets, rels)
	accepts := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &bodies{T: t, rels: []string{"r", "s", "X", "Y", "X", "Y"}, funs: map[string]body{}}
		x, y := g.rel(4), g.rel(4)
		text := fmt.Sprintf(
			"let rec X = %s\nand Y = %s\nlet again = (fun (X, Y) -> (%s, %s))(X, Y)\nlet result = (X, Y)",
			x.text, y.text, x.text, y.text)
		m, err := Load(src.NewFile("rec.cat", text), Config{Find: texts{}.find})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Check(vocab)
		shrinks := x.bad || y.bad
		for _, b := range []body{x, y} {
			shrinks = shrinks || b.uses.shrinks("X") || b.uses.shrinks("Y")
		}
		if shrinks {
			onlyGrowth(t, err)
			return
		}
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		accepts++
		c := randomSmall(t, sets, rels)
		end, err := endOf(m, c)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		result, again := end.lookup("result").value, end.lookup("again").value
		if !equal(c.n, result, again) {
			t.Fatalf("%s\nis %s, but then %s", text, show(result), show(again))
		}
	})
	if accepts == 0 {
		t.Error("no recursion was accepted")
	}
}

// onlyGrowth demands that all errors are about recursions that shrink.
func onlyGrowth(t *rapid.T, err error) {
	t.Helper()
	var diags src.Diagnostics
	if !errors.As(err, &diags) {
		t.Fatalf("accepted: %v", err)
	}
	for _, d := range diags {
		if !strings.Contains(d.Message, "may only make it grow") {
			t.Fatal(d)
		}
	}
}
