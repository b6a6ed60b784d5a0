package optcheck

import "strconv"

// control is the scheduling information of an instruction. A load or atomic counts on a scoreboard,
// and instructions that need its value wait until the scoreboard is 0 (Jia et al., "Dissecting the
// NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, Sec. 2.1; the same since). The zero
// value is that of a listing without encodings.
type control struct {
	counts bool // its result is counted on a scoreboard
	on     int  // on which scoreboard
	waits  int  // a bit set of the scoreboards for which it waits
}

const (
	scoreboards  = 6
	noScoreboard = 7
)

// parseControl decodes the upper half of an instruction of 128 bits: four bits for stalls, one to
// yield, three for the scoreboard of the result, three for that of the sources, and six for those
// that are waited for, from bit 41.
func parseControl(upper string) control {
	word, err := strconv.ParseUint(upper, 16, 64)
	if err != nil {
		return control{}
	}
	bits := int(word >> 41)
	on := bits >> 5 & 7
	return control{counts: on != noScoreboard, on: on, waits: bits >> 11 & (1<<scoreboards - 1)}
}

// issue is the state of the scoreboards on a control path: the operations that are still counted,
// and those that have been waited for since the last operation.
type issue struct {
	counted [scoreboards]deps
	waited  deps
}

// wait records the waits of an instruction before it is issued.
func (i *issue) wait(c control) {
	for s := range scoreboards {
		if c.waits>>s&1 == 1 {
			i.waited |= i.counted[s]
			i.counted[s] = 0
		}
	}
}

// operation records that the operation with a number is issued. It returns the operations that were
// waited for.
func (i *issue) operation(c control, number int) (waited deps) {
	waited, i.waited = i.waited, 0
	if c.counts && c.on < scoreboards {
		i.counted[c.on] |= 1 << number
	}
	return waited
}

// waits notes accesses that wait for the value of a load although the test has no such dependency:
// the two cannot pass each other, and weak behaviour that this could show stays hidden.
func (c *comparison) waits(t, m path) {
	for i := range t.ops {
		o := &t.ops[i]
		if !o.kind.isAccess() {
			continue // fences and barriers wait as they should
		}
		for n := range (m.ops[i].waits &^ (o.addr | o.data | o.ctrl)).each {
			if t.ops[n].kind == asynchronous {
				continue // it gives no value
			}
			c.report.add(c.remark(o.text, "waits for the value of "+t.ops[n].text+", on which it does not depend"))
		}
	}
}
