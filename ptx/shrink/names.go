package shrink

import (
	"maps"
	"slices"
	"strconv"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// name is the name of something in a thread, or of a location.
type name struct {
	thread int
	text   string
}

const anywhere = -1 // the thread of a location

// loads reports whether the instruction may set a list of registers.
func (l *line) loads() bool { return l.in.Op.Code == isa.Ld }

// stores reports whether the instruction writes to memory.
func (l *line) stores() bool { return l.in.Op.Code == isa.St || l.in.Op.Class() == isa.ClassAtomic }

// sets returns the registers that the instruction sets.
func (l *line) sets() (names []string) {
	if l.in.Dst != nil {
		names = append(names, l.in.Dst.Text)
	}
	if l.loads() {
		names = append(names, namesOf(l.in.Vector)...)
	}
	return names
}

// sources returns the operands whose values the instruction uses.
func (l *line) sources() []ptx.Operand {
	if l.loads() {
		return l.in.Srcs
	}
	return slices.Concat(l.in.Srcs, l.in.Vector)
}

// reads returns the registers and locations that the instruction uses.
func (l *line) reads() []string {
	names := namesOf(l.sources())
	if l.in.Guard != nil {
		names = append(names, l.in.Guard.Reg.Text)
	}
	if l.in.Addr != nil {
		names = append(names, l.in.Addr.Text)
	}
	return append(names, namesOf(l.in.Places)...)
}

func namesOf(operands []ptx.Operand) (names []string) {
	for _, o := range operands {
		if o.Kind != ptx.Immediate {
			names = append(names, o.Text)
		}
	}
	return names
}

// set returns the registers and locations that instructions set.
func (c *code) set() map[name]bool {
	set := map[name]bool{}
	for l := range c.program() {
		for _, text := range l.sets() {
			set[name{l.thread, text}] = true
		}
		if !l.stores() {
			continue
		}
		to := []string{l.in.Addr.Text}
		if base := (name{l.thread, l.in.Addr.Text}); c.isRegister(base) {
			to = c.addresses(base)
		}
		for _, text := range to {
			set[c.location(text)] = true
		}
	}
	return set
}

// setters returns the instructions that set a register.
func (c *code) setters(register name) (lines []*line) {
	for _, l := range c.instructions(register.thread) {
		if slices.Contains(l.sets(), register.text) {
			lines = append(lines, l)
		}
	}
	return lines
}

// isRegister reports whether a name is a register rather than a location.
func (c *code) isRegister(n name) bool {
	declared := func(r *litmus.Register) bool { return r.Thread == n.thread && r.Name.Text == n.text }
	return slices.ContainsFunc(c.Registers, declared) || len(c.setters(n)) > 0
}

// pointers returns the locations whose addresses registers hold at the start.
func (c *code) pointers() map[name]string {
	pointers := map[name]string{}
	for _, r := range c.Registers {
		if r.Init != nil {
			pointers[name{r.Thread, r.Name.Text}] = r.Init.Loc
		}
	}
	return pointers
}

// addresses returns the locations whose addresses a register may hold, or from which what it
// holds is computed; sorted.
func (c *code) addresses(register name) []string {
	found := map[string]bool{}
	pointers, from := c.pointers(), []name{register}
	for i := 0; i < len(from); i++ {
		found[pointers[from[i]]] = true
		for _, l := range c.setters(from[i]) {
			if l.in.Addr != nil {
				maps.Copy(found, c.addressesInMemory())
			}
			for _, text := range namesOf(l.sources()) {
				if next := (name{register.thread, text}); !c.isRegister(next) {
					found[text] = true
				} else if !slices.Contains(from, next) {
					from = append(from, next)
				}
			}
		}
	}
	delete(found, "") // of a register that holds a number
	return slices.Sorted(maps.Keys(found))
}

// addressesInMemory returns the locations whose addresses a load may return.
func (c *code) addressesInMemory() map[string]bool {
	found := map[string]bool{}
	for _, l := range c.Locations {
		for _, to := range pointsTo(l) {
			found[to] = true
		}
	}
	for l := range c.program() {
		for _, text := range namesOf(l.sources()) {
			if l.stores() && !c.isRegister(name{l.thread, text}) {
				found[text] = true
			}
		}
	}
	return found
}

// location returns the location of a name, by its first name if it has others.
func (c *code) location(text string) name {
	for _, l := range c.Locations {
		if l.Name.Text == text && l.Alias != nil {
			return c.location(l.Alias.Of.Text)
		}
	}
	return name{anywhere, text}
}

// leavesUnset reports whether d no longer sets something that c sets and the condition or the
// filter mentions: the condition would then test its initial value. If a thread is dropped, the
// conditions on its registers are dropped, too.
func (c *code) leavesUnset(d *code) bool {
	before, after, leaves := c.set(), d.set(), false
	for _, p := range []litmus.Prop{d.Cond.Prop, d.Filter} {
		litmus.EachRef(p, func(r *litmus.Ref) {
			asked := name{r.Thread, r.Name}
			if r.Thread < 0 {
				asked = d.location(r.Name)
			} else if len(c.Threads) != len(d.Threads) {
				return
			}
			leaves = leaves || before[asked] && !after[asked]
		})
	}
	return leaves
}

// lookedAt reports whether an instruction of its thread or the observed final state depends on a
// register.
func (c *code) lookedAt(register name) bool {
	observed := func(r litmus.Ref) bool { return r.Thread == register.thread && r.Name == register.text }
	reads := func(l *line) bool { return slices.Contains(l.reads(), register.text) }
	return slices.ContainsFunc(c.Observables(), observed) || slices.ContainsFunc(c.instructions(register.thread), reads)
}

// mentioned returns the names that instructions, the condition and the clauses mention: each in
// its thread, and anywhere.
func (c *code) mentioned() map[name]bool {
	mentioned := map[name]bool{}
	mention := func(thread int, text string) {
		mentioned[name{thread, text}], mentioned[name{anywhere, text}] = true, true
	}
	for l := range c.program() {
		for _, text := range slices.Concat(l.sets(), l.reads()) {
			mention(l.thread, text)
		}
	}
	for _, r := range c.Observables() {
		mention(r.Thread, r.Name)
	}
	return mentioned
}

// unused returns the registers and locations that the initial state declares and nothing else
// mentions, directly or through another mentioned name. Registers have the names that declared
// returns.
func (c *code) unused() map[string]bool {
	used, unused := c.mentioned(), map[string]bool{}
	for _, r := range c.Registers {
		switch {
		case !used[name{r.Thread, r.Name.Text}]:
			unused[c.declared(r)] = true
		case r.Init != nil:
			used[name{anywhere, r.Init.Loc}] = true
		}
	}
	for range c.Locations { // no way from one to another is longer
		for _, l := range c.Locations {
			for _, next := range leadsTo(l) {
				used[name{anywhere, next}] = used[name{anywhere, next}] || used[name{anywhere, l.Name.Text}]
			}
		}
	}
	for _, l := range c.Locations {
		if !used[name{anywhere, l.Name.Text}] {
			unused[l.Name.Text] = true
		}
	}
	return unused
}

// declared returns the name of a declared register in the test: 0:r1.
func (c *code) declared(r *litmus.Register) string {
	return strconv.Itoa(c.Threads[r.Thread].ID) + ":" + r.Name.Text
}

// leadsTo returns the locations that l is another name of, or holds the addresses of.
func leadsTo(l *litmus.Location) []string {
	if l.Alias != nil {
		return []string{l.Alias.Of.Text}
	}
	return pointsTo(l)
}

// pointsTo returns the locations whose addresses l holds at the start.
func pointsTo(l *litmus.Location) (names []string) {
	for _, v := range append(l.Elems[:len(l.Elems):len(l.Elems)], l.Init) {
		if v.Loc != "" {
			names = append(names, v.Loc)
		}
	}
	return names
}
