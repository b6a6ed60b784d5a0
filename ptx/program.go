package ptx

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Program is a test whose instructions are parsed, resolved and checked.
type Program struct {
	Test *litmus.Test
	frontend.Memory

	opts     frontend.Options
	threads  []event.Thread
	seats    []frontend.Seat // of them; nil if nobody has asked
	code     []*thread
	paths    [][]*path // of each thread
	replicas replicas

	joined *joined // the only path of each thread; nil if some have several

	ending  sync.Once // ends
	endings *ends

	shared bool      // some code stands in another test, with which this one shares it
	once   sync.Once // reads alone
	alone  *Program  // the program, with all of its instructions where this test has them (own)
}

// thread is the code of one thread.
type thread struct {
	name    string
	id      int
	code    code
	initial map[string]event.Expr // registers that the initial state sets or declares
	types   map[string]Type       // declared types
	locs    []event.Location
	where   *frontend.Seat // see seat
	broken  bool           // some cell could not be parsed, so registers may be missing

	registers map[string]bool        // those that the initial state declares or some instruction sets
	observed  map[string]bool        // registers that the condition, the filter or the locations clause mention
	uses      map[event.Loc]src.Span // where it first mentions a location
	remote    map[event.Loc]src.Span // likewise, by instructions that reach the shared memory of the cluster
	paths     []*path
	mbarriers map[event.Loc]bool // those that it initialises
	sized     bool               // some access has a type of 64 bits, or a narrow one
	seated    bool               // its code or its paths depend on its seat
	placed    bool               // they depend on the regions of locations
	key       key                // see keys

	owned    map[event.Loc]event.Loc // of names that several CTAs have, the location of its own
	replicas replicas
	tensors  *tensorMaps
}

// seat is where the thread is, for what is then not shared with threads that are elsewhere.
func (t *thread) seat() *frontend.Seat {
	t.seated = true
	return t.where
}

// New parses and checks the program of a test and unwinds its control paths. The
// error is a src.Diagnostics with all that is wrong, a *frontend.PathLimitError, or that of
// frontend.Options.Stop.
func New(t *litmus.Test, opts frontend.Options) (*Program, error) {
	p, err := read(t, opts)
	if _, wrong := err.(src.Diagnostics); wrong && opts.Shared != nil {
		opts.Shared = nil // so that the errors are where this test has them
		return read(t, opts)
	}
	return p, err
}

func read(t *litmus.Test, opts frontend.Options) (*Program, error) {
	p := &Program{Test: t, opts: opts}
	b := &builder{test: t, prog: p, refs: t.Mentions()}
	b.locations()
	declared := len(b.prog.Locs)
	b.readThreads()
	b.wrapInits()
	b.checkRegions()
	b.checkSpaces()
	b.checkSizes()
	b.checkMbarriers()
	b.checkTensorMemory()
	b.checkLaunches()
	b.checkMap()
	b.checkRefs()
	if err := b.diags.Err(); err != nil {
		return nil, err
	}
	if err := b.unwind(); err != nil {
		return nil, err
	}
	if len(b.prog.Locs) == declared {
		b.share()
	}
	p.shared = b.shared
	if !slices.ContainsFunc(p.paths, func(of []*path) bool { return len(of) != 1 }) && p.Combinations() == 1 {
		p.joined = &joined{}
	}
	return p, nil
}

// unwind finds the control paths of the threads.
func (b *builder) unwind() error {
	var maps *tensorMaps
	if len(b.fresh) > 0 {
		maps = b.tensorMaps()
	}
	for _, code := range b.fresh {
		code.locs, code.tensors = b.prog.Locs, maps
		paths, err := code.start(b.prog.opts).follow()
		if _, wrong := err.(src.Diagnostics); err != nil && !wrong {
			return err
		}
		b.diags.Add(err)
		code.paths = paths
		code.mbarriers = code.initialised()
	}
	b.prog.paths = make([][]*path, len(b.prog.code))
	for i, code := range b.prog.code {
		b.prog.paths[i] = code.paths
	}
	b.checkInitialised()
	return b.diags.Err()
}

// wrapInits brings initial values of locations of at most 32 bits into the form in which memory
// holds values: sign-extended, and narrow ones as unsigned.
func (b *builder) wrapInits() {
	for l := range b.prog.Locs {
		init := &b.prog.Locs[l].Init
		if t, ok := b.prog.narrowLocation(l); ok {
			*init = kept(t, *init)
		} else if !b.prog.wideLocation(l) {
			*init = init.Wrap(arith.S32)
		}
	}
}

// kept is a value of type t as registers hold it; of an unsigned narrow one, as memory does.
func kept(t Type, v event.Value) event.Value {
	if narrow(t) && !t.Signed && !v.IsAddress() {
		return event.Int(v.Int & (1<<t.Bits - 1))
	}
	return v.Wrap(t)
}

