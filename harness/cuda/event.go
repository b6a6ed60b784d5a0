package cuda

import "time"

// Event is a moment in the context's queue of work.
type Event struct {
	handle   handle
	resource *resource
}

// NewEvent makes an event (cuEventCreate).
func (c *Context) NewEvent() (*Event, error) {
	e := &Event{}
	err := c.do("Context.NewEvent", func() error {
		api := c.driver.api
		if err := c.check("cuEventCreate", api.cuEventCreate(&e.handle, 0)); err != nil {
			return err
		}
		e.resource = c.own(func() error { return c.check("cuEventDestroy", api.cuEventDestroy(e.handle)) })
		e.resource.anytime = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Record makes the event the moment at which all that was launched before has finished
// (cuEventRecord). It does not wait.
func (e *Event) Record() error { return e.resource.context.Enqueue(e.Recording()) }

// Recording returns the work that Record queues.
func (e *Event) Recording() Work {
	const call = "Event.Record"
	c := e.resource.context
	return Work{e.resource, call, "", func() error {
		return c.enqueue(call, "", func() error {
			return c.check("cuEventRecord", c.driver.api.cuEventRecord(e.handle, defaultStream))
		})
	}}
}

// Since returns the time from start to e on the GPU's clock, to about half a microsecond
// (cuEventElapsedTime). Both must have been recorded, and Context.Wait must have seen the work
// before them finish; else the error is CUDA_ERROR_INVALID_HANDLE or CUDA_ERROR_NOT_READY.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var milliseconds float32
	c := e.resource.context
	err := e.resource.do("Event.Since", func() error {
		if start.resource.closed {
			return ErrClosed
		}
		return c.check("cuEventElapsedTime", c.driver.api.cuEventElapsedTime(&milliseconds, start.handle, e.handle))
	})
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), err
}

// Close frees the event (cuEventDestroy), whether it has been reached or not. A second
// Close does nothing.
func (e *Event) Close() error {
	return e.resource.close("Event.Close")
}
