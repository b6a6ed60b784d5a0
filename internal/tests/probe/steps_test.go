package probe

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/sim"
)

// TestTogether drops parts that can only be dropped together.
func TestTogether(t *testing.T) {
	tests := []struct{ name, text, step string }{
		{
			"a barrier that one thread alone would wait at", `PTX MP+barriers
{ x; y; }
 P0@cta 0            | P1@cta 0             ;
 st.weak x, 1        | ld.acquire.cta r1, y ;
 st.release.cta y, 1 | ld.weak r2, x        ;
 bar.cta.sync 0, 0, 2| bar.cta.sync 0, 0, 2 ;
exists (1:r1=1 /\ 1:r2=0)`,
			"dropped bar.cta.sync 0, 0, 2 of P0 and bar.cta.sync 0, 0, 2 of P1",
		},
		{
			"computations that cancel out", `PTX LB+datas
{ x; y; }
 P0@cta 0      | P1@cta 1      ;
 ld.weak r1, x | ld.weak r1, y ;
 xor r1, r1, 5 | st.weak x, r1 ;
 xor r1, r1, 5 |               ;
 st.weak y, r1 |               ;
exists (1:r1=1)`,
			"dropped xor r1, r1, 5 of P0 and xor r1, r1, 5 of P0",
		},
		{
			"three of them", `PTX LB+datas
{ x; y; }
 P0@cta 0      | P1@cta 1      ;
 ld.weak r1, x | ld.weak r1, y ;
 add r1, r1, 5 | st.weak x, r1 ;
 add r1, r1, 5 |               ;
 sub r1, r1, 10|               ;
 st.weak y, r1 |               ;
exists (1:r1=1)`,
			"dropped add r1, r1, 5 of P0 and add r1, r1, 5 of P0 and sub r1, r1, 10 of P0",
		},
	}
	for _, test := range tests {
		m := minimize(t, loadText(t, test.text), "ptx")
		if !slices.Equal(m.Steps, []string{test.step}) || m.After != 4 {
			t.Errorf("%s: %v\n%s", test.name, m.Steps, m.Test)
		}
	}
}

// TestNothingVacuous: instructions that set the registers and locations of the condition stay, even
// if the property does not need them.
func TestNothingVacuous(t *testing.T) {
	anything := func(context.Context, *sim.Test) (bool, error) { return true, nil }
	tests := []struct{ condition, want string }{
		{"1:%r1=1", " P1@cta 0         ;\n ld.weak %r1, [y] ;\nexists (1:%r1=1)\n"},
		{"x=1", " P0@cta 0       ;\n st.weak [x], 1 ;\nexists ([x]=1)\n"},
		{"z=1", " P0@cta 0       ;\n st.weak [x], 1 ;\nexists ([z]=1)\n"}, // z is x
		{"y=1", " P2@cta 0                ;\n st.weak.u32 [%rd1], %r1 ;\nexists ([y]=1)\n"},
		{"2:%r1=3", " P2@cta 0 ;\nexists (2:%r1=3)\n"}, // no instruction has set it
	}
	for _, test := range tests {
		m, err := Minimize(t.Context(), loadText(t, `PTX anything
{ x; y; z @ generic aliases x; P2:%rd1=y; P2:%r1=3; }
 P0@cta 0       | P1@cta 0         | P2@cta 0                ;
 st.weak [x], 1 | ld.weak %r1, [y] | st.weak.u32 [%rd1], %r1 ;
 ret            |                  | ret                     ;
exists (`+test.condition+")").Test, forStates(), anything)
		if err != nil {
			t.Fatal(err)
		}
		_, program, _ := strings.Cut(m.Test.String(), "\n}\n")
		if diff := cmp.Diff(test.want, program); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.condition, diff)
		}
	}
}

// TestThreadsGoWhole drops a whole thread in one step, although it sets a register of the same name
// as one that the condition asks another thread for.
func TestThreadsGoWhole(t *testing.T) {
	anything := func(context.Context, *sim.Test) (bool, error) { return true, nil }
	m, err := Minimize(t.Context(), loadText(t, `PTX threads
{ x; P1:r1=3; }
 P0@cta 0      | P1@cta 0 ;
 ld.weak r1, x | ret      ;
exists (1:r1=3)`).Test, forStates(), anything)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"dropped P0", "dropped ret of P1", "dropped x, which nothing uses"}
	if diff := cmp.Diff(want, m.Steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
