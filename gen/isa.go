package gen

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// ISA is the vocabulary and the syntax of one kind of litmus tests.
type ISA struct {
	Name string // value of --isa: gpu_ptx, ptx
	Arch string // header of its tests

	thread   string // prefix of thread names
	far      string // word for two GPUs in names of tests
	says     bool   // names of tests also mention default accesses
	levels   []Level
	fallback *Access
	accesses []*Access
	stems    []stem
	types    bool // instructions have types
	brackets bool // accessed locations stand in brackets
	tree     bool // a scope tree gives the placement of threads, instead of their headers

	// writes the threads and returns the registers that the condition asks for
	write func(*layout, *litmus.Writer) []litmus.Held
	c     *spelling // syntax of C-like languages; else nil
}

// format returns the format of its tests.
func (isa *ISA) format() *litmus.Format {
	all := frontends.Shipped().Formats()
	return all[slices.IndexFunc(all, func(f *litmus.Format) bool { return f.Arch == isa.Arch })]
}

// stem is an edge without level, locations and directions.
type stem struct {
	name string
	edge Edge
	ends int  // number of directions in its name: the last one, or both
	from Dirs // directions that it may begin with
	to   Dirs // directions that it may end with
}

// Dirs is a set of directions.
type Dirs []Dir

var both = Dirs{W, R}

// Access is how an event accesses memory. The zero Access is the default of the instruction set.
type Access struct {
	Name          string // name in brackets in a cycle: cg, relaxed.gpu, atom.exch
	order, scope  string // of atomics in C
	load, store   string // opcodes, or ""
	atomic        string // opcode of an atomic
	op            string // operation of an atomic: exch, add, cas
	returnsNoRead bool   // red: the thread does not see the value read
	async         *operation
}

// Atomic reports whether the access reads and writes.
func (a *Access) Atomic() bool { return a.atomic != "" }

// suits reports whether an event can have this access, where the edge before it requires direction
// in and the edge after it direction out.
func (a *Access) suits(in, out Dir) bool {
	switch {
	case a.Atomic():
		return true
	case in != out:
		return false
	}
	return in == R && a.load != "" || in == W && a.store != ""
}

// short returns the access as names of tests spell it.
func (a *Access) short() string { return shorter.Replace(a.Name) }

var shorter = strings.NewReplacer("relaxed", "rlx", "acquire", "acq", "release", "rel", "seq_cst", "sc", "atom.", "")

// The instruction sets.
var (
	GPUPTX = gpuPTX()
	PTX    = scopedPTX()
)

// ISAs are the instruction sets by name.
var ISAs = map[string]*ISA{GPUPTX.Name: GPUPTX, PTX.Name: PTX, C11.Name: C11, OpenCL.Name: OpenCL, CUDA.Name: CUDA}

// gpuPTX returns the PTX of the paper (ASPLOS 2015, Sec. 2.3): cache operators and membar.
func gpuPTX() *ISA {
	isa := &ISA{
		Name:     "gpu_ptx",
		Arch:     "GPU_PTX",
		thread:   "T",
		far:      "inter-device",
		types:    true,
		brackets: true,
		tree:     true,
		write:    writeColumns,
		levels:   []Level{SameWarp, SameCTA, SameGPU, OtherGPU},
		accesses: []*Access{
			{Name: "cg", load: "ld.cg", store: "st.cg"},
			{Name: "ca", load: "ld.ca"},
			{Name: "cv", load: "ld.cv"},
			{Name: "wb", store: "st.wb"},
			{Name: "wt", store: "st.wt"},
			{Name: "volatile", load: "ld.volatile", store: "st.volatile"},
		},
	}
	isa.atomics("")
	isa.fallback = isa.accesses[0]
	isa.edges([]string{"membar.cta", "membar.gl", "membar.sys"}, nil)
	return isa
}

