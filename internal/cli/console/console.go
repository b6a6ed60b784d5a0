// Package console is the output of a command, with colours and bars on terminals and plain
// elsewhere, and its interrupts.
//
//	Console        standard output and standard error
//	Bar            shows the progress of long work
//	Live           a line that shows current work of unknown size
//	Interruptible  a context that an interrupt ends
package console

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/vbauerster/mpb/v8"
	"golang.org/x/term"
)

// Console is standard output and standard error. Standard output remembers its first error, so that
// no loss of output goes unnoticed. If it is not a terminal, it is buffered briefly, at most until
// something is written to standard error. Both are written above a bar that is on the screen.
type Console struct {
	Out, Err io.Writer

	// Stop, unless nil, ends the command because its output is lost: a write to standard output has
	// failed, or a disk is full. It must not write.
	Stop func(error)

	mu                   sync.Mutex
	outFile, errFile     *os.File
	screenOut, screenErr bool          // whether standard output and standard error are terminals
	buf                  *bufio.Writer // for standard output; nil for a terminal
	armed                bool          // a flush is scheduled
	lost                 error         // a *LostError, or nil
	full                 bool          // whether a disk was found full
	bars                 *mpb.Progress // nil for none
}

// LostError reports that a write to standard output failed, usually because a disk is full.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "standard output: " + e.Err.Error() }

// Unwrap returns the error of the write.
func (e *LostError) Unwrap() error { return e.Err }

// IsLost reports whether an error says that standard output cannot be written to.
func IsLost(err error) bool {
	var lost *LostError
	return errors.As(err, &lost)
}

// IsFull reports whether an error says that nothing more can be written: a full disk, or a quota or
// file-size limit.
func IsFull(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(full error) bool {
		return errors.Is(err, full)
	})
}

// Said reports whether an error has been reported or will be. End reports a loss of standard
// output; a full disk is reported only once. The first full disk ends the command, because its
// further output would be lost, too.
func (c *Console) Said(err error) bool {
	switch {
	case IsLost(err):
		return true
	case c == nil || !IsFull(err):
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	said := c.full
	if c.full = true; !said && c.Stop != nil {
		c.Stop(err)
	}
	return said
}

// Full reports whether Said has seen a full disk.
func (c *Console) Full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.full
}

// flushAfter bounds how long output stays in the buffer.
const flushAfter = 50 * time.Millisecond

const bufferSize = 1 << 16

// New returns the console of a command with these streams.
func New(stdout, stderr *os.File) *Console {
	c := &Console{outFile: stdout, errFile: stderr, screenOut: isTerminal(stdout), screenErr: isTerminal(stderr)}
	if !c.screenOut {
		c.buf = bufio.NewWriterSize(stdout, bufferSize)
	}
	c.Out, c.Err = output{c}, errorOutput{c}
	return c
}

// isTerminal reports whether a file is a terminal that can redraw lines.
func isTerminal(f *os.File) bool {
	return os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// OnScreen reports whether standard output is a terminal. It is false for a nil Console.
func (c *Console) OnScreen() bool { return c != nil && c.screenOut }

// ErrOnScreen reports whether standard error is a terminal. It is false for a nil Console.
func (c *Console) ErrOnScreen() bool { return c != nil && c.screenErr }

// Alarm returns a word marked so that it is not overlooked: red on a terminal, unless NO_COLOR is
// set (https://no-color.org).
func (c *Console) Alarm(word string) string {
	if c.OnScreen() && os.Getenv("NO_COLOR") == "" {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// End flushes standard output and returns the first error of all writes.
func (c *Console) End() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	return c.lost
}

// flush writes the buffer. The caller holds the lock.
func (c *Console) flush() {
	c.armed = false
	if c.buf != nil {
		_ = c.note(c.buf.Flush())
	}
}

// note keeps the first error of a write and returns it. The caller holds the lock.
func (c *Console) note(err error) error {
	if err == nil {
		return nil
	}
	if c.lost == nil {
		c.lost = &LostError{err}
		if c.Stop != nil {
			c.Stop(c.lost)
		}
	}
	return c.lost
}

// above writes whole lines above the bars, and reports whether it did.
func (c *Console) above(b []byte) bool {
	if c.bars == nil {
		return false
	}
	_, err := c.bars.Write(b)
	return err == nil // else the bars have ended
}

// output is standard output.
type output struct{ c *Console }

func (o output) Write(b []byte) (int, error) {
	c := o.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buf == nil {
		if c.above(b) {
			return len(b), nil
		}
		n, err := c.outFile.Write(b)
		return n, c.note(err)
	}
	n, err := c.buf.Write(b)
	err = c.note(err)
	if !c.armed {
		c.armed = true
		time.AfterFunc(flushAfter, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.flush()
		})
	}
	return n, err
}

// errorOutput is standard error.
type errorOutput struct{ c *Console }

func (e errorOutput) Write(b []byte) (int, error) {
	c := e.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	if c.above(b) {
		return len(b), nil
	}
	return c.errFile.Write(b)
}
