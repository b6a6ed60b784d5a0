//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	c := newFake(t, "runs spin 20").context(t)
	kernel := must(load(t, c).Function("spin"))(t)
	start, end := must(c.NewEvent())(t), must(c.NewEvent())(t)

	_, err := end.Since(start) // neither has been recorded
	as[*cuda.Error](t, err)

	check(t, start.Record())
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, end.Record())
	_, err = end.Since(start)
	is(t, err, cuda.NotReady)
	wait(t, c)
	took := must(end.Since(start))(t)
	if took < 40*time.Millisecond || took > soon {
		t.Errorf("two kernels of 20 ms took %v", took)
	}
	back := must(start.Since(end))(t)
	if back != -took {
		t.Errorf("%v there, %v back", took, back)
	}
	check(t, start.Close())
	_, err = end.Since(start)
	is(t, err, cuda.ErrClosed)
}
