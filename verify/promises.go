package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/kernel"
)

// The host may guarantee conditions that are not in a module: that a border is not negative, that
// an image has rows. A launch may violate them, so an error without them is an alarm. If nothing
// else goes wrong, the result names the promises that would exclude it.

// maxPromises bounds the parameters in a promise.
const maxPromises = 4

// promises returns the promises about parameters that verify the kernel, and a note about them. A
// promise is that a parameter is not negative, or that it is greater than 0, as the alarms suggest.
func (p *problem) promises(r *Result, s setup) (promises, notes []string) {
	if !p.kernel.Entry || r.Stats.Accesses > maxAgain {
		return nil, nil
	}
	c := p.config
	c.Alarms, c.Dump, c.Solver, c.Budget = 1, nil, nil, min(c.Budget, againBudget)
	under := func(least map[string]int64) *Result {
		given := c
		given.Least = maps.Clone(least)
		maps.Copy(given.Least, c.Least)
		return p.under(given).decide(s).result
	}
	least, last := map[string]int64{}, r
	for last.Verdict == Alarmed && p.suggests(last.Alarms[0], least) {
		last = under(least)
	}
	if len(least) == 0 || last.Verdict != Verified {
		return nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		fewer := maps.Clone(least)
		if delete(fewer, name); under(fewer).Verdict == Verified {
			least = fewer
		}
	}
	promises = says(least)
	return promises, []string{fmt.Sprintf("verified if %s (see --param)", strings.Join(promises, " and "))}
}

// suggests adds promises that exclude an alarm: that no parameter is negative or, if no parameter
// is, that none is 0. It returns false if that does not exclude the alarm, or if there are too many
// promises.
func (p *problem) suggests(a *Alarm, least map[string]int64) (some bool) {
	for most := int64(-1); most <= 0 && !some; most++ {
		for _, v := range a.Params {
			if number(p.kernel, v) && signed(v) <= most && p.free(v.Name) {
				least[v.Name], some = most+1, true
			}
		}
	}
	return some && len(least) <= maxPromises
}

// number reports whether a parameter is an integer that is no pointer.
func number(f *kernel.Function, p Value) bool {
	return p.Size <= 4 && slices.ContainsFunc(f.Params, func(q *kernel.Variable) bool {
		return q.Name == p.Name && q.Size() == p.Size && !strings.HasPrefix(q.Type, "f")
	})
}

// signed returns a value as a signed number.
func signed(p Value) int64 {
	unused := 64 - 8*p.Size
	return int64(p.Bits<<unused) >> unused
}

// says returns the promises that parameters are at least some numbers, as text.
func says(least map[string]int64) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(least)) {
		all = append(all, assume.AtLeast.Of(name, least[name]))
	}
	return all
}
