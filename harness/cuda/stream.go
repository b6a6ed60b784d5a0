package cuda

// streamDefault is CU_STREAM_DEFAULT: the stream and the default stream wait for each other.
const streamDefault = 0

// stream returns the queue with a number, which it creates when it is first asked for
// (cuStreamCreate). It runs on the thread.
func (c *Context) stream(number int) (handle, error) {
	if number == 0 {
		return defaultStream, nil
	}
	api := c.driver.api
	for len(c.streams) < number {
		var s handle
		if err := c.check("cuStreamCreate", api.cuStreamCreate(&s, streamDefault)); err != nil {
			return 0, err
		}
		c.own(func() error { return c.check("cuStreamDestroy", api.cuStreamDestroy(s)) })
		c.streams = append(c.streams, s)
	}
	return c.streams[number-1], nil
}
