package sim_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/sim"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
)

// TestLines: what the learning engine knows of atomics that stand in line makes no difference to what it finds. It is compared with an engine
// that never asks for it, on threads that count, in many models.
func TestLines(t *testing.T) {
	compareLines(t, drawCounters)
}

// compareLines compares an engine that asks for lines early with one that never does, on tests that are drawn.
func compareLines(t *testing.T, draw func(*rapid.T) string) {
	t.Helper()
	multiplyChecks(t, 1, 100)
	compared, lines := compareQueries(t, draw, mostListed/10, func(q *axiomatic.Query) { q.LineUpAfter = -1 }, func(q *axiomatic.Query) { q.LineUpAfter = 1 << 30 })
	if t.Logf("with %d lines", lines); lines < compared/10 {
		t.Errorf("few of %d tests have lines: %d", compared, lines)
	}
}

// TestLinesUnited is TestLines for structures that are united: then some of a line are there on some paths only.
func TestLinesUnited(t *testing.T) {
	multiplyChecks(t, 2, 100)
	compared, lines := 0, 0
	atomic := everyModel(t, "PTX")
	maps.DeleteFunc(atomic, func(name string, _ *cat.Model) bool {
		return !slices.Contains([]string{"ptx", "ptx-7.5", "ptx-6.0", "sc", "tso", "ptx --co=partial"}, name)
	})
	withDrawnUnder(t, atomic, sim.States, drawLine, mostListed/10, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		with, without := d.engine(func(q *axiomatic.Query) { q.LineUpAfter = -1 }), d.engine(func(q *axiomatic.Query) { q.LineUpAfter = 1 << 30 })
		for _, e := range []*axiomatic.Engine{with, without} {
			if far, err := exploreUnited(ctx, e, d.test); !far.Answered() || err != nil {
				return
			}
		}
		if got, want := answered(with), answered(without); got != want {
			rt.Fatalf("under %s, with what is known of lines, the learning engine says\n%s\nwithout\n%s\n%s", d.name, got, want, d.text)
		}
		compared, lines = compared+1, lines+with.Lines
	})
	if t.Logf("%d tests were compared, with %d lines", compared, lines); lines < compared/4 {
		t.Errorf("few of %d tests have lines: %d", compared, lines)
	}
}

// drawLine draws three or four threads that count at one location, some of them on some paths only, with one thread that looks there twice.
func drawLine(t *rapid.T) string {
	one := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	adds := []string{"add.u32 r0,[c],1", "add.u32 r0,[c],1", "add.u32 r0,[c],2", "max.u32 r0,[c],2", "exch.b32 r0,[c],4", "inc.u32 r0,[c],3"}
	if rapid.Bool().Draw(t, "alike") {
		adds = []string{one(adds...)}
	}
	order := func() string { return one("relaxed", "acq_rel", "release", "acquire") }
	var columns [][]string
	for i := range rapid.IntRange(3, 4).Draw(t, "threads") {
		count := []string{"atom." + order() + ".gpu." + one(adds...)}
		switch rapid.IntRange(0, 5).Draw(t, "where") {
		case 0, 1:
			count = slices.Concat([]string{"ld.relaxed.gpu.u32 r1,[x]", "setp.eq.u32 p,r1,0", fmt.Sprintf("@p bra S%d", i)}, count, []string{fmt.Sprintf("S%d:", i)})
		case 2:
			count = append([]string{"st.relaxed.gpu.u32 [x],1"}, count...)
		case 3:
			count = append(count, "st.relaxed.gpu.u32 [x],2")
		}
		columns = append(columns, count)
	}
	if rapid.Bool().Draw(t, "looks") {
		look := func(r int) string {
			return fmt.Sprintf("%s r%d,[c]", one("ld.acquire.gpu.u32", "ld.relaxed.gpu.u32", "ld.weak.u32"), r)
		}
		columns = append(columns, []string{look(0), one("fence.acq_rel.gpu", "ld.relaxed.gpu.u32 r1,[x]", ""), look(2)})
	}
	return inColumns(columns)
}

