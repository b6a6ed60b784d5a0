// Package console is the output of a command: on terminals with colours and bars, elsewhere as it is; and its interrupts.
//
//	Console  standard output and standard error, each in its place among the other
//	Bar      shows how far long work is
//	Live     a line that says what is going on
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

// Console is standard output and standard error. Standard output remembers the first error, so that output that is lost is
// not lost silently. Unless it is a terminal it collects what is written, for a moment, and till something is written to standard
// error. While a bar is on the screen, what is written there comes above it.
type Console struct {
	Out, Err io.Writer

	// Stop, if it is not nil, ends the command because what it writes is lost: a write to standard output has failed, or a disk is
	// full. It must not write.
	Stop func(error)

	mu                   sync.Mutex
	outFile, errFile     *os.File
	screenOut, screenErr bool          // whether standard output and standard error are terminals
	buf                  *bufio.Writer // of standard output; nil for a terminal
	armed                bool          // a flush is due
	lost                 error         // a *LostError, or nil
	full                 bool          // whether a disk was found full
	bars                 *mpb.Progress // nil for none
}

// LostError says that standard output cannot be written to: a full disk, most often.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "standard output: " + e.Err.Error() }

// Unwrap returns the error of the write.
func (e *LostError) Unwrap() error { return e.Err }

// IsLost reports whether an error says that standard output cannot be written to.
func IsLost(err error) bool {
	var lost *LostError
	return errors.As(err, &lost)
}

// IsFull reports whether an error says that no more can be written: the disk is full, or a quota or a limit is reached.
func IsFull(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(full error) bool {
		return errors.Is(err, full)
	})
}

// Said reports whether an error need not be said: End says that standard output is lost, and a full disk is said once. The first
// one ends the command, for what it writes next would be lost, too.
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

// Full reports whether Said has been told of a full disk.
func (c *Console) Full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.full
}

// flushAfter is how long output may wait for more.
const flushAfter = 50 * time.Millisecond

const bufferSize = 1 << 16

// New is the console of a command with these streams.
func New(stdout, stderr *os.File) *Console {
	c := &Console{outFile: stdout, errFile: stderr, screenOut: isTerminal(stdout), screenErr: isTerminal(stderr)}
	if !c.screenOut {
		c.buf = bufio.NewWriterSize(stdout, bufferSize)
	}
	c.Out, c.Err = output{c}, errorOutput{c}
	return c
}

// isTerminal reports that a file is a terminal of which lines can be drawn again.
func isTerminal(f *os.File) bool {
	return os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// OnScreen reports that standard output is a terminal, ErrOnScreen that standard error is. No console is on none.
func (c *Console) OnScreen() bool { return c != nil && c.screenOut }

// ErrOnScreen: see OnScreen.
func (c *Console) ErrOnScreen() bool { return c != nil && c.screenErr }

// Alarm marks a word that must not be overlooked: red on a terminal, unless no colours are
// wanted (https://no-color.org).
func (c *Console) Alarm(word string) string {
	if c.OnScreen() && os.Getenv("NO_COLOR") == "" {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// End writes what is left, and returns the first error of all writes.
func (c *Console) End() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	return c.lost
}

// flush writes what has been collected. The lock is held.
func (c *Console) flush() {
	c.armed = false
	if c.buf != nil {
		_ = c.note(c.buf.Flush())
	}
}

// note returns the error of a write, and keeps the first one. The lock is held.
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

// above writes whole lines above the bars; false if there are none.
func (c *Console) above(b []byte) bool {
	if c.bars == nil {
		return false
	}
	_, err := c.bars.Write(b)
	return err == nil // else the bars are gone
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
