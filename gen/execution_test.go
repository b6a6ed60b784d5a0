package gen_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
)

// wide are vocabularies with all kinds of edges and accesses.
var wide = []struct {
	name, isa, edges, accesses, levels, regions string
	size, threads                               gen.Range
}{
	{
		"internal", "gpu_ptx", "Rfe Fre Coe Rfi Fri Coi Po* Dp*", "cg", "gpu", "",
		gen.Range{Min: 2, Max: 4},
		gen.Range{Min: 1, Max: 3},
	},
	{
		"same", "gpu_ptx", "Rfe Fre Coe Pos** DpAddrs* DpDatasW DpCtrls* Membar.*s**", "cg volatile", "cta gpu",
		"global shared",
		gen.Range{Min: 2, Max: 3},
		gen.Range{Min: 1, Max: 3},
	},
	{
		"atomics", "gpu_ptx", "Rfe Fre Coe Pos** Pod** DpAddr DpData", "cg atom.exch atom.add atom.cas red.add", "gpu",
		"",
		gen.Range{Min: 2, Max: 3},
		gen.Range{Min: 1, Max: 3},
	},
	{
		"levels", "ptx", "Rfe Fre Coe Pod** DpCtrl Fence.*.cta Bar.sync Barrier.cluster", "",
		"warp cta cluster gpu sys",
		"",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"scoped", "ptx", "Rfe Fre Coe Pod** Fence.sc.*", "weak acquire.gpu release.sys atom.acq_rel.cta.add", "cta gpu",
		"",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"chains", "ptx", "Rfe Fre Coe Pos** Pod**", "relaxed.gpu atom.relaxed.gpu.add", "gpu", "",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 4},
	},
	{
		"reductions", "ptx", "Rfe Fre Coe Pod**", "relaxed.gpu red.relaxed.gpu.add", "gpu", "",
		gen.Range{Min: 4, Max: 5},
		gen.Range{Min: 2, Max: 3},
	},
	{
		"asynchronous", "ptx",
		"Rfe Fre Coe Fri Coi Pos** Fence.proxy.asyncs** Mbars** Proxy.mbars** Cp.async Bulk.load Waits**",
		"weak bulk.load bulk.store", "cta", "",
		gen.Range{Min: 2, Max: 3},
		gen.Range{Min: 1, Max: 3},
	},
	{
		"clusters", "ptx", "Rfe Fre Coe Pod** Mbar@cluster *.mbar@cluster", "relaxed.cluster st.async bulk.load",
		"cluster", "",
		gen.Range{Min: 2, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"C11", "c11", "Rfe Fre Coe Pos** Pod** DpData Fence.acq_rel", "relaxed plain atom.seq_cst.add", "", "",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"OpenCL", "opencl", "Rfe Fre Coe Pod** DpAddr DpCtrl Mem_fence Barrier",
		"plain release.all_svm_devices atom.add",
		"cta", "global shared",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"CUDA", "cuda", "Rfe Fre Coe Pod** DpAddr DpData DpCtrl Threadfence.device",
		"plain seq_cst.block atom.seq_cst.device.cas", "gpu sys", "",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
	{
		"CUDA's own", "cuda", "Rfe Fre Coe Pod** Fence.release.device Syncthreads",
		"volatile acquire.device atom.cas atom.exch", "cta cluster", "shared",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
	},
}

// manyExecutions bounds the candidate executions of a test.
const manyExecutions = 3000

// sampled is the number of tests for each vocabulary.
var sampled = sample.Of(250, 100)

// TestCycleIsTheOutcome checks on many tests, by enumerating candidate executions, that exactly
// those with the cycle satisfy the condition, and that there is one. Where a location has three or
// more writes, only coherent executions count. None is sequentially consistent if every
// asynchronous operation is waited for.
func TestCycleIsTheOutcome(t *testing.T) {
	for _, v := range wide {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			g := &gen.Generator{ISA: gen.ISAs[v.isa], Size: v.size, Threads: v.threads}
			if err := g.Add(gen.Words{
				Edges:    v.edges,
				Accesses: v.accesses,
				Levels:   v.levels,
				Regions:  v.regions,
			}); err != nil {
				t.Fatal(err)
			}
			n := sampled
			if strings.Contains(v.accesses, "bulk") {
				n = sample.Of(sampled, 10) // mbarriers have many orders
			}
			for test, err := range gen.Sample(gen.Distinct(g.Cycles(t.Context()), &gen.Counts{}), n, 1) {
				if err != nil {
					t.Fatal(err)
				}
				checkOutcome(t, test)
			}
		})
	}
	for _, p := range gen.Presets {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			n := sampled
			if p.Name == "async" {
				n = sample.Of(sampled, 10)
			}
			for test, err := range gen.Sample(testsOf(p), n, 1) {
				if err != nil {
					t.Fatal(err)
				}
				checkOutcome(t, test)
			}
		})
	}
}

