package probe

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
)

// need is a part of a vocabulary, and the base names of which a model needs one to have an
// opinion about it.
type need struct {
	names string
	words gen.Words
}

// vocabularies are what tests are made of to tell models apart. No need is needed by all. Of
// scopes the CTA and the GPU stand for all, unless a model knows only others.
var vocabularies = map[*gen.ISA][]need{
	gen.GPUPTX: {
		{"", gen.Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "cg", Levels: "gpu"}},
		{"cta membar.cta", gen.Words{Levels: "cta"}},
		{"warp", gen.Words{Levels: "warp"}},
		{"gl membar.sys", gen.Words{Levels: "sys"}},
		{"membar.cta", gen.Words{Edges: "Membar.ctad** Membar.ctas**"}},
		{"membar.gl", gen.Words{Edges: "Membar.gld** Membar.gls**"}},
		{"membar.sys", gen.Words{Edges: "Membar.sysd** Membar.syss**"}},
		{"addr", gen.Words{Edges: "DpAddrd* DpAddrs*"}},
		{"data", gen.Words{Edges: "DpDatad* DpDatas*"}},
		{"ctrl", gen.Words{Edges: "DpCtrld* DpCtrls*"}},
		{"rmw A RMW X", gen.Words{Accesses: "atom.exch atom.add"}},
	},
	gen.PTX: {
		{"", gen.Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "weak", Levels: "gpu"}},
		{"sr scta", gen.Words{Accesses: "relaxed.cta relaxed.gpu", Levels: "cta"}},
		{"ACQ", gen.Words{Accesses: "acquire.cta acquire.gpu"}},
		{"REL", gen.Words{Accesses: "release.cta release.gpu"}},
		{"SC", gen.Words{Edges: "Fence.sc.ctad** Fence.sc.gpud**"}},
		{"ACQ_REL", gen.Words{Edges: "Fence.acq_rel.ctad** Fence.acq_rel.gpud**"}},
		{"addr", gen.Words{Edges: "DpAddrd*"}},
		{"data", gen.Words{Edges: "DpDatad*"}},
		{"ctrl", gen.Words{Edges: "DpCtrld*"}},
		{"rmw A RMW X", gen.Words{Accesses: "atom.relaxed.gpu.exch atom.relaxed.gpu.add"}},
		{"RED", gen.Words{Accesses: "red.relaxed.gpu.add"}},
		{"awaited syncbar", gen.Words{Edges: "Bar.syncd**", Levels: "cta"}},
	},
}

// ISAFor is the kind of tests on which models have most to say: those of the paper if one of
// them speaks of its fences, scoped ones if one speaks of scopes of accesses. (sc has barriers,
// but is not about PTX for that.)
func ISAFor(models ...*cat.Model) *gen.ISA {
	if !mentions(models, "membar.cta membar.gl membar.sys") && mentions(models, "sr scta scluster sgpu syncbar sync_fence vloc") {
		return gen.PTX
	}
	return gen.GPUPTX
}

// WordsFor is a vocabulary with which models can be told apart.
func WordsFor(isa *gen.ISA, models ...*cat.Model) gen.Words {
	var all gen.Words
	for _, n := range vocabularies[isa] {
		if n.names == "" || mentions(models, n.names) {
			all.Edges += " " + n.words.Edges
			all.Accesses += " " + n.words.Accesses
			all.Levels += " " + n.words.Levels
		}
	}
	return all
}

// mentions reports that some of the models uses some of the base names.
func mentions(models []*cat.Model, names string) bool {
	return slices.ContainsFunc(models, func(m *cat.Model) bool {
		return slices.ContainsFunc(strings.Fields(names), m.Mentions)
	})
}
