package batch

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestStreamLeavesNothingBehind: the live heap after many tests equals that after a few, except for
// some bytes per test, such as the hash of its name. The tests differ, so that the cache of similar
// tests is evicted repeatedly.
func TestStreamLeavesNothingBehind(t *testing.T) {
	const few, many, mostOfEach = 1000, 5000, 150
	s, err := NewSimulator([]string{"ptx"}, models.Config{}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	s.Config, s.Workers = sim.Defaults(), 2
	names := NewNames()
	run := func(first, last int) (live uint64) {
		work := func(in corpus.Test) []Answer { return s.Run(t.Context(), in) }
		err := Each(t.Context(), s.Workers, stream(first, last), work, func(answers []Answer) {
			for _, a := range answers {
				if a.Err != nil {
					t.Error(a.Err)
				}
				names.See(a.Result, t.Errorf)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return heapAfterCollection()
	}
	before := run(0, few)
	after := run(few, many)
	if grown := int64(after) - int64(before); grown > (many-few)*mostOfEach {
		t.Errorf("%d tests leave %d bytes behind, %d each", many-few, grown, grown/(many-few))
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(names)
}

func heapAfterCollection() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// stream yields message-passing tests, with data and delays that depend on the number.
func stream(first, last int) iter.Seq[corpus.Test] {
	return func(yield func(corpus.Test) bool) {
		for i := first; i < last; i++ {
			wait := strings.Repeat(" mov r3, 7 | ;\n", i%7) // programs of several lengths
			text := fmt.Sprintf(
				"PTX mp%d\n{ x=0; y%d=0; }\n P0@cta 0 | P1@cta 1 ;\n st.weak x, %d | ld.acquire.gpu r1, y%d ;\n%s "+
					"st.release.gpu y%d, %d | ld.weak r2, x ;\nexists (1:r1=%d /\\ 1:r2=0)\n",
				i, i, i+1, i, wait, i, i+1, i+1)
			if !yield(corpus.TestIn(src.NewFile("stream", text))) {
				return
			}
		}
	}
}
