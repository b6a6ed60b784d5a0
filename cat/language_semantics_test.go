package cat

import (
	"slices"
	"testing"
)

// meanings has, for each construct, expressions and what they denote on quad.
var meanings = map[string][]struct{ expr, want string }{
	"operators": {
		{"r | s", "01 12 23"},
		{"r & s", "12"},
		{`r \ s`, "01"},
		{"r ; s", "02 13"},
		{"~r", "00 02 03 10 11 13 20 21 22 23 30 31 32 33"},
		{"r^-1", "10 21"},
		{"r+", "01 02 12"},
		{"r?", "00 01 11 12 22 33"},
		{"r*", "00 01 02 11 12 22 33"},
		{"A * B", "01 02"},
		{"[B]", "11 22"},
		{"A | B", "{0 1 2}"},
		{"B & R", "{2}"},
		{`R \ B`, "{3}"},
		{"~B", "{0 3}"},
		{"0", "0"},
		{"0 | r", "01 12"},
	},
	"precedence": {
		{"r | s ; s", "01 12 13"},
		{"(r | s) ; s", "02 13"},
		{`r ; s \ s & r`, "13"},
		{`r ; (s \ s) & r`, "0"},
		{`r \ s \ r`, "0"},
		{`r \ (s \ r)`, "01 12"},
		{"r & s | s", "12 23"},
		{"A * B | s", "01 02 12 23"},
		{"A * B ; s", "02 03"},
		{"r+ ; s", "02 03 13"},
		{"r ; s+", "02 03 13"},
		{"r^-1 ; s", "22"},
		{"r+*", "00 01 02 11 12 22 33"},
		{"~r^-1 & s", "12 23"},
		{"let f(x) = x | s in f r+", "01 02 03 12 13 23"},
		{"let f(x) = x | s in f(r+)", "01 02 12 23"},
		{"let f(x) = x+ in f r^-1", "10 20 21"},
		{"r ; s ++ {}", "{02 13}"},
		{"r ++ {} | { 0 }", "{0, 01 12}"},
	},
	"by context": {
		{"{}", "∅"},
		{"_", "_"},
		{"~{}", "_"},
		{"~_", "∅"},
		{"{} | {}", "∅"},
		{"_ & _", "_"},
		{`_ \ {}`, "_"},
		{`_ \ _`, "∅"},
		{"{} | A", "{0}"},
		{"{} | r", "01 12"},
		{"_ & A", "{0}"},
		{`_ \ B`, "{0 3}"},
		{"_ & r", "01 12"},
		{"r ; _ & (_ * R)", "02 03 12 13"},
		{"_ * A", "00 10 20 30"},
		{"A * _", "00 01 02 03"},
		{"[_]", "00 11 22 33"},
		{"[{}]", "0"},
		{"r ; {}", "0"},
	},
	"sets of values": {
		{"{ 'a, 'b, 'a }", "{'a, 'b}"},
		{"{ r, s, 0 }", "{0, 01 12, 12 23}"},
		{"{ A, B }", "{{0}, {1 2}}"},
		{"{ {} }", "{∅}"},
		{"{ { A }, { A, B } }", "{{{0}, {1 2}}, {{0}}}"},
		{"{ r, s } | { r, 0 }", "{0, 01 12, 12 23}"},
		{"{ r, s } & { r, 0 }", "{01 12}"},
		{`{ r, s } \ { r, 0 }`, "{12 23}"},
		{`{ r } \ { r }`, "∅"},
		{"{ r } | {}", "{01 12}"},
		{"'a ++ {}", "{'a}"},
		{"'a ++ { 'b }", "{'a, 'b}"},
		{"'a ++ { 'a }", "{'a}"},
		{"'a ++ 'b ++ {}", "{'a, 'b}"},
		{"A ++ { B }", "{{0}, {1 2}}"},
		{"r ++ {}", "{01 12}"},
		{"(r, 'a) ++ {}", "{(01 12, 'a)}"},
		{"T", "{'a, 'b}"},
	},
	"match": {
		{"match 'a with || 'a -> r || 'b -> s end", "01 12"},
		{"match 'b with 'a -> r || _ -> s end", "12 23"},
		{"match {} with || {} -> r || x ++ S -> s end", "01 12"},
		{"match B with || {} -> 0 || x ++ S -> x * S end", "12"},
		{"match B with || {} -> {} || x ++ S -> x ++ A end", "{0 1}"},
		{"match r with || {} -> 0 || p ++ S -> p ++ s end", "01 12 23"},
		{"match r with || {} -> 0 || p ++ S -> S end", "12"},
		{"match { 'a } with || {} -> T || x ++ S -> S end", "∅"},
		{
			"let rec count(S, steps) = match S with || {} -> steps || x ++ rest -> count(rest, r ; steps) end in " +
				"count(B, s)", "03",
		},
		{"let swap p = let (x, y) = p in (y, x) in match s with || {} -> 0 || p ++ S -> { swap p } end", "21"},
	},
	"try": {
		{"try r with s", "01 12"},
		{"try fail() with s", "12 23"},
		{"try (r ; fail(r)) with s", "12 23"},
		{"try (try fail() with fail()) with s", "12 23"},
		{"let f x = fail() in try f r with s", "12 23"},
		{"try nobody with s", "12 23"},
		{"try (r ; (nobody & s)) with s", "12 23"},
		{"try (try nobody with nobody) with s", "12 23"},
	},
	"let": {
		{"let x = r in x ; x", "02"},
		{"let x = r and y = s in x | y", "01 12 23"},
		{"let r = s and y = r in y", "01 12"}, // and binds at once
		{"let x = r in let x = s in x", "12 23"},
		{"let (x, y) = (r, s) in y", "12 23"},
		{"let (x, (y, _)) = (r, (s, 0)) in y", "12 23"},
		{"let _ = r in s", "12 23"},
	},
	"functions": {
		{"let f(x, y) = x ; y in f(r, s)", "02 13"},
		{"let f x = fun y -> x ; y in f r s", "02 13"},
		{"let f = fun (x, y) -> x ; y in f(r, s)", "02 13"},
		{"let f() = r in f()", "01 12"},
		{"let f(x) = x in f [A]", "00"},
		{"let f(x) = x in f { A }", "{{0}}"},
		{"let f(x, (y, z)) = x | z in f(r, (A, s))", "01 12 23"},
		{"let p = (r, s) in let f(x, y) = x ; y in f p", "02 13"},
		{"let y = s in let f x = x ; y in let y = r in f r", "02 13"}, // static scope
		{"(fun x -> x | s) r", "01 12 23"},
		{"let twice f = fun x -> f (f x) in twice (fun x -> x ; po?) rf", "12 13"},
		{"let rec f(S) = match S with || {} -> 0 || x ++ rest -> x * W | f rest end in f R", "20 21 30 31"},
		{
			"let rec even S = match S with || {} -> r || x ++ rest -> odd rest end and odd S = match S with || {} -> " +
				"s || x ++ rest -> even rest end in even (A | B)", "12 23",
		},
		{"let f x = [x] in f A | f B", "00 11 22"},
		{"let f x = x | {} in (f A) * (f B) | f r", "01 02 12"}, // on sets and relations
	},
	"let rec": {
		{"let rec x = r | (x ; x) in x", "01 02 12"},
		{"let rec x = x in x", "∅"},
		{"let rec x = x | 0 in x", "∅"},
		{"let rec S = A | range([S] ; (r | s)) in S", "{0 1 2 3}"},
		{"let rec x = r | (y ; s) and y = x in y", "01 02 03 12 13"},
		{"let rec x = y and y = z and z = r | x in x", "01 12"},
		{"let rec x = step(r, x) and step(a, b) = a | (b ; b) in x", "01 02 12"},
		{"let rec x = r | (let y = x ; x in y) in x", "01 02 12"},
		{"let rec x = r | (let rec y = x | (y ; s) in y) in x", "01 02 03 12 13"},
	},
	"conditions": {
		{"if r = r then r else s", "01 12"},
		{"if r = s then r else s", "12 23"},
		{"if A subset A | B then r else s", "01 12"},
		{"if A | B subset A then r else s", "12 23"},
		{"if r subset _ then r else s", "01 12"},
		{"if {} = r & (A * A) then r else s", "01 12"},
		{"if 'a in { 'a, 'b } then r else s", "01 12"},
		{"if r in { s, 0 } then r else s", "12 23"},
		{"if A in { A | A } then r else s", "01 12"},
		{"if not r = s then r else s", "01 12"},
		{"if r = s && r = r then r else s", "12 23"},
		{"if r = s || r = r then r else s", "01 12"},
		{"if r = r || r = s && r = s then r else s", "01 12"},
		{"if not (r = s || r = r) then r else s", "12 23"},
		{`if "on" then r else s`, "01 12"},
		{`if "off" then r else s`, "12 23"},
		{`if not "off" && "on" then r else s`, "01 12"},
		{"if {r, s} = {s, r} then r else s", "01 12"},
		{"if {r} subset {s, r} then r else s", "01 12"},
	},
	"primitives": {
		{"domain r", "{0 1}"},
		{"range r", "{1 2}"},
		{"toid B", "11 22"},
		{"classes same", "{{0}, {1 2}, {3}}"},
		{"classes(0)", "∅"},
		{"partition M", "{{0 3}, {1 2}}"},
		{"classes-loc W", "{{0}, {1}}"},
		{"classes-loc {}", "∅"},
		{"linearisations(B, 0)", "{12, 21}"},
		{"linearisations(A | B, r)", "{01 02 12}"},
		{"linearisations(B, r | r^-1)", "∅"},
		{"linearisations({}, 0)", "{0}"},
		{"linearisations(A, 0)", "{0}"},
		{"linearisations(B, A * A)", "{12, 21}"}, // only pairs of elements count
		{"partial-orders(r, 0)", "{0, 01, 12}"},
		{
			"partial-orders(r | (A * R), 0)",
			"{0, 01, 01 02, 01 02 03, 01 02 03 12, 01 02 12, 01 03, 02, 02 03, 02 03 12, 02 12, 03, 03 12, 12}",
		},
		{"partial-orders(r, s)", "{12 13 23}"},
		{"partial-orders(r, r | r^-1)", "∅"},
		{"partial-orders(0, r)", "{01 02 12}"},
		{"completions(r, 0)", "{01 02 12, 01 21, 10 12, 10 20 21}"},
		{"completions(A * R, r)", "{01 02 03 12, 01 02 12 30 31 32}"},
		{"completions(r, r | r^-1)", "∅"},
		{"orientations(rf | rf^-1)", "{12, 21}"},
		{"orientations(r)", "{01 12, 01 21, 10 12, 10 21}"},
		{"orientations(id)", "{0}"},
		{"tag2scope('cta)", "00 01 10 11"},
		{"tag2events('acq)", "{2}"},
		{"tag2events('once)", "{3}"},
		{"tag2instrs('acq)", "{2}"},
		{"loc2events('x)", "{0 3}"},
		{"delift(lift({ A, B }, r))", "01 02 11 12 21 22"},
		{"delift(lift({ A, B }, id))", "00 11 12 21 22"},
		{"delift(lift(classes same, s))", "11 12 13 21 22 23"},
		{"bisimulation(r, _)", "00 11 22 23 32 33"},
		{"bisimulation(r, same)", "00 11 22 33"},
		{"bisimulation(0, same)", "00 11 12 21 22 33"},
		{"different-values(r)", "12"},
		{"different-values(po)", "23"},
		{"same-oa(r | s)", "12"},
		{"WR(r)", "12"},
		{"WW(r | s)", "01"},
		{"RM(r | s)", "23"},
		{"MM(r)", "01 12"},
	},
	"library": {
		{"map (fun x -> x ; s) { r, s }", "{02 13, 13}"},
		{"map (fun x -> [x]) { A, B }", "{00, 11 22}"},
		{"map (fun x -> r) { A, B }", "{01 12}"},
		{"map (fun e -> e * B) W", "{01 02, 11 12}"},
		{"map (fun e -> e) B", "{1 2}"},
		{"map (fun x -> x) {}", "∅"},
		{"fold (fun (e, done) -> e * M | done) (B, 0)", "10 11 12 13 20 21 22 23"},
		{"fold (fun (x, done) -> done ; x) ({ po }, r)", "13"},
		{"fold (fun (x, done) -> x) ({}, r)", "01 12"},
		{"cross { { r, s }, { 0 } }", "{01 12, 12 23}"},
		{"cross { { 0, po }, { 0, rf } }", "{0, 01 12 23, 01 23, 12}"},
		{"cross { { r }, {} }", "∅"},
		{"cross {}", "{0}"},
		{"udr r", "01 10 12 21"},
		{"nodetour(r+, r, r)", "01 12"},
		{"singlestep(r+)", "01 12"},
		{"tag2fenced('acq) | s", "12 23"},
		{"at-least-one-writable(r) | s", "12 23"},
		{"imply(r, s)", "00 02 03 10 11 12 13 20 21 22 23 30 31 32 33"},
	},
}

