// Package replay shows what is said of kernels: the launch of an alarm on the machine of
// kernel/launch, and the litmus test of the threads that it is about.
//
//	Run      replays an alarm
//	Litmus   is a race as a litmus test, of what the two threads do between the barriers around it
//	Threads  is all that some threads do as a litmus test
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
// of PTX flags it as a race, unless it knows of an order that no barrier makes.
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

// Threads returns all that some threads do as a PTX test, the barriers at which they meet included.
func Threads(name string, r *launch.Report, threads ...int) string {
	return newTest(r, threads).write(name)
}

// event is an access, a fence or a barrier of a thread.
type event struct {
	at     int // when it came: how many accesses were before it
	round  int // how many barriers the threads of the test met at before it
	access *launch.Access
	sync   *launch.Sync
}

// test is a litmus test that is being made.
type test struct {
	report  *launch.Report
	threads []int
	events  [][]event        // of each thread
	race    []*launch.Access // that the test is about; nil if it is about all
	cells   cells
	started map[string]uint64 // what locations hold at first
	reads   []int             // how many registers each thread has used
	read    map[*launch.Access]string
	// steering says of instructions whether what they read decides where a thread goes.
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

// meetings returns the numbers of those in which at least two of the threads took part.
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

// interval leaves to a thread what it does between the barriers around an access.
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

// few is how many accesses the test of a race has: with many that race, it has more executions than
// anybody wants to see.
const few = 8

// shorten leaves out weak accesses of threads that do much, but for those of the race: they order
// nothing.
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

// strong reports whether an access is strong in the test: it is in the kernel, and what others do
// at the same time is about the same bytes, or about none of them. Accesses that overlap in part
// are never morally strong (PTX ISA, "Morally-Strong Operations").
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

// write prints the test. The condition asks for what the race leaves open, if there is one.
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

// path returns the condition that those strong reads get what they got in the launch by which a
// thread may go elsewhere than where it went. A value that a thread outside the test has written is
// left open. On the way it finds what locations hold at first.
func (t *test) path() (all []string) {
	events := slices.Concat(t.events...)
	slices.SortStableFunc(events, func(a, b event) int { return a.at - b.at })
	now := map[string]uint64{}
	foreign := map[string]bool{} // what a thread outside has written is part of the value
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

// tree returns where the threads are: blocks, warps.
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

// scoped reports whether some access has the scope of a cluster: then it matters which blocks are
// in one.
func (t *test) scoped() bool {
	return slices.ContainsFunc(slices.Concat(t.events...), func(e event) bool {
		return e.access != nil && e.access.Op.Scope == isa.ScopeCluster ||
			e.sync != nil && e.sync.Op.Scope == isa.ScopeCluster
	})
}

// clusters are blocks by the clusters in which they are.
func (t *test) clusters(blocks []int) (all [][]int) {
	at := map[int]int{} // of each cluster, where it is among all
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

// condition asks whether one access of the race sees the other: whether a read gets what the other
// thread writes, or which of two writes comes last.
func (t *test) condition() string {
	if t.race == nil {
		return "true"
	}
	a, b := t.race[0], t.race[1]
	if !a.Writes || a.Reads && !b.Reads || b.Writes && a.Reads && b.Reads && t.read[b] == "" {
		a, b = b, a // a writes; b reads, if one of them does
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
