package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// inner has a thread for each element of an image of 20 columns, and some more: it writes to its
// element, unless that is in the border.
const inner = `.version 7.0
.target sm_70
.address_size 64
.visible .entry inner(.param .u64 A, .param .u32 border)
{
	.reg .pred %p<3>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [A];
	ld.param.u32 %r1, [border];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %tid.y;
	sub.s32 %r4, 20, %r1;
	setp.lt.s32 %p1, %r2, %r1;
	@%p1 bra DONE;
	setp.ge.s32 %p2, %r2, %r4;
	@%p2 bra DONE;
	mad.lo.s32 %r5, %r3, 20, %r2;
	mul.wide.s32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
DONE:
	ret;
}
`

// apart has each thread write to an element of its own, if the stride is not 0.
const apart = `.version 7.0
.target sm_70
.address_size 64
.visible .entry apart(.param .u64 A, .param .u32 stride)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [A];
	ld.param.u32 %r1, [stride];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r1, %r2;
	shl.b64 %rd3, %rd2, 2;
	add.s64 %rd4, %rd1, %rd3;
	st.global.u32 [%rd4], %r2;
	ret;
}
`

// TestPromises: kernels that go wrong only for senseless arguments. The promise that verify
// suggests is enough and the weakest, and kernels that go wrong anyway get none.
func TestPromises(t *testing.T) {
	wider := strings.Replace(inner, "sub.s32 %r4, 20", "sub.s32 %r4, 21", 1)
	for _, c := range []struct {
		name, text string
		rows       int
		least      map[string]int64
		want       verify.Verdict
		promises   []string
	}{
		{"a border", inner, 4, nil, verify.Alarmed, []string{"border >= 0"}},
		{"a border that is not negative", inner, 4, map[string]int64{"border": 0}, verify.Verified, nil},
		{"a border of at least -1", inner, 4, map[string]int64{"border": -1}, verify.Alarmed, nil},
		{"a column too many", wider, 4, nil, verify.Alarmed, []string{"border >= 1"}},
		{"a column too many, and a border that is not negative", wider, 4, map[string]int64{"border": 0}, verify.Alarmed, nil},
		{"a column too many, and a border", wider, 4, map[string]int64{"border": 1}, verify.Verified, nil},
		{"two columns too many", strings.Replace(inner, "sub.s32 %r4, 20", "sub.s32 %r4, 23", 1), 4, nil, verify.Alarmed, nil},
		{"a stride", apart, 1, nil, verify.Alarmed, []string{"stride >= 1"}},
		{"a stride that is not 0", apart, 1, map[string]int64{"stride": 1}, verify.Verified, nil},
		{"no stride", strings.Replace(apart, "%rd2, %r1, %r2", "%rd2, %r1, 1", 1), 1, nil, verify.Alarmed, nil},
	} {
		m, err := kernel.Parse(src.NewFile("promises.ptx", c.text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{24, c.rows, 1}}, Least: c.least,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want || !slices.Equal(r.Promises, c.promises) {
			t.Errorf("%s: %s, %v; want %s, %v", c.name, r.Verdict, r.Promises, c.want, c.promises)
		}
		for name := range c.least {
			if r.Verdict == verify.Verified && !slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.HasPrefix(s, name+" >= ") }) {
				t.Errorf("%s: what is given is not said: %v", c.name, r.Assumptions)
			}
		}
	}
}

// TestManyPromises: a kernel whose threads all write to one cell if one of its parameters is
// negative needs a promise for each parameter. If they are too many, no promise is reported.
func TestManyPromises(t *testing.T) {
	for n, want := range map[int][]string{1: {"a >= 0"}, 4: {"a >= 0", "b >= 0", "c >= 0", "d >= 0"}, 5: nil} {
		params, body := "", ""
		for i := range n {
			name := string(rune('a' + i))
			params += ", .param .u32 " + name
			body += "ld.param.u32 %r2, [" + name + "]; setp.lt.s32 %p1, %r2, 0; @%p1 st.global.u32 [%rd1], %r1;\n"
		}
		m, err := kernel.Parse(src.NewFile("promises.ptx", head+".visible .entry k(.param .u64 A"+params+") { .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"+
			"ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x;\n"+body+"ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{24, 1, 1}}})
		if err != nil || r.Verdict != verify.Alarmed || !slices.Equal(r.Promises, want) {
			t.Errorf("%d parameters: %s, %v, %v; want %v", n, r.Verdict, r.Promises, err, want)
		}
	}
}
