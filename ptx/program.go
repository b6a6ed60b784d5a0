package ptx

import (
	"cmp"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Program is a test whose instructions are parsed, resolved and checked.
type Program struct {
	path.Program

	opts     frontend.Options
	seats    []frontend.Seat // of the threads; nil until a thread asks
	code     []*thread
	replicas replicas

	joined *joined // the only path of each thread; nil if some have several

	shared bool      // some code stands in another test, with which this one shares it
	once   sync.Once // reads alone
	alone  *Program  // the program, with all of its instructions where this test has them (own)
}

// thread is the code of one thread.
type thread struct {
	name    string
	id      int
	code    []*Instr
	initial map[string]event.Expr // registers that the initial state sets or declares
	types   map[string]Type       // declared types
	locs    []event.Location
	where   *frontend.Seat // see seat
	broken  bool           // some cell could not be parsed, so registers may be missing

	registers map[string]bool        // the registers that the initial state declares or some instruction sets
	observed  map[string]bool        // registers that the condition, the filter or the locations clause mention
	uses      map[event.Loc]src.Span // where it first mentions a location
	remote    map[event.Loc]src.Span // likewise, by instructions that reach the shared memory of the cluster
	paths     []*path.Path
	mbarriers map[event.Loc]bool // the mbarriers that it initialises
	sized     bool               // some access has a type of 64 bits, or a narrow one
	seated    bool               // its code or its paths depend on its seat
	placed    bool               // they depend on the regions of locations
	key       key                // see keys

	owned    map[event.Loc]event.Loc // of names that several CTAs have, the location of its own
	replicas replicas
	tensors  *tensorMaps
}

// seat returns the place of the thread. The thread is then no longer shared with threads at other
// places.
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
	p := &Program{Program: path.Program{Test: t, Barriers: barrierRules, Vocabulary: cmp.Or(opts.Vocabulary, alone)}, opts: opts}
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
	if !slices.ContainsFunc(p.Paths, func(of []*path.Path) bool { return len(of) != 1 }) && p.Combinations() == 1 {
		p.joined = &joined{}
	}
	p.Joined = p.structure
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
		paths, err := code.start(b.prog.opts).Follow()
		if _, wrong := err.(src.Diagnostics); err != nil && !wrong {
			return err
		}
		b.diags.Add(err)
		code.paths = paths
		code.mbarriers = code.initialised()
	}
	for _, code := range b.prog.code {
		b.prog.Paths = append(b.prog.Paths, code.paths)
		b.prog.Known = append(b.prog.Known, code.knownBarriers())
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

// kept returns a value of type t as registers hold it; of an unsigned narrow one, as memory does.
func kept(t Type, v event.Value) event.Value {
	if narrow(t) && !t.Signed && !v.IsAddress() {
		return event.Int(v.Int & (1<<t.Bits - 1))
	}
	return v.Wrap(t)
}

// narrowLocation returns the unsigned type of the narrow accesses of a location, if it has such.
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

// barrierRules are the rules of PTX: bar.sync is one event, and if more threads arrive than a
// barrier counts, any of them may be in time.
var barrierRules = barrier.Rules{SelfPairs: true}

// structure returns the structure of one path of each thread, without barriers.
func (p *Program) structure(paths []*event.Path) *event.Structure {
	if p.joined == nil {
		return p.join(paths)
	}
	p.joined.once.Do(func() { p.joined.shape = p.join(paths) })
	s := *p.joined.shape
	s.Shape, s.Locs, s.Threads = p.joined.shape, p.Locs, p.Threads
	return &s
}

// joined is the structure that programs share if they differ only in the places of threads and
// locations.
type joined struct {
	once  sync.Once
	shape *event.Structure
}

func (p *Program) join(paths []*event.Path) *event.Structure {
	s := p.Join(paths)
	s.State = showState
	return s
}

// Domain returns every value that the test mentions, but the addresses that registers hold at
// the start: what a value out of thin air could be.
func (p *Program) Domain() []event.Value {
	return p.DomainWith(func(add func(event.Value)) {
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
	})
}

// Normalize returns a proposition with its constants in the form of values. 32-bit values are kept
// sign-extended, so 0xffffffff compared with a 32-bit register or location is -1; compared with a
// location of 8 bits, -1 is 255.
func (p *Program) Normalize(prop litmus.Prop) litmus.Prop {
	return frontend.Normalize(prop, p.beside)
}

// beside returns a constant as values of a register or location look.
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

// wide reports whether a register or location may hold 64 bits: some instruction sets it to 64
// bits, or the register is declared so.
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

// wideLocation reports whether some 64-bit access may be to a location: by its name, or
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

// Code returns the instructions of a thread, with names resolved and vectors taken apart. The
// caller must not change them.
func (p *Program) Code(thread int) []*Instr { return p.own().code[thread].code }

// Initial returns the initial values of the registers of a thread. A register that is only declared
// is 0.
func (p *Program) Initial(thread int) map[string]event.Value {
	values := map[string]event.Value{}
	for name, x := range p.code[thread].initial {
		if c, ok := x.(event.Const); ok {
			values[name] = event.Value(c)
		}
	}
	return values
}
