package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// packedPassing are message-passing tests with packed atomics and the results of the model ptx. A
// flag that both threads access as pairs synchronizes; one that the other thread accesses as a
// whole races.
var packedPassing = []struct{ name, release, acquire, verdict, flags string }{
	{
		"pair-pair", "red.release.gpu.add.noftz.f16x2 [x],0x3c003c00", "atom.acquire.gpu.add.noftz.f16x2 r0,[x],0",
		"forbidden", "",
	},
	{"pair-word", "red.release.gpu.add.noftz.f16x2 [x],0x3c003c00", "ld.acquire.gpu.u32 r0,[x]", "allowed", "race"},
	{"word-pair", "st.release.gpu.u32 [x],0x3c003c00", "atom.acquire.gpu.add.noftz.f16x2 r0,[x],0", "allowed", "race"},
}

// packedTests returns the tests of packedPassing.
func packedTests(t *testing.T) (tests []*expectedTest) {
	t.Helper()
	for _, p := range packedPassing {
		text := "PTX " + p.name + "\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak.u32 [y],1 | " +
			p.acquire +
			" ;\n " + p.release + " | ld.weak.u32 r1,[y] ;\nfilter (1:r0=0x3c003c00)\nexists (1:r1=0)"
		tests = append(tests,
			&expectedTest{Test: simtest.Load(t, text, sim.Defaults()), verdict: p.verdict, flags: p.flags})
	}
	return tests
}

// TestPackedPassing: a flag of two halves is passed on as a pair.
func TestPackedPassing(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	for _, e := range packedTests(t) {
		if !e.holds(m) {
			r := simtest.Run(t, e.Test, m)
			t.Errorf("%s: %v, flags %q; want %s, flags %q", e.Name.Text, r.Outcome(), r.Flags, e.verdict, e.flags)
		}
	}
}

