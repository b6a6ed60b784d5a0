package sim_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// A randomModel is a random text in .cat, and the variants that it is read with.
type randomModel struct {
	text     string
	variants []string
}

// sortOf is what an expression stands for.
type sortOf uint8

const (
	aRelation sortOf = iota
	aSet
	aTag
	aFunction
	aProcedure
)

// A definition is a name that is in scope.
type definition struct {
	name     string
	sort     sortOf
	rising   bool     // a recursion defines it: it may only make things grow
	params   []sortOf // of a function or procedure
	result   sortOf   // of a function
	monotone bool     // the function grows with its arguments
}

// A modelDrawer draws models.
type modelDrawer struct {
	drawer
	variants []string // that are switched on
	scope    []definition
	enums    []definition // by their names; params are as many as they have tags
	names    int          // drawn so far
	flipped  bool         // an odd number of complements is around
	fixed    bool         // nothing here may grow with a recursion
	noCo     bool         // the model has yet to choose co
}

// forms are the ways to build an expression: $r and $s draw a relation and a set, $R and $S
// those of which less is more, $t draws a tag, and the rest is in special. What comes first is
// simplest, and what comes twice is drawn twice as often.
var forms = [...][]string{
	aRelation: {
		"$r | $r", "$r & $r", "$r ; $r", `$r \ $R`, "$r | $r", "$r & $r", "$r ; $r", `$r \ $R`,
		"~$R", "$r+", "$r*", "$r?", "$r^-1", "[$s]", "$s * $s", "[$s] ; $r ; [$s]", "$r & ($s * $s)", "$r & ext", "$r & loc",
		"$f", "$f", "$let", "$let", "$fix", "$match", "$if",
		"{} | $r", "_ & $r", `_ \ $R`, "$r & {}", "[_] | $r", "WW($p)", "RM($r)", "toid($q)", "fencerel($s)", "different-values($r)",
		"same-oa($p)", "udr($p)", "imply($R, $r)", "ctrlcfence($q)", "tag2scope('cta)",
	},
	aSet: {
		"$s | $s", "$s & $s", `$s \ $S`, "$s | $s", "$s & $s", `$s \ $S`, "~$S", "domain($r)", "range($p)", "$f", "$let", "$match", "$if",
		"{} | $s", "_ & $s", `_ \ $S`, "$s & {}", "tag2events('rlx)",
	},
}

// leaves are the base names, those that matter most several times.
var leaves = [...][]string{
	aRelation: strings.Fields(`co fr rf po co fr rf po co fr rf po-loc loc rfe coe fre rfi coi fri rmw int ext
		addr data ctrl rmw co0 id cta gl sys sr scta sgpu syncbar vloc membar.cta membar.gl membar.sys amo 0 {} _`),
	aSet: strings.Fields(`W R M W R M IW A F FW Global CA CG SC REL ACQ RLX WEAK RMW VOL GPU SYS CTA B {} _`),
}

// special are the forms that have scopes of their own, or need names.
var special map[string]func(d *modelDrawer, s sortOf, depth int) string

// The table refers to functions that refer to the table.
func init() {
	special = map[string]func(d *modelDrawer, s sortOf, depth int) string{
		"$r": func(d *modelDrawer, _ sortOf, depth int) string { return d.expr(aRelation, depth) },
		"$s": func(d *modelDrawer, _ sortOf, depth int) string { return d.expr(aSet, depth) },
		"$R": func(d *modelDrawer, _ sortOf, depth int) string { return d.flip(aRelation, depth) },
		"$S": func(d *modelDrawer, _ sortOf, depth int) string { return d.flip(aSet, depth) },
		"$p": func(d *modelDrawer, _ sortOf, _ int) string { return d.leaf(aRelation) },
		"$q": func(d *modelDrawer, _ sortOf, _ int) string { return d.leaf(aSet) },
		"$t": func(d *modelDrawer, _ sortOf, _ int) string { return d.tag() },
		"$T": func(d *modelDrawer, _ sortOf, _ int) string { return d.tags() },
		"$f": (*modelDrawer).application, "$let": (*modelDrawer).letIn, "$fix": (*modelDrawer).fixpointIn,
		"$match": (*modelDrawer).match, "$if": (*modelDrawer).ifVariant,
		"$ways": (*modelDrawer).orders, "$co": (*modelDrawer).ordersOfWrites,
	}
}

