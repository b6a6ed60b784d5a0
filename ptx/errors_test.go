package ptx

import (
	"testing"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the tests of testdata/errors: what New says of them, their comments tell.
func TestErrors(t *testing.T) {
	expect.Files(t, "testdata/errors/*.litmus", func(t *testing.T, f *src.File) {
		test, err := litmus.Parse(f, Formats())
		if err != nil {
			t.Fatal(err)
		}
		prog, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
		got, ok := err.(src.Diagnostics)
		if !ok || prog != nil {
			t.Errorf("%v, want src.Diagnostics", err)
		}
		expect.Errors(t, f, got)
	})
}
