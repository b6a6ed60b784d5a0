package draw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// indexDrawer draws programs in C in which the value of a read is an array index.
type indexDrawer struct {
	drawer
	body   []string // of the thread
	read   int      // number of registers of the thread
	thread int
	seen   []string // observed registers and locations
}

// Indices draws a program in C or, for the header OPENCL, in OpenCL C, whose threads use values
// they read as array indices.
func Indices(t *rapid.T, arch string) string {
	d := &indexDrawer{drawer: drawer{T: t, accesses: 8}}
	var b strings.Builder
	at, space := "", ""
	if arch == "OPENCL" {
		space = "global "
	}
	for d.thread = range pick(&d.drawer, "threads", 2, 2, 2, 3) {
		d.body, d.read = nil, 0
		for range 2 + d.below(2, "statements") {
			if d.accesses > 0 {
				d.statement()
			}
		}
		if arch == "OPENCL" {
			at = fmt.Sprintf("@wg %d,dev 0 ", d.thread)
		}
		fmt.Fprintf(&b, "P%d%s(%satomic_int* a, %satomic_int* b, %sint* n) {\n  %s\n}\n", d.thread, at, space, space,
			space, strings.Join(d.body, "\n  "))
	}
	return fmt.Sprintf(
		"%s indices\n{ int a[2]={%d,0}; int b[2]={0,%d}; int n[2]={0,1}; }\n%slocations [%s]\nexists (a[0]=1)\n",
		arch, d.below(2, "a"), pick(&d.drawer, "b", 0, 0, 1), b.String(), strings.Join(append(d.seen, "a[0]"), ";"))
}

// statement draws one or two accesses.
func (d *indexDrawer) statement() {
	d.accesses--
	order := pick(&d.drawer, "order", "relaxed", "relaxed", "acquire", "release", "acq_rel")
	loads, stores := order, order
	if order == "release" || order == "acq_rel" {
		loads = "acquire"
	}
	if order == "acquire" || order == "acq_rel" {
		stores = "release"
	}
	switch d.below(10, "statement") {
	case 0, 1:
		place := d.atomic()
		d.emit("int %s = atomic_load_explicit(%s, memory_order_%s);", d.register(), place, loads)
	case 2, 3:
		d.emit("atomic_store_explicit(%s, %s, memory_order_%s);", d.atomic(), d.value(), stores)
	case 4:
		place := d.atomic()
		d.emit("int %s = atomic_fetch_add_explicit(%s, 1, memory_order_%s);", d.register(), place, order)
	case 5:
		place, value := d.atomic(), d.value()
		d.emit("int %s = atomic_exchange_explicit(%s, %s, memory_order_%s);", d.register(), place, value, order)
	case 6:
		d.emit("n[%s] = %s;", d.index(), d.value())
	case 7:
		i := d.index()
		d.emit("int %s = n[%s];", d.register(), i)
	default: // accesses the element that it reads
		d.accesses--
		from, to := "a", "b"
		if d.oneIn(2, "back") {
			from, to = to, from
		}
		r := d.register()
		d.emit("int %s = atomic_load_explicit(&%s[1], memory_order_%s);", r, from, loads)
		d.emit("atomic_store_explicit(&%s[%s & 1], 1, memory_order_%s);", to, r, stores)
	}
}

func (d *indexDrawer) emit(format string, args ...any) {
	d.body = append(d.body, fmt.Sprintf(format, args...))
}

// register returns a new register.
func (d *indexDrawer) register() string {
	d.read++
	d.seen = append(d.seen, fmt.Sprintf("%d:r%d", d.thread, d.read))
	return fmt.Sprintf("r%d", d.read)
}

// any returns a register that has been read into, or false.
func (d *indexDrawer) any() (r string, ok bool) {
	if d.read == 0 {
		return "", false
	}
	return fmt.Sprintf("r%d", 1+d.below(d.read, "register")), true
}

func (d *indexDrawer) index() string {
	r, ok := d.any()
	switch {
	case !ok || d.oneIn(4, "constant"):
		return pick(&d.drawer, "index", "0", "1")
	case d.oneIn(8, "unbounded"):
		return r
	}
	return r + " & 1"
}

func (d *indexDrawer) atomic() string {
	return "&" + pick(&d.drawer, "array", "a", "b") + "[" + d.index() + "]"
}

func (d *indexDrawer) value() string {
	if r, ok := d.any(); ok && d.oneIn(2, "computed") {
		return pick(&d.drawer, "computed", r, r+" + 1", "1 - "+r)
	}
	return pick(&d.drawer, "value", "1", "2", "0")
}