// fill replaces what has a $ in a form.
func (d *modelDrawer) fill(form string, s sortOf, depth int) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(form, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzRST", r) })
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(special["$"+rest[:end]](d, s, depth))
		form = rest[end:]
	}
}

// expr draws an expression. It can stand anywhere: what is not a name has brackets.
func (d *modelDrawer) expr(s sortOf, depth int) string {
	if depth == 0 || d.below(5, "more than a name") == 0 {
		return d.leaf(s)
	}
	return "(" + d.fill(pick(&d.drawer, "form", forms[s]...), s, depth-1) + ")"
}

// flip draws an expression of which less is more.
func (d *modelDrawer) flip(s sortOf, depth int) string {
	d.flipped = !d.flipped
	defer func() { d.flipped = !d.flipped }()
	return d.expr(s, depth)
}

// leaf draws a name: of the model, or one that every model can use.
func (d *modelDrawer) leaf(s sortOf) string {
	if own := d.defined(s); len(own) > 0 && !d.oneIn(3, "base") {
		return pick(&d.drawer, "definition", own...).name
	}
	leaf := pick(&d.drawer, "base name", leaves[s]...)
	if d.noCo && slices.Contains([]string{"co", "fr", "coe", "coi", "fre", "fri", "FW"}, leaf) {
		leaf = map[sortOf]string{aRelation: "rf", aSet: "W"}[s]
	}
	return leaf
}

// defined is the definitions of a sort that may be used here; later ones come first.
func (d *modelDrawer) defined(s sortOf) (own []definition) {
	for _, def := range slices.Backward(d.scope) {
		if def.sort == s && !(def.rising && (d.flipped || d.fixed)) {
			own = append(own, def)
		}
	}
	return own
}

func (d *modelDrawer) fresh(letter string) string {
	d.names++
	return fmt.Sprintf("%s%d", letter, d.names)
}

// within draws something in whose scope are more names.
func (d *modelDrawer) within(more []definition, draw func() string) string {
	scope := d.scope
	d.scope = append(scope[:len(scope):len(scope)], more...)
	defer func() { d.scope = scope }()
	return draw()
}

// tag draws a tag, or a name of one. There are no others before an enum declares some.
func (d *modelDrawer) tag() string {
	if own := d.defined(aTag); len(own) > 0 {
		return pick(&d.drawer, "tag", own...).name
	}
	return pick(&d.drawer, "tag", "'cta", "'gl", "'rlx")
}

// tags draws a set of tags.
func (d *modelDrawer) tags() string {
	return d.fill(pick(&d.drawer, "tags", "Tags", `(Tags \ {$t})`, "($t ++ {$t, $t})", "({$t} | {$t})", "(Tags & {$t, $t})", "({} | {$t})", "{}"), aTag, 0)
}

// application applies a function, if there is one.
func (d *modelDrawer) application(s sortOf, depth int) string {
	functions := slices.DeleteFunc(d.defined(aFunction), func(f definition) bool { return f.result != s })
	if len(functions) == 0 {
		return d.leaf(s)
	}
	f := pick(&d.drawer, "function", functions...)
	fixed := d.fixed
	d.fixed = d.fixed || !f.monotone
	args := d.arguments(f.params, depth)
	d.fixed = fixed
	return f.name + args
}

func (d *modelDrawer) arguments(sorts []sortOf, depth int) string {
	var args []string
	for _, s := range sorts {
		if s == aTag {
			args = append(args, d.tag())
		} else {
			args = append(args, d.expr(s, depth))
		}
	}
	return "(" + strings.Join(args, ", ") + ")"
}

