package main

import (
	"bufio"
	"io"
	"os"
	"sync"
	"time"
)

// output is standard output. It remembers the first error, so that output that is lost is
// not lost silently. Unless it is a terminal it collects what is written, for a moment.
type output struct {
	mu    sync.Mutex
	to    io.Writer
	buf   *bufio.Writer // nil for a terminal
	armed bool          // a flush is due
	err   error
}

// flushAfter is how long output may wait for more.
const flushAfter = 50 * time.Millisecond

const bufferSize = 1 << 16

func newOutput(f *os.File) *output {
	o := &output{to: f}
	if !isTerminal(f) {
		o.buf = bufio.NewWriterSize(f, bufferSize)
		o.to = o.buf
	}
	return o
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.to.Write(b)
	o.note(err)
	if o.buf != nil && !o.armed {
		o.armed = true
		time.AfterFunc(flushAfter, o.flush)
	}
	return n, err
}

func (o *output) note(err error) {
	if o.err == nil {
		o.err = err
	}
}

func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.armed = false
	if o.buf != nil {
		o.note(o.buf.Flush())
	}
}

// end writes what is left, and returns the first error of all writes.
func (o *output) end() error {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// errorOutput is standard error, in its place among the output.
type errorOutput struct {
	io.Writer
	out *output
}

func (e errorOutput) Write(b []byte) (int, error) {
	e.out.flush()
	return e.Writer.Write(b)
}