// narrowLocation is the unsigned type of the narrow accesses of a location, if it has such.
func (p *Program) narrowLocation(l event.Loc) (t Type, ok bool) {
	l = event.Physical(p.Locs, l)
	for _, code := range p.code {
		if !code.sized {
			continue
		}
		for _, in := range code.code {
			named := in.Addr != nil && in.Addr.Kind == Location && event.Physical(p.Locs, in.Addr.Loc) == l
			if named && narrow(in.Type(0)) && in.numbers() == nil {
				return unsigned(in.Type(0)), true
			}
		}
	}
	return t, false
}

// MaxEvents is the number of events of the largest structure, initial writes included.
func (p *Program) MaxEvents() int {
	n := 0
	for _, l := range p.Locs {
		if l.Alias == nil {
			n++
		}
	}
	return n + unwind.MostEvents(p.paths)
}

// Combinations is how many combinations of control paths there are.
func (p *Program) Combinations() int {
	if p.joined != nil {
		return 1
	}
	return unwind.Combinations(p.paths)
}

// Structures yields the structures of each combination of control paths, one path
// for each thread; the paths of the last thread vary fastest. Combinations that do not
// agree on their barriers have none, nor have those with two idle rounds. When the context is
// done, the sequence ends with its error.
func (p *Program) Structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	return func(yield func(*event.Structure, error) bool) {
		meets := p.meets()
		if p.joined != nil && !meets {
			yield(p.shaped(), nil)
			return
		}
		asked := &patience{ctx: ctx}
		wanted := true
		combination := 0
		each := func(s *event.Structure) bool {
			s.Combination = combination
			wanted = yield(s, nil)
			return wanted && !asked.over()
		}
		var may func(thread int, which []int) bool
		if meets {
			may = p.meeting(asked).Possible(p.paths)
		}
		unwind.Combine(p.paths, may, func(number int, paths []*path) bool {
			combination = number
			return !asked.over() && p.structures(paths, meets, asked, each)
		})
		if wanted && asked.err != nil {
			yield(nil, asked.err)
		}
	}
}

// Family is the structures of all combinations of control paths; nil if threads that take certain paths can meet in several ways, or there
// are too many that meet.
func (p *Program) Family(ctx context.Context) *event.Family {
	return unwind.Family(p.paths, p.meeting(&patience{ctx: ctx}))
}

// meeting is how threads meet at barriers.
func (p *Program) meeting(asked *patience) *unwind.Meeting[meeting, place] {
	barriers := p.meets()
	return &unwind.Meeting[meeting, place]{
		Unit: p.place,
		Ways: func(paths []*path) (n int) {
			p.structures(paths, barriers, asked, func(*event.Structure) bool {
				n++
				return n < 2
			})
			return n
		},
		Join: func(paths []*path) (joined *event.Structure) {
			p.structures(paths, barriers, &patience{ctx: context.Background()}, func(s *event.Structure) bool {
				joined = s
				return false
			})
			return joined
		},
		Over:  asked.over,
		Turns: p.turns(),
		Alike: meeting.alike,
		Ends:  p.ends().possible,
	}
}

// patience asks a context, now and then, whether to go on.
type patience struct {
	ctx   context.Context
	most  int // how many steps there may be; 0 for no bound
	steps int
	err   error
}

// over reports that the context is done, or there are no more steps.
func (p *patience) over() bool {
	const askEvery = 16
	if p.steps++; p.steps%askEvery == 0 && p.err == nil {
		p.err = p.ctx.Err()
	}
	return p.err != nil || p.most > 0 && p.steps > p.most
}

// meets reports that threads meet at barriers on some of their paths.
func (p *Program) meets() bool {
	return slices.ContainsFunc(p.paths, unwind.Meet)
}

// structures yields the structures of one combination of paths: one for each way that
// their barriers can complete, if the program has any.
func (p *Program) structures(paths []*path, barriers bool, asked *patience, yield func(*event.Structure) bool) bool {
	if !barriers {
		return yield(p.structure(paths))
	}
	if !unwind.Meet(paths) {
		return yield(p.structure(paths).With(syncbarRel, nil).With(awaitedRel, nil))
	}
	var s *event.Structure
	return p.gather(paths, asked, func(a *attendance) bool {
		if s == nil {
			s = p.structure(paths)
		}
		return a.synchronizations(s.First, func(w waits) bool {
			return yield(s.With(syncbarRel, w.released).With(awaitedRel, w.awaited))
		})
	})
}

// The relations of barriers, which all structures have of programs with barriers: who waited for whom, and where that orders memory too, which
// an arrival that is relaxed does not (PTX ISA, "barrier.cluster").
const (
	awaitedRel = "awaited"
	syncbarRel = "syncbar"
)

