// Package replay demonstrates alarms about kernels: it launches them on the machine of package
// kernel/launch, and writes the threads that they are about as litmus tests.
//
//	Run      replays an alarm
//	Litmus   writes a race as a litmus test: the two threads between the barriers around it
//	Threads  writes everything that some threads do as a litmus test
package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Litmus returns a race as a PTX test: what both threads do between the barriers around it. A model
// of PTX flags the race, unless orders other than barriers prevent it.
func Litmus(name string, r *launch.Report, race launch.Race) string {
	threads := []int{race.First.Thread, race.Second.Thread}
	t := newTest(r, threads)
	for i, a := range []*launch.Access{race.First, race.Second} {
		t.interval(i, a)
	}
	t.race = []*launch.Access{race.First, race.Second}
	t.shorten()
	return t.write(name)
}

// Threads returns everything that some threads do as a PTX test, including the barriers at which
// they meet.
func Threads(name string, r *launch.Report, threads ...int) string {
	return newTest(r, threads).write(name)
}

// event is an access, a fence or a barrier of a thread.
type event struct {
	at     int // number of accesses in the report before it
	round  int // number of earlier barriers at which threads of the test met
	access *launch.Access
	sync   *launch.Sync
}

// test is a litmus test under construction.
type test struct {
	report  *launch.Report
	threads []int
	events  [][]event        // of each thread, in program order
	race    []*launch.Access // the racing accesses; nil if the test is about all accesses
	cells   cells
	started map[string]uint64 // initial values of locations
	reads   []int             // number of registers that each thread has used
	read    map[*launch.Access]string
	// steering tells whether the value that an instruction reads decides where a thread goes.
	steering map[*kernel.Instr]bool
}

func newTest(r *launch.Report, threads []int) *test {
	t := &test{
		report:  r,
		threads: threads,
		events:  make([][]event, len(threads)),
		started: map[string]uint64{},
		read:    map[*launch.Access]string{},
	}
	t.reads = make([]int, len(threads))
	common := t.meetings()
	rounds := make([]int, len(threads))
	syncs := r.Syncs
	for i := range len(r.Accesses) + 1 {
		for len(syncs) > 0 && syncs[0].After == i {
			s := &syncs[0]
			syncs = syncs[1:]
			at := slices.Index(threads, s.Thread)
			if at >= 0 && (s.Op.Class() == isa.ClassFence && !s.Op.ProxyFence || common[s.Meeting]) {
				t.events[at] = append(t.events[at], event{at: i, sync: s})
				if s.Meeting > 0 {
					rounds[at]++
				}
			}
		}
		if i == len(r.Accesses) {
			break
		}
		if at := slices.Index(threads, r.Accesses[i].Thread); at >= 0 && !r.Accesses[i].Copied() {
			t.events[at] = append(t.events[at], event{i, rounds[at], &r.Accesses[i], nil})
		}
	}
	return t
}

// meetings returns the meetings in which at least two of the threads took part.
func (t *test) meetings() map[int]bool {
	count := map[int]int{}
	for _, s := range t.report.Syncs {
		if slices.Contains(t.threads, s.Thread) && s.Meeting > 0 {
			count[s.Meeting]++
		}
	}
	common := map[int]bool{}
	for meeting, n := range count {
		common[meeting] = n > 1
	}
	return common
}

// interval restricts a thread to what it does between the barriers around an access.
func (t *test) interval(i int, a *launch.Access) {
	all := t.events[i]
	at := slices.IndexFunc(all, func(e event) bool { return e.access == a })
	first, end := 0, len(all)
	for j, e := range all {
		if e.sync != nil && e.sync.Meeting > 0 {
			if j < at {
				first = j + 1
			} else {
				end = min(end, j)
			}
		}
	}
	t.events[i] = all[first:end]
}

// few bounds the accesses in the test of a race. With many racing accesses, it has too many
// executions to be readable.
const few = 8

