package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

// TestComments tests where comments and blank lines go.
func TestComments(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"above and behind", "(* a *)\n\n\n\nlet x=y // b\n// c\nacyclic x",
			"(* a *)\n\nlet x = y // b\n// c\nacyclic x\n",
		},
		{"the header", "(* a *)\nPTX (* b *) \"t\" // c\n# d\n", "(* a *)\nPTX (* b *)\n\"t\" // c\n# d\n"},
		{"only comments", "\n\n(* a *)  \n\n/* b */", "(* a *)\n\n/* b */\n"},
		{
			"inside", "let x = a | (* b *) c & d (* e *)\n  | /* f */ g",
			"let x = a | (* b *) c & d | (* e *) /* f */ g\n",
		},
		{"inside, to the end of the line", "let x = a // b\n| c", "let x = a | // b\n    c\n"},
		{"in brackets", "acyclic ([a (* b *)] // c\n)", "acyclic [a] (* b *) // c\n"},
		{
			"definitions", "let rec a = b // one\n(* two *)\nand (* three *) c = a\nwhen empty c // four",
			"let rec a = b // one\n(* two *)\n(* three *)\nand c = a\nwhen empty c // four\n",
		},
		{
			"bodies", "if \"x\" then // a\n\n  (* b *)\n  show y\n  // c\nelse (* d *) show z (* e *) end // f",
			"if \"x\" // a\n  (* b *)\n  show y\n  // c\nelse (* d *)\n  show z (* e *)\nend // f\n",
		},
		{
			"clauses", "match x with // a\n|| 'b -> show b // c\n// d\n|| _ ->\n// e\nshow f end",
			"match x with // a\n|| 'b ->\n  show b // c\n  // d\n|| _ ->\n  // e\n  show f\nend\n",
		},
		{
			"further lines", "if \"x\" then\n      (* a\n         b\n     c\n\n      *)\n show y end",
			"if \"x\"\n  (* a\n     b\n  c\n\n  *)\n  show y\nend\n",
		},
		{"statements on a line", "let a = b (* c *) let d = e // f", "let a = b (* c *)\nlet d = e // f\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := mustParse(t, tt.text)
			if diff := cmp.Diff(tt.want, f.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			roundTrip(t, f)
		})
	}
}

// TestRandomComments puts comments between the words of random models. All comments survive
// printing, the tree is unchanged, and the printed text prints as itself.
func TestRandomComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t}
		text := g.file().String()
		tokens, _, errs := scan(src.NewFile("test.cat", text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		var b strings.Builder
		last := 0
		for _, tok := range tokens {
			b.WriteString(text[last:tok.start])
			for range g.below(3) / 2 * g.below(3) {
				b.WriteString(g.comment())
			}
			last = tok.start
		}
		b.WriteString(text[last:])
		commented := mustParse(t, b.String())
		if diff := cmp.Diff(mustParse(t, text), commented, sameTree); diff != "" {
			t.Fatal(diff)
		}
		roundTrip(t, commented)
	})
}

// comment draws a comment with the blanks around it.
func (g *generator) comment() string {
	return rapid.SampledFrom([]string{
		" (* a *) ", "\n(* b *)\n", " // c\n", "\n\n  # d\n", "(* e\n   f\n g (* h *)\n*)", "/* i */",
		"\n\n\n/* j\n\n k */\n\n", " //\n", "\r\n(* l\r\n m *)\r\n",
	}).Draw(g.t, "comment")
}
