package draw

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// scopedTest is a random PTX test, as the text of its cells.
type scopedTest struct {
	initial   []string // declarations of the initial state
	locations []string // all names of locations
	places    []placement
	threads   [][]string // cells: one for each instruction and each label
	registers []int      // number of registers that each thread sets
	condition string
}

// placement is the numbers of the CTA, cluster and GPU of a thread.
type placement struct{ cta, cluster, gpu int }

// String prints the test; its states show every register and location.
func (s *scopedTest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX random\n{ %s", strings.Join(s.initial, " "))
	for _, r := range s.observedRegisters() {
		fmt.Fprintf(&b, " %s=0;", r)
	}
	b.WriteString(" }\n")
	rows := 0
	for t, p := range s.places {
		s.cell(&b, t, fmt.Sprintf("P%d@cta %d,cluster %d,gpu %d", t, p.cta, p.cluster, p.gpu))
		rows = max(rows, len(s.threads[t]))
	}
	for row := range rows {
		for t, thread := range s.threads {
			text := ""
			if row < len(thread) {
				text = thread[row]
			}
			s.cell(&b, t, text)
		}
	}
	fmt.Fprintf(&b, "locations [%s]\n%s\n", strings.Join(s.observed(), "; "), s.condition)
	return b.String()
}

// cell prints one column of a row.
func (s *scopedTest) cell(b *strings.Builder, t int, text string) {
	end := " |"
	if t == len(s.places)-1 {
		end = " ;\n"
	}
	fmt.Fprintf(b, " %-30s%s", text, end)
}

// observed returns all locations and registers.
func (s *scopedTest) observed() []string {
	return slices.Concat(s.locations, s.observedRegisters())
}

func (s *scopedTest) observedRegisters() (names []string) {
	for t, n := range s.registers {
		for r := range n {
			names = append(names, fmt.Sprintf("P%d:r%d", t, r))
		}
	}
	return names
}

// shapes are the accesses of the threads of well-known tests: R is a read, W a write, U an atomic;
// x' is x by another name. Orders and the instructions in between are drawn.
var shapes = []string{
	"Wx Wy | Ry Rx",           // MP
	"Wx Ry | Wy Rx",           // SB
	"Rx Wy | Ry Wx",           // LB
	"Wx Wy | Wy Rx",           // R
	"Wx Wy | Ry Wx",           // S
	"Wx Wy | Wy Wx",           // 2+2W
	"Wx | Rx Rx",              // CoRR
	"Rx Wx | Wx",              // CoRW
	"Wx Rx | Wx",              // CoWR
	"Wx Wx | Rx Rx",           // CoWW with a reader
	"Wx | Wx | Rx Rx",         // two writers and a reader
	"Wx | Wx | Rx Rx | Rx Rx", // two writers and two readers
	"Wx | Rx Wy | Ry Rx",      // WRC
	"Wx | Rx Wy | Ry Wx",      // WWC
	"Wx | Rx Ry | Wy Rx",      // RWC
	"Wx Wy | Ry Wz | Rz Rx",   // ISA2
	"Wx Wy | Wy Wz | Rz Rx",   // Z6
	"Wx Ry | Wy Rz | Wz Rx",   // 3.SB
	"Wx | Wy | Rx Ry | Ry Rx", // IRIW
	"Wx Wx Wy | Ry Rx",        // MP with two writes of the data
	"Wx Wy | Ry Wx Rx",        // MP and CoWR

	// Atomic operations.
	"Ux | Ux",
	"Ux | Wx Rx",
	"Wx Uy | Uy Rx",
	"Wx Wy | Uy | Ry Rx",
	"Wx Wy:release | Uy Ry:weak Rx",
	"Wx:relaxed | Ux | Rx:relaxed Wx:weak",
	"Wx:weak Ux | Rx:relaxed Wx:weak",

	// MP with longer release and acquire patterns.
	"Wx Wy Wy | Ry Ry Rx",
	"Wx Wy:release Wy:relaxed | Ry:acquire Rx",
	"Wx Wy:release | Wy:relaxed | Ry:relaxed Ry:acquire Rx",
	"Wx Wy:release Wy':relaxed | Ry':relaxed Rx",
	"Wx Wy':relaxed | Ry':relaxed Ry:acquire Rx",

	// Aliases.
	"Wx Rx'",
	"Wx' Rx | Wx",
	"Wx Wx' | Rx' Rx",
	"Wx Wy | Ry Rx'",
	"Wx' Wy:release | Ry:acquire Rx'",
	"Wx Wy':relaxed | Ry':acquire Rx",
}

// tastes are drawn once for a test. If each order and scope were drawn independently, operations
// would rarely be morally strong, and nothing would synchronize. The location x is data, and the
// others are flags.
var tastes = []struct {
	what    string
	choices [][]string
}{
	{"load of data", [][]string{{"weak", "relaxed", "acquire", "volatile", "mmio"}, {"weak"}, {"relaxed"}}},
	{"load of flag", [][]string{{"relaxed", "acquire"}, {"weak", "relaxed", "acquire", "volatile"}, {"relaxed"}}},
	{"store of data", [][]string{{"weak", "relaxed", "release", "volatile", "mmio"}, {"weak"}, {"relaxed"}}},
	{"store of flag", [][]string{{"relaxed", "release"}, {"weak", "relaxed", "release", "volatile"}, {"relaxed"}}},
	{"atomic", [][]string{{"relaxed", "acquire", "release", "acq_rel", "default"}, {"relaxed"}, {"acq_rel"}}},
	{"operation", [][]string{{"red", "add", "exch", "cas"}, {"red"}}},
	{"fence", [][]string{
		{"fence.sc", "fence.acq_rel", "fence.acquire", "fence.release", "membar"}, {"fence.sc"}, {"fence.acq_rel"},
	}},
	{"scope", [][]string{{"sys"}, {"gpu", "sys"}, {"cta", "cluster", "gpu", "sys"}}},
	{"between", [][]string{{"nothing", "fence", "branch"}, {"fence"}, {"nothing", "fence"}}},
	{"shared", [][]string{{"gpu"}, {"nothing", "gpu", "cluster", "cta"}, {"cta"}, {"nothing"}}},
}

// scopedDrawer draws PTX tests with scopes.
type scopedDrawer struct {
	drawer
	taste    map[string][]string
	test     *scopedTest
	names    map[string][]name // of each location: its own name, then aliases
	array    bool              // the locations are elements of an array
	proxies  []string          // kinds of the proxy fences
	barriers []string          // barriers at which some threads can meet
	written  map[string]int    // largest value written to each location so far
	scFences int

	cells  []string // of the thread
	set    int      // number of registers that the thread has set
	labels int      // number of labels of the thread
	after  string   // cell to add after the next access
	met    bool     // the thread has used a barrier
}

// maxSCFences bounds the number of fence.sc: more have too many orders.
const maxSCFences = 3

// name is a name of a location, and the proxy that it stands for.
type name struct{ text, proxy string }

// Scoped draws a PTX test with scopes, fences, proxies and barriers.
func Scoped(t *rapid.T) string {
	d := &scopedDrawer{
		drawer: drawer{T: t, accesses: 4}, taste: map[string][]string{}, test: &scopedTest{},
		names: map[string][]name{}, written: map[string]int{},
	}
	threads := d.accessesOfThreads()
	for _, t := range tastes {
		d.taste[t.what] = pick(&d.drawer, t.what, t.choices...)
	}
	d.drawPlaces(len(threads))
	d.drawLocations(strings.Contains(fmt.Sprint(threads), "'"))
	d.drawBarriers()
	for _, accesses := range threads {
		d.thread(accesses)
	}
	d.test.condition = d.condition()
	return d.test.String()
}

// accessesOfThreads draws the accesses of each thread: one of the shapes, or arbitrary ones.
func (d *scopedDrawer) accessesOfThreads() (threads [][]string) {
	if !d.oneIn(3, "free form") {
		for thread := range strings.SplitSeq(pick(&d.drawer, "shape", shapes...), "|") {
			threads = append(threads, strings.Fields(thread))
		}
		return threads
	}
	for range pick(&d.drawer, "threads", 2, 2, 3, 4) {
		accesses := []string{pick(&d.drawer, "access", "Rx", "Wx", "Ry", "Wy", "Ux")}
		for range min(d.below(3, "more accesses"), d.accesses) {
			accesses = append(accesses, pick(&d.drawer, "access", "Rx", "Wx", "Ry", "Wy", "Ux"))
			d.accesses--
		}
		threads = append(threads, accesses)
	}
	return threads
}

// like draws a value according to the tastes of the test.
func (d *scopedDrawer) like(what string) string { return pick(&d.drawer, what, d.taste[what]...) }

// drawPlaces places each thread near the previous one.
func (d *scopedDrawer) drawPlaces(threads int) {
	var p placement
	for t := range threads {
		if t > 0 {
			switch d.like("shared") {
			case "nothing":
				p = placement{0, 0, p.gpu + 1}
			case "gpu":
				p = placement{0, p.cluster + 1, p.gpu}
			case "cluster":
				p.cta++
			}
		}
		d.test.places = append(d.test.places, p)
	}
}

// drawLocations declares the locations: scalars, perhaps with aliases, or elements of an array.
func (d *scopedDrawer) drawLocations(aliases bool) {
	if d.array = !aliases && d.oneIn(8, "array"); d.array {
		d.test.initial = []string{"a[3];"}
		for i, l := range []string{"x", "y", "z"} {
			d.names[l] = []name{{fmt.Sprintf("a[%d]", i), "generic"}}
			d.test.locations = append(d.test.locations, d.names[l][0].text)
		}
		return
	}
	for _, l := range []string{"x", "y", "z"} {
		d.test.initial = append(d.test.initial, l+"=0;")
		d.test.locations = append(d.test.locations, l)
		d.names[l] = []name{{l, "generic"}}
	}
	if aliases || d.oneIn(6, "aliases") {
		d.drawAliases()
	}
}

// drawAliases declares an alias each of x and y, or two aliases of one of them.
func (d *scopedDrawer) drawAliases() {
	d.separateBy("proxy fence", 2)
	for i, of := range pick(&d.drawer, "aliases of", []string{"x", "y"}, []string{"x", "x"}, []string{"y", "y"}) {
		alias := name{
			fmt.Sprintf("%s%d", of, i),
			pick(&d.drawer, "proxy", "generic", "surface", "generic", "texture", "constant"),
		}
		d.names[of] = append(d.names[of], alias)
		d.test.initial = append(d.test.initial, fmt.Sprintf("%s @ %s aliases %s;", alias.text, alias.proxy, of))
		d.test.locations = append(d.test.locations, alias.text)
		d.proxies = append(d.proxies, strings.Replace(alias.proxy, "generic", "alias", 1))
	}
}

// drawBarriers lets threads of one CTA or cluster meet. Threads that go to different barriers, or
// miss one, leave others waiting.
func (d *scopedDrawer) drawBarriers() {
	var ofCTA, ofCluster bool
	for t, p := range d.test.places[1:] {
		before := d.test.places[t]
		ofCTA = ofCTA || p == before
		ofCluster = ofCluster || p.cluster == before.cluster && p.gpu == before.gpu
	}
	if ofCTA {
		d.barriers = []string{
			"bar.cta.sync 0", "bar.cta.sync 0", "bar.cta.arrive 0", "bar.cta.sync 0, 0, 2", "bar.cta.arrive 0, 0, 2",
		}
	}
	if ofCluster {
		d.barriers = append(d.barriers, "barrier.cluster.arrive", "barrier.cluster.arrive.relaxed")
	}
	if ofCluster && d.oneIn(3, "barriers") {
		d.separateBy("barrier", 3)
	}
}

// separateBy makes something more frequent between accesses.
func (d *scopedDrawer) separateBy(what string, weight int) {
	d.taste["between"] = slices.Concat(slices.Repeat([]string{what}, weight), d.taste["between"])
}

// thread draws the code of a thread.
func (d *scopedDrawer) thread(accesses []string) {
	d.cells, d.set, d.labels, d.after, d.met = nil, 0, 0, "", false
	for len(accesses) > 0 {
		n := d.vector(accesses)
		if n == 0 {
			d.access(accesses[0])
			n = 1
		}
		accesses = accesses[n:]
		if d.after != "" {
			d.cells = append(d.cells, d.after)
			d.after = ""
		}
		if len(accesses) > 0 {
			d.separate()
		}
	}
	d.test.threads = append(d.test.threads, d.cells)
	d.test.registers = append(d.test.registers, d.set)
}

func (d *scopedDrawer) emit(format string, args ...any) {
	d.cells = append(d.cells, fmt.Sprintf(format, args...))
}

// setRegister returns the register that the next instruction sets.
func (d *scopedDrawer) setRegister() string {
	d.set++
	return fmt.Sprintf("r%d", d.set-1)
}

// separate draws the cells between two accesses.
func (d *scopedDrawer) separate() {
	switch d.like("between") {
	case "fence":
		d.fence()
	case "proxy fence":
		d.emit("fence.proxy.%s", pick(&d.drawer, "proxy", d.proxies...))
	case "barrier":
		if !d.met || d.oneIn(4, "again") {
			d.meet()
		}
	case "branch":
		if d.set > 0 {
			label := d.label()
			d.emit("%s %s, %d, %s", pick(&d.drawer, "branch", "beq", "bne"), d.register(), d.below(2, "value"), label)
			d.after = label + ":"
			if len(d.barriers) > 0 && d.oneIn(3, "past a barrier") {
				d.meet()
			}
		}
	}
}

func (d *scopedDrawer) label() string {
	d.labels++
	return fmt.Sprintf("L%d", d.labels)
}

// register draws a register that the thread has set.
func (d *scopedDrawer) register() string { return fmt.Sprintf("r%d", d.below(d.set, "register")) }

func (d *scopedDrawer) fence() {
	fence := d.like("fence")
	if d.scFences == maxSCFences {
		fence = "fence.acq_rel"
	}
	if fence == "fence.sc" || fence == "membar" {
		d.scFences++
	}
	scope := d.like("scope")
	if fence == "membar" {
		scope = map[string]string{"cta": "cta", "cluster": "gl", "gpu": "gl", "sys": "sys"}[scope]
	}
	d.emit("%s.%s", fence, scope)
}

// meet adds a barrier; that of a cluster is two instructions.
func (d *scopedDrawer) meet() {
	d.met = true
	barrier := pick(&d.drawer, "barrier", d.barriers...)
	d.emit("%s", barrier)
	if strings.HasPrefix(barrier, "barrier.cluster") {
		d.emit("barrier.cluster.wait")
	}
}

// use returns the word for a location in tastes.
func use(location string) string {
	if location == "x" {
		return "data"
	}
	return "flag"
}

// access draws an access of a shape: its kind, location and possibly order.
func (d *scopedDrawer) access(a string) {
	a, order, _ := strings.Cut(a, ":")
	location, other := strings.CutSuffix(a[1:], "'")
	n := d.names[location][0]
	if aliases := d.names[location][1:]; len(aliases) > 0 && (other || d.oneIn(3, "by another name")) {
		n = pick(&d.drawer, "name", aliases...)
	}
	if a[0] != 'R' && ProxyOpcodes[n.proxy].Store == "" {
		n = d.names[location][0] // textures and constants are not written
	}
	switch a[0] {
	case 'R':
		d.load(location, n, order)
	case 'W':
		d.store(location, n, order)
	default:
		d.atomic(location, n)
	}
}

// ProxyOpcodes are the opcodes of loads, stores and atomics of each proxy.
var ProxyOpcodes = map[string]struct{ Load, Store, atom, red string }{
	"generic":  {"ld", "st", "atom", "red"},
	"surface":  {"suld", "sust", "suatom", "sured"},
	"texture":  {Load: "tld"},
	"constant": {Load: "cold"},
}

// mode draws an order unless it is given, and a scope if needed.
func (d *scopedDrawer) mode(of, order string) string {
	if order == "" {
		order = d.like(of)
	}
	switch order {
	case "default":
		return ""
	case "weak", "volatile":
		return "." + order
	case "mmio":
		return ".mmio.relaxed.sys"
	default:
		return "." + order + "." + d.like("scope")
	}
}

// load draws a load, possibly one that waits for a value.
func (d *scopedDrawer) load(location string, n name, order string) {
	load := ProxyOpcodes[n.proxy].Load + d.mode("load of "+use(location), order)
	address := d.address(n)
	r := d.setRegister()
	if !d.oneIn(12, "spin") {
		d.emit("%s %s, %s", load, r, address)
		return
	}
	label := d.label()
	d.emit("%s: %s %s, %s", label, load, r, address)
	d.emit("bne %s, %d, %s", r, d.below(2, "awaited"), label)
}

// address draws an address, which may depend on a register.
func (d *scopedDrawer) address(n name) string {
	if d.set == 0 || d.array || !d.oneIn(8, "address dependency") {
		return n.text
	}
	zero := d.zero(d.register())
	p := fmt.Sprintf("p%d", d.set)
	d.emit("cvt.u64.u32 q%d, %s", d.set, zero)
	d.emit("mov.u64 %s, %s", p, n.text)
	d.emit("add.u64 %s, %s, q%d", p, p, d.set)
	return "[" + p + "]"
}

// zero computes 0 from a register.
func (d *scopedDrawer) zero(from string) string {
	r := d.setRegister()
	d.emit("xor.b32 %s, %s, %s", r, from, from)
	return r
}

func (d *scopedDrawer) store(location string, n name, order string) {
	mode := d.mode("store of "+use(location), order)
	value := d.value(location)
	d.emit("%s%s %s, %s", ProxyOpcodes[n.proxy].Store, mode, d.address(n), value)
}

// value draws a value to write: usually one that the location has not had, sometimes one that
// depends on a read.
func (d *scopedDrawer) value(location string) string {
	switch how := pick(&d.drawer, "value", "new", "new", "new", "depends", "copied", "old"); {
	case how == "old":
		return "1"
	case how == "copied" && d.set > 0:
		return d.register()
	case how == "depends" && d.set > 0:
		zero := d.zero(d.register())
		d.emit("add.s32 %s, %s, 1", zero, zero)
		return zero
	}
	d.written[location]++
	return fmt.Sprint(d.written[location])
}

func (d *scopedDrawer) atomic(location string, n name) {
	ops := ProxyOpcodes[n.proxy]
	mode, value := d.mode("atomic", ""), d.value(location)
	switch d.like("operation") {
	case "add":
		d.emit("%s%s.add %s, %s, %s", ops.atom, mode, d.setRegister(), n.text, value)
	case "exch":
		d.emit("%s%s.exch %s, %s, %s", ops.atom, mode, d.setRegister(), n.text, value)
	case "cas":
		d.emit("%s%s.cas %s, %s, %d, %s", ops.atom, mode, d.setRegister(), n.text, d.below(2, "expected"), value)
	case "red":
		d.emit("%s%s.add %s, %s", ops.red, mode, n.text, value)
	}
}

// vector draws a vector access for the first two accesses if they are of the same kind to adjacent
// elements. It returns the number of accesses that it covers.
func (d *scopedDrawer) vector(accesses []string) int {
	if !d.array || len(accesses) < 2 || !d.oneIn(2, "vector") {
		return 0
	}
	first, second := accesses[0], accesses[1]
	if first > second {
		first, second = second, first
	}
	switch first + second {
	case "RxRy":
		mode := strings.TrimPrefix(d.mode("load of data", ""), ".mmio")
		d.emit("ld%s.v2.s32 {%s,%s}, a", mode, d.setRegister(), d.setRegister())
	case "WxWy":
		mode := strings.TrimPrefix(d.mode("store of data", ""), ".mmio")
		d.emit("st%s.v2.s32 a, {%s,%s}", mode, d.value("x"), d.value("y"))
	default:
		return 0
	}
	return 2
}

// condition draws a condition on the values of a few registers and locations.
func (d *scopedDrawer) condition() string {
	var atoms []string
	for range 1 + d.below(3, "atoms") {
		atoms = append(atoms,
			fmt.Sprintf("%s=%d", pick(&d.drawer, "observed", d.test.observed()...), d.below(3, "value")))
	}
	quantifier := pick(&d.drawer, "quantifier", "exists", "~exists", "forall")
	return fmt.Sprintf("%s (%s)", quantifier, strings.Join(atoms, ` /\ `))
}
