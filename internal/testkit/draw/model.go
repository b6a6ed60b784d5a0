package draw

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// sortOf is the sort of an expression.
type sortOf uint8

const (
	aRelation sortOf = iota
	aSet
	aTag
	aFunction
	aProcedure
)

// definition is a name in scope.
type definition struct {
	name     string
	sort     sortOf
	rising   bool     // a recursion defines it: uses must be monotone
	params   []sortOf // of a function or procedure
	result   sortOf   // of a function
	monotone bool     // the function is monotone in its arguments
}

// modelDrawer draws models.
type modelDrawer struct {
	drawer
	scope   []definition
	chosen  []string // names of the model's choices, besides co
	names   int      // number of names drawn
	flipped bool     // an odd number of complements is around this position
	fixed   bool     // expressions here must not depend on a recursion
	noCo    bool     // the model has not chosen co yet
}

// forms are the ways to build an expression: $r and $s draw a relation and a set, $R and $S the
// same in an antitone position, $t draws a tag, and special has the others. The simplest form is
// first, and duplicates are drawn more often.
var forms = [...][]string{
	aRelation: {
		"$r | $r", "$r & $r", "$r ; $r", `$r \ $R`, "$r | $r", "$r & $r", "$r ; $r", `$r \ $R`,
		"~$R", "$r+", "$r*", "$r?", "$r^-1", "[$s]", "$s * $s", "[$s] ; $r ; [$s]", "$r & ($s * $s)", "$r & ext",
		"$r & loc",
		"$f", "$f", "$let", "$let", "$fix", "$match",
		"match $t with || 'gl -> $r || _ -> $r end", "if $if then $r else $r", "{} | $r", "_ & $r", `_ \ $R`, "$r & {}",
		"[_] | $r", "[domain(rf)] ; $r", `$r \ (rf ; $r)`, "$r & (W * W)",
		"WW($r)", "RM($r)", "toid($s)", "fencerel($s)", "different-values($r)", "same-oa($r)", "udr($r)",
		"imply($R, $r)", "ctrlcfence($s)", "tag2scope('cta)",
	},
	aSet: {
		"$s | $s", "$s & $s", `$s \ $S`, "$s | $s", "$s & $s", `$s \ $S`, "~$S", "domain($r)", "range($r)",
		"$f", "$let", "$match", "match $t with || 'gl -> $s || _ -> $s end", "if $if then $s else $s",
		"{} | $s", "_ & $s", `_ \ $S`, "$s & {}", "tag2events('rlx)",
	},
}

// leaves are the base names; important ones occur several times.
var leaves = [...][]string{
	aRelation: strings.Fields(`co fr rf po co fr rf po co fr rf po-loc loc rfe coe fre rfi coi fri rmw int ext
		addr data ctrl rmw co0 id cta gl sys sr scta sgpu awaited syncbar vloc membar.cta membar.gl membar.sys amo 0 {} _`),
	aSet: strings.Fields(`W R M W R M IW A F FW Global CA CG SC REL ACQ RLX WEAK RMW VOL GPU SYS CTA B {} _`),
}

// special are the forms that have scopes of their own, or need names.
var special map[string]func(d *modelDrawer, s sortOf, depth int) string

// An init function fills the table, because the table and its functions refer to each other.
func init() {
	special = map[string]func(d *modelDrawer, s sortOf, depth int) string{
		"$r": func(d *modelDrawer, _ sortOf, depth int) string { return d.expr(aRelation, depth) },
		"$s": func(d *modelDrawer, _ sortOf, depth int) string { return d.expr(aSet, depth) },
		"$R": func(d *modelDrawer, _ sortOf, depth int) string {
			return d.under(true, false, func() string { return d.expr(aRelation, depth) })
		},
		"$S": func(d *modelDrawer, _ sortOf, depth int) string {
			return d.under(true, false, func() string { return d.expr(aSet, depth) })
		},
		"$t": func(d *modelDrawer, _ sortOf, _ int) string { return d.tag() },
		"$f": (*modelDrawer).application, "$let": (*modelDrawer).letIn, "$fix": (*modelDrawer).fixpoint,
		"$match": (*modelDrawer).match,
		"$if":    func(d *modelDrawer, _ sortOf, _ int) string { return pick(&d.drawer, "condition", conditions...) },
		"$c": func(d *modelDrawer, _ sortOf, _ int) string {
			return pick(&d.drawer, "choice", append([]string{"co"}, d.chosen...)...)
		},
	}
}

