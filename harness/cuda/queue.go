package cuda

import "fmt"

// Work can be queued on a context: Function.Launching, Memory.Filling, Event.Recording.
type Work struct {
	resource *resource
	call     string       // for errors
	about    string       // prefix of its errors; may be empty
	queue    func() error // runs on the thread
}

// Enqueue queues work, in order, in one visit to the thread, and returns immediately. The error is
// that of the first piece that cannot be queued: a *BusyError if MaxQueued pieces have not been
// waited for.
func (c *Context) Enqueue(work ...Work) error {
	if len(work) == 0 {
		return nil
	}
	at := work[0]
	err := c.do(at.call, func() error {
		for _, at = range work {
			if at.resource.closed {
				return fmt.Errorf("%s: %w", at.call, ErrClosed)
			}
			if err := at.queue(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && at.about != "" {
		return fmt.Errorf("%s: %w", at.about, err)
	}
	return err
}
