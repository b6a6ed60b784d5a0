// Package supervise runs this program in a child process, and starts another one when the child
// crashes or hangs. A process whose GPU kernel hangs or faults cannot use the GPU any more, and a
// call of a driver may never return.
//
//	Run     the parent: starts children until one ends by itself
//	Aboard  the child: what it tells its parent, and what the child before it told
//	Keep    an input that each child reads from its beginning
package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"time"
)

// In a child, variable is set to its number, from 1, and before to how far the child before it
// came. A child reports what it is doing through a pipe.
const (
	variable = "MUSTER_AFRESH"
	before   = "MUSTER_AFRESH_BEFORE"
	pipe     = 3 // the first of exec.Cmd.ExtraFiles
)

// Can reports whether this process can start children. A child cannot.
func Can() bool {
	return runtime.GOOS != "windows" && !isChild() // Windows has no exec.Cmd.ExtraFiles
}

func isChild() bool { return os.Getenv(variable) != "" }

// Child reports to the parent what this process is doing.
type Child struct {
	to      *json.Encoder
	attempt int
}

// Aboard returns this process as a child, or nil if it is not one. Call it once.
//
// An interrupt from a terminal reaches the parent and the child, and the parent passes it on. The
// child therefore receives it twice and ignores the second; the parent ends it if necessary.
func Aboard() *Child {
	if !isChild() {
		return nil
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	attempt, _ := strconv.Atoi(os.Getenv(variable))
	return &Child{json.NewEncoder(os.NewFile(pipe, "parent")), attempt}
}

// Attempt returns the number of this child, from 1. It returns 0 if this process is not a child.
func (c *Child) Attempt() int {
	if c == nil {
		return 0
	}
	return c.attempt
}

// Before reads how far the child before this one came. In the first child it leaves far unchanged,
// unless the parent passed a start.
func (c *Child) Before(far any) error {
	text := os.Getenv(before)
	if c == nil || text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), far)
}

// told is a message of a child.
type told struct {
	Doing json.RawMessage `json:"doing,omitempty"` // what has begun
	Far   json.RawMessage `json:"far,omitempty"`   // how far the child has come
	Ends  bool            `json:"ends,omitempty"`  // the child ends by itself
}

// Doing tells the parent what has begun, or nil for nothing, and how far the child has come. The
// parent learns this if the process breaks down before its next message.
func (c *Child) Doing(what, far any) error { return c.tell(what, far, false) }

// Ends tells the parent that the process ends by itself, whatever its exit status.
func (c *Child) Ends(far any) error { return c.tell(nil, far, true) }

func (c *Child) tell(what, far any, ends bool) (err error) {
	if c == nil {
		return nil
	}
	t := told{Ends: ends}
	if what != nil {
		t.Doing, err = json.Marshal(what)
	}
	if err == nil {
		t.Far, err = json.Marshal(far)
	}
	if err != nil {
		return err
	}
	return c.to.Encode(t)
}

// Broken is a child that broke down.
type Broken struct {
	Doing json.RawMessage // what it was doing, or nil
	Far   json.RawMessage // how far it came
	How   error           // the error of exec.Cmd.Wait, or a *LateError
}

// LateError reports that a child was killed because one action took too long.
type LateError struct{ After time.Duration }

func (e *LateError) Error() string {
	return fmt.Sprintf("killed, as it did not come back within %v", e.After)
}

// Run runs this program with the same arguments in a child. If the child breaks down, or is silent
// for longer than longest, Run calls broken and starts another one, unless broken returns an error.
// The first child receives begin, unless that is nil; each later one receives what broken returned.
// Each child reads its standard input from the beginning.
//
// Run returns how far the last child came, and its exit status. A child that never reports anything
// counts as one that ended by itself. If the first child is killed before it reports anything, a
// second one is tried; if a later one is, Run returns a *LateError.
func Run(
	ctx context.Context, stdin io.ReadSeeker, begin any, longest time.Duration,
	broken func(Broken) (far any, err error),
) (far json.RawMessage, status int, err error) {
	if begin != nil {
		if far, err = json.Marshal(begin); err != nil {
			return nil, 0, err
		}
	}
	for attempt := 1; ; attempt++ {
		if _, err := stdin.Seek(0, io.SeekStart); err != nil {
			return far, 0, err
		}
		last, ended, err := child(ctx, stdin, longest, attempt, far)
		if err != nil {
			return far, 0, err
		}
		if last != nil {
			far = last.Far
		}
		var exit *exec.ExitError
		var late *LateError
		switch {
		case ended != nil && !errors.As(ended, &exit) && !errors.As(ended, &late):
			return far, 0, ended
		case ctx.Err() != nil:
			return far, 0, context.Cause(ctx)
		case last == nil && late != nil && attempt == 1:
			continue
		case last == nil && late != nil:
			return far, 0, ended
		case (last == nil || last.Ends) && exit != nil:
			return far, exit.ExitCode(), nil
		case last == nil || last.Ends:
			return far, 0, nil
		}
		next, err := broken(Broken{last.Doing, last.Far, ended})
		if text, bad := json.Marshal(next); bad == nil {
			far = text
		}
		if err != nil {
			return far, 0, err
		}
	}
}

// Keep copies an input to a file that children can read from its beginning. The file has no name.
func Keep(in io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "muster-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where removal is refused, the file stays
	n, err := io.CopyN(f, in, mostKept)
	switch {
	case err == nil:
		err = fmt.Errorf("standard input has more than %d bytes", n)
	case errors.Is(err, io.EOF):
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

// mostKept bounds the bytes of an input that Keep copies: an endless one must not fill the disk.
const mostKept = 1 << 32

// patience is the time that a child has to end after it is told to.
const patience = 10 * time.Second

// child runs one child to its end. It returns the last message of the child, or nil, and the error
// of exec.Cmd.Wait or a *LateError.
func child(
	ctx context.Context, stdin io.Reader, longest time.Duration, attempt int, far json.RawMessage,
) (last *told, ended, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer from.Close()
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = os.Args
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(attempt), before+"="+string(far))
	cmd.ExtraFiles = []*os.File{to}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	err = cmd.Start()
	_ = to.Close()
	if err != nil {
		return nil, nil, err
	}
	enough := make(chan struct{})
	defer close(enough)
	last, late := follow(ctx, lines(from, enough), longest)
	ends := make(chan error, 1)
	go func() { ends <- cmd.Wait() }()
	if !late {
		return last, <-ends, nil
	}
	_ = cmd.Process.Kill()
	select {
	case <-ends:
	case <-time.After(patience): // a process in a driver call that does not return survives even this
	}
	return last, &LateError{longest}, nil
}

// lines returns the messages of a child, until it ends or enough is closed.
func lines(from io.Reader, enough <-chan struct{}) <-chan *told {
	all := make(chan *told)
	go func() {
		defer close(all)
		for from := json.NewDecoder(from); ; {
			line := &told{}
			if from.Decode(line) != nil {
				return
			}
			select {
			case all <- line:
			case <-enough:
				return
			}
		}
	}()
	return all
}

// follow waits for the end of a child and returns its last message, or nil. It reports late if the
// child is silent for too long or does not end when it is told to.
func follow(ctx context.Context, lines <-chan *told, longest time.Duration) (last *told, late bool) {
	limit := time.After(longest)
	stop := ctx.Done()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return last, false
			}
			last = line
			if stop != nil {
				limit = time.After(longest)
			}
		case <-stop:
			stop, limit = nil, time.After(2*patience) // it is killed after half of this time
		case <-limit:
			return last, true
		}
	}
}