// TestPacked: atomics of packed types and of vectors are one atomic for each number, unordered, so
// two threads may observe the halves of a word in different orders (PTX ISA, "Packed Data-types",
// "Vector Data-types"). Accesses to the whole word overlap them partially and race unless something
// orders them. All engines agree.
func TestPacked(t *testing.T) {
	const two = " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
	for _, test := range []struct {
		name, text, states string
		race               bool
	}{
		{
			"two pairs",
			"{ x=0; }\n" + two +
				" atom.add.noftz.f16x2 r0,[x],0x3c003c00 | atom.add.noftz.f16x2 r0,[x],0x40003c00 ;\nlocations [x;]\n" +
				"exists (0:r0=0x3c00 /\\ 1:r0=0x3c000000)",
			"0:r0=0; 1:r0=1006648320; [x]=1107312640; | 0:r0=15360; 1:r0=1006632960; [x]=1107312640; | " +
				"0:r0=1073741824; 1:r0=15360; [x]=1107312640; | 0:r0=1073757184; 1:r0=0; [x]=1107312640;", false,
		},
		{
			"a sum of each half, without a carry",
			"{ x=0x00008000; }\n" + two +
				" red.add.noftz.bf16x2 [x],0x3f808000 | nanosleep.u32 1 ;\nexists (x=0x3f808000)",
			"[x]=1065385984;", false,
		},
		{
			"a pair and a word",
			"{ x=0; }\n" + two +
				" red.relaxed.gpu.add.noftz.f16x2 [x],0x3c003c00 | atom.relaxed.gpu.exch.b32 r0,[x],7 ;\n" +
				"exists (1:r0=0x3c00)",
			"1:r0=0; | 1:r0=15360; | 1:r0=1006632960; | 1:r0=1006648320;", true,
		},
		{
			"a pair and a strong load of the word",
			"{ x=0; }\n" + two + " red.add.noftz.f16x2 [x],0x3c003c00 | ld.relaxed.gpu.u32 r0,[x] ;\nexists (1:r0=0)",
			"1:r0=0; | 1:r0=15360; | 1:r0=1006632960; | 1:r0=1006648320;", true,
		},
		{
			"pairs of which one does not reach the other",
			"{ x=0; }\n" + two +
				" red.relaxed.cta.add.noftz.f16x2 [x],0x3c003c00 | red.add.noftz.f16x2 [x],0x3c003c00 ;\nexists (x=0)",
			"", true,
		},
		{
			"a pair that a barrier orders",
			"{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.u32 [x],0x3c003c00 | bar.sync 0 ;\n" +
				" bar.sync 0 | red.add.noftz.f16x2 [x],0x3c003c00 ;\n bar.sync 1 | bar.sync 1 ;\n ld.u32 r0,[x] | ;\n" +
				"exists (0:r0=0)",
			"0:r0=1073758208;", false,
		},
		{
			"a release by a pair",
			"{ x=0; y=0; }\n" + two +
				" st.u32 [y],1 | atom.acquire.gpu.add.noftz.f16x2 r0,[x],0 ;\n" +
				" red.release.gpu.add.noftz.f16x2 [x],0x3c003c00 | ld.u32 r1,[y] ;\nfilter (1:r0=0x3c003c00)\n" +
				"exists (1:r1=0)",
			"1:r0=1006648320; 1:r1=1;", false,
		},
		{
			"vectors",
			"{ a[2]={0,0}; }\n" + two +
				" atom.global.add.v2.f32 {r0,r1},[a],{0f3F800000,0f3F800000} | red.global.add.v2.f32 " +
				"[a],{0f3F800000,0f40000000} ;\nlocations [a[0]; a[1];]\nexists (0:r0=0 /\\ 0:r1=0x40000000)",
			"0:r0=0; 0:r1=0; a[0]=1073741824; a[1]=1077936128; | 0:r0=0; 0:r1=1073741824; a[0]=1073741824; " +
				"a[1]=1077936128; | 0:r0=1065353216; 0:r1=0; a[0]=1073741824; a[1]=1077936128; | 0:r0=1065353216; " +
				"0:r1=1073741824; a[0]=1073741824; a[1]=1077936128;", false,
		},
		{
			"registers that change places",
			"{ a[2]={1,2}; 0:r0=0; 0:r1=0; }\n" + two +
				" atom.global.add.v2.f32 {r0,r1},[a],{r1,r0} | nanosleep.u32 1 ;\nexists (0:r0=1 /\\ 0:r1=2)",
			"0:r0=1; 0:r1=2;", false,
		},
		{
			"eight halves",
			"{ a[4]={0,0,0,0}; }\n" + two +
				" red.global.max.noftz.v8.bf16 [a],{1,0,0,0,0,0,0,0x4000} | ld.relaxed.gpu.u32 r0,[a+12] ;\n" +
				"exists (1:r0=0x40000000)",
			"1:r0=0; | 1:r0=1073741824;", true,
		},
		{
			"vectors and their elements",
			"{ a[4]={0,0,0,0}; }\n" + two +
				" red.global.add.v4.f32 [a],{0f3F800000,0f3F800000,0f3F800000,0f3F800000} | ld.relaxed.gpu.v4.f32 " +
				"{r0,r1,r2,r3},[a] ;\nfilter (1:r0=0 /\\ 1:r1=0x3f800000 /\\ 1:r2=0)\nexists (1:r3=0)",
			"1:r0=0; 1:r1=1065353216; 1:r2=0; 1:r3=0; | 1:r0=0; 1:r1=1065353216; 1:r2=0; 1:r3=1065353216;", false,
		},
		{
			"numbers of one size",
			"{ x=0; }\n" + two + " atom.add.f32 r0,[x],0f3F800000 | atom.add.u32 r0,[x],1 ;\nexists (x=0x3f800001)", "",
			false,
		},
		{
			"sums of 16 bits",
			"{ x=0x3c00; }\n" + two +
				" atom.add.noftz.f16 r0,[x],0x3c00 | red.add.noftz.f16 [x],0x3c00 ;\nlocations [x;]\n" +
				"exists (0:r0=0x3c00)",
			"0:r0=15360; [x]=16896; | 0:r0=16384; [x]=16896;", false,
		},
		{
			"copies that add halves",
			"{ g=0x3c003c00; shared s=0x3c003c00; }\n P0@cta 0,cluster 0 ;\n" +
				" cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [g],[s],16 ;\n" +
				" cp.async.bulk.commit_group ;\n cp.async.bulk.wait_group 0 ;\nexists (g=0x40004000)",
			"[g]=1073758208;", false,
		},
	} {
		models, engines := []string{"ptx", "ptx-7.5", "ptx-6.0"}, []sim.Engine{sim.Fast, sim.Naive, sim.Learning}
		if strings.Contains(test.text, ".v4") || strings.Contains(test.text, ".v8") {
			models, engines = models[:1], engines[:1] // with many executions
		}
		for _, name := range models {
			if name != "ptx" && test.name == "copies that add halves" {
				continue // they do not define such copies
			}
			m := simtest.LoadModel(t, name)
			for _, engine := range engines {
				r := simtest.Run(t, simtest.Load(t, "PTX packed\n"+test.text, sim.Config{Engine: engine}), m)
				if got := simtest.States(r); test.states != "" && got != test.states {
					t.Errorf("%s, %s, %v:\n%s, want\n%s", test.name, name, engine, got, test.states)
				}
				if got := slices.Contains(r.Flags, "race"); got != test.race {
					t.Errorf("%s, %s, %v: a race: %t, want %t", test.name, name, engine, got, test.race)
				}
			}
		}
	}
}
