//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin -1")
	c := f.context(t)
	kernel := must(load(t, c).Function("spin"))(t)
	start, end := must(c.NewEvent())(t), must(c.NewEvent())(t)

	_, err := end.Since(start) // neither has been recorded
	as[*cuda.Error](t, err)

	before := time.Now()
	check(t, start.Record())
	after := time.Now()
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, end.Record())
	_, err = end.Since(start)
	is(t, err, cuda.NotReady)
	time.Sleep(5 * time.Millisecond)
	least := time.Since(after)
	f.end()
	most := time.Since(before)
	wait(t, c)
	// The driver counts milliseconds as a float32.
	took := must(end.Since(start))(t)
	if took < least*99/100 || took > most*101/100 {
		t.Errorf("two kernels took %v, and ran for %v to %v", took, least, most)
	}
	back := must(start.Since(end))(t)
	if back != -took {
		t.Errorf("%v there, %v back", took, back)
	}
	check(t, start.Close())
	_, err = end.Since(start)
	is(t, err, cuda.ErrClosed)
}