// letIn binds one name or two.
func (d *modelDrawer) letIn(s sortOf, depth int) string {
	local := definition{name: d.fresh("x"), sort: aRelation, rising: true}
	form := pick(&d.drawer, "let", "let %[1]s = %[2]s in ", "let (%[1]s, _) = (%[2]s, %[3]s) in ", "let %[1]s = %[2]s and _ = %[3]s in ")
	before := fmt.Sprintf(form, local.name, d.fixedExpr(aRelation, depth), d.fixedExpr(aSet, depth))
	local.rising = false
	return before + d.within([]definition{local}, func() string { return d.expr(s, depth) })
}

// fixedExpr draws an expression that does not grow with any recursion.
func (d *modelDrawer) fixedExpr(s sortOf, depth int) string {
	fixed := d.fixed
	d.fixed = true
	defer func() { d.fixed = fixed }()
	return d.expr(s, depth)
}

// match decides by a tag, or takes a set of tags apart.
func (d *modelDrawer) match(s sortOf, depth int) string {
	if d.oneIn(3, "set of tags") {
		first := definition{name: d.fresh("t"), sort: aTag}
		before := fmt.Sprintf("match %s with || {} -> %s || %s ++ _rest -> ", d.tags(), d.expr(s, depth), first.name)
		return before + d.within([]definition{first}, func() string { return d.fill("match $t with || 'cta -> ", s, depth) + d.expr(s, depth) }) +
			" || _ -> " + d.expr(s, depth) + " end end"
	}
	return fmt.Sprintf("match %s with || 'gl -> %s || _ -> %s end", d.tag(), d.expr(s, depth), d.expr(s, depth))
}

func (d *modelDrawer) ifVariant(s sortOf, depth int) string {
	return fmt.Sprintf("if %s then %s else %s", d.condition(), d.expr(s, depth), d.expr(s, depth))
}

// condition draws a condition that is about variants.
func (d *modelDrawer) condition() string {
	return pick(&d.drawer, "condition", `"strong"`, `not "strong"`, `"strong" && "weak"`, `"strong" || not "weak"`, "po = po")
}

// fixpointIn is a recursion inside an expression.
func (d *modelDrawer) fixpointIn(s sortOf, depth int) string {
	before, names := d.recursion(min(depth, 1))
	return before + " in " + d.within(names, func() string { return d.expr(s, depth) })
}

// recursion draws a let rec of one name or two, perhaps with a function between them.
func (d *modelDrawer) recursion(depth int) (text string, after []definition) {
	names := []definition{{name: d.fresh("r"), sort: pick(&d.drawer, "sort", aRelation, aRelation, aRelation, aSet), rising: true}}
	if d.oneIn(3, "two") {
		names = append(names, definition{name: d.fresh("r"), sort: pick(&d.drawer, "sort", aRelation, aSet), rising: true})
	}
	flipped := d.flipped
	d.flipped = false
	var bodies []string
	scope := names
	if d.oneIn(4, "function") {
		f, text := d.function(names, depth)
		scope = append(slices.Clone(names), f)
		bodies = append(bodies, text)
	}
	for _, n := range names {
		form := map[sortOf][]string{
			aRelation: {"$r | (%s ; $r)", "$r | (%s ; %[1]s)", "$r | ($r ; %s ; $r)", "$r", "$r | (%s & $r)"},
			aSet:      {"$s | range([%s] ; $r)", "$s | domain($r ; [%s])", "$s"},
		}[n.sort]
		text := pick(&d.drawer, "recursion", form...)
		if strings.Contains(text, "%") {
			text = fmt.Sprintf(text, n.name)
		}
		bodies = append(bodies, n.name+" = "+d.within(scope, func() string { return d.fill(text, n.sort, depth) }))
	}
	d.flipped = flipped
	for _, n := range names {
		// Outer recursions may be part of it.
		n.rising = slices.ContainsFunc(d.scope, func(outer definition) bool { return outer.rising })
		after = append(after, n)
	}
	return "let rec " + strings.Join(bodies, " and "), after
}

