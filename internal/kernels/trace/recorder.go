package trace

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// A Recorder writes what a thread does and knows. An iteration of a loop that is cut may be
// executed again with more knowledge of it: what the earlier execution of it has written is then
// undone. So everything that an iteration can write is written here. The exceptions stay true
// whatever is executed: variables, computations of terms, Trace.Widened in the order of its
// discovery, and the budget, which a discarded iteration has also spent.
type Recorder struct {
	Trace   Trace
	events  []Event
	changes []func()       // how to undo each change
	names   map[string]int // the number of fresh variables of each name
}

// Append records an event.
func (r *Recorder) Append(e Event) {
	r.Change(Push(&r.events, e))
	r.Change(e.enter(&r.Trace))
}

// Know records a fact, which holds for what comes after it.
func (r *Recorder) Know(fact *term.Term) { r.Change(Push(&r.Trace.Facts, fact)) }

// Claim records a fact about all values of variables.
func (r *Recorder) Claim(c Claim) { r.Change(Push(&r.Trace.Claims, c)) }

// Unique returns a name that nothing else has.
func (r *Recorder) Unique(name string) string {
	r.names[name]++
	return fmt.Sprintf("%s#%d", name, r.names[name])
}

// Change records how to undo a change that has been made.
func (r *Recorder) Change(undo func()) { r.changes = append(r.changes, undo) }

// Stamp returns a point with the current knowledge of the thread: what has been recorded so far.
func (r *Recorder) Stamp(p Point) Point {
	p.Facts, p.Claims, p.Reads = len(r.Trace.Facts), len(r.Trace.Claims), len(r.Trace.Reads)
	return p
}

// Mark returns how much has been recorded so far.
func (r *Recorder) Mark() Mark { return Mark{len(r.events), len(r.changes), r.Stamp(Point{})} }

// Reset undoes what was recorded after a mark.
func (r *Recorder) Reset(to Mark) {
	for len(r.changes) > to.changes {
		last := len(r.changes) - 1
		r.changes[last]()
		r.changes = r.changes[:last]
	}
}

// NewRecorder returns a recorder of a thread that has not begun.
func NewRecorder(b *term.Builder) *Recorder {
	return &Recorder{names: map[string]int{}, Trace: Trace{
		Private: map[*term.Term]bool{}, Havoc: map[*term.Term]bool{}, Others: map[*term.Term]*term.Term{}, Earlier: map[*term.Term]Earlier{},
		Notes: map[string]*kernel.Instr{}, Flows: map[*kernel.Function]*kernel.Flow{}, Carried: map[*kernel.Instr][]Slot{}, Loaded: map[*kernel.Instr]Slot{},
		Lost: b.Bool(false),
	}}
}

// Event is an action of a thread. Events are in the order of the thread.
type Event interface {
	// enter appends the event to its list in the trace and returns how to undo that.
	enter(t *Trace) (undo func())
}

func (e *Access) enter(t *Trace) func()      { return Push(&t.Accesses, e) }
func (e *Arrival) enter(t *Trace) func()     { return Push(&t.Arrivals, e) }
func (e *Barrier) enter(t *Trace) func()     { return Push(&t.Barriers, e) }
func (e *Branch) enter(t *Trace) func()      { return Push(&t.Branches, e) }
func (e *Check) enter(t *Trace) func()       { return Push(&t.Checks, e) }
func (e *Convergence) enter(t *Trace) func() { return Push(&t.Convergences, e) }
func (e *Exchange) enter(t *Trace) func()    { return Push(&t.Exchanges, e) }
func (e *Holding) enter(t *Trace) func()     { return Push(&t.Holdings, e) }
func (e *Inductive) enter(t *Trace) func()   { return Push(&t.Inductive, e) }
func (e *Meeting) enter(t *Trace) func()     { return Push(&t.Meetings, e) }
func (e *Parting) enter(t *Trace) func()     { return Push(&t.Partings, e) }
func (e *Pipeline) enter(t *Trace) func()    { return Push(&t.Pipelines, e) }
func (e *Read) enter(t *Trace) func()        { return Push(&t.Reads, *e) }
func (e *Refusal) enter(t *Trace) func()     { return Push(&t.Astray, e) }
func (e *Return) enter(t *Trace) func()      { return Push(&t.Returns, *e) }

// Push appends to a list and returns how to undo that.
func Push[T any](list *[]T, x T) (undo func()) {
	*list = append(*list, x)
	return func() { *list = (*list)[:len(*list)-1] }
}

// Set records a new value of a variable.
func Set[T any](r *Recorder, variable *T, value T) {
	old := *variable
	*variable = value
	r.Change(func() { *variable = old })
}

// Put records an entry of a map.
func Put[K comparable, V any](r *Recorder, m map[K]V, key K, value V) {
	old, had := m[key]
	m[key] = value
	r.Change(func() {
		if had {
			m[key] = old
		} else {
			delete(m, key)
		}
	})
}

// Mark is a position in the record.
type Mark struct {
	events, changes int
	Known           Point // what the thread knows
}

// Since returns the events of a kind that were recorded after a mark.
func Since[E Event](r *Recorder, from Mark) (all []E) {
	for _, e := range r.events[from.events:] {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}