// structure is what one path of each thread make but for barriers.
func (p *Program) structure(paths []*path) *event.Structure {
	if p.joined == nil {
		return p.join(paths)
	}
	return p.shaped()
}

// shaped is what the only path of each thread make but for barriers.
func (p *Program) shaped() *event.Structure {
	p.joined.once.Do(func() {
		only := make([]*path, len(p.paths))
		for i, of := range p.paths {
			only[i] = of[0]
		}
		p.joined.shape = p.join(only)
	})
	s := *p.joined.shape
	s.Shape, s.Locs, s.Threads = p.joined.shape, p.Locs, p.threads
	return &s
}

// joined is the structure of programs that differ in where threads and locations are. Nothing else of it depends on that.
type joined struct {
	once  sync.Once
	shape *event.Structure
}

func (p *Program) join(paths []*path) *event.Structure {
	s := event.Join(p.Locs, p.threads, unwind.Plain(paths))
	s.State = showState
	s.Vocabulary = cmp.Or(p.opts.Vocabulary, alone)
	return s
}

// Domain is every value that the test mentions, but the addresses that registers hold at
// the start: what a value out of thin air could be.
func (p *Program) Domain() []event.Value {
	seen := map[event.Value]bool{}
	add := func(v event.Value) { seen[v] = true }
	for _, l := range p.Locs {
		add(l.Init)
	}
	for _, t := range p.code {
		for _, in := range t.code {
			for _, o := range in.Srcs {
				switch o.Kind {
				case Immediate:
					add(event.Int(o.Int).Wrap(in.Type(0)))
				case Location:
					add(event.AddressOf(o.Loc))
				}
			}
		}
		for _, x := range t.initial {
			if c, ok := x.(event.Const); ok && !event.Value(c).IsAddress() {
				add(event.Value(c))
			}
		}
	}
	for _, prop := range []litmus.Prop{p.Test.Cond.Prop, p.Test.Filter} {
		litmus.EachConst(prop, func(c litmus.Value) {
			if v, ok := p.FromText(c); ok {
				add(v)
			}
		})
	}
	return slices.SortedFunc(maps.Keys(seen), event.Value.Compare)
}

// Normalize returns a proposition whose constants look as values do: 32-bit values are
// kept sign-extended, so 0xffffffff beside a 32-bit register or location is -1; beside a location
// of 8 bits, -1 is 255.
func (p *Program) Normalize(prop litmus.Prop) litmus.Prop {
	return frontend.Normalize(prop, p.beside)
}

// beside is a constant as values of a register or location look.
func (p *Program) beside(r litmus.Ref, v litmus.Value) litmus.Value {
	if r.Thread < 0 && v.Loc == "" {
		l, _ := p.Loc(r.Name, r.Index)
		if t, ok := p.narrowLocation(l); ok {
			return litmus.Value{Int: kept(t, event.Int(v.Int)).Int}
		}
	}
	if p.wide(r) {
		return v
	}
	return wrap32(v)
}

// wrap32 sign-extends a constant that has 32 bits.
func wrap32(v litmus.Value) litmus.Value {
	if v.Loc == "" && v.Int == int64(uint32(v.Int)) {
		v.Int = int64(int32(v.Int))
	}
	return v
}

// wide reports that a register or location may hold 64 bits: some instruction that
// sets it does, or the register is declared so.
func (p *Program) wide(r litmus.Ref) bool {
	if r.Thread < 0 {
		l, _ := p.Loc(r.Name, r.Index)
		return p.wideLocation(l)
	}
	t := p.code[r.Thread]
	if declared, ok := t.types[r.Name]; ok {
		return declared.Bits == 64
	}
	return slices.ContainsFunc(t.code, func(in *Instr) bool {
		return in.Dst != nil && in.Dst.Text == r.Name && in.result().Bits == 64
	})
}

// wideLocation reports that some 64-bit access may be to a location: by its name, or
// through a register.
func (p *Program) wideLocation(l event.Loc) bool {
	reaches := func(in *Instr) bool {
		if in.Addr == nil || in.Type(0).Bits != 64 {
			return false
		}
		return in.Addr.Kind != Location || event.Physical(p.Locs, in.Addr.Loc) == event.Physical(p.Locs, l)
	}
	return slices.ContainsFunc(p.code, func(t *thread) bool { return t.sized && slices.ContainsFunc(t.code, reaches) })
}

// Code is the instructions of a thread, with names resolved and vectors taken apart. The
// caller must not change them.
func (p *Program) Code(thread int) []*Instr { return p.own().code[thread].code }

// Initial is what the initial state sets registers of a thread to; those that it declares
// only hold 0.
func (p *Program) Initial(thread int) map[string]event.Value {
	values := map[string]event.Value{}
	for name, x := range p.code[thread].initial {
		if c, ok := x.(event.Const); ok {
			values[name] = event.Value(c)
		}
	}
	return values
}