// fill replaces the words with $ in a form.
func (d *modelDrawer) fill(form string, s sortOf, depth int) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(form, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		form = strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzRS")
		b.WriteString(special["$"+strings.TrimSuffix(rest, form)](d, s, depth))
	}
}

// expr draws an expression that is valid anywhere: anything but a name is in brackets.
func (d *modelDrawer) expr(s sortOf, depth int) string {
	if depth == 0 || d.below(5, "more than a name") == 0 {
		return d.leaf(s)
	}
	return "(" + d.fill(pick(&d.drawer, "form", forms[s]...), s, depth-1) + ")"
}

// under draws an expression in an antitone position (flip), or in one where recursive names are not
// allowed (fix).
func (d *modelDrawer) under(flip, fix bool, draw func() string) string {
	flipped, fixed := d.flipped, d.fixed
	defer func() { d.flipped, d.fixed = flipped, fixed }()
	d.flipped, d.fixed = flipped != flip, fixed || fix
	return draw()
}

// leaf draws a name: of the model, or a base name.
func (d *modelDrawer) leaf(s sortOf) string {
	if own := d.defined(s); len(own) > 0 && !d.oneIn(3, "base") {
		return pick(&d.drawer, "definition", own...).name
	}
	return d.pick("base name", leaves[s]...)
}

// coherence matches names of coherence and of relations that depend on it.
var coherence = regexp.MustCompile(`\$c\b|\b(co|fr|coe|coi|fre|fri|FW)\b`)

// pick draws a form, without coherence where that is not defined yet.
func (d *modelDrawer) pick(what string, forms ...string) string {
	without := func(form string) bool { return d.noCo && coherence.MatchString(form) }
	return pick(&d.drawer, what, slices.DeleteFunc(slices.Clone(forms), without)...)
}

// defined returns the definitions of a sort that may be used here, later ones first.
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

// within draws something with more names in scope.
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
	return d.fill(pick(&d.drawer, "tags", "Tags", `(Tags \ {$t})`, "($t ++ Tags)", "($t ++ {$t, $t})", "({$t} | {$t})",
		"(Tags & {$t, $t})", "({} | {$t})", "{}"), aTag, 0)
}

// application applies a function, if there is one.
func (d *modelDrawer) application(s sortOf, depth int) string {
	functions := slices.DeleteFunc(d.defined(aFunction), func(f definition) bool { return f.result != s })
	if len(functions) == 0 {
		return d.leaf(s)
	}
	f := pick(&d.drawer, "function", functions...)
	return f.name + d.under(false, !f.monotone, func() string { return d.arguments(f.params, depth) })
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
	local := definition{name: d.fresh("x"), sort: aRelation}
	form := pick(&d.drawer, "let",
		"let %[1]s = %[2]s in ", "let (%[1]s, _) = (%[2]s, %[3]s) in ", "let %[1]s = %[2]s and _ = %[3]s in ")
	return d.under(false, true, func() string {
		return fmt.Sprintf(form, local.name, d.expr(aRelation, depth), d.expr(aSet, depth))
	}) + d.within([]definition{local}, func() string { return d.expr(s, depth) })
}

