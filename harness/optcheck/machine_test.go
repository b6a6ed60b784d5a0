package optcheck

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/kernels/toolkit"
	"github.com/muster-gpu/muster/ptx"
)

// tools finds ptxas and a disassembler; the test is skipped without them.
func tools(t *testing.T) Tools {
	t.Helper()
	found := FindTools()
	if found.Ptxas == "" || found.Nvdisasm == "" && found.Cuobjdump == "" {
		t.Skip("no ptxas and nvdisasm; pip download triton gets them, a zip file: put their folder into $" +
			toolkit.BinVariable)
	}
	return found
}

// checkReal assembles the kernels of a test and compares them with it.
func checkReal(t *testing.T, plan *harness.Plan, optimize int) *Report {
	t.Helper()
	return Check(t.Context(), plan, disassembled(t, plan, optimize))
}

func disassembled(t *testing.T, plan *harness.Plan, optimize int) string {
	t.Helper()
	found := tools(t)
	cubin, err := found.Assemble(t.Context(), plan.Kernels(), plan.Target, optimize)
	if err != nil {
		t.Fatal(err)
	}
	text, err := found.Disassemble(t.Context(), cubin)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sabotaged yields copies of a listing, each without one memory operation of the roles.
func sabotaged(text string) iter.Seq2[string, string] {
	return func(yield func(broken, what string) bool) {
		lines := strings.Split(text, "\n")
		inside := false
		for i, line := range lines {
			m := codeLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			l := &Listing{byAddr: map[uint64]int{}}
			if err := l.add(m[1], m[2]); err != nil {
				continue
			}
			in := l.instrs[0]
			inside = inside != (in.opcode == "PMTRIG")
			if inside && in.isOperation() && !useless(in, lines[i+1:]) {
				lines[i] = strings.Replace(line, m[2], "NOP", 1)
				if !yield(strings.Join(lines, "\n"), in.text) {
					return
				}
				lines[i] = line
			}
		}
	}
}

// useless reports whether an instruction never runs, or is a fence immediately before a wider one.
func useless(in *instruction, after []string) bool {
	if in.guard == "PT" && in.negated {
		return true
	}
	next := slices.IndexFunc(after, codeLine.MatchString)
	return in.opcode == "MEMBAR" && in.has("CTA") && next >= 0 && strings.Contains(after[next], "MEMBAR.ALL.GPU")
}

// TestAssembler checks known transformations of the assembler, and that it leaves other tests
// unchanged.
func TestAssembler(t *testing.T) {
	address := "\ncvt.u64.u32 r3, r2\nmov.u64 r4, y\nadd.u64 r4, r4, r3\nld.weak r5, [r4]"
	control := "\nsetp.ne.s32 p, r2, 0\n@p bra END\nst.weak y, 1\nEND:"
	for _, c := range []struct {
		name, test, says string
		optimized        Verdict // with -O3; without, all pass
	}{
		{"two weak loads", "ld.weak r1, x\nld.weak r2, x", "merged with the load before it", Failed},
		{"two .cg loads", "ld.cg r1, x\nld.cg r2, x", "merged with the load before it", Failed},
		{"two volatile loads", "ld.volatile r1, x\nld.volatile r2, x", "", Passed},
		{"two relaxed loads", "ld.relaxed.gpu r1, x\nld.relaxed.gpu r2, x", "", Passed},
		{"two relaxed stores", "st.relaxed.gpu x, 1\nst.relaxed.gpu x, 2", "merged with another store", Failed},
		{"xor, address", "ld.weak r1, x\nxor.b32 r2, r1, r1" + address, "its address no longer depends", Failed},
		{"and, address", "ld.weak r1, x\nand.b32 r2, r1, 0x80000000" + address, "", Passed},
		{"xor, data", "ld.weak r1, x\nxor.b32 r2, r1, r1\nst.weak y, r2", "its value no longer depends", Failed},
		{"and, data", "ld.weak r1, x\nand.b32 r2, r1, 0x80000000\nst.weak y, r2", "", Passed},
		{"xor, control", "ld.weak r1, x\nxor.b32 r2, r1, r1" + control, "no longer depends", Failed},
		{"and, control", "ld.weak r1, x\nand.b32 r2, r1, 0x80000000" + control, "", Passed},
		{"an atomic without a use", "atom.add.s32 r9, x, 1", "became a reduction", Passed},
		{
			"release, acquire, fences",
			"st.release.gpu x, 1\nfence.sc.sys\nld.acquire.gpu r1, y\nfence.acq_rel.gpu\natom.acq_rel.sys.exch.b32 r2, x, 3", "", Passed,
		},
		{"a loop", "L: ld.relaxed.gpu r1, x\nbeq r1, 0, L\nst.weak y, 1", "", Passed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan := planFor(t, observed(c.test), harness.SM80)
			if r := checkReal(t, plan, 3); r.Verdict != c.optimized || !strings.Contains(r.String(), c.says) {
				t.Errorf("-O3, want %s: %s\n%s", c.optimized, c.says, r)
			}
			if r := checkReal(t, plan, 0); r.Verdict != Passed {
				t.Errorf("-O0\n%s", r)
			}
		})
	}
}

