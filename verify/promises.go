package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/kernel"
)

// The host promises things of which a module says nothing: that a border is not negative, that an image has rows. What goes wrong
// without is an alarm, since the kernel may be launched so. If nothing else goes wrong, the result says what would have to be promised.

// maxPromises bounds the parameters of which something would have to be promised.
const maxPromises = 4

// promises notes that a kernel is verified if parameters are not negative, or greater than 0, whichever the alarms
// suggest.
func (v *verifier) promises(ctx context.Context, c Config) {
	r := v.result
	if !r.Kernel.Entry || r.Stats.Accesses > maxAgain {
		return
	}
	c.Alarms, c.Dump, c.Solver, c.Budget = 1, nil, nil, min(c.Budget, againBudget)
	under := func(least map[string]int64) *Result {
		given := c
		given.Least = maps.Clone(least)
		maps.Copy(given.Least, c.Least)
		return v.again(ctx, given, nil).result
	}
	least, last := map[string]int64{}, r
	for last.Verdict == Alarmed && v.suggests(last.Alarms[0], least) {
		last = under(least)
	}
	if len(least) == 0 || last.Verdict != Verified {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		fewer := maps.Clone(least)
		if delete(fewer, name); under(fewer).Verdict == Verified {
			least = fewer
		}
	}
	r.Promises = says(least)
	r.Notes = append(r.Notes, fmt.Sprintf("verified if %s (see --param)", strings.Join(r.Promises, " and ")))
}

// suggests adds what would exclude an alarm: that no parameter is negative or, if none is, that none is 0; false if
// that excludes nothing, or too much is promised.
func (v *verifier) suggests(a *Alarm, least map[string]int64) (some bool) {
	for most := int64(-1); most <= 0 && !some; most++ {
		for _, p := range a.Params {
			if number(v.result.Kernel, p) && signed(p) <= most && v.free(p.Name) {
				least[p.Name], some = most+1, true
			}
		}
	}
	return some && len(least) <= maxPromises
}

// free reports that nothing is given of a parameter.
func (v *verifier) free(name string) bool {
	_, value := v.config.Values[name]
	_, least := v.config.Least[name]
	return !value && !least
}

// number reports that a parameter is an integer that is no pointer.
func number(f *kernel.Function, p Value) bool {
	return p.Size <= 4 && slices.ContainsFunc(f.Params, func(q *kernel.Variable) bool {
		return q.Name == p.Name && q.Size() == p.Size && !strings.HasPrefix(q.Type, "f")
	})
}

// signed is a value as a signed number.
func signed(p Value) int64 {
	unused := 64 - 8*p.Size
	return int64(p.Bits<<unused) >> unused
}

// says is that parameters are no less than numbers.
func says(least map[string]int64) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(least)) {
		all = append(all, assume.AtLeast.Of(name, least[name]))
	}
	return all
}
