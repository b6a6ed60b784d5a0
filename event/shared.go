package event

import (
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// shared is the names that executions of every language have.
var shared = []Name{
	set("M", "accesses of memory: reads and writes", (*Event).IsMem),
	set("R", "reads", isKind(Read)),
	set("W", "writes", isKind(Write)),
	set("F", "fences", isKind(Fence)),
	set("B", "events of barriers", isKind(Barrier)),
	set("IW", "initial writes", (*Event).IsInit),
	set("A", "the accesses of atomics", isAtomic),
	set("RMW", "the accesses of atomics", isAtomic),
	set("X", "the accesses of atomics", isAtomic),
	set("AGENT", "events of asynchronous operations, which are in no program order", ofAgent),
	set("VOL", "volatile accesses", func(e *Event) bool { return e.Volatile }),
	set("WEAK", "weak accesses", ordered(Weak)),
	set("RLX", "relaxed accesses", ordered(Relaxed)),
	set("ACQ", "acquire accesses and fences", ordered(Acquire)),
	set("REL", "release accesses and fences", ordered(Release)),
	set("ACQ_REL", "acquire-release fences", ordered(AcqRel)),
	set("SC", "sequentially consistent fences", ordered(SC)),
	{vocab.Name{
		Name: "FW", Set: true, Depends: vocab.Co, Derived: `W \ domain(co)`,
		Meaning: "final writes: those that no other overwrites",
	}, Events((*Execution).finalWrites)},

	{vocab.Name{
		Name: "po", Family: vocab.ProgramOrder, Meaning: "program order: the order of the instructions of a thread",
		Pair: "%s is before %s in program order",
	}, Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Po) })},
	{vocab.Name{
		Name: "po-loc", Depends: vocab.Places, Derived: "po & loc", Family: vocab.ProgramOrder, Library: true,
		Meaning: "program order between accesses of one location",
		Pair:    "%s is before %s in program order, at the same location",
	}, copied((*Execution).localPo)},
	{vocab.Name{
		Name: "addr", Family: vocab.Addr,
		Meaning: "address dependency: what a read returned goes into the address of an access",
		Pair:    "the address of %[2]s depends on %[1]s",
	}, Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Addr) })},
	{vocab.Name{
		Name: "data", Family: vocab.Data,
		Meaning: "data dependency: what a read returned goes into the value of a write",
		Pair:    "the value of %[2]s depends on %[1]s",
	}, Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Data) })},
	{vocab.Name{
		Name: "ctrl", Family: vocab.Ctrl,
		Meaning: "control dependency: what a read returned decides a branch before the event, or its predicate",
		Pair:    "a branch or predicate before %[2]s depends on %[1]s",
	}, Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Ctrl) })},
	asynchronous("issue", "from what a thread does to what it has done asynchronously from then on",
		"%[1]s is before the issue of %[2]s", func(s *Structure) []Pair { return s.Issue }),
	asynchronous("within", "the order within an asynchronous operation: reads, writes, what tells that it is complete",
		"%[1]s comes before %[2]s in an asynchronous operation", func(s *Structure) []Pair { return s.Within }),
	asynchronous("complete", "from the events of an asynchronous operation to what the thread does after waiting for it",
		"%[2]s waits for %[1]s", func(s *Structure) []Pair { return s.Complete }),
	atomics("rmw", false),
	atomics("amo", true),
	{vocab.Name{
		Name: "lxsx", Library: true, Meaning: "pairs of exclusive accesses, which GPUs do not have",
	}, Fixed(noPairs)},

	communication("rf", vocab.ReadsFrom, "", "reads-from: from a write to each read that takes its value from it", (*Execution).RfRel),
	partOf("rfe", vocab.ReadsFrom, `rf \ int`, "reads-from between threads", external((*Execution).RfRel)),
	partOf("rfi", vocab.ReadsFrom, "rf & int", "reads-from within a thread", internal((*Execution).RfRel)),
	communication("co", vocab.Coherence, "", "coherence: the order in which the writes of a location take effect", (*Execution).coherence),
	partOf("coe", vocab.Coherence, `co \ int`, "coherence between threads", external((*Execution).coherence)),
	partOf("coi", vocab.Coherence, "co & int", "coherence within a thread", internal((*Execution).coherence)),
	communication("fr", vocab.FromRead, "rf^-1; co", "from-read: from a read to each write that overwrites what it read", (*Execution).FrRel),
	partOf("fre", vocab.FromRead, `(rf^-1; co) \ int`, "from-read between threads", external((*Execution).FrRel)),
	partOf("fri", vocab.FromRead, "(rf^-1; co) & int", "from-read within a thread", internal((*Execution).FrRel)),
	{vocab.Name{
		Name: "co0", Depends: vocab.Places, Library: true, Meaning: "initial writes before the other writes of their location",
	}, Pairs((*Execution).initialCo)},

	{vocab.Name{
		Name: "pco", Depends: vocab.Places, Derived: "co0", Library: true,
		Meaning: "coherence as far as it is known before it is chosen: initial writes before the other writes of their location",
	}, Pairs((*Execution).initialCo)},
	sameInstruction("sm", "the accesses that one access of the program is made of: each with itself, as sizes are not mixed"),
	sameInstruction("si", "the events of one access of the program: each with itself, as sizes are not mixed"),

	{vocab.Name{Name: "emptyset", Set: true, Library: true, Meaning: "no event"}, Members(func(*Event) bool { return false })},
	restriction("id", "every event with itself", Fixed(identity)),
	restriction("int", "events of one thread", threads(sameThread)),
	restriction("ext", "events of different threads", threads(func(_ *Structure, t, u int) bool { return t != u })),
	{vocab.Name{
		Name: "loc", Depends: vocab.Places, Restricts: true, Meaning: "accesses of one location",
		Pair: "%s and %s access one location",
	}, Pairs((*Execution).sameLoc)},
	{vocab.Name{
		Name: "vloc", Depends: vocab.Places, Restricts: true, Meaning: "accesses by one virtual address",
		Pair: "%s and %s use one virtual address",
	}, Pairs((*Execution).sameVirtualAddress)},
	{vocab.Name{Name: "same-value", Depends: vocab.Rf, Meaning: "accesses of one value"}, copied((*Execution).sameValue)},

	{vocab.Name{
		Name: "awaited", Family: vocab.Sync, Meaning: "from an event of a barrier to those that waited for it",
		Pair: "the barrier has %[2]s wait for %[1]s",
	}, Added{}},
	{vocab.Name{
		Name: "syncbar", Family: vocab.Sync,
		Meaning: "from an event of a barrier to those that waited for it, unless its arrival is relaxed",
		Pair:    "the barrier has %[2]s wait for %[1]s",
	}, Added{}},
	{vocab.Name{Name: "sw", Family: vocab.Sync, Chosen: true}, nil},
}