// observed returns a test of one thread whose condition asks for everything that it has read, so
// that no load is useless.
func observed(instructions string) string {
	text := oneThread(instructions)
	condition := "exists (x=1"
	for _, r := range []string{"r1", "r2", "r5"} {
		if strings.Contains(instructions, " "+r+",") {
			condition += " /\\ P0:" + r + "=0"
		}
	}
	return text[:strings.Index(text, "exists")] + condition + ")\n"
}

// unordered are the transformations that the assembler may apply to accesses that no fence,
// dependency or strength keeps apart.
var unordered = []string{"merged with", "has the value of the store before it", "not in the order of the test"}

// TestGenerated checks a sample of generated tests. A test must pass if it has a fence, a barrier
// or a dependency between any two accesses of a thread.
func TestGenerated(t *testing.T) {
	tools(t)
	n := 10
	if testing.Short() {
		n = 3
	}
	for _, preset := range gen.Presets {
		var counts gen.Counts
		for test, err := range gen.Sample(gen.Distinct(preset.Cycles(t.Context()), &counts), n, 1) {
			if err != nil {
				t.Fatal(err)
			}
			t.Run(preset.Name+"/"+test.Name.Text, func(t *testing.T) {
				t.Parallel()
				checkGenerated(t, test)
			})
		}
	}
}

func checkGenerated(t *testing.T, test *gen.Test) {
	program, err := ptx.New(test.Test, frontend.Options{Unroll: frontend.DefaultUnroll})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []harness.Target{harness.SM80, harness.SM90} {
		plan, err := harness.NewPlan(test.Test, program, target)
		var unable *harness.Unable
		if errors.As(err, &unable) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		text := disassembled(t, plan, 3)
		r := Check(t.Context(), plan, text)
		if incomparable(plan) != "" {
			continue // it assembles; TestUnknownForm
		}
		if r.Verdict == Passed {
			tried := 0
			for broken, what := range sabotaged(text) {
				tried++
				if r := Check(t.Context(), plan, broken); r.Verdict != Failed {
					t.Errorf("%s without %s\n%s", target, what, r)
				}
			}
			if tried == 0 {
				t.Errorf("%s has no operations\n%s", target, text)
			}
		}
		if r.Verdict == NotChecked || strings.Contains(r.String(), "not traced") {
			t.Errorf("%s\n%s", target, r)
		}
		mayDiffer := strings.Contains(test.Cycle.String(), "Po")
		for _, f := range r.Findings {
			known := slices.ContainsFunc(unordered, func(reason string) bool {
				return strings.Contains(f.What, reason)
			})
			if f.Void && (!mayDiffer || !known) {
				t.Errorf("%s, %s: %s\n%s", test.Cycle, target, f, r)
			}
		}
	}
}

// TestClusterMemoryAssembles: the machine code of accesses to shared memory of another CTA, and of
// fences with pages of their own.
func TestClusterMemoryAssembles(t *testing.T) {
	tools(t)
	for _, c := range []struct {
		target   harness.Target
		optimize int
		opaque   bool
	}{{harness.SM90, 3, false}, {harness.SM90, 0, false}, {harness.SM90, 3, true}, {harness.SM100, 3, true}} {
		plan := planFor(t, clusterMemory, c.target).As(harness.Settings{Opaque: c.opaque})
		if r := checkReal(t, plan, c.optimize); r.Verdict != Passed {
			t.Errorf("%+v\n%s", c, r)
		}
	}
}

