package cuda

import (
	"context"
	"runtime"
)

// thread is one OS thread that runs functions one after the other.
type thread struct {
	jobs  chan job
	ended chan struct{}
}

type job struct {
	run    func() error
	result chan error
	last   bool
}

func startThread() *thread {
	t := &thread{jobs: make(chan job), ended: make(chan struct{})}
	go t.serve()
	return t
}

func (t *thread) serve() {
	// Never unlocked: the OS thread ends with the goroutine, and with it the driver's data for the
	// thread.
	runtime.LockOSThread()
	defer close(t.ended)
	for j := range t.jobs {
		j.result <- j.run()
		if j.last {
			return
		}
	}
}

// run runs f on the thread and returns its error. It waits for its turn until ctx is done; in that
// case f has not run and the error is the cause. If the thread has ended, the error is ErrClosed. f
// must not call run.
func (t *thread) run(ctx context.Context, f func() error) error {
	return t.send(ctx, job{run: f, result: make(chan error, 1)})
}

// stop ends the thread, once. Later jobs are answered with ErrClosed.
func (t *thread) stop() {
	nothing := func() error { return nil }
	_ = t.send(context.Background(), job{run: nothing, result: make(chan error, 1), last: true})
}

func (t *thread) send(ctx context.Context, j job) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case t.jobs <- j:
		return <-j.result
	case <-t.ended:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
