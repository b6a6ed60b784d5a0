package draw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// pointerDrawer draws PTX tests whose addresses are in memory: p and q hold the address of a
// location, or 0; x and y hold integers, perhaps the number of a barrier. Threads follow pointers,
// replace them, and retry until that succeeds.
type pointerDrawer struct {
	drawer
	cells    []string // of the thread
	set      int      // number of registers that the thread has set
	labels   int      // number of labels in the test
	barriers bool     // threads may meet at a barrier that a value names
	observed []string
	thread   int
}

// steps are the steps of a thread and their numbers of accesses; loops repeat theirs.
var steps = []struct {
	accesses int
	draw     func(*pointerDrawer)
}{
	{2, (*pointerDrawer).follow},
	{2, (*pointerDrawer).storeThrough},
	{1, (*pointerDrawer).storePointer},
	{1, (*pointerDrawer).plain},
	{2, (*pointerDrawer).swap},
	{4, (*pointerDrawer).retry},
	{3, (*pointerDrawer).spin},
	{3, (*pointerDrawer).meetByValue},
}

// Pointers draws a test with few accesses: each read may read from every write.
func Pointers(t *rapid.T) string {
	d := &pointerDrawer{drawer: drawer{T: t, accesses: 9}}
	d.barriers = d.oneIn(4, "barriers")
	threads := pick(&d.drawer, "threads", 2, 2, 2, 3)
	var columns [][]string
	var heads []string
	for d.thread = range threads {
		d.cells, d.set = nil, 0
		for range 1 + d.below(3, "steps") {
			if s := pick(&d.drawer, "step", steps...); s.accesses <= d.accesses {
				d.accesses -= s.accesses
				s.draw(d)
			}
		}
		columns = append(columns, append(d.cells, fmt.Sprintf("END%d:", d.thread)))
		cta := d.thread
		if d.barriers {
			cta = 0
		}
		heads = append(heads, fmt.Sprintf("P%d@cta %d,gpu 0", d.thread, cta))
	}
	first := []string{"0", "x", "y", "p"}
	init := fmt.Sprintf("x=%d; y=0; p=%s; q=%s;", d.below(2, "x"), pick(&d.drawer, "p", first...),
		pick(&d.drawer, "q", first...))
	return pointerText(init, heads, columns, d.observed)
}

func pointerText(init string, heads []string, columns [][]string, observed []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX pointers\n{ %s", init)
	for _, r := range observed {
		fmt.Fprintf(&b, " %s=0;", r)
	}
	fmt.Fprintf(&b, " }\n %s ;\n", strings.Join(heads, " | "))
	for row, more := 0, true; more; row++ {
		more = false
		line := make([]string, len(columns))
		for t, cells := range columns {
			if row < len(cells) {
				line[t], more = cells[row], true
			}
		}
		if more {
			fmt.Fprintf(&b, " %s ;\n", strings.Join(line, " | "))
		}
	}
	fmt.Fprintf(&b, "locations [x; y; p; q; %s]\nexists (x=1)\n", strings.Join(observed, "; "))
	return b.String()
}

func (d *pointerDrawer) emit(format string, args ...any) {
	d.cells = append(d.cells, fmt.Sprintf(format, args...))
}

// register returns a register that has not been set.
func (d *pointerDrawer) register(observed bool) string {
	d.set++
	r := fmt.Sprintf("r%d", d.set)
	if observed {
		d.observed = append(d.observed, fmt.Sprintf("P%d:%s", d.thread, r))
	}
	return r
}

func (d *pointerDrawer) label() string {
	d.labels++
	return fmt.Sprintf("L%d", d.labels)
}

func (d *pointerDrawer) load() string {
	return "ld" + pick(&d.drawer, "load", ".weak", ".relaxed.gpu", ".acquire.gpu")
}

func (d *pointerDrawer) store() string {
	return "st" + pick(&d.drawer, "store", ".weak", ".relaxed.gpu", ".release.gpu")
}

func (d *pointerDrawer) cas() string {
	return "atom" + pick(&d.drawer, "atomic", ".relaxed.gpu", ".acq_rel.gpu") + ".cas.b64"
}

func (d *pointerDrawer) pointer() string { return pick(&d.drawer, "pointer", "p", "p", "q") }

func (d *pointerDrawer) target() string { return pick(&d.drawer, "target", "x", "y", "y", "0", "q") }

// found loads a pointer, and usually leaves the thread if it is 0.
func (d *pointerDrawer) found() string {
	r := d.register(false)
	d.emit("%s.b64 %s, %s", d.load(), r, d.pointer())
	if !d.oneIn(4, "unguarded") {
		d.emit("setp.eq.b64 z, %s, 0", r)
		d.emit("@z bra END%d", d.thread)
	}
	return r
}

func (d *pointerDrawer) follow() {
	at, load := d.found(), d.load()
	d.emit("%s.b64 %s, [%s]", load, d.register(true), at)
}

func (d *pointerDrawer) storeThrough() {
	at, store := d.found(), d.store()
	d.emit("%s.b64 [%s], %s", store, at, pick(&d.drawer, "value", "1", "2", "x", at))
}

func (d *pointerDrawer) storePointer() { d.emit("%s.b64 %s, %s", d.store(), d.pointer(), d.target()) }

func (d *pointerDrawer) plain() {
	if at := pick(&d.drawer, "location", "x", "y"); d.oneIn(2, "load") {
		load := d.load()
		d.emit("%s.b64 %s, %s", load, d.register(true), at)
	} else {
		d.emit("%s.b64 %s, %d", d.store(), at, 1+d.below(2, "value"))
	}
}

func (d *pointerDrawer) swap() {
	cas := d.cas()
	d.emit("%s %s, %s, %s, %s", cas, d.register(d.oneIn(2, "observed")), d.pointer(), d.target(), d.target())
}

// retry replaces a pointer by another with a compare-and-swap that is repeated until it succeeds.
// Before that, it may make the new one point to the old one.
func (d *pointerDrawer) retry() {
	again, p, load, old, got := d.label(), d.pointer(), d.load(), d.register(false), d.register(false)
	d.emit("%s: %s.b64 %s, %s", again, load, old, p)
	node := pick(&d.drawer, "node", "x", "y")
	switch d.below(3, "link") {
	case 0:
		d.emit("%s.b64 %s, %s", d.store(), node, old)
	case 1:
		link := d.register(false)
		d.emit("setp.eq.b64 z, %s, 0", old)
		d.emit("@z bra END%d", d.thread)
		d.emit("%s.b64 %s, [%s]", d.load(), link, old)
		node = link
	}
	d.emit("%s %s, %s, %s, %s", d.cas(), got, p, old, node)
	d.emit("setp.ne.b64 z, %s, %s", got, old)
	d.emit("@z bra %s", again)
}

// spin waits until a pointer is not 0, and follows it.
func (d *pointerDrawer) spin() {
	again, load, r := d.label(), d.load(), d.register(false)
	d.emit("%s: %s.b64 %s, %s", again, load, r, d.pointer())
	d.emit("setp.eq.b64 z, %s, 0", r)
	d.emit("@z bra %s", again)
	load = d.load()
	d.emit("%s.b64 %s, [%s]", load, d.register(true), r)
}

// meetByValue waits at a barrier whose number is read.
func (d *pointerDrawer) meetByValue() {
	if !d.barriers {
		return
	}
	load, r := d.load(), d.register(false)
	d.emit("%s.b64 %s, %s", load, r, pick(&d.drawer, "barrier", "x", "y"))
	d.emit("bar.sync %s, 64", r)
}