// scopedPTX returns PTX since 6.0 (PTX ISA, "Memory Consistency Model"): orders and scopes.
func scopedPTX() *ISA {
	isa := &ISA{
		Name: "ptx", Arch: "PTX", thread: "P", far: "inter-gpu", says: true, write: writeColumns,
		levels: []Level{SameWarp, SameCTA, SameCluster, SameGPU, OtherGPU},
		accesses: []*Access{
			{Name: "weak", load: "ld.weak", store: "st.weak"},
			{Name: "volatile", load: "ld.volatile", store: "st.volatile"},
			{Name: "mmio", load: "ld.mmio.relaxed.sys", store: "st.mmio.relaxed.sys"},
		},
	}
	isa.fallback = isa.accesses[0]
	scopes := []string{".cta", ".cluster", ".gpu", ".sys"}
	for _, s := range scopes {
		isa.accesses = append(isa.accesses,
			&Access{Name: "relaxed" + s, load: "ld.relaxed" + s, store: "st.relaxed" + s},
			&Access{Name: "acquire" + s, load: "ld.acquire" + s},
			&Access{Name: "release" + s, store: "st.release" + s})
	}
	isa.atomics("")
	var fences []string
	for _, order := range []string{"relaxed", "acquire", "release", "acq_rel"} {
		for _, s := range scopes {
			isa.atomics("." + order + s)
		}
	}
	for _, order := range []string{"sc", "acq_rel", "acquire", "release"} {
		for _, s := range scopes {
			fences = append(fences, "fence."+order+s)
		}
	}
	fences = append(fences, "membar.cta", "membar.gl", "membar.sys")
	isa.edges(append(fences, proxyFences...), []string{"bar.sync", "barrier.cluster"})
	isa.addOperations()
	return isa
}

// atomics adds the atomics with an order and a scope.
func (isa *ISA) atomics(semantics string) {
	add := func(opcode, op string, red bool) {
		name := opcode + semantics + "." + op
		isa.accesses = append(isa.accesses, &Access{Name: name, atomic: name, op: op, returnsNoRead: red})
	}
	for _, op := range []string{"exch", "add", "cas"} {
		add("atom", op, false)
	}
	add("red", "add", true)
}

// edge adds a stem.
func (isa *ISA) edge(e Edge, ends int, from, to Dirs) {
	isa.stems = append(isa.stems, stem{e.stem(), e, ends, from, to})
}

// edges adds the stems.
func (isa *ISA) edges(fences, barriers []string) {
	add := isa.edge
	for _, external := range []bool{true, false} {
		add(Edge{Kind: Rf, External: external}, 0, Dirs{W}, Dirs{R})
		add(Edge{Kind: Fr, External: external}, 0, Dirs{R}, Dirs{W})
		add(Edge{Kind: Co, External: external}, 0, Dirs{W}, Dirs{W})
	}
	add(Edge{Kind: Po}, 2, both, both)
	add(Edge{Kind: Addr}, 1, Dirs{R}, both)
	add(Edge{Kind: Data}, 1, Dirs{R}, Dirs{W})
	add(Edge{Kind: Ctrl}, 1, Dirs{R}, both)
	for _, f := range fences {
		add(Edge{Kind: Fence, Instr: f}, 2, both, both)
	}
	for _, b := range barriers {
		add(Edge{Kind: Barrier, Instr: b}, 2, both, both)
	}
}

// synonyms are other names of edges: ws of herd before 2013.
var synonyms = map[string]string{"Wse": "Coe", "Wsi": "Coi"}

// Edges expands the text of an edge. A * stands for each direction, and for any text in the name of
// a fence. A name without directions stands for all of them, between different locations: Pod**
// Membar.*dWW DpAddr Rfe@cta.
func (isa *ISA) Edges(at src.Span) ([]Edge, *src.Diagnostic) {
	text, level, d := isa.cutLevel(at)
	if d != nil {
		return nil, d
	}
	if s, ok := synonyms[text]; ok {
		text = s
	}
	var edges []Edge
	for _, s := range isa.stems {
		for _, e := range s.match(text) {
			if e.External && (e.Kind != Handover || level != AnyLevel) {
				e.Level = level
			} else if level != AnyLevel {
				return nil, src.Errorf(at, "%s stays in its thread: only Rfe, Fre and Coe take a level", text)
			}
			edges = append(edges, e)
		}
	}
	if edges == nil {
		return nil, isa.unknownEdge(at, text)
	}
	return edges, nil
}

// cutLevel splits off the level: Rfe@cta.
func (isa *ISA) cutLevel(at src.Span) (text string, level Level, d *src.Diagnostic) {
	text, name, marked := strings.Cut(at.Text(), "@")
	if !marked {
		return text, AnyLevel, nil
	}
	at.Start += len(text) + 1
	level, d = isa.Level(at, name)
	return text, level, d
}

