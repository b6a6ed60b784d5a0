package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// kinds are the prefixes of tokens in the table below.
var kinds = map[kind]string{
	kindName: "n:", kindTag: "t:", kindString: "s:", kindKeyword: "k:", kindSymbol: "",
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // tokens with their kinds, separated by blanks
	}{
		{"names", "po po-loc membar.cta po-1 _x x' f_2 B", "n:po n:po-loc n:membar.cta n:po-1 n:_x n:x' n:f_2 n:B"},
		{"a name ends behind its quote", "x'y", "n:x' n:y"},
		{"a name takes a dash", "x->y", "n:x- n:> n:y"},
		{"keywords", "let rec x in letx", "k:let k:rec n:x k:in n:letx"},
		{"tags", "'acq 'ACQ_REL 'once'", "t:'acq t:'ACQ_REL t:'once'"},
		{"strings", `"cos.cat" "" "a (* b"`, `s:"cos.cat" s:"" s:"a (* b"`},
		{"operators", `a|b;c\d&e*f`, `n:a | n:b ; n:c \ n:d & n:e * n:f`},
		{"longest first", "a+++b^-1||c&&d->e", "n:a ++ + n:b ^-1 || n:c && n:d- n:> n:e"},
		{"constants", "0 {} _ () __x", "0 { } _ ( ) _ n:_x"},
		{"an empty comment", "a (**) b", "n:a n:b"},
		{"a nested comment", "a (* (* *) x *) b", "n:a n:b"},
		{"a comment of stars", "a (***) b", "n:a n:b"},
		{"stars and parentheses", "(r*)", "( n:r * )"},
		{"line comments", "a // b (*\nc # d (*\ne", "n:a n:c n:e"},
		{"a C comment", "a /* /* b */ c", "n:a n:c"},
		{"UTF-8 in comments and strings", "(* ∀ *) \"é\"", "s:\"é\""},
		{"a byte order mark", "\uFEFFlet", "k:let"},
		{"ends of line", "a\r\nb\rc\fd", "n:a n:b n:c n:d"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(tokens(t, tt.text), " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// tokens lists the tokens of text and checks that each stands where it says.
func tokens(t *testing.T, text string) []string {
	var list []string
	scanned, _, _ := scan(src.NewFile("test.cat", text))
	last := len(scanned) - 1
	for _, tok := range scanned[:last] {
		if got := text[tok.start:tok.end]; got != tok.text {
			t.Errorf("%q has the place of %q", tok.text, got)
		}
		list = append(list, kinds[tok.kind]+tok.text)
	}
	if scanned[last].kind != kindEOF {
		t.Errorf("the last token is %q", scanned[last].text)
	}
	return list
}

func TestScannerStopsAfterManyErrors(t *testing.T) {
	_, err := Parse(src.NewFile("test.cat", strings.Repeat("let x = @ \n", 10*maxErrors)))
	errs, ok := err.(src.Diagnostics)
	if !ok || len(errs) != maxErrors+1 {
		t.Fatalf("got %d errors, want %d", len(errs), maxErrors+1)
	}
	if last := errs[maxErrors].Message; last != "too many errors: not all are shown" {
		t.Errorf("the last error is %q", last)
	}
}
