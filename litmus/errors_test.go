package litmus

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the tests of testdata/errors, whose comments tell their errors.
func TestErrors(t *testing.T) {
	expect.Files(t, "testdata/errors/*.litmus", func(t *testing.T, f *src.File) {
		test, err := Parse(f, formats)
		if test != nil || err == nil {
			t.Error("no error")
		}
		got, _ := err.(src.Diagnostics)
		expect.Errors(t, f, got)
	})
}

// Limits are errors of their own.
func TestLimits(t *testing.T) {
	tests := map[string]string{
		"{}\nP0" + strings.Repeat("|", MaxThreads) + ";":                    "1025 columns: a program has at most 1024",
		"{}\nP0;\nexists " + strings.Repeat("(", maxDepth+1) + "true":       "nested more than 1000 deep",
		"{}\nP0;\nexists " + strings.Repeat("~", maxDepth+1) + "true":       "nested more than 1000 deep",
		"{}\nP0;\nexists " + strings.Repeat("true =>", maxDepth+1) + "true": "nested more than 1000 deep",
		"{}\nP0;\n" + strings.Repeat("(", maxDepth+1):                       "nested more than 1000 deep",
		"{}\nP0;\n" + strings.Repeat("| |;\n", maxErrors+1):                 "too many errors: no more are reported",
		"{}\nP0;\nexists 0:r1=" + strings.Repeat("x", 2*maxMessage):         "xxx…",
	}
	for text, want := range tests {
		_, err := Parse(src.NewFile("limits", "PTX x\n"+text), formats)
		ds, _ := err.(src.Diagnostics)
		if len(ds) == 0 || !strings.HasSuffix(ds[len(ds)-1].Message, want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	many := "{}\nP0;\nexists " + strings.Repeat("true /\\ ", 20*maxDepth) + "true"
	if _, err := Parse(src.NewFile("limits", "PTX x\n"+many), formats); err != nil {
		t.Errorf("a long conjunction: %v", err)
	}
}
