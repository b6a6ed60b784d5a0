package optcheck

import (
	"fmt"
	"slices"
	"strings"
)

// alignment aligns the operations of a path of the test with those of one of the machine code.
type alignment struct {
	rows []pair
	cost int // 0 if the two are the same
}

// pair is an operation of the test and one of the machine code; either may be missing.
type pair struct{ test, machine *operation }

// same reports whether a path of the test and one of the machine code have the same operations, so
// that an alignment costs nothing.
func same(t, m path) bool {
	return t.cut == m.cut && slices.EqualFunc(t.ops, m.ops, func(t, m operation) bool { return m.is(&t) })
}

// The costs of a row. An operation that only one code has costs more than one that differs.
const (
	differs = 2
	alone   = 3
)

// align returns an alignment of least cost.
func align(t, m path) *alignment {
	rows, columns := len(t.ops)+1, len(m.ops)+1
	cost := make([][]int, rows)
	for i := rows - 1; i >= 0; i-- {
		cost[i] = make([]int, columns)
		for j := columns - 1; j >= 0; j-- {
			cost[i][j] = least(t, m, cost, i, j)
		}
	}
	a := &alignment{cost: cost[0][0]}
	if t.cut != m.cut {
		a.cost++
	}
	for i, j := 0, 0; i < len(t.ops) || j < len(m.ops); {
		switch {
		case i < len(t.ops) && j < len(m.ops) && cost[i][j] == cost[i+1][j+1]+match(&t.ops[i], &m.ops[j]):
			a.rows = append(a.rows, pair{&t.ops[i], &m.ops[j]})
			i, j = i+1, j+1
		case i < len(t.ops) && cost[i][j] == cost[i+1][j]+alone:
			a.rows = append(a.rows, pair{test: &t.ops[i]})
			i++
		default:
			a.rows = append(a.rows, pair{machine: &m.ops[j]})
			j++
		}
	}
	return a
}

// least returns the cost of the rest from two positions.
func least(t, m path, cost [][]int, i, j int) int {
	left, right := len(t.ops)-i, len(m.ops)-j
	if left == 0 || right == 0 {
		return alone * (left + right)
	}
	return min(cost[i+1][j]+alone, cost[i][j+1]+alone, cost[i+1][j+1]+match(&t.ops[i], &m.ops[j]))
}

// match returns the cost of aligning two operations. Operations of different kinds or places are
// never aligned.
func match(t, m *operation) int {
	switch {
	case m.is(t):
		return 0
	case !m.implements(t) || m.elsewhere(t):
		return 3 * alone
	default:
		return differs
	}
}

// explain reports how a path of the machine code differs from the most similar one of the test.
func (c *comparison) explain(a *alignment) {
	said := false
	for i, row := range a.rows {
		switch {
		case row.test == nil:
			if !a.moved(row.machine) {
				c.report.add(Finding{Thread: c.name(), Void: true, What: fmt.Sprintf(
					"the machine code has a %s (%s), the test has not", row.machine, row.machine.text)})
				said = true
			}
		case row.machine == nil:
			c.report.add(c.failure(row.test, c.missing(a, i)))
			said = true
		default:
			for d := range row.machine.differences(row.test) {
				c.report.add(c.failure(row.test, d.String()))
				said = true
			}
		}
	}
	if !said {
		c.report.add(
			Finding{
				Thread: c.name(),
				Void:   true,
				What:   "the machine code ends a control path where the test goes on, or goes on where it ends",
			})
	}
}

// moved reports whether an operation that only the machine code has here stands elsewhere in the
// test.
func (a *alignment) moved(machine *operation) bool {
	return slices.ContainsFunc(a.rows, func(p pair) bool {
		return p.machine == nil && machine.is(p.test)
	})
}

// missing says what became of an operation that the machine code does not have where the test has
// it.
func (c *comparison) missing(a *alignment, at int) string {
	test := a.rows[at].test
	if to := slices.IndexFunc(a.rows, func(p pair) bool { return p.test == nil && p.machine.is(test) }); to >= 0 {
		return "not in the order of the test: " + a.whereTo(at, to)
	}
	counts := fmt.Sprintf("%s in the machine code, %d in the test",
		countOf(a.count(test, func(p pair) *operation { return p.machine }), test.kind),
		a.count(test, func(p pair) *operation { return p.test }))
	neighbour := func(from, step int) *operation {
		for i := from + step; i >= 0 && i < len(a.rows); i += step {
			if o := a.rows[i].test; o != nil && o.kind.isAccess() && o.place.traced && o.place.slot == test.place.slot {
				return o
			}
		}
		return nil
	}
	before, after := neighbour(at, -1), neighbour(at, 1)
	switch {
	case test.kind == load && before != nil && before.kind == load:
		return "merged with the load before it; " + counts
	case test.kind == load && before != nil:
		return "has the value of the store before it, without a load; " + counts
	case test.kind == load && after != nil && after.kind == load:
		return "merged with the load after it; " + counts
	case test.kind == store && (before != nil && before.kind == store || after != nil && after.kind == store):
		return "merged with another store to its location; " + counts
	}
	return "not in the machine code; " + counts
}

// whereTo says where an operation that has moved stands now.
func (a *alignment) whereTo(from, to int) string {
	step, where := 1, "in front of"
	if from < to {
		step, where = -1, "behind"
	}
	for i := to; i != from; i += step {
		if o := a.rows[i].test; o != nil {
			return fmt.Sprintf("the machine code has it %s %s", where, o.text)
		}
	}
	return "the machine code has it in another place"
}

// count returns the number of operations of the same kind in one of the codes.
func (a *alignment) count(like *operation, side func(pair) *operation) (n int) {
	for _, row := range a.rows {
		if o := side(row); o != nil && o.kind == like.kind {
			n++
		}
	}
	return n
}

// countOf formats a number of operations: 1 load, 2 loads.
func countOf(n int, k kind) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", k)
	}
	what, rest, _ := strings.Cut(k.String(), " ")
	return strings.TrimSpace(fmt.Sprintf("%d %ss %s", n, what, rest))
}

// sketch returns a path as one line.
func (p path) sketch() string {
	if len(p.ops) == 0 {
		return "nothing"
	}
	var texts []string
	for i, o := range p.ops {
		if i == 0 || o.index != p.ops[i-1].index {
			texts = append(texts, o.text)
		}
	}
	return strings.Join(texts, "; ")
}
