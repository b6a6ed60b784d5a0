package draw

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Flags draws two or three threads that wait for flags and raise them, and write values computed
// from two locations.
func Flags(t *rapid.T) string {
	steps := []string{
		"ld.weak.u32 r0,[x]", "ld.weak.u32 r1,[y]", "add.u32 r2,r0,r1", "add.u32 r2,r2,1", "st.weak.u32 [x],r2",
		"st.weak.u32 [y],r2", "st.relaxed.gpu.u32 [x],r2",
		"st.release.gpu.u32 [c],1", "st.release.gpu.u32 [c],2", "st.release.gpu.u32 [d],1", "st.relaxed.gpu.u32 [d],2",
		"fence.acq_rel.gpu",
	}
	waits := []string{
		"ld.acquire.gpu.u32 r3,[c]", "ld.acquire.gpu.u32 r3,[d]", "ld.relaxed.gpu.u32 r3,[d]",
		"ld.relaxed.gpu.u32 r3,[x]",
	}
	var columns [][]string
	for i := range rapid.IntRange(2, 3).Draw(t, "threads") {
		var column []string
		for range rapid.IntRange(2, 5).Draw(t, "steps") {
			column = append(column, rapid.SampledFrom(steps).Draw(t, "step"))
		}
		if rapid.IntRange(0, 3).Draw(t, "waits") > 0 {
			at, least := rapid.IntRange(0, len(column)).Draw(t, "at"), rapid.IntRange(1, 2).Draw(t, "least")
			column = slices.Insert(column, at, fmt.Sprintf("L%d: %s", i, rapid.SampledFrom(waits).Draw(t, "wait")),
				fmt.Sprintf("setp.lt.u32 p,r3,%d", least), fmt.Sprintf("@p bra L%d", i))
		}
		columns = append(columns, column)
	}
	return strings.Replace(Columns(columns), "{ c=0; ", "{ c=0; d=0; ", 1)
}

// Sums draws two or three threads that compute with the values they read, and write the result or
// branch on it.
func Sums(t *rapid.T) string {
	reads := []string{
		"ld.relaxed.gpu.u32 %s,[x]", "ld.relaxed.gpu.u32 %s,[y]", "atom.relaxed.gpu.add.u32 %s,[x],1",
		"ld.weak.u32 %s,[y]",
	}
	computes := []string{
		"add.u32 %s,%s,%s", "sub.u32 %s,%s,%s", "and.b32 %s,%s,%s", "max.u32 %s,%s,%s", "mul.lo.u32 %s,%s,%s",
		"div.u32 %s,%s,%s",
		"setp.eq.u32 p,%[2]s,%[3]s;selp.u32 %[1]s,1,%[2]s,p", "xor.b32 %[1]s,%[2]s,%[3]s",
	}
	writes := []string{
		"st.relaxed.gpu.u32 [x],%s", "st.relaxed.gpu.u32 [y],%s", "atom.relaxed.gpu.exch.b32 r0,[y],%s",
		"setp.ne.u32 q,%s,0;@q st.relaxed.gpu.u32 [x],2",
	}
	pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	var columns [][]string
	for range rapid.IntRange(2, 3).Draw(t, "threads") {
		var column []string
		// other registers have known values
		registers := []string{"r0", "r1", "r2"}[:rapid.IntRange(1, 3).Draw(t, "reads")]
		register := func() string { return rapid.SampledFrom(registers).Draw(t, "register") }
		for _, r := range registers {
			column = append(column, fmt.Sprintf(pick(reads), r))
		}
		for range rapid.IntRange(0, 3).Draw(t, "computations") {
			column = append(column,
				strings.Split(fmt.Sprintf(pick(computes), register(), register(), register()), ";")...)
		}
		columns = append(columns, append(column, strings.Split(fmt.Sprintf(pick(writes), register()), ";")...))
	}
	return Columns(columns)
}

// Meeting draws threads of one to three CTAs that spin, branch and meet.
func Meeting(t *rapid.T) string {
	steps := []string{
		"ld.relaxed.gpu.u32 r%d,[x]", "ld.acquire.gpu.u32 r%d,[x]", "ld.weak.u32 r%d,[y]", "ld.relaxed.gpu.u32 r%d,[y]",
		"st.relaxed.gpu.u32 [x],%d", "st.release.gpu.u32 [x],1 // %d", "st.weak.u32 [y],%d",
		"atom.acq_rel.gpu.add.u32 r%d,[c],1",
		"bar.sync 0 // %d", "bar.sync 0 // %d", "bar.sync 1,64 // %d", "bar.sync 1,64 // %d", "bar.arrive 1,64 // %d",
		"setp.eq.u32 p,r%d,0;bar.red.popc.u32 r2,2,p",
	}
	step := func(i int) []string {
		text, _, _ := strings.Cut(fmt.Sprintf(rapid.SampledFrom(steps).Draw(t, "step"), i%3), " //")
		return strings.Split(text, ";")
	}
	var columns [][]string
	var ctas []int
	for i := range rapid.IntRange(2, 4).Draw(t, "threads") {
		var column []string
		for j := range rapid.IntRange(1, 3).Draw(t, "length") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				at := fmt.Sprintf("L%d%d", i, j)
				column = append(column, at+": ld.acquire.gpu.u32 r0,[x]", "setp.eq.u32 p,r0,0", "@p bra "+at)
			case 1:
				at := fmt.Sprintf("E%d%d", i, j)
				column = append(append(append(column, "setp.eq.u32 p,r0,0", "@p bra "+at), step(j)...), at+":")
			default:
				column = append(column, step(j)...)
			}
		}
		columns, ctas = append(columns, column), append(ctas, rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "cta"))
	}
	return Columns(columns, ctas...)
}

