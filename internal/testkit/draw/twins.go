package draw

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Twins draws a program of two or three threads with the same code, or of two such threads and
// another one.
func Twins(t *rapid.T) (text string, threads int) {
	d := &drawer{T: t}
	code := d.twin()
	columns := [][]string{code, code}
	for range d.below(2, "more") {
		if d.oneIn(2, "other") {
			code = d.twin()
		}
		columns = append(columns, code)
	}
	var b strings.Builder
	b.WriteString("PTX twins\n{ x=0; y=0; ")
	for i := range columns {
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; ", i)
	}
	b.WriteString("}\n")
	for i := range columns {
		cta := pick(d, "cta", i, i, i, 0)
		fmt.Fprintf(&b, "%s P%d@cta %d,gpu 0 ", bar(i), i, cta)
	}
	for row := range slices.MaxFunc(columns, func(x, y []string) int { return len(x) - len(y) }) {
		b.WriteString(";\n")
		for i, column := range columns {
			cell := ""
			if row < len(column) {
				cell = column[row]
			}
			b.WriteString(bar(i) + " " + cell + " ")
		}
	}
	b.WriteString(";\n")
	return b.String(), len(columns)
}

// twin draws the code of a thread, possibly without its last part.
func (d *drawer) twin() (cells []string) {
	instructions := []string{
		"ld.relaxed.gpu.u32 r%d,[%s]", "ld.acquire.gpu.u32 r%d,[%s]", "ld.weak.u32 r%d,[%s]",
		"atom.relaxed.gpu.add.u32 r%d,[%s],1",
		"atom.acq_rel.gpu.exch.b32 r%d,[%s],2", "atom.relaxed.cta.add.u32 r%d,[%s],1",
		"atom.relaxed.gpu.cas.b32 r%d,[%s],0,1",
	}
	stores := []string{"st.relaxed.gpu.u32 [%s],1", "st.release.gpu.u32 [%s],r0", "st.weak.u32 [%s],2", "fence.sc.gpu"}
	for i := range 1 + d.below(3, "instructions") {
		location := pick(d, "location", "x", "x", "y")
		if i > 0 && d.oneIn(3, "store") {
			text, _, _ := strings.Cut(fmt.Sprintf(pick(d, "store", stores...), location), "%!")
			cells = append(cells, text)
		} else {
			cells = append(cells, fmt.Sprintf(pick(d, "instruction", instructions...), i, location))
		}
		if i == 0 {
			compare := "setp.eq.u32 p,r0," + pick(d, "if", "0", "1")
			switch branch := pick(d, "branch", "none", "out", "out", "back"); {
			case branch == "out":
				cells = append(cells, compare, "@p bra E")
			case branch == "back" && strings.HasPrefix(cells[0], "ld"):
				cells = append([]string{"L: " + cells[0]}, compare, "@p bra L")
			}
		}
	}
	return append(cells, "E:")
}

// SomeOf draws a condition on some of the values of a state; one value may be changed.
func SomeOf(t *rapid.T, state string) string {
	d := &drawer{T: t}
	var atoms []string
	for atom := range strings.SplitSeq(strings.TrimSuffix(state, ";"), "; ") {
		if d.oneIn(3, "asked") {
			atoms = append(atoms, atom)
		}
	}
	if len(atoms) == 0 {
		return "true"
	}
	if d.oneIn(4, "another") {
		i := d.below(len(atoms), "atom")
		name, _, _ := strings.Cut(atoms[i], "=")
		atoms[i] = fmt.Sprintf("%s=%d", name, d.below(3, "value"))
	}
	return strings.Join(atoms, pick(d, "connective", ` /\ `, ` /\ `, ` \/ `))
}