// declarations come before the expression.
const declarations = "enum T = 'a || 'b\nenum O = 'acq || 'once || 'cta || 'x\n"

func TestMeanings(t *testing.T) {
	for name, tests := range meanings {
		for _, tt := range tests {
			t.Run(name+"/"+tt.expr, func(t *testing.T) { denotes(t, quad, tt.expr, tt.want) })
		}
	}
}

// denotes demands a value of an expression, and that its static type fits.
func denotes(t *testing.T, c small, expr, want string) {
	t.Helper()
	m, summary := accepted(t, texts{"main.cat": declarations + "let it = " + expr}, c.vocabulary(), "on")
	end, err := endOf(m, c)
	if err != nil {
		t.Fatal(err)
	}
	v := end.lookup("it").value
	if got := show(v); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	if typ := summary.Definitions[0].Type; !slices.Contains(typesOf(v), typ) {
		t.Errorf("it is %s, but has the type %q", show(v), typ)
	}
}

// typesOf lists the types that the checker may give to an expression with value v.
func typesOf(v value) []string {
	types := []string{"anything", v.kind()}
	switch v := v.(type) {
	case setValue:
		types = append(types, "a set of events")
	case emptyValue:
		types = append(types, "_", "a set of events", "a relation", "a set of values",
			"a set of relations", "a set of sets", "a set of tags")
	case universeValue:
		types = append(types, "a set of events", "a relation")
	case setOfValue:
		for _, t := range typesOf(v[0]) {
			for kind, s := range plural {
				if kind.String() == t {
					types = append(types, "a set of "+s)
				}
			}
		}
	}
	return types
}

