package cat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/src"
)

// TestBadInput tests models that would take for ever or all memory. The tests check the answers;
// their running time shows that the answers come at once. Without -short, more models per limit are
// tried.
func TestBadInput(t *testing.T) {
	doubling := texts{"main.cat": `include "f0"`, "f40": "empty 0"}
	for i := range 40 {
		doubling[fmt.Sprint("f", i)] = fmt.Sprintf("include \"f%d\" include \"f%d\"", i+1, i+1)
	}
	many := func(line string, times int) string {
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	tildes := strings.Repeat("~", 90_000)
	const (
		deep  = ": evaluation is more than 120000 deep: does some recursion never end?"
		steps = ": the model takes more than 2000000 steps on one candidate"
	)
	reached := map[string]bool{}
	for _, tt := range []struct {
		name  string
		files texts
		want  string // in the first line of the error
	}{
		{"include of itself", texts{"main.cat": `include "main.cat"`}, "main.cat:1:1: main.cat includes itself"},
		{
			"cyclic includes",
			texts{"main.cat": `include "a"`, "a": `include "b"`, "b": `include "a"`},
			"b:1:1: a includes itself",
		},
		{"includes that double", doubling, `f28:1:15: the model has more than 10000 statements`},
		{
			"10 MB of text",
			texts{"main.cat": strings.Repeat("empty 0\n", 10<<20/8)},
			"main.cat:1:1: this file has 10485760 bytes; a model may have 1048576",
		},
		{
			"a comment of 10 MB",
			texts{"main.cat": "(*" + strings.Repeat("x", 10<<20)},
			"main.cat:1:1: this file has 10485762 bytes; a model may have 1048576",
		},
		{
			"many statements",
			texts{"main.cat": many("empty po%.0d\n", 10_001)},
			"main.cat:10001:1: the model has more than 10000 statements",
		},
		{
			"many bindings",
			texts{"main.cat": "let x = po\n" + many("and x%d = po\n", 10_001)},
			"main.cat:1:1: the model has more than 10000 statements",
		},
		{
			"10,000 parentheses",
			texts{"main.cat": "empty " + strings.Repeat("(", 10_000) + "po" + strings.Repeat(")", 10_000)},
			"main.cat:1:1006: expected at most 1000 brackets, expressions or statements inside each other",
		},
		{
			"many ~ in functions",
			texts{"main.cat": "let f(x) = " + tildes + "x\nlet g(x) = " + tildes + "f(x)\nempty g(po)"},
			": the model is more than 120000 expressions deep here",
		},

		{"recursion in a function", texts{"main.cat": "let rec f(x) = f(x | po)\nempty f(po)"}, deep},
		{
			"recursion in two functions",
			texts{"main.cat": "let rec f(x) = g(x)+ and g(x) = [domain(f(x))]\nempty f(po)"},
			deep,
		},
		{"recursion that grows its argument", texts{"main.cat": "let rec f(x) = f((x, x))\nempty f(po)"}, deep},
		{"recursion in a procedure", texts{"main.cat": "procedure rec p(x) = call p(x) end\ncall p(po)"}, deep},
		{
			"recursion in a forall",
			texts{"main.cat": "procedure rec p(x) = forall y in { x } do call p(y) end end\ncall p(po)"},
			deep,
		},
		{"a function that applies itself", texts{"main.cat": "let w f = f f\nempty w w"}, deep},

		{
			"an exponential match",
			texts{
				"main.cat": "let rec f(S) = match S with || {} -> po || x ++ rest -> f(rest) | f(rest) end\n" +
					"empty f(linearisations(M, 0))",
			},
			steps,
		},
		{"an exponential function", texts{"main.cat": "let f0(x) = x | po\n" + doublings(40) + "empty f40(po)"}, steps},
		{
			"an exponential procedure",
			texts{
				"main.cat": "procedure rec p(S) = if not S = {} forall i in M do call p(match S with || {} -> {} || " +
					"x ++ rest -> rest end) end end end\ncall p(linearisations(M, 0))",
			},
			deep,
		},
		{
			"forall in forall",
			texts{
				"main.cat": "let S = linearisations(M, 0)\n" +
					"forall a in S do forall b in S do forall c in S do end end end",
			},
			deep,
		},
		{
			"too many orders",
			texts{"main.cat": "with o from partial-orders(_, 0)"},
			"main.cat:1:27: there are more than 50000 orders",
		},
		{
			"a cross product",
			texts{
				"main.cat": "let S = linearisations(M, 0)\n" +
					"empty cross({ S, map (fun x -> x^-1) S, map (fun x -> x | id) S }) & { 0 }",
			},
			steps,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if reached[tt.want] {
				sample.Long(t)
			}
			reached[tt.want] = tt.want == deep || tt.want == steps
			if got := firstError(tt.files); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// doublings returns n functions; each applies the previous one twice.
func doublings(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let f%d(x) = f%d(f%d(x))\n", i+1, i, i)
	}
	return b.String()
}

// firstError loads, checks and evaluates a model and returns the first line of the error, or "".
func firstError(fs texts) string {
	c := small{
		n:    6,
		sets: map[string]string{"M": "0 1 2 3 4 5"},
		rels: map[string]string{"po": "01 12", "id": "00 11 22 33 44 55"},
	}
	m, err := Load(src.NewFile("main.cat", fs["main.cat"]), Config{Find: fs.find})
	if err == nil {
		_, err = m.Check(c.vocabulary())
	}
	if err == nil {
		err = m.Eval(context.Background(), c, func(*Verdict) bool { return true })
	}
	if err == nil {
		return ""
	}
	return firstLine(err)
}
