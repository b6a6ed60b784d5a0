package verify_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// noted returns the notes of a kernel that a report asks for. It checks that the verdict is the
// same without the report.
func noted(t *testing.T, m *kernel.Module, l verify.Launch, report verify.Report) []string {
	t.Helper()
	f := m.Funcs[len(m.Funcs)-1]
	with, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: l, Report: report})
	if err != nil {
		t.Fatal(err)
	}
	without, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: l})
	if err != nil {
		t.Fatal(err)
	}
	if with.Verdict != without.Verdict || len(with.Alarms) != len(without.Alarms) || with.Stats.Questions != without.Stats.Questions {
		t.Errorf("%s: a report changes the verdict: %v, without %v", m.Name, with.Verdict, without.Verdict)
	}
	return slices.DeleteFunc(with.Notes, func(n string) bool { return slices.Contains(without.Notes, n) })
}

// TestBankConflicts: columns of a tile are in one bank unless its rows are padded; accesses
// narrower and wider than a word, with strides, to one place, and to places that are read from
// memory.
func TestBankConflicts(t *testing.T) {
	for _, row := range []struct {
		kernel, block string
		want          []string // parts of the notes, in order
	}{
		{"bank-columns", "32,32", []string{"bank-columns.cu:9:21 (bank-columns.ptx:42): 32 lanes of a warp one after the other; threads"}},
		{"bank-columns-padded", "32,32", nil},
		{"bank-widths", "32", []string{
			"bank-widths.cu:15:12 (bank-widths.ptx:52): 2 lanes", "bank-widths.cu:16:17 (bank-widths.ptx:61): 32 lanes", "bank-widths.cu:17:17 (bank-widths.ptx:67): 2 lanes",
			"bank-widths.cu:18:17 (bank-widths.ptx:74): where that is what threads read", "for some arguments",
		}},
		{"bank-widths", "1", nil},
	} {
		m, err := examples.Module("testdata/banks/" + row.kernel + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		notes := noted(t, m, verify.Launch{Grid: dim(t, "1"), Block: dim(t, row.block)}, verify.Report{BankConflicts: true})
		if len(notes) != len(row.want) {
			t.Errorf("%s: %d notes, want %d: %q", row.kernel, len(notes), len(row.want), notes)
			continue
		}
		for i, want := range row.want {
			if !strings.Contains(notes[i], want) {
				t.Errorf("%s: %q, want %q", row.kernel, notes[i], want)
			}
		}
	}
}

// conflicts returns the bank conflicts of a launch with lanes in lockstep: the number of successive
// accesses of each instruction.
func conflicts(r *launch.Report) map[*kernel.Instr]int {
	type once struct {
		instr *kernel.Instr
		group int
		n     int
	}
	type thread struct {
		instr  *kernel.Instr
		number int
	}
	times := map[thread]int{}
	words := map[once]map[int64]map[int64]bool{}
	worst := map[*kernel.Instr]int{}
	for _, a := range r.Accesses {
		if a.Object.Space != isa.Shared || a.Op.Vector > 1 {
			continue
		}
		size := int64(max(4, a.Bytes))
		slots := 128 / size
		times[thread{a.Instr, a.Thread}]++
		at := once{a.Instr, a.Thread / int(slots), times[thread{a.Instr, a.Thread}]}
		word := a.Offset / size
		if words[at] == nil {
			words[at] = map[int64]map[int64]bool{}
		}
		if words[at][word%slots] == nil {
			words[at][word%slots] = map[int64]bool{}
		}
		words[at][word%slots][word] = true
		worst[a.Instr] = max(worst[a.Instr], len(words[at][word%slots]))
	}
	return worst
}

var degree = regexp.MustCompile(`: (\d+) lanes`)

// TestBankConflictsByBruteForce: what a launch shows is noted, and no fewer lanes.
func TestBankConflictsByBruteForce(t *testing.T) {
	all, err := examples.Read("testdata/kernels")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i, e := range all {
		if e.Verdict() != "verified" || i%sample.Of(1, 3) > 0 {
			continue
		}
		m, err := examples.Module(e.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		notes := noted(t, m, verify.Launch{Grid: dim(t, e.Row["grid"]), Block: dim(t, e.Row["block"])}, verify.Report{BankConflicts: true})
		r, err := launch.New(m).Run(t.Context(), e.Launches[0])
		if err != nil {
			t.Fatal(err)
		}
		for in, n := range conflicts(r) {
			if n < 2 {
				continue
			}
			shown++
			line := fmt.Sprintf("%s.ptx:%d", strings.TrimSuffix(m.Name, ".ptx"), in.At.Pos().Line)
			at := slices.IndexFunc(notes, func(note string) bool { return strings.Contains(note, line) })
			if at < 0 {
				t.Errorf("%s: %d lanes in one bank at line %d, which is not noted: %q", e.Name, n, in.At.Pos().Line, notes)
			} else if lanes := degree.FindStringSubmatch(notes[at]); lanes != nil {
				if most, _ := strconv.Atoi(lanes[1]); most < n {
					t.Errorf("%s: %d lanes in one bank at line %d, and not %d", e.Name, n, in.At.Pos().Line, most)
				}
			}
		}
	}
	if shown < sample.Of(2, 1) {
		t.Errorf("%d conflicts are too few", shown)
	}
}

// TestBankConflictsAtRandom: for indices computed from the place of a thread, the number of lanes
// is exact, and there are no other notes.
func TestBankConflictsAtRandom(t *testing.T) {
	const text = `.version 6.0
.target sm_70
.address_size 64
.entry k() {
	.shared .align 16 .b8 s[4096];
	.reg .b32 %%r<9>;
	.reg .b64 %%rd<9>;
	mov.u64 %%rd1, s;
	mov.u32 %%r1, %%tid.x;
	mul.lo.u32 %%r2, %%r1, %d;
	shr.u32 %%r3, %%r1, %d;
	mad.lo.u32 %%r2, %%r3, %d, %%r2;
	and.b32 %%r2, %%r2, %d;
	mul.wide.u32 %%rd2, %%r2, %d;
	add.s64 %%rd2, %%rd1, %%rd2;
	ld.shared.%s %s, [%%rd2];
	ret;
}
`
	r := rand.New(rand.NewPCG(7, 7))
	some := 0
	for range sample.Of(400, 40) {
		size := []int{1, 2, 4, 8}[r.IntN(4)]
		source := fmt.Sprintf(text, r.IntN(40)<<r.IntN(4), r.IntN(6), r.IntN(20), 1<<(4+r.IntN(6))-1, size, fmt.Sprintf("u%d", 8*size), map[bool]string{true: "%rd3", false: "%r4"}[size == 8])
		m, err := kernel.Parse(src.NewFile("k.ptx", source))
		if err != nil {
			t.Fatal(err)
		}
		report, err := launch.New(m).Run(t.Context(), launch.Launch{Block: launch.Dim{X: 64}})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, n := range conflicts(report) {
			if n > 1 {
				want = fmt.Sprintf(": %d lanes", n)
				some++
			}
		}
		notes := noted(t, m, verify.Launch{Grid: dim(t, "1"), Block: dim(t, "64")}, verify.Report{BankConflicts: true})
		if want == "" && len(notes) > 0 || want != "" && (len(notes) != 1 || !strings.Contains(notes[0], want)) {
			t.Errorf("%q, want %q, in\n%s", notes, want, source)
		}
	}
	if some < 5 {
		t.Errorf("%d conflicts are too few", some)
	}
}

// TestWarpDivergence: lanes of a warp diverge on conditions about their places or about reads, and
// not on conditions about blocks or warps.
func TestWarpDivergence(t *testing.T) {
	const text = `.version 6.0
.target sm_70
.address_size 64
.entry k(.param .u64 p, .param .u32 n) {
	.reg .pred %%p;
	.reg .b32 %%r<4>;
	.reg .b64 %%rd<3>;
	ld.param.u64 %%rd1, [p];
	ld.param.u32 %%r3, [n];
	mov.u32 %%r1, %%tid.x;
	%s
	@%%p bra END;
	bar.warp.sync -1;
END:
	ret;
}
`
	for code, want := range map[string]string{
		"setp.eq.u32 %p, %r1, 0;":                                          "the place of a thread decides",
		"ld.global.u32 %r2, [%rd1];\n\tsetp.eq.u32 %p, %r2, 0;":            "",
		"shr.u32 %r2, %r1, 5;\n\tsetp.eq.u32 %p, %r2, 0;":                  "",
		"setp.eq.u32 %p, %r3, 0;":                                          "",
		"mov.u32 %r2, %ctaid.x;\n\tsetp.eq.u32 %p, %r2, 0;":                "",
		"atom.global.add.u32 %r2, [%rd1], 1;\n\tsetp.eq.u32 %p, %r2, %r3;": "what threads read decides",
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", fmt.Sprintf(text, code)))
		if err != nil {
			t.Fatal(err)
		}
		notes := noted(t, m, verify.Launch{Grid: dim(t, "2"), Block: dim(t, "64")}, verify.Report{Divergence: true})
		if want == "" && len(notes) > 0 || want != "" && (len(notes) != 1 || !strings.HasSuffix(notes[0], want)) {
			t.Errorf("%s: %q, want %q", code, notes, want)
		}
	}
}