// function draws a function as let binds it; more is in scope of its body.
func (d *modelDrawer) function(more []definition, depth int) (definition, string) {
	f := definition{name: d.fresh("f"), sort: aFunction, result: pick(&d.drawer, "result", aRelation, aRelation, aSet)}
	f.monotone = d.oneIn(2, "monotone")
	var params []definition
	var names []string
	for range 1 + d.below(2, "parameters") {
		p := definition{name: d.fresh("a"), sort: pick(&d.drawer, "parameter", aRelation, aRelation, aSet, aTag), rising: f.monotone}
		params, names, f.params = append(params, p), append(names, p.name), append(f.params, p.sort)
		if p.sort == aTag {
			params[len(params)-1].rising = false
		}
	}
	flipped := d.flipped
	d.flipped = false
	body := d.within(append(slices.Clone(more), params...), func() string { return d.expr(f.result, depth) })
	d.flipped = flipped
	form := pick(&d.drawer, "function", "%s(%s) = %s", "%s = fun (%s) -> %s")
	return f, fmt.Sprintf(form, f.name, strings.Join(names, ", "), body)
}

// statements are the ways to define something, to check it, and to choose.
var statements = []struct {
	weight int
	draw   func(d *modelDrawer) string
}{
	{4, func(d *modelDrawer) string { return d.define(aRelation, "r", "let %s = "+d.expr(aRelation, 3)) }},
	{2, func(d *modelDrawer) string { return d.define(aSet, "s", "let %s = "+d.expr(aSet, 2)) }},
	{4, (*modelDrawer).check},
	{2, func(d *modelDrawer) string { f, text := d.function(nil, 2); d.scope = append(d.scope, f); return "let " + text }},
	{3, func(d *modelDrawer) string {
		text, names := d.recursion(2)
		d.scope = append(d.scope, names...)
		if d.oneIn(4, "when") && names[0].sort == aRelation {
			text += " when irreflexive " + names[0].name + " as " + d.fresh("c")
		}
		return text
	}},
	{3, func(d *modelDrawer) string { return d.choice("$ways") }},
	{2, (*modelDrawer).procedure},
	{2, (*modelDrawer).call},
	{1, func(d *modelDrawer) string {
		t := definition{name: d.fresh("t"), sort: aTag}
		before := "forall " + t.name + " in " + d.tags() + " do "
		return before + d.within([]definition{t}, d.check) + " end"
	}},
	{1, func(d *modelDrawer) string {
		name := d.fresh("r")
		one, two := d.expr(aRelation, 2), d.expr(aRelation, 2)
		before := pick(&d.drawer, "branch", "if "+d.condition()+" let %[1]s = %[2]s else let %[1]s = %[3]s end",
			"match "+d.tag()+" with || 'cta -> let %[1]s = %[2]s || _ -> let %[1]s = %[3]s end")
		d.scope = append(d.scope, definition{name: name, sort: aRelation})
		return fmt.Sprintf(before, name, one, two)
	}},
}

// uncompiled are definitions that the fast engine leaves to the slow one.
var uncompiled = []string{
	"let %s = try $r with $r", "let %s = if $r subset $r then $r else $r", "let %s = delift(lift(classes-loc(W), $r))",
	"let %s = fold (fun (s, r) -> r | (s * s)) (partition(W), 0)",
}

func (d *modelDrawer) define(s sortOf, letter, text string) string {
	name := d.fresh(letter)
	d.scope = append(d.scope, definition{name: name, sort: s})
	return fmt.Sprintf(text, name)
}

