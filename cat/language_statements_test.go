package cat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/muster-gpu/muster/src"
)

// outcomes runs a model on a candidate and describes its verdicts, one in a line:
//
//	x=1 rejected by n | flags: a b | undefined: c
func outcomes(t *testing.T, fs texts, c small, variants ...string) string {
	t.Helper()
	m, _ := accepted(t, fs, c.vocabulary(), variants...)
	var lines []string
	err := m.Eval(context.Background(), c, func(v *Verdict) bool {
		lines = append(lines, describe(t, m, c, v))
		return true
	})
	if err != nil {
		lines = append(lines, "error: "+firstLine(err))
	}
	return strings.Join(lines, "\n")
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func describe(t *testing.T, m *Model, c small, v *Verdict) string {
	var parts []string
	for _, choice := range v.Choices {
		parts = append(parts, fmt.Sprintf("%s=%d", choice.Name, choice.Index))
	}
	// A verdict stops at the first check that fails, so that check is the first violation.
	violations, err := m.Violations(c, v.Choices)
	if err != nil {
		t.Fatal(err)
	}
	if v.Allowed() != (len(violations) == 0) {
		t.Errorf("%d violations of a candidate that is allowed: %v", len(violations), v.Allowed())
	}
	if v.Allowed() {
		parts = append(parts, "allowed")
	} else {
		var names []string
		for _, violation := range violations {
			names = append(names, violation.Name)
		}
		parts = append(parts, "rejected by "+strings.Join(names, ", "))
	}
	if v.Flags != nil {
		parts = append(parts, "flags "+strings.Join(v.Flags, ", "))
	}
	if v.Undefined != nil {
		parts = append(parts, "undefined "+strings.Join(v.Undefined, ", "))
	}
	return strings.Join(parts, "; ")
}

func TestStatements(t *testing.T) {
	for _, tt := range []struct {
		name, model, want string
	}{
		{
			"checks that hold", "acyclic r irreflexive r empty r & po^-1 ~empty r ~acyclic same ~irreflexive same",
			"allowed",
		},
		{
			"checks that fail",
			"acyclic same as a irreflexive same as b empty r as c ~empty 0 as d ~acyclic r as e ~irreflexive r as f",
			"rejected by a, b, c, d, e, f",
		},
		{"a check without a name", "acyclic  same\n| r", "rejected by acyclic same | r"},
		{"empty of sets", "empty A & B empty {} ~empty { 'a } empty { 'a } & { 'b } empty A as a", "rejected by a"},
		{"empty of a universe", "~empty _", "allowed"},

		{"flags", "flag ~empty r as some flag empty r as none flag acyclic po as order", "allowed; flags some, order"},
		{"the same flag twice", "flag ~empty r as f flag ~empty s as f", "allowed; flags f"},
		{"flags before a check fails", "flag ~empty r as f empty r as c", "rejected by c"},
		{"undefined", "undefined_unless empty r as race undefined_unless empty 0 as fine", "allowed; undefined race"},
		{"undefined without a name", "undefined_unless empty r", "allowed; undefined undefined_unless empty r"},
		{"assert that holds", "assert empty 0 as fine", "allowed"},
		{"assert that fails", "assert empty r as sound", "error: main.cat:2:1: this assertion fails: sound"},
		{"assert after a check failed", "empty r as c assert empty s", "rejected by c"},

		{"let and check", "let x = r ; s let y = x | po acyclic y as a empty y as b", "rejected by b"},
		{"let rec when", "let rec x = r | (x ; x) when ~empty x as settled", "allowed"},
		{"let rec when it fails", "let rec x = r | (x ; x) when empty x as settled", "rejected by settled"},

		{
			"procedure", "procedure p(x, y) = empty x & y as disjoint end call p(r, po) call p(r, s)",
			"rejected by disjoint, disjoint",
		},
		{
			"named calls", "procedure p x = empty x as none end call p(r) as one call p(s) as two",
			"rejected by one.none, two.none",
		},
		{
			"calls in calls",
			"procedure p x = empty x as none end procedure q x = call p(x) as inner end call q(r) as outer",
			"rejected by outer.inner.none",
		},
		{"no arguments", "procedure p() = empty r as none end call p()", "rejected by none"},
		{
			"what a procedure binds stays inside",
			"let x = r procedure p() = let x = 0 empty x end call p() empty x as outer", "rejected by outer",
		},
		{
			"flags of a procedure stay", "procedure p() = flag ~empty r as inside end call p() as it",
			"allowed; flags it.inside",
		},
		{"a procedure sees where it is defined", "let x = 0 procedure p() = empty x end let x = r call p()", "allowed"},
		{
			"recursion in a procedure",
			"procedure rec each(S) = flag ~empty S as one if not S = {} call each(match S with || {} -> {} || x ++ " +
				"rest -> rest end) as next end end call each(B)",
			"allowed; flags one, next.one",
		},
		{
			"library procedures",
			"call subseteq(r, r | s) call total(r | (A * B), A | B) call subseteq(r, s) as sub call total(s, M) as tot",
			`rejected by sub.empty a \ b, tot.empty S * S \ id \ (r | r^-1)`,
		},

		{"forall", "forall e in B do flag empty e & R as write end", "allowed; flags write"},
		{"forall fails", "forall e in W do empty e & A as a end", "rejected by a"},
		{"forall over relations", "forall x in { r, s } do empty x & po as a end", "rejected by a, a"},
		{"forall over pairs", "forall p in r do acyclic p | r^-1 as a end", "rejected by a, a"},
		{"forall over nothing", "forall x in {} do empty r end", "allowed"},
		{"what forall binds stays inside", "let x = 0 forall e in W do let x = r end empty x", "allowed"},

		{
			"with", "with x from { r, s, 0 } empty x as none",
			"x=0; rejected by none\nx=1; rejected by none\nx=2; allowed",
		},
		{"with of nothing", "with x from {} empty r", ""},
		{"with of events", "with e from B flag empty e & R as write", "e=0; allowed; flags write\ne=1; allowed"},
		{
			"two withs", "with x from { r, 0 } with y from linearisations(B, 0) empty x & y as none",
			"x=0; y=0; rejected by none\nx=0; y=1; allowed\nx=1; y=0; allowed\nx=1; y=1; allowed",
		},
		{
			"with after a check fails", "with x from { r, 0 } empty x as none with y from { s, 0 } empty y as empty-y",
			"x=0; rejected by none\nx=1; y=0; rejected by empty-y\nx=1; y=1; allowed",
		},
		{
			"with in a procedure",
			"procedure p S = with x from S empty x as none end call p({ r, 0 }) flag ~empty r as after",
			"x=0; rejected by none\nx=1; allowed; flags after",
		},
		{
			"with in a forall", "forall S in { A, B } do with e from S flag empty e & R as write end",
			"e=0; e=0; allowed; flags write\ne=0; e=1; allowed; flags write",
		},
		{
			"with in an if", `if "off" with x from {} else with x from { r, 0 } end empty x as none`,
			"x=0; rejected by none\nx=1; allowed",
		},

		{"if", "if r = s empty r else empty 0 end", "allowed"},
		{"if binds", "if r = s let x = 0 else let x = r end empty x as a", "rejected by a"},
		{"checks of the same name in branches", "if r = s empty r as a else empty 0 as a end", "allowed"},
		{"variants", `if "on" empty r as a else empty 0 as b end if "off" empty r as c end`, "rejected by a"},
		{"variant binds", `if "on" let x = r else let x = 0 let y = 0 end empty x as a`, "rejected by a"},

		{"match", "match 'a with || 'a -> empty r as first || 'b -> empty s as second end", "rejected by first"},
		{"match by default", "match 'b with 'a -> empty r || _ -> empty s as rest end", "rejected by rest"},
		{"match binds", "match 'b with 'a -> let x = 0 || 'b -> let x = r end empty x as a", "rejected by a"},
		{"no clause", "match 'b with 'a -> empty r end", "error: main.cat:2:1: no clause matches the tag 'b"},
		{
			"no clause of an expression", "empty match 'b with 'a -> r end",
			"error: main.cat:2:7: no clause matches the tag 'b",
		},

		{
			"enum", "enum E = 'x || 'y forall t in E do flag ~empty match t with 'x -> r || 'y -> 0 end as x end",
			"allowed; flags x",
		},
		{"enum is a set", "enum E = 'x || 'y ~empty E empty E & T", "allowed"},
		{"Bell", "instructions R[{ 'a, 'b }] instructions W[T] events F[T, T] default R['a] empty 0", "allowed"},
		{"debug", "debug r debug 'a debug (fun x -> x)", "allowed"},
		{"fail", "empty fail()", "error: main.cat:2:11: fail, and no try around it"},
		{"show does not check", "show r, s show r ; s as rs unshow rs empty 0", "allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := outcomes(t, texts{"main.cat": "enum T = 'a || 'b\n" + tt.model}, quad, "on")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIncludes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files texts
		want  string
	}{
		{
			"definitions and checks",
			texts{"main.cat": `include "a" empty x as here`, "a": "let x = r empty s as there"},
			"rejected by there, here",
		},
		{
			"twice",
			texts{"main.cat": `let x = 0 include "a" let x = r include "a"`, "a": "empty x as none"},
			"rejected by none",
		},
		{
			"in a procedure",
			texts{
				"main.cat": `procedure p x = include "a" end call p(0) as zero call p(r) as one`,
				"a":        "empty x as none",
			},
			"rejected by one.none",
		},
		{"of an empty file", texts{"main.cat": `include "a" include "a" empty 0`, "a": "(* nothing *)"}, "allowed"},
		{
			"of a diamond",
			texts{
				"main.cat": `include "a" include "b"`, "a": `include "c"`, "b": `include "c"`,
				"c": "empty r as none",
			},
			"rejected by none, none",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outcomes(t, tt.files, quad)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShows(t *testing.T) {
	for _, tt := range []struct{ model, want string }{
		{"show r, s", "r: 01 12\ns: 12 23"},
		{"show r ; s as rs", "rs: 02 13"},
		{"show A as first", "first: 00"},
		{"show _ as all", "all: 00 01 02 03 10 11 12 13 20 21 22 23 30 31 32 33"},
		{"show {} as none", "none: 0"},
		{"show r show s as r", "r: 12 23"},
		{"show r unshow r", "r: hidden"},
		{"unshow r show r", "r: 01 12"},
		{"unshow po, co", "po: hidden\nco: hidden"},
		{"procedure p x = show x end call p(r)", "x: 01 12"},
		{"empty r show s", "s: 12 23"},
		{"with x from { r, s } show x", "x: 12 23"},
		{"with x from { r, s } empty x with y from { r, s } show y", ""},
		{"if r = s show r else show s end", "s: 12 23"},
	} {
		t.Run(tt.model, func(t *testing.T) {
			f := texts{"main.cat": tt.model}
			m, _ := accepted(t, f, quad.vocabulary())
			var last *Verdict
			if err := m.Eval(context.Background(), quad, func(v *Verdict) bool { last = v; return true }); err != nil {
				t.Fatal(err)
			}
			shown, err := m.Shows(quad, last.Choices)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, s := range shown {
				text := "hidden"
				if !s.Hidden {
					text = show(relValue{s.Rel})
				}
				lines = append(lines, s.Name+": "+text)
			}
			if diff := cmp.Diff(tt.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyChoices makes more choices, each in a procedure that rejects it, than the limits on
// nested calls and on the steps of one choice.
func TestManyChoices(t *testing.T) {
	c := small{n: 7, sets: map[string]string{"M": "0 1 2 3 4 5 6"}, rels: map[string]string{"id": ""}}
	m, _ := accepted(t, texts{"main.cat": `
procedure p x = empty x as none end
with co from linearisations(M, 0)
let rec slow(S, r) = match S with || {} -> r || e ++ rest -> slow(rest, r ; r) end
call p(slow(M, co) | co)`}, c.vocabulary())
	verdicts := 0
	err := m.Eval(context.Background(), c, func(v *Verdict) bool {
		verdicts++
		return !v.Allowed()
	})
	if err != nil || verdicts != 5040 {
		t.Errorf("%d verdicts, want 7! (%v)", verdicts, err)
	}
}

func TestStopEarly(t *testing.T) {
	m, _ := accepted(t, texts{"main.cat": "with x from { r, s, 0 } with y from { r, s } empty 0"}, quad.vocabulary())
	for want := 1; want <= 6; want++ {
		got := 0
		if err := m.Eval(context.Background(), quad, func(*Verdict) bool {
			got++
			return got < want
		}); err != nil || got != want {
			t.Errorf("%d verdicts, want %d (%v)", got, want, err)
		}
	}
}

func TestChooses(t *testing.T) {
	for _, tt := range []struct {
		model    string
		variants []string
		want     bool
	}{
		{"with co from { r }", nil, true},
		{"with x from { r }", nil, false},
		{`include "a"`, nil, true},
		{"procedure p() = with co from { r } end", nil, true},
		{"forall e in W do with co from { r } end", nil, true},
		{`if "own" with co from { r } end`, nil, false},
		{`if "own" with co from { r } end`, []string{"own"}, true},
		{`if not "own" && not "other" empty r else include "a" end`, []string{"other"}, true},
		{`if not "own" || "other" empty r else include "a" end`, nil, false},
		{`if r = s with co from { r } end`, nil, true},
	} {
		fs := texts{"main.cat": tt.model, "a": "with co from { s }"}
		m, _ := accepted(t, fs, quad.vocabulary(), tt.variants...)
		if got := m.Chooses("co"); got != tt.want {
			t.Errorf("%s %v: chooses co is %v", tt.model, tt.variants, got)
		}
	}
}

func TestSummary(t *testing.T) {
	fs := texts{
		"main.cat": `"a title"
enum T = 'a || 'b
include "a" include "a"
let x = r and y = A and f(z) = z and t = 'a and u = (r, A) and n = T and o = { r } and e = {} and w = _
let rec p = q | r and q = p ; s and v = v | p and only(z) = z
procedure proc k = let inside = k empty inside as in-proc end
forall z in W do let local = z end
with c from { r, s } with c2 from W
if "off" empty r as dead end
undefined_unless empty A & W as u
flag ~empty fr as raised
let unused = fr ; rf`,
		"a": "let shared = po\nacyclic shared as included",
	}
	_, summary := accepted(t, fs, quad.vocabulary())
	want := &Summary{
		Definitions: []Definition{
			{"shared", "a relation", 1, "a", src.Span{}},
			{"x", "a relation", 4, "main.cat", src.Span{}},
			{"y", "a set of events", 4, "main.cat", src.Span{}},
			{"f", "a function", 4, "main.cat", src.Span{}},
			{"t", "a tag", 4, "main.cat", src.Span{}},
			{"u", "a tuple of 2", 4, "main.cat", src.Span{}},
			{"n", "a set of tags", 4, "main.cat", src.Span{}},
			{"o", "a set of relations", 4, "main.cat", src.Span{}},
			{"e", "the empty set", 4, "main.cat", src.Span{}},
			{"w", "_", 4, "main.cat", src.Span{}},
			{"p", "a relation", 5, "main.cat", src.Span{}},
			{"q", "a relation", 5, "main.cat", src.Span{}},
			{"v", "a relation", 5, "main.cat", src.Span{}},
			{"only", "a function", 5, "main.cat", src.Span{}},
			{"unused", "a relation", 12, "main.cat", src.Span{}},
		},
		Checks: []CheckInfo{
			{"included", "acyclic shared", 2, "a"},
			{"in-proc", "empty inside", 6, "main.cat"},
			{"u", "undefined_unless empty A & W", 10, "main.cat"},
		},
		Flags:   []CheckInfo{{"raised", "flag ~empty fr", 11, "main.cat"}},
		Choices: []string{"c", "c2"},
		Base: []BaseName{
			{"A", false}, {"W", false}, {"fr", true}, {"po", false}, {"r", false}, {"rf", true}, {"s", false},
		},
		Strata: [][]string{{"p", "q"}, {"only"}, {"v"}},
	}
	if diff := cmp.Diff(want, summary, cmpopts.IgnoreTypes(src.Span{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