// match draws a match that decomposes a set of tags.
func (d *modelDrawer) match(s sortOf, depth int) string {
	first := definition{name: d.fresh("t"), sort: aTag}
	before := fmt.Sprintf("match %s with || {} -> %s || %s ++ _rest -> ", d.tags(), d.expr(s, depth), first.name)
	return before + d.within([]definition{first}, func() string {
		return fmt.Sprintf("match %s with || 'cta -> %s || _ -> %s end end", d.tag(), d.expr(s, depth),
			d.expr(s, depth))
	})
}

// conditions do not depend on the execution.
var conditions = []string{`"strong"`, `not "strong"`, `"strong" && "weak"`, `"strong" || not "weak"`, "po = po"}

// fixpoint draws a recursion inside an expression.
func (d *modelDrawer) fixpoint(s sortOf, depth int) string {
	text, names := d.recursion(min(depth, 1))
	return text + " in " + d.within(names, func() string { return d.expr(s, depth) })
}

// recursions are the bodies of a let rec that defines @.
var recursions = [...][]string{
	aRelation: {"$r | (@ ; $r)", "$r | (@ ; @)", "$r | ($r ; @ ; $r)", "$r", "$r | (@ & $r)"},
	aSet:      {"$s | range([@] ; $r)", "$s | domain($r ; [@])", "$s"},
}

// recursion draws a let rec of one or two names, perhaps with a function between them, or of a
// chain of names, each defined as the next one, so that pairs of the last name reach the first only
// after that number of rounds.
func (d *modelDrawer) recursion(depth int) (text string, names []definition) {
	chain := d.oneIn(3, "chain")
	sort := pick(&d.drawer, "sort", aRelation, aRelation, aSet)
	for range pick(&d.drawer, "names", 1, 2, 2, 3, 4) {
		if !chain {
			sort = pick(&d.drawer, "sort", aRelation, aRelation, aSet)
		}
		names = append(names, definition{name: d.fresh("r"), sort: sort, rising: true})
		if !chain && len(names) == 2 {
			break
		}
	}
	var bodies []string
	scope := slices.Clone(names)
	if d.oneIn(4, "function") {
		f, text := d.function(names, depth)
		scope, bodies = append(scope, f), []string{text}
	}
	for i, n := range names {
		form := strings.ReplaceAll(pick(&d.drawer, "recursion", recursions[n.sort]...), "@", n.name)
		switch last := len(names) - 1; {
		case chain && i < last:
			form = names[i+1].name
		case chain && d.oneIn(2, "ring"):
			form += " | " + names[0].name
		}
		bodies = append(bodies, n.name+" = "+d.within(scope, func() string {
			return d.under(d.flipped, false, func() string { return d.fill(form, n.sort, depth) })
		}))
		// Afterwards it counts as recursive only inside an enclosing recursion.
		names[i].rising = slices.ContainsFunc(d.scope, func(outer definition) bool { return outer.rising })
	}
	return "let rec " + strings.Join(bodies, " and "), names
}

// function draws a function as let binds it; its body has more in scope.
func (d *modelDrawer) function(more []definition, depth int) (definition, string) {
	f := definition{name: d.fresh("f"), sort: aFunction, result: pick(&d.drawer, "result", aRelation, aRelation, aSet)}
	f.monotone = d.oneIn(2, "monotone")
	params, names := d.parameters(&f)
	body := d.within(append(slices.Clone(more), params...), func() string {
		return d.under(d.flipped, false, func() string { return d.expr(f.result, depth) })
	})
	form := pick(&d.drawer, "function", "%s(%s) = %s", "%s = fun (%s) -> %s")
	return f, fmt.Sprintf(form, f.name, names, body)
}

// parameters draws the parameters of a function or procedure, and their names.
func (d *modelDrawer) parameters(of *definition) (params []definition, names string) {
	for range 1 + d.below(2, "parameters") {
		p := definition{name: d.fresh("a"), sort: pick(&d.drawer, "parameter", aRelation, aRelation, aSet, aTag)}
		p.rising = of.monotone && p.sort != aTag
		params, of.params = append(params, p), append(of.params, p.sort)
		names += ", " + p.name
	}
	return params, names[2:]
}