// checks are what models demand; those without $ are axioms of well-known ones.
var checks = []string{
	"acyclic po-loc | rf | co | fr", "acyclic po | rf | co | fr", "empty rmw & (fre ; coe)",
	"acyclic $r | rf | co | fr", "acyclic po & $r | rf | co | fr", "acyclic po & $r | rfe | co | fr", "acyclic po-loc & $r | co | fr",
	"acyclic $r | co", "acyclic $r | fr | rfe", "irreflexive fr ; $r", "irreflexive co ; $r", "irreflexive $r ; co ; $r",
	"empty rmw & ($r ; $r)", "empty rmw & ((fr & $r) ; (co & $r))", "empty fr & $r & po", "empty co & $r & po^-1",
	`empty (rf \ (po ; co)) & $r`, `empty (co & $r) \ $r`, `empty fr \ $r`, `acyclic (rf \ (po ; co)) | $r`,
	"acyclic $r", "irreflexive $r", "empty $r", "empty $s", "~empty co & $r", "~empty $r", "~acyclic co | $r", "~irreflexive $r",
	"empty W & $s", "~empty $s",
}

// check draws a check, most often one that rejects.
func (d *modelDrawer) check() string {
	text := pick(&d.drawer, "check", checks...)
	if d.noCo {
		text = "acyclic $r | rf"
	}
	role := pick(&d.drawer, "role", "", "", "", "flag ", "undefined_unless ")
	text = role + d.fill(text, aRelation, 2)
	if role == "flag " || d.oneIn(2, "named") {
		text += " as " + d.fresh("c")
	}
	return text
}

func (d *modelDrawer) procedure() string {
	p := definition{name: d.fresh("p"), sort: aProcedure}
	var params []definition
	var names []string
	for range 1 + d.below(2, "parameters") {
		param := definition{name: d.fresh("a"), sort: pick(&d.drawer, "parameter", aRelation, aSet, aTag)}
		params, names, p.params = append(params, param), append(names, param.name), append(p.params, param.sort)
	}
	body := d.within(params, func() string {
		text := ""
		if d.oneIn(2, "a definition") {
			text = d.define(aRelation, "r", "let %s = "+d.expr(aRelation, 2)) + "\n  "
		}
		if d.oneIn(8, "a choice") && !d.noCo {
			text += d.choice("$ways") + "\n  "
		}
		return text + d.check()
	})
	d.scope = append(d.scope, p)
	return fmt.Sprintf("procedure %s(%s) =\n  %s\nend", p.name, strings.Join(names, ", "), body)
}

// call calls a procedure: of the model, or of the library.
func (d *modelDrawer) call() string {
	text := ""
	if own := d.defined(aProcedure); len(own) > 0 {
		p := pick(&d.drawer, "procedure", own...)
		text = "call " + p.name + d.arguments(p.params, 1)
	} else {
		text = d.fill("call "+pick(&d.drawer, "procedure", "subseteq($r, $r)", "subseteq(rf & $r, $r)", "total($r, $s & SC)"), aRelation, 1)
	}
	if d.oneIn(2, "as") {
		text += " as " + d.fresh("n")
	}
	return text
}

// choice draws a choice of the model. A model that has chosen co has the names of what
// follows from it.
func (d *modelDrawer) choice(from string) string {
	if from == "$co" {
		text := "with co from " + d.fill(from, aRelation, 1)
		d.noCo = false
		return text + "\nlet fr = rf^-1 ; co\nlet coe = co & ext and coi = co & int and fre = fr & ext and fri = fr & int and FW = W \\ domain(co)"
	}
	return d.define(aRelation, "o", "with %s from "+d.fill(from, aRelation, 1))
}

// What the model chooses to order is little, so that there are not too many ways to do it.
const (
	someSets  = "W \\ IW,W \\ IW,F & SC,A,A & W,R & ACQ,W & REL,range(rmw)"
	somePairs = "loc & ((W \\ IW) * (W \\ IW)),sr & (F & SC) * (F & SC),(A & W) * (A & W),rf,fr & ext,(W & REL) * (W & REL)," +
		"(W \\ IW) * (W \\ IW) & $r,rmw | rmw^-1,loc & (R * R) & ext,loc & (W * W)"
	someMust = "0,po & $r,$r & po-loc,co0,co0,rf & $r,co & $r,$r & loc & (W * W),po ; rf,$r"
)