// Line draws three or four threads that count at one location, some of them on some paths only. One
// thread reads it twice.
func Line(t *rapid.T) string {
	one := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	adds := []string{
		"add.u32 r0,[c],1", "add.u32 r0,[c],1", "add.u32 r0,[c],2", "max.u32 r0,[c],2",
		"exch.b32 r0,[c],4", "inc.u32 r0,[c],3",
	}
	if rapid.Bool().Draw(t, "alike") {
		adds = []string{one(adds...)}
	}
	order := func() string { return one("relaxed", "acq_rel", "release", "acquire") }
	var columns [][]string
	for i := range rapid.IntRange(3, 4).Draw(t, "threads") {
		count := []string{"atom." + order() + ".gpu." + one(adds...)}
		switch rapid.IntRange(0, 5).Draw(t, "where") {
		case 0, 1:
			count = slices.Concat([]string{
				"ld.relaxed.gpu.u32 r1,[x]", "setp.eq.u32 p,r1,0",
				fmt.Sprintf("@p bra S%d", i),
			}, count, []string{fmt.Sprintf("S%d:", i)})
		case 2:
			count = append([]string{"st.relaxed.gpu.u32 [x],1"}, count...)
		case 3:
			count = append(count, "st.relaxed.gpu.u32 [x],2")
		}
		columns = append(columns, count)
	}
	if rapid.Bool().Draw(t, "looks") {
		look := func(r int) string {
			return fmt.Sprintf("%s r%d,[c]", one("ld.acquire.gpu.u32", "ld.relaxed.gpu.u32", "ld.weak.u32"), r)
		}
		columns = append(columns, []string{look(0), one("fence.acq_rel.gpu", "ld.relaxed.gpu.u32 r1,[x]", ""), look(2)})
	}
	return Columns(columns)
}

// Counters draws three to five threads that count at one location, or wait there for others, and
// communicate through other locations.
func Counters(t *rapid.T) string {
	atomics := []string{
		"atom.%s.add.u32 r0,[c],1", "atom.%s.add.u32 r0,[c],1", "atom.%s.add.u32 r0,[c],1", "atom.%s.inc.u32 r0,[c],3",
		"atom.%s.exch.b32 r0,[c],4",
		"atom.%s.cas.b32 r0,[c],0,1", "atom.%s.add.u32 r0,[c],2", "atom.%s.max.u32 r0,[c],2",
		"atom.%s.max.u32 r0,[c],3", "atom.%s.min.u32 r0,[c],1",
	}
	semantics := []string{
		"acq_rel.gpu", "acq_rel.gpu", "relaxed.gpu", "release.gpu", "acquire.gpu", "acq_rel.sys",
		"relaxed.cta",
	}
	before := []string{
		"st.weak.u32 [x],1", "st.relaxed.gpu.u32 [x],2", "st.weak.u32 [y],1", "fence.acq_rel.gpu",
		"fence.sc.gpu", "ld.weak.u32 r1,[x]",
	}
	after := []string{
		"ld.weak.u32 r1,[x]", "ld.weak.u32 r2,[y]", "ld.relaxed.gpu.u32 r1,[x]",
		"ld.acquire.gpu.u32 r2,[c]", "fence.acq_rel.gpu", "st.weak.u32 [y],3",
	}
	one := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	var columns [][]string
	for i := range rapid.IntRange(3, 5).Draw(t, "threads") {
		var column []string
		if rapid.Bool().Draw(t, "before") {
			column = append(column, one(before))
		}
		count := fmt.Sprintf(one(atomics), one(semantics))
		switch rapid.IntRange(0, 13).Draw(t, "kind") {
		case 0: // only reads
			count = "ld.acquire.gpu.u32 r0,[c]"
		case 1: // may be anywhere
			count = "st.relaxed.gpu.u32 [c],1"
		case 2, 3: // reads twice
			looks := []string{"ld.acquire.gpu.u32", "ld.relaxed.gpu.u32", "ld.weak.u32"}
			column = append(column, one(looks)+" r2,[c]")
			count = one(looks) + " r0,[c]"
		}
		if rapid.IntRange(0, 3).Draw(t, "on some paths") == 0 {
			column = append(column, "ld.relaxed.gpu.u32 r1,[x]", "setp.eq.u32 p,r1,0", fmt.Sprintf("@p bra S%d", i),
				count, fmt.Sprintf("S%d:", i))
		} else {
			column = append(column, count)
		}
		switch rapid.IntRange(0, 5).Draw(t, "then") {
		case 0:
			column = append(column, fmt.Sprintf("L%d: ld.acquire.gpu.u32 r3,[c]", i), "setp.lt.u32 p,r3,3",
				fmt.Sprintf("@p bra L%d", i), one(after))
		case 1:
			column = append(column, "setp.ge.u32 p,r0,2", fmt.Sprintf("@!p bra E%d", i), one(after),
				fmt.Sprintf("E%d:", i))
		case 2, 3:
			column = append(column, one(after))
		}
		columns = append(columns, column)
	}
	return Columns(columns)
}

