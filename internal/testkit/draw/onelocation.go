package draw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// OneLocation draws a program whose threads use one location, and sometimes another.
func OneLocation(t *rapid.T) string { return Locations(t, 0) }

// Locations draws a program whose threads use one location. Of twenty instructions, the given
// number of others uses another location.
func Locations(t *rapid.T, others int) string {
	strong := []string{
		"atom.relaxed.gpu.add.u32 r%d,[x],1", "atom.relaxed.gpu.add.u32 r%d,[x],2",
		"atom.acq_rel.gpu.exch.b32 r%d,[x],7",
		"atom.relaxed.gpu.cas.b32 r%d,[x],1,5", "atom.release.gpu.inc.u32 r%d,[x],2", "red.relaxed.gpu.max.s32 [x],%d",
		"ld.relaxed.gpu.u32 r%d,[x]", "ld.acquire.gpu.u32 r%d,[x]", "st.relaxed.gpu.u32 [x],%d",
		"st.release.gpu.u32 [x],r%d",
	}
	doubtful := []string{
		"ld.weak.u32 r%d,[x]", "st.weak.u32 [x],%d", "atom.relaxed.cta.add.u32 r%d,[x],1", "ld.relaxed.gpu.u32 r%d,[y]",
		"fence.sc.gpu; // %d", "bar.sync 0; // %d",
	}
	elsewhere := []string{
		"ld.relaxed.gpu.u32 r%d,[y]", "st.relaxed.gpu.u32 [y],%d", "st.release.gpu.u32 [y],%d", "ld.weak.u32 r%d,[y]",
		"atom.acq_rel.gpu.exch.b32 r%d,[y],9", "fence.sc.gpu; // %d",
	}
	threads := rapid.IntRange(1, 3).Draw(t, "threads")
	var columns [][]string
	rows := 0
	for i := range threads {
		var column []string
		for j := range rapid.IntRange(1, 4).Draw(t, "length") {
			from := strong
			switch doubt := rapid.IntRange(0, 19).Draw(t, "doubt"); {
			case doubt == 0:
				from = doubtful
			case doubt <= others:
				from = elsewhere
			}
			text, _, _ := strings.Cut(fmt.Sprintf(rapid.SampledFrom(from).Draw(t, "instruction"), j), ";")
			column = append(column, text)
		}
		switch rapid.IntRange(0, 4).Draw(t, "end") {
		case 0:
			column = append(column, "fence.acq_rel.gpu", fmt.Sprintf("setp.ge.u32 p%d,r0,3", i),
				fmt.Sprintf("@p%d bra END%d", i, i), "atom.add.u32 r5,[x],r0", fmt.Sprintf("END%d:", i))
		case 1:
			column = append([]string{
				fmt.Sprintf("L%d: atom.acquire.gpu.cas.b32 r0,[x],0,1", i), "setp.ne.u32 p,r0,0",
				fmt.Sprintf("@p bra L%d", i),
			}, column...)
		}
		columns, rows = append(columns, column), max(rows, len(column))
	}
	var b strings.Builder
	b.WriteString("PTX one\n{ x=0; y=3; ")
	for i := range columns {
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; P%[1]d:r3=0; P%[1]d:r5=0; ", i)
	}
	b.WriteString("}\n")
	for i := range columns {
		fmt.Fprintf(&b, "%s P%d@cta %d,gpu 0 ", bar(i), i, i)
	}
	b.WriteString(";\n")
	for row := range rows {
		for i, column := range columns {
			cell := ""
			if row < len(column) {
				cell = column[row]
			}
			b.WriteString(bar(i) + " " + cell + " ")
		}
		b.WriteString(";\n")
	}
	observed := []string{"x"}
	for i := range columns {
		for _, r := range []string{"r0", "r2", "r5"} {
			if rapid.Bool().Draw(t, "observed") {
				observed = append(observed, fmt.Sprintf("%d:%s", i, r))
			}
		}
	}
	fmt.Fprintf(&b, "locations [%s;]\n%sexists (x=3)\n", strings.Join(observed, "; "),
		rapid.SampledFrom([]string{"", "", "", "filter (x=3)\n", "filter (x<3)\n"}).Draw(t, "filter"))
	return b.String()
}

// bar returns the separator between columns.
func bar(i int) string {
	if i == 0 {
		return ""
	}
	return "|"
}