// orders draws the orders that a choice is made from.
func (d *modelDrawer) orders(_ sortOf, depth int) string {
	split := func(what, list string) string {
		return d.fill(pick(&d.drawer, what, strings.Split(list, ",")...), aRelation, depth)
	}
	must := split("must", someMust)
	if d.noCo {
		must = "0"
	}
	switch family := pick(&d.drawer, "family", "completions", "completions", "partial-orders", "orientations", "linearisations"); family {
	case "linearisations":
		return fmt.Sprintf("linearisations(%s, %s)", split("set", someSets), must)
	case "orientations":
		return "orientations(" + split("pairs", somePairs) + ")"
	default:
		return fmt.Sprintf("%s(%s, %s)", family, split("pairs", somePairs), must)
	}
}

// ordersOfWrites draws what co is chosen from.
func (d *modelDrawer) ordersOfWrites(_ sortOf, depth int) string {
	return d.fill(pick(&d.drawer, "coherence",
		"completions(loc & (W * W), co0)", "partial-orders(loc & (W * W), co0)", "completions(loc & (W * W) & $r, co0)",
		"completions(loc & (W * W) & $r, co0 | $r & loc & po & (W * W))", "completions(loc & (W * W), co0 | po-loc & (W * W))",
		"partial-orders(loc & (W * W), co0 | po-loc & (W * W))", `completions(loc & (W * W), co0 \ $r)`,
		`linearisations(W & Global, co0)`, "linearisations(W, co0 | $r)", `orientations((loc & (W * W)) \ id)`,
	), aRelation, depth)
}

// drawModel draws a model. It forbids something, as a rule, because one of its checks is
// nearly that of a well-known model.
func drawModel(t *rapid.T) randomModel {
	d := &modelDrawer{drawer: drawer{T: t}}
	lines := []string{`"random"`, "enum Tags = 'cta || 'gl || 'rlx"}
	if d.oneIn(3, "variant") {
		d.variants = []string{"strong"}
	}
	if d.noCo = d.oneIn(4, "own coherence"); d.noCo {
		if d.oneIn(3, "a choice before") {
			lines = append(lines, d.choice("$ways"))
		}
		lines = append(lines, d.choice("$co"))
	}
	var draws []func(d *modelDrawer) string
	for _, s := range statements {
		draws = append(draws, slices.Repeat([]func(d *modelDrawer) string{s.draw}, s.weight)...)
	}
	for range d.below(6, "statements") {
		lines = append(lines, draws[d.below(len(draws), "statement")](d))
	}
	if d.oneIn(12, "uncompiled") {
		lines = append(lines, d.define(aRelation, "r", d.fill(pick(&d.drawer, "uncompiled", uncompiled...), aRelation, 1)))
	}
	for range 1 + d.below(2, "checks") {
		lines = append(lines, d.check())
	}
	return randomModel{strings.Join(lines, "\n") + "\n", d.variants}
}

// smallShapes are tests of few executions: what each thread accesses, as in shapes. F is a
// fence.sc.
var smallShapes = []string{
	"Wx | Wx", "Wx Wx", "Wx | Rx Rx", "Rx Wx | Wx", "Wx Rx | Wx", "Wx | Wx | Wx", "Wx Wx | Wx", "Wx | Wx | Rx Rx", "Wx Wy | Wy Wx",
	"Wx Wy | Ry Rx", "Wx Ry | Wy Rx", "Rx Wy | Ry Wx", "Wx F Ry | Wy F Rx", "Wx F Wy | Ry F Rx", "Wx F | Wx F Rx",
	"Ux | Ux", "Ux | Ux | Wx", "Ux Wx | Ux", "Wx Ux | Rx Wx", "Ux Uy | Uy Ux", "Wx | Rx Wy | Ry Rx",
}