// statements are the ways to define, check and choose.
var statements = []struct {
	weight int
	draw   func(d *modelDrawer) string
}{
	{4, func(d *modelDrawer) string { return d.define(aRelation, "r", "let %s = $r") }},
	{2, func(d *modelDrawer) string { return d.define(aSet, "s", "let %s = $s") }},
	{1, func(d *modelDrawer) string {
		return d.define(aRelation, "r", pick(&d.drawer, "branches",
			"if $if let %[1]s = $r else let %[1]s = $r end",
			"match $t with || 'cta -> let %[1]s = $r || _ -> let %[1]s = $r end"))
	}},
	{1, func(d *modelDrawer) string {
		return d.define(aRelation, "r",
			pick(&d.drawer, "attempt", "let %s = try $r with $r", "let %s = try ($r ; [nobody]) with $r"))
	}},
	{4, (*modelDrawer).check},
	{2, func(d *modelDrawer) string {
		f, text := d.function(nil, 2)
		d.scope = append(d.scope, f)
		return "let " + text
	}},
	{3, func(d *modelDrawer) string {
		text, names := d.recursion(2)
		d.scope = append(d.scope, names...)
		if d.oneIn(4, "when") && names[0].sort == aRelation {
			text += " when irreflexive " + names[0].name + " as " + d.fresh("c")
		}
		return text
	}},
	{4, (*modelDrawer).choice},
	{2, func(d *modelDrawer) string {
		if d.noCo {
			return d.check()
		}
		return d.checkFrom(checksOfChoices)
	}},
	{1, func(d *modelDrawer) string { // redefines a base name
		name := d.pick("redefined", "rfe", "po-loc", "int", "loc", "rf", "fr", "co", "po")
		return fmt.Sprintf("let %s = %s", name,
			d.fill(pick(&d.drawer, "by", name+" & $r", name+" | $r & po", "$r"), aRelation, 1))
	}},
	{2, (*modelDrawer).procedure},
	{2, (*modelDrawer).call},
	{1, func(d *modelDrawer) string {
		t := definition{name: d.fresh("t"), sort: aTag}
		before := "forall " + t.name + " in " + d.tags() + " do "
		return before + d.within([]definition{t}, d.check) + " end"
	}},
}

// uncompiled are definitions that only the slow engine can evaluate.
var uncompiled = []string{
	"let %s = try fail() with $r", "let %s = if $r subset $r then $r else $r",
	"let %s = delift(lift(classes-loc(W), $r))",
	"let %s = fold (fun (s, r) -> r | (s * s)) (partition(W), 0)",
}

// define draws a definition from a form.
func (d *modelDrawer) define(s sortOf, letter, form string) string {
	text, name := d.fill(form, s, 2), d.fresh(letter)
	d.scope = append(d.scope, definition{name: name, sort: s})
	return fmt.Sprintf(text, name)
}

// checks are the checks of models; those without $ are axioms of well-known models.
var checks = []string{
	"acyclic po-loc | rf | co | fr", "acyclic po | rf | co | fr", "empty rmw & (fre ; coe)",
	"acyclic $r | rf | co | fr", "acyclic po & $r | rf | co | fr", "acyclic po & $r | rfe | co | fr",
	"acyclic po-loc & $r | co | fr", "acyclic $r | co", "acyclic $r | fr | rfe", "irreflexive fr ; $r",
	"irreflexive co ; $r", "irreflexive $r ; co ; $r",
	"empty rmw & ($r ; $r)", "empty rmw & ((fr & $r) ; (co & $r))", "empty fr & $r & po", "empty co & $r & po^-1",
	`empty (rf \ (po ; co)) & $r`, `empty (co & $r) \ $r`, `empty fr \ $r`, `acyclic (rf \ (po ; co)) | $r`,
	"acyclic $r", "irreflexive $r", "empty $r", "empty $s", "~empty co & $r", "~empty $r", "~acyclic co | $r",
	"~irreflexive $r",
	"empty W & $s", "~empty $s",
}

