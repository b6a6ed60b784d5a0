package cuda

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// The pause between two polls is an eighth of the time waited so far, within these bounds, so that
// a wait takes little longer than the kernel. For less than the first bound, a timer of Go would
// sleep too long, a millisecond; the goroutine only yields.
const (
	shortestPause = 500 * time.Microsecond
	longestPause  = 5 * time.Millisecond
)

// Wait waits until everything that was launched before has finished, for at most limit, and no
// longer than until ctx is done. It polls an event (cuEventRecord, cuEventQuery), so that other
// goroutines can go on using the context.
//
// The error is a *TimeoutError if the wait ended first; the kernel then runs on, and a later Wait
// may see it end. If a kernel failed, the error has the driver's *Error, and the context is broken.
func (c *Context) Wait(ctx context.Context, limit time.Duration) error {
	return c.await(ctx, limit, c.doWithin)
}

// await is Wait; begin runs the first step on the thread.
func (c *Context) await(
	ctx context.Context, limit time.Duration, begin func(context.Context, string, func() error) error,
) error {
	const call = "Context.Wait"
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	var goal uint64
	var kernel string
	err := begin(ctx, call, func() error {
		goal, kernel = c.queued, c.kernel
		return c.mark()
	})
	for done := false; err == nil; {
		err = c.onThread(ctx, call, func() (err error) {
			done, err = c.reached(goal)
			return err
		})
		if done || err != nil {
			break
		}
		err = pause(ctx, min(time.Since(started)/8, longestPause))
	}
	if err != nil && errors.Is(err, context.Cause(ctx)) {
		return &TimeoutError{Kernel: kernel, Waited: time.Since(started), Cause: err}
	}
	return err
}

// mark records the event of the context behind everything that is queued. It runs on the thread.
func (c *Context) mark() error {
	if c.queued == c.finished || c.queued == c.marked {
		return nil
	}
	if r := c.driver.api.cuEventRecord(c.event, defaultStream); r != Success {
		return c.failed("cuEventRecord", r)
	}
	c.marked = c.queued
	return nil
}

// reached reports whether the first goal pieces of work have finished. Another wait may have moved
// the mark behind them. It runs on the thread.
func (c *Context) reached(goal uint64) (bool, error) {
	if c.finished >= goal {
		return true, nil
	}
	r := c.driver.api.cuEventQuery(c.event)
	if r == NotReady {
		return false, nil
	}
	if r != Success {
		return false, c.failed("cuEventQuery", r)
	}
	c.finished = c.marked
	return true, nil
}

// failed handles an error of recording or polling the context's event. The event exists, so the
// error is that of the work before it; whatever its code, the state that the kernels left is
// unknown, so the error is fatal. It runs on the thread.
func (c *Context) failed(call string, r Result) error {
	err := c.driver.check(call, r)
	var answer *Error
	if errors.As(err, &answer) {
		answer.Fatal = true
	}
	return c.breakDown(err)
}

// pause waits for about the given time, or returns why ctx ended.
func pause(ctx context.Context, pause time.Duration) error {
	if pause < shortestPause {
		runtime.Gosched()
		return context.Cause(ctx)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pause):
		return nil
	}
}
