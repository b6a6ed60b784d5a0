package gen

import (
	"cmp"
	"slices"
	"strings"
)

// Vocabularies of tests that can distinguish models.

// Asynchronous is a base name that models mention if they cover asynchronous operations.
const Asynchronous = "issue"

// need is a part of a vocabulary for models that mention one of the given base names.
type need struct {
	names string
	words Words
}

// vocabularies are the parts of the vocabulary for distinguishing models. A part with no names is
// for all models. The CTA and the GPU, or their counterparts, represent all scopes, unless a model
// mentions only others.
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
		{
			Asynchronous,
			Words{
				Edges:    "Waits** Waitd** Syncs** Mbars** Mbard** Proxy.mbars** Fence.proxy.asyncs**",
				Accesses: "cp.async bulk.load bulk.store",
				Levels:   "cta",
			},
		},
	},
	C11: {
		{"", Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "relaxed", Levels: "gpu"}},
		{"NA NAL A", Words{Accesses: "plain"}},
		{"ACQ", Words{Accesses: "acquire"}},
		{"REL", Words{Accesses: "release"}},
		{"SC", Words{Edges: "Fence.seq_cstd**", Accesses: "seq_cst"}},
		{"F ACQ_REL", Words{Edges: "Fence.acq_reld**"}},
		{"addr", Words{Edges: "DpAddrd*"}},
		{"data", Words{Edges: "DpDatad*"}},
		{"ctrl", Words{Edges: "DpCtrld*"}},
		{"rmw RMW X", Words{Accesses: "atom.relaxed.exch atom.relaxed.add"}},
	},
	OpenCL: scopedC("work_group", "device", "Barrierd**"),
	CUDA:   scopedC("block", "device", "Syncthreadsd**"),
}

// scopedC returns the vocabulary of a C-like language with scopes: a narrow one, a wide one, and
// the barrier among the threads of the narrow one.
func scopedC(narrow, wide, barrier string) []need {
	both := func(order string) string { return order + "." + narrow + " " + order + "." + wide }
	fences := func(order string) string {
		return "Fence." + order + "." + narrow + "d** Fence." + order + "." + wide + "d**"
	}
	return []need{
		{"", Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "relaxed." + wide, Levels: "gpu"}},
		{"NA NAL A", Words{Accesses: "plain"}},
		{"WG CTA swg scta sr", Words{Accesses: "relaxed." + narrow, Levels: "cta"}},
		{"ACQ", Words{Accesses: both("acquire")}},
		{"REL", Words{Accesses: both("release")}},
		{"SC", Words{Edges: fences("seq_cst"), Accesses: both("seq_cst")}},
		{"F ACQ_REL", Words{Edges: fences("acq_rel")}},
		{"addr", Words{Edges: "DpAddrd*"}},
		{"data", Words{Edges: "DpDatad*"}},
		{"ctrl", Words{Edges: "DpCtrld*"}},
		{"rmw RMW X", Words{Accesses: "atom.relaxed." + wide + ".exch atom.relaxed." + wide + ".add"}},
		{"EF XF syncbar", Words{Edges: barrier, Levels: "cta"}},
	}
}

// Speaker describes which tests a model is for.
type Speaker struct {
	Headers  string                 // headers of its tests; "" if it gives none
	Mentions func(name string) bool // reports whether it uses a base name
}

// languages returns the kinds of tests that a model is for, or nil if it uses only names that all
// kinds share.
func (s Speaker) languages() []*ISA {
	var all []*ISA
	for _, isa := range []*ISA{GPUPTX, PTX, C11, OpenCL, CUDA} {
		if slices.Contains(strings.Fields(s.Headers), isa.Arch) {
			all = append(all, isa)
		}
	}
	switch {
	case s.Headers != "":
	case anyOf("membar.cta membar.gl membar.sys sr sync_fence vloc", s.Mentions):
		all = []*ISA{GPUPTX, PTX}
	case anyOf("WI WG DV swg sdv GLOBAL LOCAL", s.Mentions):
		all = []*ISA{OpenCL}
	case anyOf("NA NAL EF XF CON", s.Mentions):
		all = []*ISA{C11}
	}
	return all
}

// ISAFor returns the kind of tests that suits two models best. If neither mentions names of PTX,
// and one is for C, it is a language that both are for, or else a language of one of them: the one
// with the most scopes, because tests without scopes are meaningful in models with scopes, but not
// the other way round.
func ISAFor(a, b Speaker) *ISA {
	one, other := a.languages(), b.languages()
	common := slices.DeleteFunc(slices.Clone(one), func(isa *ISA) bool { return !slices.Contains(other, isa) })
	if len(common) == 0 {
		common = append(one, other...)
	}
	if len(common) > 0 && !slices.ContainsFunc(common, func(isa *ISA) bool { return isa.c == nil }) {
		return slices.MaxFunc(common, func(x, y *ISA) int { return cmp.Compare(len(x.levels), len(y.levels)) })
	}
	return ptxFor(func(name string) bool { return a.Mentions(name) || b.Mentions(name) })
}

// ptxFor returns the kind of PTX tests that suits models with the given base names: GPU_PTX if one
// mentions its fences, scoped PTX if one mentions scopes of accesses. (sc mentions barriers, but is
// not specific to PTX.)
func ptxFor(mention func(name string) bool) *ISA {
	if !anyOf("membar.cta membar.gl membar.sys", mention) &&
		anyOf("sr scta scluster sgpu syncbar sync_fence vloc", mention) {
		return PTX
	}
	return GPUPTX
}

// WordsFor returns a vocabulary for distinguishing models that mention the given base names.
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

// anyOf reports whether one of the names is mentioned.
func anyOf(names string, mention func(name string) bool) bool {
	return slices.ContainsFunc(strings.Fields(names), mention)
}
