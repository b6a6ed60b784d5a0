package ptx

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestMeetingsComeOnce: however often the search reaches one way to meet, it is one structure.
func TestMeetingsComeOnce(t *testing.T) {
	const meet = "bar.sync 0, 64\nbar.sync 0, 64"
	all := syncs(scoped(t, "x=0", meet, meet, meet, meet))
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
		t.Errorf("%d structures, %d of them different", len(all), len(once))
	}
}

// impatient is a context that is done when it has been asked a number of times.
type impatient struct {
	context.Context
	left, late int
}

var errLate = errors.New("late")

func (c *impatient) Err() error {
	if c.left--; c.left > 0 {
		return nil
	}
	c.late++
	return errLate
}

// TestMeetingsAskWhetherToStop: the search for ways to meet ends when it is told to, whether
// barriers are named by numbers or by values.
func TestMeetingsAskWhetherToStop(t *testing.T) {
	for name, column := range map[string]string{
		"numbers": strings.Repeat("bar.sync 0, 64\n", 4),
		"values":  "ld.relaxed.gpu r0, x\nbar.sync r0, 64\nld.relaxed.gpu r1, x\nbar.sync r1, 64",
		"no end":  "bar.sync 0, 96\nbar.arrive 1, 96\nbar.sync 0, 96\nbar.arrive 1, 96\nbar.sync 2, 160",
	} {
		p := scoped(t, "x=0", slices.Repeat([]string{column}, 6)...)
		ctx := &impatient{t.Context(), 50, 0}
		var last error
		found := 0
		for s, err := range p.Structures(ctx) {
			last = err
			if s != nil {
				found++
			}
			if s != nil && ctx.late > 0 {
				t.Errorf("%s: a structure comes after the end", name)
			}
		}
		if last != errLate || ctx.late != 1 {
			t.Errorf("%s: the last error is %v, and the context was asked %d times after its end", name, last, ctx.late)
		}
		if found > 50*16 {
			t.Errorf("%s: %d structures between 50 questions", name, found)
		}
	}
}

// TestTurnsLeaveOut: of threads that all reach a few barriers, the combinations in which they can
// are found without listing the others.
func TestTurnsLeaveOut(t *testing.T) {
	const threads, barriers = 8, 6
	p := scoped(t, "x=0", slices.Repeat([]string{strings.Repeat("bar.sync 0\n", barriers) + "st.weak x, 1"}, threads)...)
	n := 0
	for _, err := range p.Structures(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	f := p.Family(t.Context())
	if n != 1 || f == nil || f.Len() != 1 {
		t.Errorf("%d structures, of %d combinations, in the family %v", n, p.Combinations(), f)
	}
}