// line is one thread: a read (0) on which a branch depends, a fence (1) and two
// writes (2, 3).
var line = small{
	n:    4,
	sets: map[string]string{"R": "0", "W": "2 3", "M": "0 2 3", "F": "1"},
	rels: map[string]string{"po": "01 02 03 12 13 23", "ctrl": "01 02 03", "loc": "22 23 32 33"},
}

func TestFenceFunctions(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{"fencerel F", "02 03"},
		{"fromto F", "02 03"},
		{"fencerel W", "03 13"},
		{"fencerel(F | W)", "02 03 13"},
		{"ctrlcfence F", "02 03"},
		{"ctrlcfence W", "03"},
		{"let po = 0 in ctrlcfence F", "02 03"}, // the library means the base names
		{"fencerel {}", "0"},
		{"fencerel(_)", "02 03 13"},
	} {
		t.Run(tt.expr, func(t *testing.T) { denotes(t, line, tt.expr, tt.want) })
	}
}

// TestManyValues: operators on sets of many values agree with those on few values, which compare
// each value with each.
func TestManyValues(t *testing.T) {
	const sets = "let X = partial-orders(~id & (M * M), 0)\n" +
		"let Y = partial-orders((W * M) \\ id, 0) | orientations(~id & (M * M))\n"
	for _, tt := range [][2]string{
		{`X \ Y`, "fold (fun (x, done) -> if x in Y then done else x ++ done) (X, {})"},
		{"X & Y", "fold (fun (x, done) -> if x in Y then x ++ done else done) (X, {})"},
		{"X | Y", "fold (fun (x, done) -> if x in Y then done else x ++ done) (X, Y)"},
		{"map (fun x -> domain(x)) X", "fold (fun (x, done) -> domain(x) ++ done) (X, {})"},
		{"if X & Y subset X then r else s", "r"},
		{"if X subset Y then r else s", "s"},
		{`if X \ Y subset Y then r else s`, "s"},
		{`if (X \ Y) | (X & Y) = X then r else s`, "r"},
	} {
		text := declarations + sets + "let left = " + tt[0] + "\nlet right = " + tt[1]
		m, _ := accepted(t, texts{"main.cat": text}, quad.vocabulary())
		end, err := endOf(m, quad)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []string{"X", "Y"} {
			if all, ok := end.lookup(set).value.(setOfValue); !ok || len(all) <= fewValues {
				t.Fatalf("%s has few values", set)
			}
		}
		if left, right := end.lookup("left").value, end.lookup("right").value; !equal(quad.n, left, right) {
			t.Errorf("%s is not %s", tt[0], tt[1])
		}
	}
}
