package play

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/wire"
)

// relations lists those in a picture, those that the request hides, and then all that it could
// show.
func relations(g *viz.Graph, m *loadedModel, r *request) []wire.Relation {
	var all []wire.Relation
	add := func(name string, drawn bool) {
		if !slices.ContainsFunc(all, func(x wire.Relation) bool { return x.Name == name }) {
			x := m.relation(name)
			x.Drawn = drawn
			all = append(all, x)
		}
	}
	for _, d := range g.Drawn() {
		add(d.Label, true)
	}
	for _, name := range r.Hide {
		add(name, false)
	}
	for _, d := range m.summary.Definitions {
		if m.canShow(d.Name) {
			add(d.Name, false)
		}
	}
	for _, name := range sim.Vocabulary().Rels {
		if m.canShow(name) {
			add(name, false)
		}
	}
	return all
}

// relation is what is known of a relation: the model's definition, else the meaning of a base
// name.
func (m *loadedModel) relation(name string) wire.Relation {
	x := wire.Relation{Name: name, Kind: viz.KindOf(name).String(), Definition: meanings[name]}
	for _, d := range m.summary.Definitions {
		if d.Name == name {
			at := rangeOf(d.At)
			x.Definition, x.File, x.Line = name+" = "+body(d.At.Text()), at.File, at.Line
		}
	}
	return x
}

// body is the right side of a definition, on one line.
func body(definition string) string {
	_, b, ok := strings.Cut(definition, "=")
	if !ok {
		b = definition
	}
	return strings.Join(strings.Fields(b), " ")
}

// canShow reports that the name is that of a relation which the model defines or may use.
func (m *loadedModel) canShow(name string) bool {
	for _, d := range m.summary.Definitions {
		if d.Name == name {
			return d.Type == "a relation" || d.Type == "a set of events"
		}
	}
	isChosen := slices.Contains(m.summary.Choices, name)
	return slices.Contains(sim.Vocabulary().Rels, name) && (isChosen || !m.Lacks(name))
}

// meanings are those of the base names, in a sentence each (docs/cat.md, "Base names").
var meanings = map[string]string{
	"M": "accesses of memory: reads and writes", "R": "reads", "W": "writes", "F": "fences", "B": "events of barriers",
	"IW": "initial writes", "FW": "final writes: those that no other overwrites",
	"A": "the accesses of atomics", "RMW": "the accesses of atomics", "X": "the accesses of atomics",
	"RED": "the accesses of a red, which returns nothing",
	"VOL": "volatile accesses", "MMIO": "accesses of memory-mapped I/O",
	"WEAK": "weak accesses", "RLX": "relaxed accesses", "ACQ": "acquire accesses and fences",
	"REL": "release accesses and fences", "ACQ_REL": "acquire-release fences", "SC": "sequentially consistent fences",
	"CTA": "events of cta scope", "CLUSTER": "events of cluster scope", "GPU": "events of gpu scope", "SYS": "events of sys scope",
	"GEN": "accesses through the generic proxy", "SUR": "accesses through the surface proxy, and its fences",
	"TEX": "accesses through the texture proxy, and its fences", "CON": "accesses through the constant proxy, and its fences",
	"ASYNC": "accesses through the async proxy, and its fences", "ALIAS": "fences for aliases",
	"CA": "accesses with the cache operator .ca: all levels", "CG": "accesses with the cache operator .cg: the L2 cache only",
	"CV": "loads with the cache operator .cv: volatile", "WB": "stores with the cache operator .wb: write back",
	"WT":     "stores with the cache operator .wt: write through",
	"Global": "accesses of global memory", "Shared": "accesses of shared memory",

	"id":  "every event with itself",
	"po":  "program order: the order of the instructions of a thread",
	"rf":  "reads-from: from a write to each read that takes its value from it",
	"co":  "coherence: the order in which the writes of a location take effect",
	"fr":  "from-read: from a read to each write that overwrites what it read",
	"rfe": "reads-from between threads", "rfi": "reads-from within a thread",
	"coe": "coherence between threads", "coi": "coherence within a thread",
	"fre": "from-read between threads", "fri": "from-read within a thread",
	"co0":    "initial writes before the other writes of their location",
	"po-loc": "program order between accesses of one location",
	"addr":   "address dependency: what a read returned goes into the address of an access",
	"data":   "data dependency: what a read returned goes into the value of a write",
	"ctrl":   "control dependency: what a read returned decides a branch before the event, or its predicate",
	"rmw":    "from the read to the write of an atomic", "amo": "from the read to the write of an atomic",
	"lxsx": "pairs of exclusive accesses, which GPUs do not have",
	"int":  "events of one thread", "ext": "events of different threads",
	"loc": "accesses of one location", "vloc": "accesses by one virtual address", "same-value": "accesses of one value",
	"membar.cta": "accesses of a thread with a membar.cta between them, which a fence.sc.cta is too",
	"membar.gl":  "accesses of a thread with a membar.gl between them, which a fence.sc.gpu is too",
	"membar.sys": "accesses of a thread with a membar.sys between them, which a fence.sc.sys is too",
	"warp":       "events of threads in one warp", "cta": "events of threads in one CTA",
	"kernel": "events of threads in one grid", "ker": "events of threads in one grid",
	"gl": "events of threads on one GPU", "sys": "all events: those of one system",
	"scta": "events of threads in one CTA", "scluster": "events of threads in one cluster", "sgpu": "events of threads on one GPU",
	"sr":         "events whose scopes include each other's thread",
	"awaited":    "from an event of a barrier to those that waited for it",
	"syncbar":    "from an event of a barrier to those that waited for it, unless its arrival is relaxed",
	"sync_fence": "the order of the fence.sc in each other's scope",
	"fence-sc":   "the order of the fence.sc that the model chooses",
}