// Arrivals draws three or four threads of a CTA that arrive at an mbarrier and test it, and
// communicate through other locations.
func Arrivals(t *rapid.T) string {
	arrivals := []string{
		"mbarrier.arrive%s.shared::cta.b64 _, [c]", "mbarrier.arrive%s.shared::cta.b64 _, [c]",
		"mbarrier.arrive%s.shared::cta.b64 _, [c], 2", "mbarrier.arrive_drop%s.shared::cta.b64 _, [c]",
	}
	looks := []string{
		"mbarrier.test_wait.parity%s.shared::cta.b64 p, [c], 0",
		"mbarrier.test_wait.parity%s.shared::cta.b64 p, [c], 1",
	}
	semantics := []string{"", "", ".relaxed.cta", ".%s.cta"}
	others := []string{
		"ld.weak.u32 r1,[x]", "ld.weak.u32 r2,[y]", "st.weak.u32 [x],1", "st.relaxed.cta.u32 [y],2",
		"fence.acq_rel.cta", "bar.sync 0",
	}
	one := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	with := func(from []string, usual string) string {
		how := one(semantics)
		if strings.Contains(how, "%") {
			how = fmt.Sprintf(how, usual)
		}
		return fmt.Sprintf(one(from), how)
	}
	var columns [][]string
	threads := rapid.IntRange(3, 4).Draw(t, "threads")
	for i := range threads {
		column := []string{"bar.sync 0"}
		switch setUp := fmt.Sprintf("mbarrier.init.shared::cta.b64 [c], %d",
			rapid.IntRange(1, threads).Draw(t, "count")); {
		case i == 0 && rapid.IntRange(0, 9).Draw(t, "late") == 0:
			column = append(column, setUp)
		case i == 0:
			column = append([]string{setUp}, column...)
		}
		if rapid.Bool().Draw(t, "before") {
			column = append(column, one(others))
		}
		column = append(column, with(arrivals, "release"))
		switch rapid.IntRange(0, 3).Draw(t, "then") {
		case 0:
			column = append(column, with(looks, "acquire"), "selp.u32 r1,1,0,p", with(looks, "acquire"),
				"selp.u32 r2,1,0,p")
		case 1:
			column = append(column, fmt.Sprintf("L%d: %s", i, with(looks, "acquire")), fmt.Sprintf("@!p bra L%d", i),
				one(others))
		case 2:
			column = append(column, with(arrivals, "release"))
		}
		columns = append(columns, column)
	}
	return strings.NewReplacer("{ c=0; ", "{ shared c; ", "locations [c; ", "locations [", "exists (c=3)",
		"exists (x=1)").Replace(Columns(columns, 0, 0, 0, 0))
}

// Columns returns a PTX test with a column of cells for each thread. Thread i is in the CTA
// ctas[i], or in one of its own if ctas is shorter. States show c, x and the registers r0, r1 and
// r2.
func Columns(columns [][]string, ctas ...int) string {
	var b strings.Builder
	b.WriteString("PTX drawn\n{ c=0; x=0; y=0; ")
	rows, observed := 0, []string{"c", "x"}
	for i, column := range columns {
		rows = max(rows, len(column))
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; P%[1]d:r3=0; ", i)
		observed = append(observed, fmt.Sprintf("%d:r0; %[1]d:r1; %[1]d:r2", i))
	}
	b.WriteString("}\n")
	for row := -1; row < rows; row++ {
		var cells []string
		for i, column := range columns {
			switch {
			case row < 0 && i < len(ctas):
				cells = append(cells, fmt.Sprintf("P%d@cta %d,gpu 0", i, ctas[i]))
			case row < 0:
				cells = append(cells, fmt.Sprintf("P%d@cta %[1]d,gpu 0", i))
			case row < len(column):
				cells = append(cells, column[row])
			default:
				cells = append(cells, "")
			}
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
	fmt.Fprintf(&b, "locations [%s]\nexists (c=3)\n", strings.Join(observed, "; "))
	return b.String()
}
