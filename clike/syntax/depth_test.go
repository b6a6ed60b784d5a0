package syntax

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// TestDeepBodies: a body that nests too deeply, or is too long, is an error at the place where it
// does.
func TestDeepBodies(t *testing.T) {
	const n = 200_000
	nest := func(before, middle, after string) string {
		return "{ " + strings.Repeat(before, n) + middle + strings.Repeat(after, n) + " }"
	}
	const deep, long = "more than 200 brackets or operators within each other", "more than 131072 words"
	for name, c := range map[string]struct{ body, want string }{
		"parentheses": {nest("(", "1", ")") + ";", deep},
		"blocks":      {nest("{", "", "}"), deep},
		"negations":   {nest("!", "1;", ""), deep},
		"minus":       {nest("- ", "1;", ""), deep},
		"pointers":    {nest("*", "x;", ""), deep},
		"casts":       {nest("(int)", "1;", ""), deep},
		"indices":     {nest("x[", "0", "]") + ";", deep},
		"calls":       {nest("f(", "0", ")") + ";", deep},
		"conditions":  {nest("1 ? 1 : ", "1;", ""), deep},
		"assignments": {nest("x = ", "1;", ""), deep},
		"ifs":         {nest("if (1) ", ";", ""), deep},
		"whiles":      {nest("while (1) ", ";", ""), deep},
		"dos":         {nest("do ", ";", ""), deep},
		"sums":        {nest("1 + ", "1;", ""), long},
		"statements":  {nest("x;", "", ""), long},
	} {
		_, err := ParseBody(src.NewFile("t", c.body).Span(0, len(c.body)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %s", name, err, c.want)
		}
	}
	for _, body := range []string{
		nestless("x = 1; ", 1000), "{ " + strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100) + "; }",
		nestless("if (x) { y = 1; } else { y = 2; } ", 1000), nestless("f(a, b = 2, -c); ", 1000), "{ int a[3] = {1, 2, 3}; }",
	} {
		if _, err := ParseBody(src.NewFile("t", body).Span(0, len(body))); err != nil && strings.Contains(err.Error(), "more than") {
			t.Errorf("%.80s: %v", body, err)
		}
	}
}

// nestless is statements that follow each other.
func nestless(statement string, n int) string { return "{ " + strings.Repeat(statement, n) + "}" }