// shorten removes weak accesses from tests with more than few accesses, because these order
// nothing. It keeps the racing ones.
func (t *test) shorten() {
	n := 0
	t.cells = newCells(t.events)
	for _, e := range slices.Concat(t.events...) {
		if e.access != nil {
			n += len(t.pieces(e.access))
		}
	}
	if n <= few {
		return
	}
	for i := range t.events {
		t.events[i] = slices.DeleteFunc(t.events[i], func(e event) bool {
			return e.access != nil && !slices.Contains(t.race, e.access) && !t.strong(e)
		})
	}
}

// strong reports whether an access is strong in the test: it is strong in the kernel, and no
// concurrent access overlaps it partially. Accesses that overlap partially are never morally strong
// (PTX ISA, "Morally-Strong Operations").
func (t *test) strong(e event) bool {
	a := e.access
	if a.Op.Class() != isa.ClassAtomic && !a.Op.Volatile && !a.Op.MMIO && a.Op.Order <= isa.Weak {
		return false
	}
	mixed := func(o event) bool {
		b := o.access
		return b != nil && b.Thread != a.Thread && o.round == e.round && b.Object == a.Object &&
			b.Offset < a.Offset+int64(a.Bytes) && a.Offset < b.Offset+int64(b.Bytes) &&
			(a.Offset != b.Offset || a.Bytes != b.Bytes)
	}
	return !slices.ContainsFunc(slices.Concat(t.events...), mixed)
}

// write prints the test. Its condition asks for the outcome that the race leaves open, if there is
// a race.
func (t *test) write(name string) string {
	t.cells = newCells(t.events)
	var columns [][]string
	for i := range t.threads {
		column := []string{"P" + fmt.Sprint(i)}
		for _, e := range t.events[i] {
			column = append(column, t.instructions(i, e)...)
		}
		columns = append(columns, column)
	}
	path := t.path()
	var s strings.Builder
	fmt.Fprintf(&s, "PTX %s\n", name)
	for i, number := range t.threads {
		block := t.report.Launch.Block.Count()
		fmt.Fprintf(&s, "\"P%d is thread %v of block %v\"\n", i,
			t.report.Launch.Block.At(number%block), t.report.Launch.Grid.At(number/block))
	}
	s.WriteString("{")
	for _, location := range t.cells.locations() {
		fmt.Fprintf(&s, " %s=%d;", location, int64(t.started[location]))
	}
	s.WriteString(" }\n")
	table(&s, columns)
	fmt.Fprintf(&s, "ScopeTree %s\n", t.tree())
	if shared := t.cells.shared(); len(shared) > 0 {
		fmt.Fprintf(&s, "%s\n", strings.Join(shared, ", "))
	}
	if len(path) > 0 {
		fmt.Fprintf(&s, "filter (%s)\n", strings.Join(path, " /\\ "))
	}
	fmt.Fprintf(&s, "exists (%s)\n", t.condition())
	return s.String()
}

// path returns the condition that strong reads which steer a thread return what they returned in
// the launch. Values that threads outside the test wrote are left open. It also determines the
// initial values of locations.
func (t *test) path() (all []string) {
	events := slices.Concat(t.events...)
	slices.SortStableFunc(events, func(a, b event) int { return a.at - b.at })
	now := map[string]uint64{}
	foreign := map[string]bool{} // locations whose value a thread outside the test wrote in part
	for _, e := range events {
		a := e.access
		if a == nil {
			continue
		}
		pieces := t.pieces(a)
		for _, p := range pieces {
			if _, known := now[p.name]; !known && a.Reads {
				t.started[p.name] = p.bits(a, a.Value)
				now[p.name] = t.started[p.name]
			}
			foreign[p.name] = foreign[p.name] && a.Reads || a.Reads && now[p.name] != p.bits(a, a.Value)
			if len(pieces) == 1 && t.read[a] != "" && !foreign[p.name] && t.strong(e) && t.steers(a) {
				all = append(all,
					fmt.Sprintf("P%d:%s=%d", slices.Index(t.threads, a.Thread), t.read[a], int64(a.Value)))
			}
			if a.Writes {
				now[p.name] = p.bits(a, written(a))
			}
		}
	}
	slices.Sort(all)
	return all
}

