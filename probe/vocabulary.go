package probe

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/src"
)

// Words is a vocabulary of cycles, as gen.Generator reads it.
type Words struct{ Edges, Accesses, Levels string }

// need is a part of a vocabulary, and the base names of which a model needs one to have an
// opinion about it.
type need struct {
	names string
	Words
}

// vocabularies are what tests are made of to tell models apart. No need is needed by all. Of
// scopes the CTA and the GPU stand for all, unless a model knows only others.
var vocabularies = map[*gen.ISA][]need{
	gen.GPUPTX: {
		{"", Words{"Rfe Fre Coe Rfi Fri Coi Pod** Pos**", "cg", "gpu"}},
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
	gen.PTX: {
		{"", Words{"Rfe Fre Coe Rfi Fri Coi Pod** Pos**", "weak", "gpu"}},
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
		{"syncbar", Words{Edges: "Bar.syncd**", Levels: "cta"}},
	},
}

// ISAFor is the kind of tests on which models have most to say: those of the paper if one of
// them speaks of its fences, scoped ones if one speaks of scopes of accesses.
func ISAFor(models ...*cat.Model) *gen.ISA {
	if !mentions(models, "membar.cta membar.gl membar.sys") && mentions(models, "sr scta scluster sgpu syncbar sync_fence vloc") {
		return gen.PTX
	}
	return gen.GPUPTX
}

// WordsFor is a vocabulary with which models can be told apart.
func WordsFor(isa *gen.ISA, models ...*cat.Model) Words {
	var all Words
	for _, n := range vocabularies[isa] {
		if n.names == "" || mentions(models, n.names) {
			all.Edges += " " + n.Edges
			all.Accesses += " " + n.Accesses
			all.Levels += " " + n.Levels
		}
	}
	return Words{strings.TrimSpace(all.Edges), strings.TrimSpace(all.Accesses), strings.TrimSpace(all.Levels)}
}

// mentions reports that some of the models uses some of the base names.
func mentions(models []*cat.Model, names string) bool {
	return slices.ContainsFunc(models, func(m *cat.Model) bool {
		return slices.ContainsFunc(strings.Fields(names), m.Mentions)
	})
}

// Add adds the words to a generator.
func (w Words) Add(g *gen.Generator) error {
	for _, field := range []struct {
		name, text string
		add        func(*src.File) error
	}{{"edges", w.Edges, g.AddEdges}, {"accesses", w.Accesses, g.AddAccesses}, {"scopes", w.Levels, g.AddLevels}} {
		if err := field.add(src.NewFile("--"+field.name, field.text)); err != nil {
			return err
		}
	}
	return nil
}