// set returns a set that is decided event by event.
func set(name, meaning string, is Members) Name {
	return Name{vocab.Name{Name: name, Set: true, Meaning: meaning}, is}
}

// sameInstruction returns a relation of herd's for accesses that mixed sizes split into several.
func sameInstruction(name, meaning string) Name {
	return Name{vocab.Name{Name: name, Derived: "id", Meaning: meaning, Restricts: true, Library: true}, Fixed(identity)}
}

// restriction returns a relation that tells where events are.
func restriction(name, meaning string, is Definition) Name {
	return Name{vocab.Name{Name: name, Meaning: meaning, Restricts: true}, is}
}

// asynchronous returns one of the relations that order asynchronous operations.
func asynchronous(name, meaning, pair string, of func(*Structure) []Pair) Name {
	n := vocab.Name{Name: name, Family: vocab.Async, Meaning: meaning, Pair: pair}
	return Name{n, Fixed(func(s *Structure, to rel.Rel) {
		for _, p := range of(s) {
			to.Add(p[0], p[1])
		}
	})}
}

// atomics returns the relation of the two accesses of an atomic, under one of its names.
func atomics(name string, library bool) Name {
	n := vocab.Name{
		Name: name, Library: library, Meaning: "from the read to the write of an atomic", Pair: "%s and %s are one atomic",
	}
	if !library {
		n.Family = vocab.Rmw
	}
	return Name{n, Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Rmw) })} // one instruction does both
}

// communications are the sentences on pairs of the families, and what decides them.
var communications = map[vocab.Family]vocab.Name{
	vocab.ReadsFrom: {Depends: vocab.Rf, Pair: "%[2]s reads what %[1]s wrote"},
	vocab.Coherence: {Depends: vocab.Co, Pair: "%[2]s overwrites %[1]s"},
	vocab.FromRead:  {Depends: vocab.Co, Pair: "%[2]s overwrites what %[1]s read"},
}

// communication returns a relation by which threads communicate: rf, co or fr.
func communication(name string, f vocab.Family, derived, meaning string, is func(*Execution) rel.Rel) Name {
	n := communications[f]
	n.Name, n.Family, n.Derived, n.Meaning = name, f, derived, meaning
	return Name{n, copied(is)}
}

// copied returns a relation that executions have.
func copied(is func(*Execution) rel.Rel) Pairs {
	return func(x *Execution, to rel.Rel) { to.AddAll(is(x)) }
}

// partOf returns a part of rf, co or fr.
func partOf(name string, f vocab.Family, derived, meaning string, is func(*Execution) rel.Rel) Name {
	n := communication(name, f, derived, meaning, is)
	n.Library = true
	return n
}

// external and internal are the pairs of a relation that are between threads, and within one.
func external(is func(*Execution) rel.Rel) func(*Execution) rel.Rel {
	return func(x *Execution) rel.Rel { return is(x).Diff(x.internal()) }
}

func internal(is func(*Execution) rel.Rel) func(*Execution) rel.Rel {
	return func(x *Execution) rel.Rel { return is(x).Inter(x.internal()) }
}
