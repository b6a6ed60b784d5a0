package shrink

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// loadText reads a test, and its program too: what is no test is no step.
func loadText(text string) (*litmus.Test, error) {
	t, err := litmus.Parse(src.NewFile("test.litmus", text), ptx.Formats())
	if err != nil {
		return nil, err
	}
	_, err = ptx.New(t, frontend.Options{})
	return t, err
}

// codeOf reads the code of a test.
func codeOf(t *testing.T, text string) *code {
	t.Helper()
	test, err := loadText(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := read(test)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnused finds what the initial state declares for nothing, whatever the order.
func TestUnused(t *testing.T) {
	c := codeOf(t, `PTX unused
{ q=x; p=q; z=x; x; s @ surface aliases x; t @ texture aliases v; w; v;
  0:r1=p; 0:r2=z; 0:r3=1; 0:r4; 0:r5; }
 P0            ;
 ld r6, [r1]   ;
 @r5 tld r7, t ;
locations [v;]
filter 0:r4=0
exists (0:r6=0)`)
	want := []string{"0:r2", "0:r3", "s", "w", "z"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(c.unused()))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestReplacements lists what is tried in the place of registers that a thread computes: numbers,
// and of addresses that are accessed, where they come from.
func TestReplacements(t *testing.T) {
	c := codeOf(t, `PTX replacements
{ x; y; z; p=z; 0:r9=1; }
 P0                   ;
 mov.u64 %rd1, x      ;
 ld.u32 %r1, [y]      ;
 xor.b32 %r2, %r1, 4  ;
 cvt.u64.u32 %rd2, %r2;
 add.u64 %rd1, %rd1, %rd2 ;
 @%r1 st.u32 [%rd1+4], r9 ;
 ld.u64 %rd3, [p]     ;
 ld.u32 %r4, [%rd3]   ;
exists (0:%r4=7)`)
	tried := map[string][]string{}
	for _, s := range c.dropDependencies() {
		words := strings.TrimSuffix(s.words, " of P0")
		if rest, ok := strings.CutPrefix(words, "replaced "); ok {
			by, in, _ := strings.Cut(rest, " in ")
			from, to, _ := strings.Cut(by, " by ")
			words = from + " in " + in
			tried[words] = append(tried[words], to)
			continue
		}
		tried[words] = nil
	}
	numbers := []string{"1", "4", "7", "8", "0"}
	want := map[string][]string{
		"dropped the guard of @%r1 st.u32 [%rd1+4], r9": nil,
		"%r1 in xor.b32 %r2, %r1, 4":                    numbers,
		"%r2 in cvt.u64.u32 %rd2, %r2":                  numbers,
		"%rd1 in add.u64 %rd1, %rd1, %rd2":              numbers,
		"%rd2 in add.u64 %rd1, %rd1, %rd2":              numbers,
		"[%rd1+4] in @%r1 st.u32 [%rd1+4], r9":          {"[x+4]", "[z+4]"},
		"[%rd3] in ld.u32 %r4, [%rd3]":                  {"[z]"},
	}
	if diff := cmp.Diff(want, tried); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