// checkOutcome compares the candidate executions of a test with its cycle.
func checkOutcome(t *testing.T, test *gen.Test) {
	t.Helper()
	p, err := frontends.Shipped().Read(test.Test, frontend.Options{Unroll: 1})
	if err != nil {
		t.Fatalf("%s: %v", test, err)
	}
	refs := test.Observables()
	found, looked := false, 0
	for x, err := range enumerate.Executions(context.Background(), p, enumerate.Options{}, &enumerate.Stats{}) {
		if err != nil {
			t.Fatalf("%s: %v", test, err)
		}
		if looked++; looked > manyExecutions {
			return // there are enough other tests
		}
		if x.Stuck || x.Wrong != nil || !ends(p, x, test.Cond.Prop, refs) {
			continue
		}
		if allWaited(test.Cycle) && sequential(x) {
			t.Fatalf("%s\nan execution that ends so is sequentially consistent", test)
		}
		missing := missingEdge(test.Cycle, x)
		found = found || missing == ""
		if missing != "" && coherent(x) {
			t.Fatalf("%s\nan execution that ends so has no %s", test, missing)
		}
		if missing != "" && !manyWrites(x) {
			t.Fatalf("%s\nan execution that ends so has no %s, and no location has many writes", test, missing)
		}
	}
	if !found {
		t.Errorf("%s\nno candidate execution ends so", test)
	}
}

// coherent reports whether the order of the writes to each location agrees with program order
// there, and nothing comes between the halves of an atomic.
func coherent(x *event.Execution) bool {
	get := func(name string) rel.Rel {
		r, _ := x.Rel(name)
		return r
	}
	reads, _ := x.Set("R")
	order := get("po-loc").Diff(rel.Product(reads, reads)).Union(get("rf")).Union(get("co")).Union(get("fr"))
	return order.Acyclic() && get("rmw").Inter(get("fre").Compose(get("coe"))).Empty()
}

// sequential reports whether an execution is sequentially consistent.
func sequential(x *event.Execution) bool {
	get := func(name string) rel.Rel {
		r, _ := x.Rel(name)
		return r
	}
	order := get("rf").Union(get("co")).Union(get("fr"))
	for _, name := range []string{"po", "issue", "within", "complete"} {
		order = order.Union(get(name))
	}
	met := get("awaited")
	order = order.Union(get("po").Compose(met)).Union(met.Compose(get("po")))
	return order.Acyclic() && get("rmw").Inter(get("fre").Compose(get("coe"))).Empty()
}

// allWaited reports whether each asynchronous operation that is followed by an edge other than
// communication is waited for there.
func allWaited(c *gen.Cycle) bool {
	asynchronous := func(i int) bool { return slices.Contains(operations, c.Accesses[i].Name) }
	for i, e := range c.Edges {
		copies := c.Edges[(i+len(c.Edges)-1)%len(c.Edges)].Kind == gen.Copy
		if (asynchronous(i) || copies) && !e.Communicates() && !tells(e) {
			return false
		}
	}
	return true
}

// tells reports whether an edge waits for the operation before it, or the operation completes on an
// mbarrier.
func tells(e gen.Edge) bool {
	return strings.HasPrefix(e.Instr, "wait") && (e.Instr != "wait.read" || e.Src == gen.R) ||
		strings.HasPrefix(e.Instr, "mbar")
}

// operations are the asynchronous accesses.
var operations = []string{"cp.async", "bulk.load", "bulk.store", "st.async"}

// manyWrites reports whether some location has three writes, not counting the initial one.
func manyWrites(x *event.Execution) bool {
	writes := map[event.Loc]int{}
	for e, ev := range x.Events {
		if ev.Kind == event.Write && ev.Thread != event.InitThread {
			writes[x.Loc[e]]++
		}
	}
	return slices.Max(slices.Collect(maps.Values(writes))) > 2
}

