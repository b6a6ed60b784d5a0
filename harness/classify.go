package harness

import "fmt"

// classifying is one of the two passes that count outcomes.
type classifying bool

// The passes. Outcomes are counted in a hash table with open addressing. First each outcome claims
// a row and writes its values. When all rows are written, each instance finds its row, compares the
// values, and counts. Thus different outcomes with the same hash are detected, and no values need
// be known beforehand.
const (
	claims classifying = false
	counts classifying = true
)

// The faults that the passes count, in rows behind those of the table.
const (
	FaultFull       = iota // the table has no row left for an outcome
	FaultCollision         // two outcomes have the same hash
	FaultUnfinished        // a loop of the instance timed out, so that it has no outcome
	Faults
)

// hashPrime and hashStart are the constants of FNV-1a with 64 bits.
const (
	hashPrime = "0x100000001b3"
	hashStart = "0xcbf29ce484222325"
)

// countedRows is the number of counters.
const countedRows = tableRows + Faults

// tallyBytes is the size of the counters that a CTA has in shared memory, one for each row. Often
// all instances have the same few outcomes; without these counters they would contend for the same
// words of global memory.
const tallyBytes = 4 * countedRows

// classify returns the kernel of a pass, which has one thread for each instance.
func (p *Plan) classify(pass classifying) []string {
	a := &assembler{}
	if pass == counts {
		a.eachRow("ZERO", func() { a.line("st.shared.u32 [%%d_tally], 0") })
		a.line("bar.sync 0")
	}
	a.playing()
	a.index("%d_from", "%d_unfinished", 0, "%r_instance")
	a.line("ld.global.u32 %%r_gave_up, [%%d_from]")
	a.line("setp.ne.u32 %%p_gave_up, %%r_gave_up, 0")
	if pass == counts {
		a.line("@%%p_gave_up bra UNFINISHED")
	} else {
		a.line("@%%p_gave_up bra DONE")
	}
	p.loadOutcome(a)
	p.findRow(a, pass)
	if pass == claims {
		p.writeRow(a)
	} else {
		p.countRow(a)
	}
	a.label("DONE")
	if pass == counts {
		a.line("bar.sync 0")
		a.eachRow("ADD", func() { a.addRow("ADD") })
	}
	return a.lines
}

// eachRow writes a loop over the counters of the CTA, which are divided among its threads; %d_tally
// is the address of the current one.
func (a *assembler) eachRow(label string, body func()) {
	a.line("mov.u32 %%r_row, %%tid.x")
	a.line("mov.u32 %%r_ntid, %%ntid.x")
	a.label("%s", label)
	a.tally()
	body()
	a.label("%s_NEXT", label)
	a.line("add.u32 %%r_row, %%r_row, %%r_ntid")
	a.line("setp.lt.u32 %%p_more, %%r_row, %d", countedRows)
	a.line("@%%p_more bra %s", label)
}

// tally computes the address of the counter of a row.
func (a *assembler) tally() {
	a.line("mul.wide.u32 %%d_tally, %%r_row, 4")
	a.line("mov.u64 %%d_shared, shared_memory")
	a.line("add.u64 %%d_tally, %%d_shared, %%d_tally")
}

// addRow adds the CTA's counter of a row to the global one.
func (a *assembler) addRow(label string) {
	a.line("ld.shared.u32 %%r_counted, [%%d_tally]")
	a.line("setp.eq.u32 %%p_none, %%r_counted, 0")
	a.line("@%%p_none bra %s_NEXT", label)
	a.line("mul.wide.u32 %%d_count, %%r_row, 8")
	a.line("add.u64 %%d_count, %%d_counts, %%d_count")
	a.line("cvt.u64.u32 %%d_counted, %%r_counted")
	a.line("red.global.add.u64 [%%d_count], %%d_counted")
	a.countLaunch(label)
}

// countLaunch counts the launch for the row, unless another CTA has: launches have numbers from 1,
// and the row holds the number of the latest.
func (a *assembler) countLaunch(label string) {
	a.line("mul.wide.u32 %%d_row, %%r_row, 4")
	a.line("add.u64 %%d_to, %%d_latest, %%d_row")
	a.line("atom.global.exch.b32 %%r_before, [%%d_to], %%r_launch")
	a.line("setp.eq.u32 %%p_none, %%r_before, %%r_launch")
	a.line("@%%p_none bra %s_NEXT", label)
	a.line("add.u64 %%d_to, %%d_launches, %%d_row")
	a.line("red.global.add.u32 [%%d_to], 1")
}

// value returns the register with an observed value.
func value(i int) string { return fmt.Sprintf("%%r_value%d", i) }