// unknownEdge returns an error that lists the edges.
func (isa *ISA) unknownEdge(at src.Span, text string) *src.Diagnostic {
	d := src.Errorf(at, "%s has no edge %s", isa.Name, text)
	var names []string
	for _, s := range isa.stems {
		names = append(names, s.name)
		for _, e := range s.match(s.name) {
			names = append(names, e.String())
		}
	}
	if d.Hint = src.DidYouMean(text, names); d.Hint != "" {
		return d
	}
	for _, name := range slices.Sorted(maps.Keys(ISAs)) {
		if other := ISAs[name]; other != isa &&
			slices.ContainsFunc(other.stems, func(s stem) bool { return s.match(text) != nil }) {
			d.Hint = "--isa " + other.Name + " has it"
			return d
		}
	}
	d.Hint = "edges are Rfe Fre Coe, Rfi Fri Coi, PodWR PosRR …, DpAddr DpData DpCtrl, " + fenceExample[isa.Name] +
		" (docs/generate.md)"
	return d
}

var fenceExample = map[string]string{
	"gpu_ptx": "Membar.gldWR", "ptx": "Fence.sc.gpudWR, Bar.syncdWW", "c11": "Fence.seq_cstdWR",
	"opencl": "Fence.seq_cst.devicedWR, BarrierdWW",
	"cuda":   "Fence.seq_cst.devicedWR, Threadfence.devicedWR, SyncthreadsdWW",
}

// match returns the edges that a text stands for.
func (s stem) match(text string) []Edge {
	name, diff, from, to := s.cutEnds(text)
	if ok, err := path.Match(name, s.name); err != nil || !ok {
		return nil
	}
	var edges []Edge
	for _, src := range from {
		for _, dst := range to {
			if slices.Contains(s.from, src) && slices.Contains(s.to, dst) {
				e := s.edge
				e.Diff, e.Src, e.Dst = diff && !e.Communicates(), src, dst
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// cutEnds splits off locations and directions: PodWR, DpAddrdR. Without them, the text stands for
// all directions, between different locations.
func (s stem) cutEnds(text string) (name string, diff bool, from, to Dirs) {
	n := len(text) - 1 - s.ends
	if s.ends == 0 || n <= 0 || text[n] != 'd' && text[n] != 's' || strings.Trim(text[n+1:], "WR*") != "" {
		return text, true, both, both
	}
	from = both
	if s.ends == 2 {
		from = dirs[text[n+1]]
	}
	return text[:n], text[n] == 'd', from, dirs[text[len(text)-1]]
}

var dirs = map[byte]Dirs{'W': {W}, 'R': {R}, '*': both}

// Accesses expands the text of an access: its name, where a * matches any text.
func (isa *ISA) Accesses(at src.Span) ([]*Access, *src.Diagnostic) {
	return isa.accessesNamed(at, at.Text())
}

func (isa *ISA) accessesNamed(at src.Span, text string) ([]*Access, *src.Diagnostic) {
	var found []*Access
	for _, a := range isa.accesses {
		if ok, err := path.Match(text, a.Name); err == nil && ok {
			found = append(found, a)
		}
	}
	if found != nil {
		return found, nil
	}
	d := src.Errorf(at, "%s has no access %s", isa.Name, text)
	names := isa.accessNames()
	if d.Hint = src.DidYouMean(text, names); d.Hint == "" {
		d.Hint = fmt.Sprintf("accesses are %s … (docs/generate.md)", strings.Join(names[:min(7, len(names))], ", "))
	}
	return nil, d
}

// rmw reads Rmw.exch, diy's name for [atom.exch] where an edge ends with a read and the next begins
// with a write.
func (isa *ISA) rmw(at src.Span) (accesses []*Access, ok bool, d *src.Diagnostic) {
	name, ok := strings.CutPrefix(at.Text(), "Rmw.")
	if !ok {
		return nil, false, nil
	}
	accesses, d = isa.accessesNamed(at, "atom."+name)
	return accesses, true, d
}

func (isa *ISA) accessNames() []string {
	var names []string
	for _, a := range isa.accesses {
		names = append(names, a.Name)
	}
	return names
}

// or returns the access, or the default if it is open.
func (isa *ISA) or(a *Access) *Access {
	if a.Name == "" {
		return isa.fallback
	}
	return a
}
