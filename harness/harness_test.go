package harness_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

var update = flag.Bool("update", false, "rewrite the expected kernels")

func parse(t *testing.T, text string) *litmus.Test {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile("test", text))
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func plan(t *testing.T, test *litmus.Test, target harness.Target) (*harness.Plan, error) {
	t.Helper()
	p, err := ptx.New(test, frontend.Options{Unroll: 1})
	if err != nil {
		t.Fatal(err)
	}
	return harness.NewPlan(test, p, target)
}

const mp = `GPU_PTX MP
{ x=0; y=0; }
 T0              | T1               ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y] ;
 membar.gl       | membar.cta       ;
 st.cg.s32 [y],1 | ld.cg.s32 r1,[x] ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (1:r0=1 /\ 1:r1=0)
`

const scoped = `PTX all
{ x=0; a[2]={1,2}; P1:r9=3; }
 P0@cta 0,cluster 0,gpu 0     | P1@cta 0,cluster 0,gpu 0 | P2@cta 1,cluster 0,gpu 0 ;
 st.release.gpu x,1           | ld.acquire.cluster r0,x  | atom.acq_rel.sys.cas r0,x,1,2 ;
 fence.sc.sys                 | and r1,r0,0x80000000     | red.relaxed.gpu.add x,5 ;
 bar.cta.sync 0               | bar.cta.sync 0           | LC00:                   ;
 ld.weak r2,a[1]              | setp.ne p0,r1,0          | ld.volatile r1,x        ;
 mov.u64 r3,a                 | @p0 add r9,r9,1          | bne r1,r0,LC00          ;
 ld.relaxed.cta r4,[r3+4]     | st.weak [a],r9           |                         ;
exists (P0:r4=2 /\ P1:r9=3 /\ x=7)
`

const aliases = `PTX aliases
{ x=0; y @ generic aliases x; z @ generic aliases y; w=0; }
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0    ;
 st.weak x, 1          | ld.acquire.gpu r1, w ;
 fence.proxy.alias     | ld.weak r2, z     ;
 st.release.gpu w, 1   | ld.weak r3, y     ;
exists (P1:r1=1 /\ P1:r2=0)
`

const ctasWithBarriers = `PTX barriers
{ x=0; y=0; }
 P0@cta 0,cluster 0,gpu 0       | P1@cta 0,cluster 0,gpu 0 | P2@cta 1,cluster 0,gpu 0     | P3@cta 1,cluster 0,gpu 0 ;
 st.weak x,1                    | bar.sync 2, 64           | bar.cta.sync 0               | bar.cta.sync 0           ;
 bar.arrive 2, 64               | ld.weak r1,x             | bar.cta.sync 1               | bar.cta.sync 1           ;
 barrier.cluster.arrive.release | barrier.cluster.arrive   | barrier.cluster.arrive.relaxed |                        ;
 barrier.cluster.wait           | barrier.cluster.wait     | barrier.cluster.wait.acquire |                          ;
                                |                          | ld.weak r1,x                 |                          ;
exists (P1:r1=0 \/ P2:r1=0)
`

// looped has a loop before a barrier, and the exit of a thread behind it.
const looped = `PTX looped
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0    | P2@cta 1,gpu 0 ;
 bar.sync 0     | LC00:             | st.weak x,1    ;
 ld.weak r1,x   | ld.volatile r2,y  | membar.gl      ;
                | bne r2,1,LC00     | st.volatile y,1 ;
                | bar.sync 0        | ;
                | setp.eq.s32 p,r2,1 | ;
                | @p exit           | ;
                | st.weak x,2       | ;
exists (P0:r1=0)
`

// vectors has accesses to vectors of elements, at every aligned position.
const vectors = `PTX vectors
{ a[4]; shared s[4]; f=0; P0:r1=1; }
 P0@cta 0,gpu 0                           | P1@cta 1,gpu 0                   ;
 ld.shared.v4.u32 {r2,r3,r4,r5}, [s]      | ld.acquire.gpu.v2.u32 {r1,r2}, [a+8] ;
 st.release.gpu.v2.u32 [a+8], {r1,r2}     | setp.eq.u32 p, r1, 1             ;
 st.volatile.v2.u32 [a], {1,2}            | @p ld.weak.v4.u32 {r3,r4,r5,r6}, [a] ;
exists (P1:r1=1 /\ P1:r6=0)
`