// checksOfChoices are checks of the model's choice, $c, that may fail for a part of it and hold for
// the whole.
var checksOfChoices = []string{
	`empty ($c & po) \ $n`, `empty ($c & po) \ $n`, `empty $c \ $n`, `empty ($c & $r) \ $n`,
	`irreflexive $c ; (po^-1 \ $n)`,
	`acyclic $c | (po^-1 \ $n)`, `acyclic $c | (po \ $n)`, `acyclic $c | (po & (W * W)) \ $n`,
	`empty (po & (W * W)) \ $c`, `empty (fr & po) \ $c`,
	"acyclic $c | $c", "irreflexive $c ; $c", "irreflexive fr ; $c", "acyclic $c | rf | fr | $r",
	"acyclic $c | po & $r", "~empty $c & $r",
	"empty $c & $c^-1", `empty (rf ; po ; rf^-1) & (W * W) \ $c`,
}

// falling are the expressions for $n in checksOfChoices.
var falling = []string{
	"$c", "(domain(rf) * W)", "(W * domain(rf))", "(rf ; po ; rf^-1)", "(rf ; $r)", "($c | rf)", "$r",
}

// check draws a check, usually one that rejects.
func (d *modelDrawer) check() string { return d.checkFrom(checks) }

func (d *modelDrawer) checkFrom(checks []string) string {
	text := strings.Replace(d.pick("check", checks...), "$n", pick(&d.drawer, "no more than", falling...), 1)
	role := pick(&d.drawer, "role", "", "", "", "flag ", "undefined_unless ")
	text = role + d.fill(text, aRelation, 2)
	if role == "flag " || d.oneIn(2, "named") {
		text += " as " + d.fresh("c")
	}
	return text
}

func (d *modelDrawer) procedure() string {
	p := definition{name: d.fresh("p"), sort: aProcedure}
	params, names := d.parameters(&p)
	chosen := d.chosen
	body := d.within(params, func() string {
		text := ""
		if d.oneIn(2, "a definition") {
			text = d.define(aRelation, "r", "let %s = $r") + "\n  "
		}
		if d.oneIn(8, "a choice") {
			text += d.choice() + "\n  "
		}
		return text + d.check()
	})
	d.scope, d.chosen = append(d.scope, p), chosen
	return fmt.Sprintf("procedure %s(%s) =\n  %s\nend", p.name, names, body)
}

// call draws a call of a procedure, of the model or of the library.
func (d *modelDrawer) call() string {
	library := []definition{
		{name: "subseteq", params: []sortOf{aRelation, aRelation}},
		{name: "total", params: []sortOf{aRelation, aSet}},
	}
	p := pick(&d.drawer, "procedure", append(d.defined(aProcedure), library...)...)
	text := "call " + p.name + d.arguments(p.params, 1)
	if d.oneIn(2, "as") {
		text += " as " + d.fresh("n")
	}
	return text
}

// choice draws a choice of the model.
func (d *modelDrawer) choice() string {
	text := d.define(aRelation, "o", "with %s from "+d.orders())
	d.chosen = append(d.chosen, d.scope[len(d.scope)-1].name)
	if d.oneIn(2, "checked") && !d.noCo {
		text += "\n" + d.checkFrom(checksOfChoices)
	}
	return text
}

// Choices order few events, so that there are not too many orders.
var (
	orderedSets  = []string{`W \ IW`, `W \ IW`, "F & SC", "A", "A & W", "R & ACQ", "W & REL", "range(rmw)"}
	orderedPairs = []string{
		`loc & ((W \ IW) * (W \ IW))`, `(W \ IW) * (W \ IW)`, `loc & ((W \ IW) * (W \ IW))`, "sr & (F & SC) * (F & SC)",
		"(A & W) * (A & W)", "rf", "fr & ext", "(W & REL) * (W & REL)", `(W \ IW) * (W \ IW) & $r`, "rmw | rmw^-1",
		"loc & (R * R) & ext", "loc & (W * W)",
	}
	mustOrder = []string{
		"0", "po & (W * W)", "po & (W * W)", "po & $r", "$r & po-loc", "co0", "co0", "rf & $r", "co & $r",
		"$r & loc & (W * W)",
		"po ; rf", "$r",
	}
	families = []string{
		"completions", "completions", "partial-orders", "partial-orders", "orientations",
		"linearisations",
	}
)

