package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
)

// finalsOf returns what the registers of each thread hold at the end of its first path: "r0=1
// r1=2".
func finalsOf(t *testing.T, text string) []string {
	t.Helper()
	p := load(t, text)
	var all []string
	for thread := range p.Paths {
		var words []string
		for i := range len(p.Paths[thread][0].Finals) {
			name := fmt.Sprintf("r%d", i)
			x := p.Paths[thread][0].Finals[name]
			if c, ok := x.(event.Const); ok {
				words = append(words, fmt.Sprint(event.Value(c).Int))
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// TestSpecialRegisters: special registers tell where the placement of the test has a thread.
func TestSpecialRegisters(t *testing.T) {
	code := func(names string) string {
		var rows []string
		for i, name := range strings.Fields(names) {
			cell := fmt.Sprintf("mov.u32 r%d, %s", i, name)
			rows = append(rows, strings.Repeat(cell+" | ", 3)+cell+" ;")
		}
		return strings.Join(rows, "\n")
	}
	for _, tt := range []struct {
		name, header, after, registers string
		want                           []string
	}{
		{
			"threads of two CTAs", "P0@cta 0 | P1@cta 0 | P2@cta 1 | P3@cta 2 ;", "",
			"%tid.x %ntid.x %ctaid.x %nctaid.x %clusterid.x %laneid %warpid %nwarpid",
			[]string{"0 2 0 3 0 0 0 2", "1 2 0 3 0 0 1 2", "0 2 1 3 1 0 0 1", "0 2 2 3 2 0 0 1"},
		},
		{
			"the numbers of the header", "P0@cta 3,gpu 0 | P1@cta 1,gpu 0 | P2@cta 1,gpu 1 | P3@cta 0,gpu 1 ;", "",
			"%ctaid.x %nctaid.x %gridid %tid.y %ntid.z %ctaid.z %nctaid.y WARP_SZ",
			[]string{"3 4 0 0 1 0 1 32", "1 4 0 0 1 0 1 32", "1 2 1 0 1 0 1 32", "0 2 1 0 1 0 1 32"},
		},
		{
			"clusters", "P0@cta 0,cluster 0 | P1@cta 1,cluster 0 | P2@cta 0,cluster 1 | P3@cta 1,cluster 1 ;", "",
			"%ctaid.x %nctaid.x %clusterid.x %nclusterid.x %cluster_ctarank %cluster_nctarank %cluster_ctaid.x %cluster_nctaid.x",
			[]string{"0 4 0 2 0 2 0 2", "1 4 0 2 1 2 1 2", "2 4 1 2 0 2 0 2", "3 4 1 2 1 2 1 2"},
		},
		{
			"a scope tree", "P0 | P1 | P2 | P3 ;", "(device (kernel (cta (warp P1 P0) (warp P2)) (cta P3)))",
			"%tid.x %laneid %warpid %ctaid.x %lanemask_eq %lanemask_lt %lanemask_le %lanemask_ge %lanemask_gt",
			[]string{"0 0 0 0 1 0 1 -1 -2", "1 1 0 0 2 1 3 -2 -4", "2 0 1 0 1 0 1 -1 -2", "0 0 0 1 1 0 1 -1 -2"},
		},
	} {
		got := finalsOf(t, "PTX test\n{}\n"+tt.header+"\n"+code(tt.registers)+"\n"+tt.after+"\nforall (true)")
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %s of P%d are %s, want %s", tt.name, tt.registers, i, got[i], tt.want[i])
			}
		}
	}
}

// TestHintsAreIgnored: hints change nothing of what a thread does, and what only takes time
// or fetches ahead is no event.
func TestHintsAreIgnored(t *testing.T) {
	paths := func(code string) string {
		p := load(t, "PTX test\n{ x=0; P0:r9=0; }\nP0 ;\n"+code+";\nforall (true)")
		return strings.Join(showPaths(p), "\n")
	}
	for with, without := range map[string]string{
		"ld.global.L1::evict_last.L2::128B.u32 r1, [x]":                              "ld.global.u32 r1, [x]",
		"ld.relaxed.gpu.global.L1::no_allocate.u32 r1, [x]":                          "ld.relaxed.gpu.global.u32 r1, [x]",
		"ld.L2::cache_hint.u32 r1, [x], policy":                                      "ld.u32 r1, [x]",
		"st.global.L1::evict_first.L2::cache_hint.u32 [x], 1, %rd7":                  "st.global.u32 [x], 1",
		"atom.add.L2::cache_hint.u32 r1, [x], 1, r9":                                 "atom.add.u32 r1, [x], 1",
		"atom.cas.L2::cache_hint.b32 r1, [x], 1, 2, r9":                              "atom.cas.b32 r1, [x], 1, 2",
		"red.add.L2::cache_hint.u32 [x], 1, r9":                                      "red.add.u32 [x], 1",
		"prefetch.global.L2 [x] ; prefetchu.L1 [x] ; nanosleep.u32 100 ; ld r1, [x]": "ld r1, [x]",
		"applypriority.global.L2::evict_normal [x], 128 ; nanosleep r9 ; st [x], 1":  "st [x], 1",
		"ld.global.cs.u32 r1, [x]":                                                   "ld.global.u32 r1, [x]",
		"ld.weak.global.lu.L2::cache_hint.u32 r1, [x], r9":                           "ld.global.u32 r1, [x]",
		"st.global.cs.u32 [x], 1":                                                    "st.global.u32 [x], 1",
		"setmaxnreg.dec.sync.aligned.u32 24 ; ld r1, [x]":                            "ld r1, [x]",
		"griddepcontrol.wait ; ld r1, [x]":                                           "ld r1, [x]",
		"ld r1, [x] ; griddepcontrol.launch_dependents":                              "ld r1, [x]",
		"cp.async.bulk.prefetch.L2.global [x], 16 ; st [x],1":                        "st [x], 1",
	} {
		named := strings.ReplaceAll(paths(with), ".L2::cache_hint", "") // in the operation of an atomic
		if got, want := named, paths(without); got != want {
			t.Errorf("%s is\n%s, want\n%s", with, got, want)
		}
	}
}

// TestCachePolicies: what createpolicy makes is opaque, and good for .L2::cache_hint alone.
func TestCachePolicies(t *testing.T) {
	for _, made := range []string{
		"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 q, 0.25", "createpolicy.fractional.L2::evict_first.b64 q",
		"createpolicy.range.global.L2::evict_last.b64 q, [x], 0x1000, r9", "createpolicy.cvt.L2.b64 q, r9",
	} {
		p := load(t, "PTX test\n{ x=0; P0:r9=0; }\nP0 ;\n"+made+" ; ld.global.L2::cache_hint.u32 r1, [x], q;\nforall (true)")
		want := "R.ca[x] | q=a cache policy r1=v0 r9=0"
		if got := strings.Join(showPaths(p), "\n"); got != want {
			t.Errorf("%s: got  %s\nwant %s", made, got, want)
		}
	}
	for use, want := range map[string]string{
		"add.u64 q, q, 1":                  "add of the state of an object has no meaning: it is opaque, and can only be moved",
		"ld.u32 r1, [q]":                   "what is opaque is used as an address",
		"mbarrier.pending_count.b64 r1, q": "this is no state of an mbarrier: an arrival returns one",
	} {
		_, err := newAsync("PTX test\n{ x=0; }\nP0 ;\ncreatepolicy.fractional.L2::evict_last.b64 q, 1.0 ; " + use + ";\nforall (true)")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", use, err, want)
		}
	}
}

// TestLaunches: between grids of one test nothing is launched because of another.
func TestLaunches(t *testing.T) {
	program := "PTX test\n{ x=0; }\nP0 | P1 ;\nst [x],1 | griddepcontrol.wait ;\n | ld r1,[x] ;\nScopeTree(%s)\nforall (true)"
	if _, err := newAsync(fmt.Sprintf(program, "grid(cta P0) (cta P1)")); err != nil {
		t.Error(err)
	}
	_, err := newAsync(fmt.Sprintf(program, "(grid(cta P0)) (grid (cta P1))"))
	if want := "launched because of another"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestStateSpaces: a parameter is what the initial state says and no event; local memory is
// memory of one thread; constants are read through their proxy.
func TestStateSpaces(t *testing.T) {
	p := load(t, `PTX test
{ x=7; p=x; n=5; l=0; k=3; }
P0 ;
ld.param.u64 r1, [p] ; ld.param.u32 r2, [n] ; ld.global.u32 r3, [r1] ;
st.local.u32 [l], r2 ; ld.local.u32 r4, [l] ; ld.const.u32 r5, [k] ;
forall (true)`)
	want := "R.ca[x] W.wb[l]=5 R.ca[l] R[k] | r1=x r2=5 r3=v0 r4=v2 r5=v3"
	if got := strings.Join(showPaths(p), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if proxy := ProxyOf(&p.Paths[0][0].Events[3]); proxy != isa.ProxyConstant {
		t.Errorf("ld.const reads through the %v proxy", proxy)
	}
}

// TestNarrowAccesses: memory keeps the low bits of what is stored, and a load fills the register
// with zeros or with the sign, as its type says.
func TestNarrowAccesses(t *testing.T) {
	for code, want := range map[string]string{
		"st.u8 [x], 300 ; ld.u8 r0, [x]":                               "44",
		"st.u8 [x], 200 ; ld.u8 r0, [x]":                               "200",
		"st.u8 [x], 200 ; ld.s8 r0, [x]":                               "-56",
		"st.s8 [x], -1 ; ld.b8 r0, [x]":                                "255",
		"st.s16 [x], -1 ; ld.u16 r0, [x]":                              "65535",
		"st.b16 [x], 0x18000 ; ld.s16 r0, [x]":                         "-32768",
		"ld.u8 r0, [y]":                                                "254",
		"ld.s8 r0, [y]":                                                "-2",
		"st.b16 [x], 0xffff ; atom.cas.b16 r0, [x], 0xffff, 65537":     "65535",
		"st.b16 [x], 7 ; atom.cas.b16 r1, [x], 7, -1 ; ld.u16 r0, [x]": "65535",
		"st.b128 [x], 5 ; atom.exch.b128 r0, [x], 6":                   "5",
		"st.f32 [x], 0f3F800000 ; ld.b32 r0, [x]":                      "1065353216",
	} {
		p := load(t, "PTX test\n{ x=0; y=-2; }\nP0 ;\n"+code+" ;\nforall (true)")
		if got := lastOf(t, p, "r0"); got != want {
			t.Errorf("%s ends with %s, want %s", code, got, want)
		}
	}
}

// lastOf returns what a register of a program of one thread holds at the end, if each of its reads
// returns what was last written.
func lastOf(t *testing.T, p *Program, register string) string {
	t.Helper()
	for _, path := range p.Paths[0] {
		memory := map[event.Loc]event.Value{}
		for l := range p.Locs {
			memory[l] = p.Locs[l].Init
		}
		values := map[int]event.Value{}
		env := func(n int) (event.Value, bool) { return values[n], true }
		for i := range path.Events {
			e := &path.Events[i]
			l := event.Value(e.Addr.(event.Const)).Base
			if e.Kind == event.Read {
				values[i] = memory[l]
				continue
			}
			v, err := e.Data.Eval(env)
			if err != nil {
				t.Fatal(err)
			}
			memory[l] = v
		}
		taken := true
		for _, c := range path.Conds {
			v, err := c.X.Eval(env)
			taken = taken && err == nil && v.True() == c.Want
		}
		if !taken {
			continue
		}
		v, err := path.Finals[register].Eval(env)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(v.Int)
	}
	return "no path"
}

// TestConditionsOnNarrowLocations: a condition may write a value of 8 bits with or without sign.
func TestConditionsOnNarrowLocations(t *testing.T) {
	p := load(t, "PTX test\n{ x=-1; }\nP0 ;\nst.u8 [x], 200 ;\nexists (x=-56 /\\ x=200)")
	if got, want := p.Normalize(p.Test.Cond.Prop).String(), "[x]=200 /\\ [x]=200"; got != want {
		t.Errorf("the condition is %s, want %s", got, want)
	}
	if got := p.Locs[0].Init; got != event.Int(255) {
		t.Errorf("x holds %v at the start, want 255", got)
	}
}

// TestTwoDestinations: elect.sync elects the first lane of its mask that the test has, and the
// second destination of setp is the opposite of the first.
func TestTwoDestinations(t *testing.T) {
	const text = `PTX two
{ }
 P0 | P1 | P2 ;
 elect.sync r0|p, -1 | elect.sync r0|p, -1 | elect.sync r0|p, 0xffffffff ;
 selp.u32 r1, 1, 0, p | selp.u32 r1, 1, 0, p | selp.u32 r1, 1, 0, p ;
 setp.lt.u32 r2|r3, 1, 2 | elect.sync _|r2, 2 | setp.eq.u32 r2|_, 1, 2 ;
ScopeTree (device (kernel (cta (warp P0 P1) (warp P2))))
forall (true)
`
	want := []string{"0 1 1 0", "0 0 1", "0 1 0"}
	for i, got := range finalsOf(t, text) {
		if fields := strings.Fields(got); strings.Join(fields, " ") != want[i] {
			t.Errorf("P%d has %s, want %s", i, got, want[i])
		}
	}
}