func (t *test) steers(a *launch.Access) bool {
	if t.steering == nil {
		t.steering = map[*kernel.Instr]bool{}
	}
	if known, ok := t.steering[a.Instr]; ok {
		return known
	}
	t.steering[a.Instr] = steers(t.report.Kernel, a.Instr)
	return t.steering[a.Instr]
}

// table prints columns of equal width.
func table(s *strings.Builder, columns [][]string) {
	rows := 0
	width := make([]int, len(columns))
	for i, c := range columns {
		rows = max(rows, len(c))
		for _, cell := range c {
			width[i] = max(width[i], len(cell))
		}
	}
	for row := range rows {
		for i, c := range columns {
			cell := ""
			if row < len(c) {
				cell = c[row]
			}
			fmt.Fprintf(s, " %-*s %c", width[i], cell, "|;"[(i+1)/len(columns)])
		}
		s.WriteByte('\n')
	}
}

// tree returns the scope tree: the blocks and warps of the threads.
func (t *test) tree() string {
	block := t.report.Launch.Block.Count()
	var order []string
	places := map[string][]string{}
	var blocks []int
	for i, number := range t.threads {
		b, warp := number/block, number%block/32
		if !slices.Contains(blocks, b) {
			blocks = append(blocks, b)
		}
		key := fmt.Sprintf("%d.%d", b, warp)
		if places[key] == nil {
			order = append(order, key)
		}
		places[key] = append(places[key], fmt.Sprintf("P%d", i))
	}
	ctas := map[int]string{}
	for _, b := range blocks {
		s := "(cta"
		for _, key := range order {
			if strings.HasPrefix(key, fmt.Sprint(b)+".") {
				s += " (warp " + strings.Join(places[key], " ") + ")"
			}
		}
		ctas[b] = s + ")"
	}
	s := "(device (kernel"
	for _, cluster := range t.clusters(blocks) {
		some := ""
		for _, b := range cluster {
			some += " " + ctas[b]
		}
		if t.scoped() {
			some = " (cluster" + some + ")"
		}
		s += some
	}
	return s + "))"
}

// scoped reports whether an access has cluster scope, so that the test must say which blocks form a
// cluster.
func (t *test) scoped() bool {
	return slices.ContainsFunc(slices.Concat(t.events...), func(e event) bool {
		return e.access != nil && e.access.Op.Scope == isa.ScopeCluster ||
			e.sync != nil && e.sync.Op.Scope == isa.ScopeCluster
	})
}

// clusters groups blocks by cluster.
func (t *test) clusters(blocks []int) (all [][]int) {
	at := map[int]int{} // index of each cluster in all
	for _, b := range blocks {
		number := t.report.Cluster(b)
		if _, known := at[number]; !known {
			at[number] = len(all)
			all = append(all, nil)
		}
		all[at[number]] = append(all[at[number]], b)
	}
	return all
}

// condition asks whether one access of the race observes the other: whether a read returns the
// value that the other thread writes, or which of two writes comes last.
func (t *test) condition() string {
	if t.race == nil {
		return "true"
	}
	a, b := t.race[0], t.race[1]
	if !a.Writes || a.Reads && !b.Reads || b.Writes && a.Reads && b.Reads && t.read[b] == "" {
		a, b = b, a // a writes; b reads, if either does
	}
	p := t.pieces(b)[0]
	if r := t.read[b]; r != "" && a.Writes {
		return fmt.Sprintf("P%d:%s=%d", slices.Index(t.threads, b.Thread), r, int64(p.bits(a, written(a))))
	}
	return fmt.Sprintf("[%s]=%d", p.name, int64(p.bits(b, written(b))))
}

func written(a *launch.Access) uint64 {
	if a.Reads {
		return a.Next
	}
	return a.Value
}