// orders draws the set of orders of a choice.
func (d *modelDrawer) orders() string {
	family := pick(&d.drawer, "family", families...)
	pairs, must := d.pick("pairs", orderedPairs...), ", "+d.pick("must", mustOrder...)
	switch family {
	case "linearisations":
		pairs = pick(&d.drawer, "set", orderedSets...)
	case "orientations":
		must = ""
	}
	return d.fill(family+"("+pairs+must+")", aRelation, 1)
}

// Model draws a model. It usually forbids something, because one of its checks is nearly that of a
// well-known model.
func Model(t *rapid.T) (text string, variants []string) {
	d := &modelDrawer{drawer: drawer{T: t}}
	lines := []string{`"random"`, "enum Tags = 'cta || 'gl || 'rlx"}
	variants = pick(&d.drawer, "variants", nil, nil, []string{"strong"})
	if d.noCo = d.oneIn(4, "own coherence"); d.noCo {
		if d.oneIn(3, "a choice before") {
			lines = append(lines, d.choice())
		}
		lines = append(lines, d.ownCoherence())
	}
	var draws []func(d *modelDrawer) string
	for _, s := range statements {
		draws = append(draws, slices.Repeat([]func(d *modelDrawer) string{s.draw}, s.weight)...)
	}
	for range d.below(6, "statements") {
		lines = append(lines, draws[d.below(len(draws), "statement")](d))
	}
	if d.oneIn(12, "uncompiled") {
		lines = append(lines, d.define(aRelation, "r", pick(&d.drawer, "uncompiled", uncompiled...)))
	}
	for range 1 + d.below(2, "checks") {
		lines = append(lines, d.check())
	}
	return strings.Join(lines, "\n") + "\n", variants
}

// ordersOfWrites are the sets that co is chosen from.
var ordersOfWrites = []string{
	"completions(loc & (W * W), co0)", "partial-orders(loc & (W * W), co0)", "completions(loc & (W * W) & $r, co0)",
	"completions(loc & (W * W) & $r, co0 | $r & loc & po & (W * W))",
	"completions(loc & (W * W), co0 | po-loc & (W * W))",
	"partial-orders(loc & (W * W), co0 | po-loc & (W * W))", `completions(loc & (W * W), co0 \ $r)`,
	"partial-orders(loc & (W * W), po-loc & (W * W))", "linearisations(W & Global, co0)",
	"linearisations(W, co0 | $r)", `orientations((loc & (W * W)) \ id)`,
}

// ownCoherence draws a choice of co, sometimes in a procedure that is called once, several times,
// or never.
func (d *modelDrawer) ownCoherence() string {
	orders := func() string { return d.fill(pick(&d.drawer, "coherence", ordersOfWrites...), aRelation, 1) }
	if d.oneIn(6, "in a procedure") {
		text := d.fill("procedure own(o) =\n  with co from o\n  acyclic $r | rf | co | (rf^-1 ; co)\nend", aRelation, 1)
		for range d.below(3, "calls") {
			text += "\ncall own(" + orders() + ")"
		}
		return text
	}
	text := "with co from " + orders() + `
let fr = rf^-1 ; co and coe = co & ext and coi = co & int and FW = W \ domain(co)
let fre = fr & ext and fri = fr & int`
	if d.noCo = false; d.oneIn(2, "checked") {
		text += "\n" + d.checkFrom(checksOfChoices)
	}
	return text
}