// drawSmallTest draws orders, and whether values are copied, for one of smallShapes.
func drawSmallTest(t *rapid.T) *scopedTest {
	d := &drawer{T: t}
	test := &scopedTest{initial: []string{"x=0;", "y=0;"}, locations: []string{"x", "y"}, condition: "exists (x=1)"}
	written := 0
	for i, thread := range strings.Split(pick(d, "small shape", smallShapes...), "|") {
		test.places = append(test.places, place{cta: i})
		var cells []string
		set := 0
		for _, access := range strings.Fields(thread) {
			if written++; access == "F" {
				cells = append(cells, "fence.sc.sys")
				continue
			}
			value, location := fmt.Sprint(written), access[1:]
			if set > 0 && d.oneIn(4, "copied") {
				value = fmt.Sprintf("r%d", set-1)
			}
			switch access[0] {
			case 'W':
				cells = append(cells, fmt.Sprintf("st.%s %s, %s", pick(d, "store", "relaxed.sys", "weak", "release.gpu"), location, value))
				continue
			case 'R':
				cells = append(cells, fmt.Sprintf("ld.%s r%d, %s", pick(d, "load", "relaxed.sys", "weak", "acquire.gpu"), set, location))
			default:
				cells = append(cells, fmt.Sprintf("atom.relaxed.sys.%s r%d, %s, %s", pick(d, "atomic", "exch", "add"), set, location, value))
			}
			set++
		}
		test.threads, test.registers = append(test.threads, cells), append(test.registers, set)
	}
	return test
}

// rapidTB has rapid hear of failures, so that it makes them small.
type rapidTB struct {
	testing.TB
	rt *rapid.T
}

func (t rapidTB) Helper()                           {}
func (t rapidTB) Fatal(args ...any)                 { t.rt.Fatal(args...) }
func (t rapidTB) Fatalf(format string, args ...any) { t.rt.Fatalf(format, args...) }

// drawnModels counts models that were drawn.
type drawnModels struct{ all, typed, compiled int }

// compareOnRandomModel draws a model and a test and compares the engines on them.
func (n *drawnModels) compareOnRandomModel(rt *rapid.T) {
	drawn, text := drawModel(rt), ""
	switch pick(&drawer{T: rt}, "test", "small", "small", "small", "scoped", "program") {
	case "small":
		text = drawSmallTest(rt).String()
	case "scoped":
		text = drawScopedTest(rt).String()
	default:
		text = drawProgram(rt).String()
	}
	n.all++
	m, err := cat.Load(src.NewFile("random.cat", drawn.text), cat.Config{Variants: drawn.variants})
	if err != nil {
		rt.Fatalf("%v\n%s", err, drawn.text)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		if os.Getenv("RM_SHOW") != "" {
			fmt.Println(err, drawn.text)
		}
		return
	}
	n.typed++
	if _, err := m.Compile(sim.Vocabulary()); err == nil {
		n.compiled++
	}
	config := sim.Config{PTX: ptx.Options{Unroll: randomUnroll}, Timeout: time.Second}
	compareEngines(rapidTB{rt: rt}, text, config, fmt.Sprintf("the model\n%s(variants %v)\n", drawn.text, drawn.variants), m)
}

// TestEnginesOnRandomModels compares the engines on models that nobody would write. Most of
// them are well-typed and compile.
func TestEnginesOnRandomModels(t *testing.T) {
	multiplyChecks(t, 3)
	var n drawnModels
	rapid.Check(t, n.compareOnRandomModel)
	t.Logf("%+v", n)
	if !t.Failed() && (n.typed < n.all*3/4 || n.compiled < n.typed*3/4) {
		t.Errorf("of %d models %d are well-typed and %d compile", n.all, n.typed, n.compiled)
	}
}

// FuzzEngines is TestEnginesOnRandomModels for as long as one likes.
func FuzzEngines(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(rt *rapid.T) { new(drawnModels).compareOnRandomModel(rt) }))
}
