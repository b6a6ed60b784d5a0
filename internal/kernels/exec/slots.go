package exec

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Code that no optimizer has seen keeps its variables in memory of the thread's own. Addresses are
// computed, so the text of a loop does not say which cells of that memory its rounds change: a
// round is executed to find out. At first, no cell is taken to change. A cell that holds something
// else after a round than at its head is treated like a register that the loop writes. If nothing
// is known about it after a round, it may hold anything. All other cells hold what they held when
// the loop began: they do so after a round if they did so before it.

// slots are the slots that an iteration of a loop changes, and how.
type slots struct {
	cut    *cut
	terms  *term.Builder
	cells  []trace.Slot       // those that a round changes
	vars   map[int]*term.Term // what is anything, by the index of the slot
	bases  map[int]*term.Term // addresses that slots hold at first, plus something
	half   *term.Term         // half of an even round
	astray map[int]bool       // slots that were taken to take turns, and do not
}

// loaded records the cell that an instruction loads, or none if it has loaded another before.
func (m *accesses) loaded(r *trace.Region, offset *term.Term, size int) {
	if at, ok := offset.Value(); ok {
		now := trace.Slot{Variable: r.Variable, Offset: int64(at), Size: size}
		before, again := m.run.rec.Trace.Loaded[m.run.at]
		if again && before != now {
			now = trace.Slot{}
		}
		if !again || before != now {
			trace.Put(m.run.rec, m.run.rec.Trace.Loaded, m.run.at, now)
		}
	}
}

// maxCells bounds the cells that are treated like registers in a loop.
const maxCells = 512

// slot returns the slot of an index: registers come first, and then the cells that a round changes.
func (c *slots) slot(i int) trace.Slot {
	if n := len(c.cut.fr.f.Registers); i >= n {
		return c.cells[i-n]
	}
	return trace.Slot{Register: c.cut.fr.f.Registers[i]}
}

// get returns what a state holds in a slot; nil if that is anything.
func (c *slots) get(s *state, i int) *term.Term {
	if i < len(s.regs) {
		return s.regs[i]
	}
	return c.getCell(s, c.slot(i))
}

// getCell returns what a state holds in a cell; nil if that is anything.
func (c *slots) getCell(s *state, cell trace.Slot) *term.Term {
	return s.own[c.cut.run.addr.region(cell.Variable)].read(c.terms, cell.Offset, cell.Size)
}

// put sets the value of a slot in a state.
func (c *slots) put(s *state, i int, v *term.Term) {
	if i < len(s.regs) {
		s.regs[i] = v
		return
	}
	at := c.slot(i)
	r := c.cut.run.addr.region(at.Variable)
	s.own[r] = s.own[r].write(cell{at.Offset, at.Size, v})
}

// varies creates a variable for the value of a slot in any iteration.
func (c *slots) varies(i int, name string, width int) {
	c.vars[i] = c.cut.run.fresh("loop:"+name, width)
	c.cut.run.rec.Trace.Havoc[c.vars[i]] = true
	if first := c.get(c.cut.before, i); first != nil && first.Width() == 64 {
		c.bases[i] = c.cut.run.addr.pointee(first)
	}
}

// forget removes the lost cells from a state.
func (c *slots) forget(s *state) {
	for at := range c.cut.known.lost {
		r := c.cut.run.addr.region(at.Variable)
		s.own[r] = slices.DeleteFunc(slices.Clone(s.own[r]), func(x cell) bool { return x.offset == at.Offset && x.size == at.Size })
	}
}

// carried records the cells that iterations change.
func (c *slots) carried() {
	head := c.cut.fr.head(c.cut.loop)
	for i, at := range c.cells {
		if c.vars[len(c.cut.fr.f.Registers)+i] != nil && !slices.Contains(c.cut.run.rec.Trace.Carried[head], at) {
			trace.Put(c.cut.run.rec, c.cut.run.rec.Trace.Carried, head, append(slices.Clone(c.cut.run.rec.Trace.Carried[head]), at))
		}
	}
}

// changed finds the cells that an iteration changes, and returns those whose values are then lost.
// Parameters of calls are written before they are read, so their old values do not matter.
func (c *slots) changed() map[trace.Slot]bool {
	lost := maps.Clone(c.cut.known.lost)
	regions := slices.SortedFunc(maps.Keys(c.cut.start.own), func(x, y *trace.Region) int { return cmp.Compare(x.Name, y.Name) })
	for _, r := range regions {
		for _, x := range c.cut.start.own[r] {
			at := trace.Slot{Variable: r.Variable, Offset: x.offset, Size: x.size}
			known := slices.Index(c.cells, at)
			switch next := c.getCell(c.cut.after, at); {
			case next == x.value || next != nil && known >= 0:
			case next == nil || r.Space == isa.Param || len(c.cells) == maxCells:
				lost[at] = true
				if known >= 0 {
					i := len(c.cut.fr.f.Registers) + known
					delete(c.vars, i)
					delete(c.bases, i)
				}
			default:
				c.cells = append(c.cells, at)
				c.varies(len(c.cut.fr.f.Registers)+len(c.cells)-1, at.String(), at.Width())
			}
		}
	}
	return lost
}