// loadOutcome loads the final values of the instance and hashes them.
func (p *Plan) loadOutcome(a *assembler) {
	a.line("mov.u64 %%d_hash, %s", hashStart)
	for i, o := range p.seen {
		second := 0 // 1 for the second word
		if o.half == high {
			second = 1
		}
		switch {
		case o.reg.Name != "":
			a.index("%d_from", "%d_results", i, "%r_instance")
		case p.locs[o.loc].shared:
			a.index("%d_from", "%d_finals", p.final(o.loc, second), "%r_instance")
		default:
			a.slotAddress("%d_from", p.locs[o.loc].slot, "%r_instance")
			a.line("add.u64 %%d_from, %%d_from, %d", 4*(p.locs[o.loc].elem+second))
		}
		a.line("ld.global.u32 %s, [%%d_from]", value(i))
		a.line("cvt.u64.u32 %%d_value, %s", value(i))
		a.line("xor.b64 %%d_hash, %%d_hash, %%d_value")
		a.line("mul.lo.u64 %%d_hash, %%d_hash, %s", hashPrime)
	}
	a.line("or.b64 %%d_hash, %%d_hash, 1") // 0 is an empty row
}

// findRow visits the rows, starting with the one that the hash selects, at most all of them.
func (p *Plan) findRow(a *assembler, pass classifying) {
	a.line("shr.u64 %%d_value, %%d_hash, 32")
	a.line("cvt.u32.u64 %%r_row, %%d_value")
	a.line("and.b32 %%r_row, %%r_row, %%r_table_mask")
	a.line("add.u32 %%r_left, %%r_table_mask, 1")
	a.label("ROW")
	a.line("mul.wide.u32 %%d_tag, %%r_row, 8")
	a.line("add.u64 %%d_tag, %%d_tags, %%d_tag")
	if pass == claims { // a row that is taken, as most are, needs no atomic
		a.line("ld.volatile.global.u64 %%d_was, [%%d_tag]")
		a.line("setp.eq.u64 %%p_mine, %%d_was, %%d_hash")
		a.line("@%%p_mine bra DONE")
		a.line("setp.ne.u64 %%p_other, %%d_was, 0")
		a.line("@%%p_other bra OTHER")
		a.line("atom.global.cas.b64 %%d_was, [%%d_tag], 0, %%d_hash")
		a.line("setp.eq.u64 %%p_mine, %%d_was, 0")
		a.line("@%%p_mine bra FOUND")
		a.line("setp.eq.u64 %%p_mine, %%d_was, %%d_hash")
		a.line("@%%p_mine bra DONE")
	} else {
		a.line("ld.global.u64 %%d_was, [%%d_tag]")
		a.line("setp.eq.u64 %%p_mine, %%d_was, %%d_hash")
		a.line("@%%p_mine bra FOUND")
	}
	if pass == claims {
		a.label("OTHER")
	}
	a.line("add.u32 %%r_row, %%r_row, 1")
	a.line("and.b32 %%r_row, %%r_row, %%r_table_mask")
	a.line("sub.u32 %%r_left, %%r_left, 1")
	a.line("setp.ne.u32 %%p_more, %%r_left, 0")
	a.line("@%%p_more bra ROW")
	if pass == counts {
		a.line("mov.u32 %%r_row, %d", tableRows+FaultFull)
		a.line("bra TALLY")
	} else {
		a.line("bra DONE")
	}
	a.label("FOUND")
	a.line("mul.lo.u32 %%r_column, %%r_row, %d", max(1, len(p.seen)))
	a.line("mul.wide.u32 %%d_row, %%r_column, 4")
	a.line("add.u64 %%d_row, %%d_values, %%d_row")
}

func (p *Plan) writeRow(a *assembler) {
	for i := range p.seen {
		a.line("st.global.u32 [%%d_row+%d], %s", 4*i, value(i))
	}
}

// countRow checks that the row has the outcome's values, and counts it.
func (p *Plan) countRow(a *assembler) {
	for i := range p.seen {
		a.line("ld.global.u32 %%r_there, [%%d_row+%d]", 4*i)
		a.line("setp.ne.u32 %%p_other, %%r_there, %s", value(i))
		a.line("@%%p_other bra COLLISION")
	}
	a.line("bra TALLY")
	a.label("COLLISION")
	a.line("mov.u32 %%r_row, %d", tableRows+FaultCollision)
	a.line("bra TALLY")
	a.label("UNFINISHED")
	a.line("mov.u32 %%r_row, %d", tableRows+FaultUnfinished)
	a.label("TALLY")
	a.tally()
	a.line("red.shared.add.u32 [%%d_tally], 1")
}