// images has a texture of an element that is written to, and a surface that all threads share.
const images = `PTX images
{ a[2]={1,2}; x=3; t @ texture aliases a; s @ surface aliases x; P1:r5=7; }
 P0@cta 0,gpu 0    | P1@cta 1,gpu 0            ;
 st.weak a,1       | setp.eq.u32 p,r5,7        ;
 tld.weak r1,t     | @p sust.weak s,r5         ;
 suld.weak r2,s    | sust.weak s,1             ;
exists (P0:r1=1 /\ P0:r2=3)
`

// wide has 64 bits in a register, in global memory and in shared memory, and its condition asks for
// them.
const wide = `PTX wide
{ y=0x100000002; shared s=0; P0:r1=-9223372036854775808; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0 ;
 st.weak.u64 [s], r1  | st.weak.u64 [y], 3 ;
 ld.weak.u64 r4, [y]  | ;
exists (P0:r4=0x100000002 /\ y=3 /\ s=-9223372036854775808)
`

// kernels is mp in two kernels.
var kernels = strings.Replace(mp, "(cta (warp T0)) (cta (warp T1))", "(kernel (cta T0)) (kernel (cta T1))", 1)

// gpus is mp on two GPUs.
var gpus = strings.Replace(mp, "(cta (warp T0)) (cta (warp T1))", "(device (cta T0)) (device (cta T1))", 1)

// TestGPUs: a test on two GPUs has a location on each, and its threads meet in a counter that both
// see; on one GPU it cannot be run.
func TestGPUs(t *testing.T) {
	p, err := plan(t, parse(t, gpus), harness.SM70)
	if err != nil {
		t.Fatal(err)
	}
	shape, err := p.Shape(harness.Usual())
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for _, b := range p.Buffers(harness.Usual(), shape) {
		at[b.Name] = b.GPU
	}
	if at["slot0"] != 0 || at["slot1"] != 1 || at["meeting"] != 0 || p.GPUs() != 2 {
		t.Errorf("%d GPUs, with %v", p.GPUs(), at)
	}
	if text := p.Kernels(); !strings.Contains(text, "red.relaxed.sys.global.add.u32 [%d_meet]") ||
		strings.Contains(text, "relaxed.gpu") {
		t.Error("they meet in a counter of one GPU")
	}
	var unable *harness.Unable
	if err := p.FitsOn(1); !errors.As(err, &unable) ||
		!strings.HasPrefix(unable.Why, "its threads are on 2 GPUs, and here 1 can play a test") {
		t.Errorf("on one: %v", err)
	}
	if err := p.FitsOn(2); err != nil {
		t.Errorf("on two: %v", err)
	}
	if _, err := p.Emit(harness.Usual()); !errors.As(err, &unable) ||
		unable.Why != "its threads are on 2 GPUs, and a program has one" {
		t.Errorf("emitted: %v", err)
	}
}

// TestKernels compares kernels with reviewed ones.
func TestKernels(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		target     harness.Target
	}{
		{"mp", mp, harness.SM70}, {"all", scoped, harness.SM90},
	} {
		p, err := plan(t, parse(t, tt.text), tt.target)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", tt.name+"."+tt.target.String()+".ptx")
		if *update {
			if err := os.WriteFile(file, []byte(p.Kernels()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), p.Kernels()); diff != "" {
			t.Errorf("%s (-update writes it anew):\n%s", file, diff)
		}
	}
}

// tensor returns a test with a tensor map in each state space.
func tensor(instruction string) string {
	return "PTX tensor\n{ shared s=0; g=0; t=g; shared m=g; }\n P0@cta 0 ;\n " + instruction + " ;\n" +
		" cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [t, {0}], [s] ;\n tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [t], [m], 128 ;\nexists (g=1)\n"
}