func ends(p frontend.Program, x *event.Execution, cond litmus.Prop, refs []litmus.Ref) bool {
	return slices.ContainsFunc(frontend.States(p, x, refs), func(s litmus.State) bool {
		return cond.Eval(s.Lookup(refs))
	})
}

// missingEdge returns an edge of the cycle that an execution lacks, or "".
func missingEdge(c *gen.Cycle, x *event.Execution) string {
	nodes := eventsOf(c, x)
	for i, e := range c.Edges {
		next := (i + 1) % len(c.Edges)
		from, to := nodes[i].as(e.Src), nodes[next].as(e.Dst)
		name := map[gen.Kind]string{
			gen.Rf: "rf", gen.Fr: "fr", gen.Co: "co", gen.Addr: "addr", gen.Data: "data",
			gen.Ctrl: "ctrl",
		}[e.Kind]
		r, _ := x.Rel(name)
		if name == "" {
			r = beyond(x)
		}
		unordered := x.Events[from].Agent != 0 &&
			(e.Kind == gen.Po || between[e.Kind] || e.Kind == gen.Handover && !tells(e))
		switch sameThread := x.Events[from].Thread == x.Events[to].Thread; {
		case !unordered && !r.Has(from, to):
			return fmt.Sprintf("%s for %s", name, e)
		case sameThread == e.External:
			return fmt.Sprintf("external edge for %s", e)
		case between[e.Kind] && !unordered && !separated(x, from, to, e.Instr):
			return fmt.Sprintf("%s for %s", e.Instr, e)
		case (x.Loc[from] == x.Loc[to]) == e.Diff:
			return fmt.Sprintf("right locations for %s", e)
		}
	}
	return ""
}

// between are the kinds of edges with an instruction between two events.
var between = map[gen.Kind]bool{gen.Fence: true, gen.Barrier: true}

// beyond returns program order, the order of asynchronous operations, and the meetings of threads
// at barriers and mbarriers.
func beyond(x *event.Execution) rel.Rel {
	order, _ := x.Rel("po")
	for _, name := range []string{"issue", "within", "complete", "awaited"} {
		r, _ := x.Rel(name)
		order = order.Union(r)
	}
	barriers, _ := x.Set("MBAR")
	reads, _ := x.Rel("rf")
	return order.Union(reads.Inter(rel.Product(barriers, barriers))).Plus()
}

// accessEvents is the events of an access: an atomic has two.
type accessEvents struct{ read, write event.ID }

func (a accessEvents) as(d gen.Dir) event.ID {
	if d == gen.R {
		return a.read
	}
	return a.write
}

// eventsOf finds the events of the accesses of a cycle, by their order in the threads.
func eventsOf(c *gen.Cycle, x *event.Execution) []accessEvents {
	rmw, _ := x.Rel("rmw")
	var nodes []accessEvents
	thread := 0
	next := map[int]int{} // next event of each thread
	accesses := map[int][]accessEvents{}
	locations := 0
	for _, e := range c.Edges {
		if e.Diff {
			locations++
		}
	}
	for e, ev := range x.Events {
		switch {
		case ev.Thread == event.InitThread || ev.Kind == event.Fence || ev.Kind == event.Barrier:
		case x.Loc[e] >= event.Loc(max(1, locations)): // of an mbarrier, or outside the cycle
		case ev.Kind == event.Read:
			accesses[ev.Thread] = append(accesses[ev.Thread], accessEvents{e, -1})
		case ev.Kind == event.Write:
			all := accesses[ev.Thread]
			if n := len(all); n > 0 && all[n-1].read >= 0 && rmw.Has(all[n-1].read, e) {
				all[n-1].write = e
			} else {
				accesses[ev.Thread] = append(all, accessEvents{-1, e})
			}
		}
	}
	for _, e := range c.Edges {
		nodes = append(nodes, accesses[thread][next[thread]])
		next[thread]++
		if e.External {
			thread++
		}
	}
	return nodes
}

// separated reports whether a fence or barrier of the instruction's name is between two events.
func separated(x *event.Execution, from, to event.ID, instr string) bool {
	po := beyond(x)
	for e, ev := range x.Events {
		if (ev.Kind == event.Fence || ev.Kind == event.Barrier) && po.Has(from, e) && po.Has(e, to) {
			word, _, _ := strings.Cut(instr, ".")
			if strings.Contains(strings.ToLower(x.Label(e)), word) {
				return true
			}
		}
	}
	return false
}