const clusterMemory = `PTX cluster
{ shared a=0; shared b=0; shared c=0; shared d=0; }
 P0@cta 0,cluster 0                                                         | P1@cta 1,cluster 0                         ;
 st.release.cluster.shared::cluster.u32 [a], 1                              | ld.volatile.shared::cta.u32 r0, [a]        ;
 ld.acquire.cluster.shared::cluster.u32 r1, [b]                             | ld.volatile.shared::cta.u32 r1, [b]        ;
 atom.acq_rel.cluster.shared::cluster.exch.b32 r2, [c], 4                   | ld.volatile.shared::cta.u32 r2, [c]        ;
 atom.relaxed.cluster.shared::cluster.cas.b32 r3, [a], 4, 5                 | ld.volatile.shared::cta.u32 r3, [d]        ;
 red.relaxed.cluster.shared::cluster.add.u32 [d], 4                         | fence.proxy.async.global                   ;
 fence.release.sync_restrict::shared::cta.cluster                           | fence.proxy.async                          ;
 ld.volatile.shared::cluster.u32 r5, [b]                                    |                                            ;
 fence.mbarrier_init.release.cluster                                        |                                            ;
 fence.acquire.sync_restrict::shared::cluster.cluster                       |                                            ;
 st.relaxed.sys.shared::cluster.u32 [b], 1                                  |                                            ;
 fence.proxy.async.shared::cta                                              |                                            ;
 st.shared::cluster.u32 [b], 2                                              |                                            ;
 fence.proxy.async.shared::cluster                                          |                                            ;
 fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster      |                                            ;
 fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster  |                                            ;
 fence.proxy.tensormap::generic.release.gpu                                 |                                            ;
 ld.shared::cluster.u32 r6, [c]                                             |                                            ;
exists (P0:r1=1 /\ P0:r2=1 /\ P0:r3=1 /\ P0:r5=1 /\ P0:r6=1 /\ P1:r0=1 /\ P1:r1=0 /\ P1:r2=1 /\ P1:r3=1)
`

// TestBothDisassemblers: the two tools give the same result.
func TestBothDisassemblers(t *testing.T) {
	found := tools(t)
	if found.Nvdisasm == "" || found.Cuobjdump == "" {
		t.Skip("only one of nvdisasm and cuobjdump found")
	}
	plan := planFor(t, observed("L: ld.relaxed.gpu r1, x\nbeq r1, 0, L\nld.weak r2, y"), harness.SM90)
	cubin, err := found.Assemble(t.Context(), plan.Kernels(), plan.Target, 3)
	if err != nil {
		t.Fatal(err)
	}
	var reports []string
	for _, only := range []Tools{{Nvdisasm: found.Nvdisasm}, {Cuobjdump: found.Cuobjdump}} {
		text, err := only.Disassemble(t.Context(), cubin)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, Check(t.Context(), plan, text).String())
	}
	if reports[0] != reports[1] || !strings.Contains(reports[0], "passed") {
		t.Errorf("%s\n%s", reports[0], reports[1])
	}
}

// TestKeptCode: machine code that was kept is checked later, on a machine without an assembler;
// that of another kernel is not accepted for it.
func TestKeptCode(t *testing.T) {
	found, folder := tools(t), t.TempDir()
	plan := planFor(t, observed("ld.cg r1, x\nld.cg r2, x"), harness.SM80)
	opaque := plan.As(harness.Settings{Opaque: true})
	cubin, err := found.Assemble(t.Context(), plan.Kernels(), plan.Target, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, plan.CodeFile()), cubin, 0o600); err != nil {
		t.Fatal(err)
	}
	c := Checker{
		Tools:  Tools{Nvdisasm: found.Nvdisasm, Cuobjdump: found.Cuobjdump},
		Target: plan.Target,
		Cubins: folder,
	}
	if err := c.Missing(); err != nil {
		t.Error(err)
	}
	if r, err := c.Check(t.Context(), plan); err != nil || r.Verdict != Failed {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := c.Check(t.Context(), opaque); err != nil { // the checker's settings choose the kernel
		t.Error(err)
	}
	c.Settings.Opaque = true
	if _, err := c.Check(t.Context(), plan); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "only of its usual kernel (without --opaque)") {
		t.Errorf("the code of another kernel is taken: %v", err)
	}
	later := planFor(t, observed("ld.cg r1, x\nld.cg r2, x"), harness.SM90)
	if _, err := c.Check(t.Context(), later); err == nil ||
		!strings.Contains(err.Error(), "as it is for sm_90: what is there is for another target") {
		t.Errorf("the code for another target is taken: %v", err)
	}
	if err := (Checker{Cubins: folder}).Missing(); !errors.Is(err, ErrNoDisassembler) {
		t.Error(err)
	}
}