// drawCounters draws three to five threads that count at one location, or wait there for others, and tell each other about it elsewhere.
func drawCounters(t *rapid.T) string {
	atomics := []string{
		"atom.%s.add.u32 r0,[c],1", "atom.%s.add.u32 r0,[c],1", "atom.%s.add.u32 r0,[c],1", "atom.%s.inc.u32 r0,[c],3", "atom.%s.exch.b32 r0,[c],4",
		"atom.%s.cas.b32 r0,[c],0,1", "atom.%s.add.u32 r0,[c],2", "atom.%s.max.u32 r0,[c],2", "atom.%s.max.u32 r0,[c],3", "atom.%s.min.u32 r0,[c],1",
	}
	semantics := []string{"acq_rel.gpu", "acq_rel.gpu", "relaxed.gpu", "release.gpu", "acquire.gpu", "acq_rel.sys", "relaxed.cta"}
	before := []string{"st.weak.u32 [x],1", "st.relaxed.gpu.u32 [x],2", "st.weak.u32 [y],1", "fence.acq_rel.gpu", "fence.sc.gpu", "ld.weak.u32 r1,[x]"}
	after := []string{"ld.weak.u32 r1,[x]", "ld.weak.u32 r2,[y]", "ld.relaxed.gpu.u32 r1,[x]", "ld.acquire.gpu.u32 r2,[c]", "fence.acq_rel.gpu", "st.weak.u32 [y],3"}
	one := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	var columns [][]string
	for i := range rapid.IntRange(3, 5).Draw(t, "threads") {
		var column []string
		if rapid.Bool().Draw(t, "before") {
			column = append(column, one(before))
		}
		count := fmt.Sprintf(one(atomics), one(semantics))
		switch rapid.IntRange(0, 13).Draw(t, "kind") {
		case 0: // only looks
			count = "ld.acquire.gpu.u32 r0,[c]"
		case 1: // may be anywhere
			count = "st.relaxed.gpu.u32 [c],1"
		case 2, 3: // looks twice
			looks := []string{"ld.acquire.gpu.u32", "ld.relaxed.gpu.u32", "ld.weak.u32"}
			column = append(column, one(looks)+" r2,[c]")
			count = one(looks) + " r0,[c]"
		}
		if rapid.IntRange(0, 3).Draw(t, "on some paths") == 0 {
			column = append(column, "ld.relaxed.gpu.u32 r1,[x]", "setp.eq.u32 p,r1,0", fmt.Sprintf("@p bra S%d", i), count, fmt.Sprintf("S%d:", i))
		} else {
			column = append(column, count)
		}
		switch rapid.IntRange(0, 5).Draw(t, "then") {
		case 0:
			column = append(column, fmt.Sprintf("L%d: ld.acquire.gpu.u32 r3,[c]", i), "setp.lt.u32 p,r3,3", fmt.Sprintf("@p bra L%d", i), one(after))
		case 1:
			column = append(column, "setp.ge.u32 p,r0,2", fmt.Sprintf("@!p bra E%d", i), one(after), fmt.Sprintf("E%d:", i))
		case 2, 3:
			column = append(column, one(after))
		}
		columns = append(columns, column)
	}
	return inColumns(columns)
}

// TestLinesAtBarriers is TestLines for threads that arrive at an mbarrier, which one of them has set up, and look at it again and again.
func TestLinesAtBarriers(t *testing.T) {
	compareLines(t, drawArrivals)
}

// drawArrivals draws three or four threads of a CTA that arrive at an mbarrier and look at it, and tell each other about it elsewhere.
func drawArrivals(t *rapid.T) string {
	arrivals := []string{"mbarrier.arrive%s.shared::cta.b64 _, [c]", "mbarrier.arrive%s.shared::cta.b64 _, [c]", "mbarrier.arrive%s.shared::cta.b64 _, [c], 2", "mbarrier.arrive_drop%s.shared::cta.b64 _, [c]"}
	looks := []string{"mbarrier.test_wait.parity%s.shared::cta.b64 p, [c], 0", "mbarrier.test_wait.parity%s.shared::cta.b64 p, [c], 1"}
	semantics := []string{"", "", ".relaxed.cta", ".%s.cta"}
	others := []string{"ld.weak.u32 r1,[x]", "ld.weak.u32 r2,[y]", "st.weak.u32 [x],1", "st.relaxed.cta.u32 [y],2", "fence.acq_rel.cta", "bar.sync 0"}
	one := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	with := func(from []string, usual string) string {
		how := one(semantics)
		if strings.Contains(how, "%") {
			how = fmt.Sprintf(how, usual)
		}
		return fmt.Sprintf(one(from), how)
	}
	var columns [][]string
	threads := rapid.IntRange(3, 4).Draw(t, "threads")
	for i := range threads {
		column := []string{"bar.sync 0"}
		switch setUp := fmt.Sprintf("mbarrier.init.shared::cta.b64 [c], %d", rapid.IntRange(1, threads).Draw(t, "count")); {
		case i == 0 && rapid.IntRange(0, 9).Draw(t, "late") == 0:
			column = append(column, setUp)
		case i == 0:
			column = append([]string{setUp}, column...)
		}
		if rapid.Bool().Draw(t, "before") {
			column = append(column, one(others))
		}
		column = append(column, with(arrivals, "release"))
		switch rapid.IntRange(0, 3).Draw(t, "then") {
		case 0:
			column = append(column, with(looks, "acquire"), "selp.u32 r1,1,0,p", with(looks, "acquire"), "selp.u32 r2,1,0,p")
		case 1:
			column = append(column, fmt.Sprintf("L%d: %s", i, with(looks, "acquire")), fmt.Sprintf("@!p bra L%d", i), one(others))
		case 2:
			column = append(column, with(arrivals, "release"))
		}
		columns = append(columns, column)
	}
	return strings.NewReplacer("{ c=0; ", "{ shared c; ", "locations [c; ", "locations [", "exists (c=3)", "exists (x=1)").Replace(inColumns(columns, 0, 0, 0, 0))
}

// inColumns is a test of threads in CTAs of their own.
func inColumns(columns [][]string, ctas ...int) string {
	var b strings.Builder
	b.WriteString("PTX drawn\n{ c=0; x=0; y=0; ")
	rows, observed := 0, []string{"c", "x"}
	for i, column := range columns {
		rows = max(rows, len(column))
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; P%[1]d:r3=0; ", i)
		observed = append(observed, fmt.Sprintf("%d:r0; %[1]d:r1; %[1]d:r2", i))
	}
	b.WriteString("}\n")
	for row := -1; row < rows; row++ {
		var cells []string
		for i, column := range columns {
			switch {
			case row < 0 && i < len(ctas):
				cells = append(cells, fmt.Sprintf("P%d@cta %d,gpu 0", i, ctas[i]))
			case row < 0:
				cells = append(cells, fmt.Sprintf("P%d@cta %[1]d,gpu 0", i))
			case row < len(column):
				cells = append(cells, column[row])
			default:
				cells = append(cells, "")
			}
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
	fmt.Fprintf(&b, "locations [%s]\nexists (c=3)\n", strings.Join(observed, "; "))
	return b.String()
}
