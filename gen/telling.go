package gen

import (
	"slices"
	"strings"
)

// Which words make tests that tell models apart.

// Asynchronous is the base name that models mention which speak of asynchronous operations.
const Asynchronous = "issue"

// need is a part of a vocabulary, and the base names of which a model needs one to have an
// opinion about it.
type need struct {
	names string
	words Words
}

// vocabularies are what tests are made of to tell models apart. No need is needed by all. Of
// scopes the CTA and the GPU stand for all, unless a model knows only others.
var vocabularies = map[*ISA][]need{
	GPUPTX: {
		{"", Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "cg", Levels: "gpu"}},
		{"cta membar.cta", Words{Levels: "cta"}},
		{"warp", Words{Levels: "warp"}},
		{"gl membar.sys", Words{Levels: "sys"}},
		{"membar.cta", Words{Edges: "Membar.ctad** Membar.ctas**"}},
		{"membar.gl", Words{Edges: "Membar.gld** Membar.gls**"}},
		{"membar.sys", Words{Edges: "Membar.sysd** Membar.syss**"}},
		{"addr", Words{Edges: "DpAddrd* DpAddrs*"}},
		{"data", Words{Edges: "DpDatad* DpDatas*"}},
		{"ctrl", Words{Edges: "DpCtrld* DpCtrls*"}},
		{"rmw A RMW X", Words{Accesses: "atom.exch atom.add"}},
	},
	PTX: {
		{"", Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "weak", Levels: "gpu"}},
		{"sr scta", Words{Accesses: "relaxed.cta relaxed.gpu", Levels: "cta"}},
		{"ACQ", Words{Accesses: "acquire.cta acquire.gpu"}},
		{"REL", Words{Accesses: "release.cta release.gpu"}},
		{"SC", Words{Edges: "Fence.sc.ctad** Fence.sc.gpud**"}},
		{"ACQ_REL", Words{Edges: "Fence.acq_rel.ctad** Fence.acq_rel.gpud**"}},
		{"addr", Words{Edges: "DpAddrd*"}},
		{"data", Words{Edges: "DpDatad*"}},
		{"ctrl", Words{Edges: "DpCtrld*"}},
		{"rmw A RMW X", Words{Accesses: "atom.relaxed.gpu.exch atom.relaxed.gpu.add"}},
		{"RED", Words{Accesses: "red.relaxed.gpu.add"}},
		{"awaited syncbar", Words{Edges: "Bar.syncd**", Levels: "cta"}},
		{Asynchronous, Words{Edges: "Waits** Waitd** Syncs** Mbars** Mbard** Proxy.mbars** Fence.proxy.asyncs**", Accesses: "cp.async bulk.load bulk.store", Levels: "cta"}},
	},
}

// ISAFor is the kind of tests on which models have most to say, by the base names that they mention:
// those of the paper if one of them speaks of its fences, scoped ones if one speaks of scopes of
// accesses. (sc has barriers, but is not about PTX for that.)
func ISAFor(mention func(name string) bool) *ISA {
	if !anyOf("membar.cta membar.gl membar.sys", mention) && anyOf("sr scta scluster sgpu syncbar sync_fence vloc", mention) {
		return PTX
	}
	return GPUPTX
}

// Tells reports that there are vocabularies of the instruction set that tell models apart.
func (isa *ISA) Tells() bool { return vocabularies[isa] != nil }

// WordsFor is a vocabulary with which models can be told apart that mention some base names.
func (isa *ISA) WordsFor(mention func(name string) bool) Words {
	var all Words
	for _, n := range vocabularies[isa] {
		if n.names == "" || anyOf(n.names, mention) {
			all.Edges += " " + n.words.Edges
			all.Accesses += " " + n.words.Accesses
			all.Levels += " " + n.words.Levels
		}
	}
	return all
}

// anyOf reports that some of the names is mentioned.
func anyOf(names string, mention func(name string) bool) bool {
	return slices.ContainsFunc(strings.Fields(names), mention)
}
