package ptx

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// plain are instructions that access memory, fence and meet, as every test has them: see spellings
// for the asynchronous ones.
const plain = `
ld.u32 r, [x]; ld.weak.global.u32 r, [x]; ld.ca.u32 r, [x]; ld.cg.u32 r, [x]; ld.cv.u32 r, [x]; ld.volatile.u32 r, [x]
ld.relaxed.cta.u32 r, [x]; ld.relaxed.gpu.u32 r, [x]; ld.acquire.cluster.u32 r, [x]; ld.acquire.sys.u32 r, [x]; ld.mmio.relaxed.sys.u32 r, [x]; ld.global.nc.u32 r, [x]
ld.shared.u32 r, [s]; ld.relaxed.cta.shared.u32 r, [s]
st.u32 [x], 1; st.wb.u32 [x], 1; st.cg.u32 [x], 1; st.wt.u32 [x], 1; st.volatile.u32 [x], 1
st.relaxed.cta.u32 [x], 1; st.release.gpu.u32 [x], 1; st.release.sys.u32 [x], 1; st.mmio.relaxed.sys.u32 [x], 1
st.shared.u32 [s], 1
atom.add.u32 r, [x], 1; atom.relaxed.cta.exch.b32 r, [x], 1; atom.acquire.gpu.cas.b32 r, [x], 1, 2; atom.release.sys.max.u32 r, [x], 1; atom.acq_rel.cluster.inc.u32 r, [x], 3
red.add.u32 [x], 1; red.relaxed.sys.and.b32 [x], 1; red.release.gpu.min.u32 [x], 1
membar.cta; membar.gl; membar.sys
fence.sc.cta; fence.sc.cluster; fence.sc.gpu; fence.sc.sys; fence.acq_rel.cta; fence.acq_rel.gpu; fence.acquire.cluster; fence.release.sys
fence.proxy.alias; fence.proxy.texture; fence.proxy.surface; fence.proxy.constant; fence.proxy.async
bar.sync 0; barrier.sync 1, 64; bar.arrive 1, 64; barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned
`

// TestEvents compares what each form of each instruction does to memory with a golden file: its
// events with their orders and scopes, the sets of PTX that they are in, and which pairs are
// atomic.
func TestEvents(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(plain + spellings) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		p, err := newAsync(spelt(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		fmt.Fprintln(&b, line)
		for i, path := range p.Paths[0] {
			if i > 0 {
				b.WriteString("  or\n")
			}
			writeEvents(&b, p, path.Path)
		}
	}
	const golden = "testdata/events.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", golden, diff)
	}
}

// writeEvents writes the events of a path but those of the set-up.
func writeEvents(b *strings.Builder, p *Program, path *event.Path) {
	x := &event.Execution{Structure: event.Join(p.Locs, make([]event.Thread, 1), []*event.Path{path})}
	x.Vocabulary, x.Val = alone, make([]event.Value, x.N())
	x.Loc = slices.Repeat([]event.Loc{event.NoLoc}, x.N())
	for e := range x.Events {
		if c, ok := x.Events[e].Addr.(event.Const); ok {
			if l, err := event.Resolve(x.Locs, event.Value(c)); err == nil {
				x.Loc[e] = l
			}
		}
	}
	for e := range x.Events {
		ev := &x.Events[e]
		if ev.IsInit() || strings.HasPrefix(ev.Mnemonic, "mbarrier.init") {
			continue
		}
		fmt.Fprintf(b, "  %v", ev.Kind)
		if x.Loc[e] != event.NoLoc {
			b.WriteString(" " + x.Locs[x.Loc[e]].Name)
		}
		for _, word := range []string{ev.Order.String(), ev.Scope.String()} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		for _, n := range names {
			if !n.Set {
				continue
			}
			if set, ok := x.Set(n.Name.Name); ok && set.Has(e) {
				b.WriteString(" " + n.Name.Name)
			}
		}
		if ev.Atomic {
			b.WriteString(" atomic")
		}
		b.WriteString("\n")
	}
}