// TestKeptTarget: the header of machine code has its target, in two places.
func TestKeptTarget(t *testing.T) {
	header := func(abi byte, flags ...byte) []byte {
		h := make([]byte, elfHeader)
		copy(h, "\x7fELF\x02")
		h[elfABIVersion], h[elfMachine] = abi, machineCUDA
		copy(h[elfFlags:], flags)
		return h
	}
	for _, c := range []struct {
		files [][]byte
		want  harness.Target
		says  string
	}{
		{[][]byte{header(7, 0x50, 5, 0x46)}, 80, ""}, // as ptxas 12.9 writes them for sm_80, sm_90a and sm_100
		{[][]byte{header(7, 0x5a, 0xd, 0x5a), []byte("cut"), make([]byte, 100)}, 90, ""},
		{[][]byte{header(8, 2, 0x64, 0, 6)}, 100, ""},
		{[][]byte{header(8, 2, 0x64, 0, 6), header(7, 0x5a, 5, 0x46)}, 0, "for several targets, [sm_90 sm_100]"},
		{nil, 0, "has no machine code"},
	} {
		folder := t.TempDir()
		for i, text := range c.files {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".cubin")), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := KeptTarget(folder)
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %v, want %s, %s", got, err, c.want, c.says)
		}
	}
	found := tools(t)
	for _, target := range []harness.Target{harness.SM70, harness.SM90, harness.SM100} {
		folder := t.TempDir()
		cubin, err := found.Assemble(t.Context(), target.Trial(), target, 3)
		if err != nil {
			t.Skipf("no ptxas for %s", target)
		}
		if err := os.WriteFile(filepath.Join(folder, "trial.cubin"), cubin, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := KeptTarget(folder); got != target || err != nil {
			t.Errorf("%s, %v, want %s", got, err, target)
		}
	}
}

// TestWithoutTools: an unchecked test has a reason.
func TestWithoutTools(t *testing.T) {
	t.Setenv(toolkit.BinVariable, t.TempDir())
	plan := planFor(t, oneThread("st.weak x, 1"), harness.SM80)
	r := CheckCubin(t.Context(), plan, nil)
	if r.Verdict != NotChecked || r.Why() != ErrNoDisassembler.Error() {
		t.Error(r)
	}
	if _, err := FindTools().Assemble(t.Context(), plan.Kernels(), plan.Target, 3); !errors.Is(err, ErrNoAssembler) {
		t.Error(err)
	}
}

// TestUnknownForm: the reason names the instruction of the test that cannot be compared, whatever
// the machine code.
func TestUnknownForm(t *testing.T) {
	const test = `PTX async
{ x=0; shared s; y=0; shared full; }
 P0@cta 0,gpu 0          | P1@cta 1,gpu 0                          ;
 st.relaxed.gpu [x], 1   | cp.async.ca.shared.global [s], [x], 4   ;
 st.release.gpu [y], 1   | mbarrier.init.shared::cta.b64 [full], 1 ;
                         | cp.async.wait_all                       ;
                         | ld.shared.u32 r0, [s]                   ;
exists (1:r0=1)
`
	r := Check(t.Context(), planFor(t, test, harness.SM80), "")
	want := "P1 has mbarrier.init.shared::cta.b64: what it becomes is known for sm_90 alone"
	if r.Verdict != NotChecked || r.Why() != want {
		t.Errorf("%s: %s, want %s", r.Verdict, r.Why(), want)
	}
	t.Setenv(toolkit.BinVariable, t.TempDir()) // nothing needs to be disassembled
	if r := CheckCubin(t.Context(), planFor(t, test, harness.SM80), nil); r.Why() != want {
		t.Errorf("%s, want %s", r.Why(), want)
	}
	if text := r.String(); !strings.Contains(text, "not checked") || !strings.Contains(text, want) {
		t.Error(text)
	}
}

// TestToolFails: the verdict has the messages of a tool that fails.
func TestToolFails(t *testing.T) {
	tools(t)
	plan := planFor(t, oneThread("st.weak x, 1"), harness.SM80)
	if r := CheckCubin(t.Context(), plan, []byte("noise")); r.Verdict != NotChecked ||
		!strings.Contains(r.Why(), "exit status") {
		t.Error(r)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if r := CheckCubin(cancelled, plan, []byte("noise")); r.Verdict != NotChecked {
		t.Error(r)
	}
}

// FuzzCheck: noise is not machine code, and must not crash the check.
func FuzzCheck(f *testing.F) {
	for _, c := range slices.Concat(sameCode, otherCode, unclearCode) {
		f.Add(machineCode(c.machine))
	}
	plan := planFor(f, oneThread("ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p st.weak y, 1"), harness.SM80)
	f.Fuzz(func(t *testing.T, text string) {
		r := Check(t.Context(), plan, text)
		if r.Verdict != Passed && r.Why() == "" {
			t.Errorf("%s, without a reason", r.Verdict)
		}
	})
}