// TestUnable checks the reasons why tests cannot be run.
func TestUnable(t *testing.T) {
	header := func(body string) string { return strings.Replace(mp, "membar.cta       ;", body+" ;", 1) }
	for name, tt := range map[string]struct {
		text   string
		target harness.Target
		want   string
	}{
		"a surface of what has an address": {
			strings.Replace(images, " suld.weak r2,s    |", " ld.weak r2,x      |", 1), harness.SM90,
			"s is x through the surface proxy: P0 accesses x by its address: a surface is of a CUDA array, " +
				"to which no address leads",
		},
		"two surfaces": {
			strings.Replace(images, "s @ surface", "u @ surface aliases x; s @ surface", 1), harness.SM90,
			"u is x through the surface proxy: so is s: a surface is of a CUDA array, which has no other name",
		},
		"a surface of another name": {
			strings.Replace(aliases, "z @ generic", "z @ surface", 1), harness.SM90,
			"z is y through the surface proxy: it is another name of another name",
		},
		"a surface with an order": {
			strings.Replace(images, "suld.weak", "suld.relaxed.gpu", 1), harness.SM90,
			"suld.relaxed.gpu r2,s of P0: PTX has only weak accesses to textures and surfaces",
		},
		"the end of a surface": {
			strings.Replace(images, "P0:r2=3", "x=1", 1), harness.SM90,
			"the condition asks for [x], which is in a surface",
		},
		"a constant": {
			strings.NewReplacer("t @ texture", "t @ constant", "tld.weak", "cold.weak").Replace(images), harness.SM90,
			"t[0] is a[0] through the constant proxy: PTX has no store to constant memory, " +
				"which is the host's to write",
		},
		"shared aliases": {
			strings.NewReplacer("{ x=0;", "{ shared x=0;", "P1@cta 1,", "P1@cta 0,").Replace(aliases), harness.SM70,
			"y is another name of x in shared memory, which is mapped once",
		},
		"a fence of litmus tests": {
			strings.Replace(aliases, "proxy.alias  ", "proxy.surface", 1), harness.SM70,
			"fence.proxy.surface of P0: PTX has no such fence: it is of litmus tests",
		},
		"two destinations": {
			"PTX two\n{ g=0; }\n P0@cta 0 ;\n setp.eq.u32 p|q, 1, 2 ;\n @q st.weak g, 1 ;\nexists (g=1)\n",
			harness.SM90,
			"setp.eq.u32 p|q, 1, 2 of P0: kernels set one register with an instruction",
		},
		"a tensor map": {
			"PTX tensor\n{ g=0; t=g; }\n P0@cta 0 ;\n ld.weak r0,g ;\nexists (P0:r0=1)\n", harness.SM90,
			"t holds an address at the start, and is not a tensor map: kernels have numbers there",
		},
		"a tensor map that a warp copies": {
			tensor("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned " +
				"[t], [m], 128"), harness.SM90,
			"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned " +
				"[t], [m], 128 of P0: " +
				"a warp copies one tensor map, and its lanes play different instances",
		},
		"another part of a tensor": {
			tensor("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [t, {4}], [s]"), harness.SM90,
			"cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [t, {4}], [s] of P0: kernels have tensors of " +
				"one box, whose coordinates are 0",
		},
		"another field of a tensor map": {
			tensor("tensormap.replace.tile.rank.global.b1024.b32 [t], 1"), harness.SM90,
			"tensormap.replace.tile.rank.global.b1024.b32 [t], 1 of P0: kernels have tensors of one box, and only " +
				"its address is replaced",
		},
		"a tensor map on an unknown GPU": {
			tensor("tensormap.replace.tile.global_address.global.b1024.b64 [t], g"), 250,
			"tensormap.replace.tile.global_address.global.b1024.b64 [t], g of P0: tensor maps are changed by machine " +
				"code for one target alone, such as sm_90a, and none is known for sm_250",
		},
		"an old GPU": {
			"PTX old\n{ shared s=0; g=0; }\n P0@cta 0 ;\n cp.async.ca.shared.global [s], [g], 4 ;\nexists (s=1)\n",
			harness.SM75,
			"cp.async.ca.shared.global [s], [g], 4 of P0: it is for sm_80 and newer, and kernels are made for sm_75",
		},
		"a branch past a barrier": {
			strings.Replace(looped, "bne r2,1,LC00 ", "bne r2,1,LC01 ",
				1)[:strings.Index(looped, "                | setp")] +
				"                | LC01: | ;\n | st.weak x,2 | ;\nexists (P0:r1=0)\n", harness.SM90,
			"a branch of P1 may skip its barrier, and the others would wait for ever",
		},
		"clusters":   {scoped, harness.SM80, "its CTAs share a cluster, which sm_80 does not have"},
		"two widths": {header("ld.cg.u64 r0,[y]"), harness.SM70, "1:r0 has 32 bits here and 64 there"},
		"wide": {
			strings.Replace(header("mov.u64 r5,x"), "1:r0=1", "1:r5=1", 1), harness.SM70,
			"the condition asks for 1:r5, which may be an address",
		},
		"the state of an mbarrier": {
			"PTX test\n{ shared full; }\n P0@cta 0 ;\n mbarrier.init.shared::cta.b64 [full], 1 ;\n " +
				"mbarrier.arrive.shared::cta.b64 s, [full] ;\nexists (P0:s=0)\n",
			harness.SM90, "the condition asks for 0:s, which has 64 bits that only the GPU understands",
		},
		"red.acquire": {
			strings.Replace(scoped, "red.relaxed.gpu.add x,5", "red.acquire.gpu.add x,5", 1), harness.SM90,
			"red.acquire.gpu.add x,5 of P2: PTX has no red.acquire",
		},
		"arrivals": {
			strings.Replace(scoped,
				"bar.cta.sync 0               | bar.cta.sync 0           | LC00:                   ;",
				"bar.cta.arrive 0 | bar.cta.sync 0 | LC00: ;\n bar.cta.arrive 0 | bar.cta.sync 0 | ;", 1), harness.SM90,
			"P0 comes to its barrier again after it has arrived there and gone on",
		},
		"clusters' barriers": {
			strings.ReplaceAll(scoped, "bar.cta.sync 0 ", "barrier.cluster.wait "), harness.SM90,
			"barrier.cluster.wait of P0: arrivals at the barrier of a cluster and waits take turns",
		},
		"few": {
			strings.ReplaceAll(scoped, "bar.cta.sync 0 ", "bar.cta.sync 0, 1, 3 "), harness.SM90,
			"bar.cta.sync 0, 1, 3 of P0 waits for 3 threads, and 2 come",
		},
		"crossed": {
			strings.Replace(scoped,
				"bar.cta.sync 0               | bar.cta.sync 0           | LC00:                   ;",
				"bar.cta.sync 0 | bar.cta.sync 1 | LC00: ;\n bar.cta.sync 1 | bar.cta.sync 0 | ;", 1), harness.SM90,
			"its threads wait for each other at different barriers, for ever",
		},
		"a barrier that reduces for some": {
			strings.Replace(scoped, "bar.cta.sync 0               | bar.cta.sync 0           |",
				"bar.cta.red 0 | bar.cta.sync 0 |", 1), harness.SM90,
			"some threads come to a barrier to reduce and others do not, and what they do then is unpredictable",
		},
		"a name that is read": {
			strings.ReplaceAll(scoped, "bar.cta.sync 0           |", "bar.cta.sync 0, r0 |"), harness.SM90,
			"bar.cta.sync 0, r0 of P1: the value of r0 is not known before it runs",
		},
		"unknown space": {
			strings.Replace(mp, " st.cg.s32 [y],1 | ld.cg.s32 r1,[x] ;",
				" st.cg.s32 [y],1 | ld.u64 r5,[y] ;\n | ld.cg.s32 r1,[r5] ;", 1),
			harness.SM70, "ld.cg.s32 r1,[r5] of T1: the state space of the address is not known",
		},
	} {
		_, err := plan(t, parse(t, tt.text), tt.target)
		var unable *harness.Unable
		switch {
		case !errors.As(err, &unable) || unable.Why != tt.want:
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// TestSharedBytes: a CTA has shared memory for the locations in shared memory only.
func TestSharedBytes(t *testing.T) {
	// an array in shared memory, and an array and a flag in global memory
	p, err := plan(t, parse(t, vectors), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	s := harness.Usual()
	shape, err := p.Shape(s)
	if err != nil {
		t.Fatal(err)
	}
	if n, want := p.SharedBytes(s, shape), s.Threads*16; n != want {
		t.Errorf("%d bytes, not %d", n, want)
	}
}

// TestShape fits launches to tests.
func TestShape(t *testing.T) {
	s := harness.Usual()
	s.CTAs, s.Threads = 10, 160
	for cycle, want := range map[string]harness.Shape{
		"Rfe PodRR Fre PodWW":              {Clusters: 10, CTAs: 1, Warps: 5, Lanes: 32},
		"Rfe@cta PodRR Fre PodWW":          {Clusters: 10, CTAs: 1, Warps: 4, Lanes: 32},
		"Rfe@cluster PodRR Fre PodWW":      {Clusters: 5, CTAs: 2, Warps: 5, Lanes: 32},
		"Rfe@warp PodRW Rfe@cta PodRR Fre": {Clusters: 10, CTAs: 1, Warps: 3, Lanes: 30},
		"Rfe PodRW Rfe PodRR Fre":          {Clusters: 9, CTAs: 1, Warps: 5, Lanes: 32},
	} {
		pattern, err := gen.Parse(src.NewFile("cycle", cycle), gen.PTX)
		if err != nil {
			t.Fatal(err)
		}
		_ = pattern.Cycles(t.Context(), nil, nil, func(c *gen.Cycle) bool {
			test, err := c.Test()
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan(t, test.Test, harness.SM90)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Shape(s)
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", cycle, got, err, want)
			}
			return true
		})
	}
	p, err := plan(t, parse(t, mp), harness.SM70)
	if err != nil {
		t.Fatal(err)
	}
	s.CTAs = 1 // as in settings that were found with a test of one CTA
	if got, err := p.Shape(s); err != nil || got != (harness.Shape{Clusters: 2, CTAs: 1, Warps: 5, Lanes: 32}) {
		t.Errorf("in one CTA: %+v, %v", got, err)
	}
	s.Threads = 0
	if _, err := p.Shape(s); err == nil {
		t.Error("no threads are enough")
	}
	many := "PTX many\n{ x=0; a[40]={1}; }\n P0@cta 0,gpu 0 ;\n ld.weak r1,a[39] ;\n st.weak x,1 ;\nexists (P0:r1=0)\n"
	if p, err = plan(t, parse(t, many), harness.SM70); err != nil {
		t.Fatal(err)
	}
	s.CTAs, s.StressCTAs, s.Threads = 1<<16, 0, 1024
	if _, err := p.Shape(s); err == nil || !strings.Contains(err.Error(), "more than 2^32 results") {
		t.Errorf("results that 32 bits do not number: %v", err)
	}
}

// TestEmit checks emitted programs with a C++ compiler.
func TestEmit(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++: emitted programs are not checked; it comes with the package g++")
	}
	for name, text := range map[string]string{
		"mp":       mp,
		"all":      scoped,
		"aliases":  aliases,
		"kernels":  kernels,
		"barriers": ctasWithBarriers,
		"wide":     wide,
	} {
		for _, s := range []harness.Settings{
			harness.Usual(), harness.Incantations{Stress: true, Randomize: true}.Settings(),
		} {
			p, err := plan(t, parse(t, text), harness.SM90)
			if err != nil {
				t.Fatal(err)
			}
			program, err := p.Emit(s)
			if err != nil {
				if s.OneInstance && (name == "all" || name == "barriers") {
					continue // its barrier needs whole warps
				}
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), name+".cu")
			if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(compiler, "-x", "c++", "-Wall", "-Wextra", "-Werror",
				"-Itestdata", "-fsyntax-only", file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
}

// TestWrittenOnce: kernels are written once, however often they are asked for; so are the opaque
// kernels of the plan.
func TestWrittenOnce(t *testing.T) {
	p, err := plan(t, parse(t, mp), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	plain, opaque := p.Kernels(), p.As(harness.Settings{Opaque: true}).Kernels()
	if again := p.As(harness.Settings{Opaque: true}).As(harness.Settings{}); plain == opaque ||
		again.Kernels() != plain {
		t.Error("the kernels of a plan are those of another")
	}
	if n := testing.AllocsPerRun(10, func() { p.Kernels() }); n > 0 {
		t.Errorf("kernels that are known take %v allocations", n)
	}
}

// TestParametersStay: no instruction of a kernel writes to the register of a parameter.
func TestParametersStay(t *testing.T) {
	for _, text := range []string{mp, scoped, aliases, kernels, gpus, ctasWithBarriers, vectors, images, wide} {
		p, err := plan(t, parse(t, text), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		for entry := range strings.SplitSeq(p.Kernels(), ".visible .entry") {
			loaded := map[string]bool{}
			for line := range strings.SplitSeq(entry, "\n") {
				m := destination.FindStringSubmatch(line)
				switch {
				case m == nil:
				case strings.HasPrefix(m[1], "ld.param"):
					loaded[m[2]] = true
				case loaded[m[2]]:
					t.Errorf("%s writes to a parameter", line)
				}
			}
		}
	}
}

// destination matches the register that an instruction writes.
var destination = regexp.MustCompile(`^\t(?:@\S+ )?([\w.]+) (%\w+)`)

// TestNewTargets: the PTX for newer GPUs names a target that all their drivers know.
func TestNewTargets(t *testing.T) {
	p, err := plan(t, parse(t, mp), 120)
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Kernels(); !strings.Contains(text, ".version 7.8\n.target sm_90\n") {
		t.Errorf("kernels for sm_120 begin\n%.200s", text)
	}
}
