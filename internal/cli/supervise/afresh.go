// Package supervise runs this program in a process of its own, and anew when that process breaks down in the midst
// of something, or stays there: a GPU is of no more use to a process whose kernel hangs or has faulted, and a call of a driver may never return.
//
//	Run     the parent: starts processes until one comes to its end
//	Aboard  what a child tells its parent, and what the child before it has told
//	Keep    an input that each child reads
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

// variable is set in children to their number, from 1 on, and before to how far the one before has come. They write what they are doing to a pipe.
const (
	variable = "MUSTER_AFRESH"
	before   = "MUSTER_AFRESH_BEFORE"
	pipe     = 3 // the first of exec.Cmd.ExtraFiles
)

// Can reports that this process can start others so. A child does not.
func Can() bool {
	return runtime.GOOS != "windows" && !isChild() // there is no exec.Cmd.ExtraFiles there
}

func isChild() bool { return os.Getenv(variable) != "" }

// Child tells the parent what it is doing.
type Child struct {
	to      *json.Encoder
	attempt int
}

// Aboard is this process as a child; nil if it is none. It is to be called once.
//
// An interrupt from a terminal comes to the parent and to the child, and the parent passes it on: so the child hears of it twice, and
// the second one does not end it. The parent does, if it must.
func Aboard() *Child {
	if !isChild() {
		return nil
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	attempt, _ := strconv.Atoi(os.Getenv(variable))
	return &Child{json.NewEncoder(os.NewFile(pipe, "parent")), attempt}
}

// Attempt is how many children there have been: before the second, none has broken down. It is 0 for what is no child.
func (c *Child) Attempt() int {
	if c == nil {
		return 0
	}
	return c.attempt
}

// Before reads how far the child before this one has come, as its parent hands it on; nothing in the first.
func (c *Child) Before(far any) error {
	text := os.Getenv(before)
	if c == nil || text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), far)
}

// told is what a child tells.
type told struct {
	Doing json.RawMessage `json:"doing,omitempty"` // what has begun
	Far   json.RawMessage `json:"far,omitempty"`   // how far the child has come
	Ends  bool            `json:"ends,omitempty"`  // of its own accord
}

// Doing tells what has begun, nil for nothing, and how far this has come: what the parent is told of if the process does not come to the next.
func (c *Child) Doing(what, far any) error { return c.tell(what, far, false) }

// Ends tells that the process comes to its end now, whatever its exit status is.
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

// Broken is a child that came to no end of its own.
type Broken struct {
	Doing json.RawMessage // nil for nothing
	Far   json.RawMessage // how far it has come
	How   error           // exec.Cmd.Wait's, or a *LateError
}

// LateError says that a child was killed because it did one thing for too long.
type LateError struct{ After time.Duration }

func (e *LateError) Error() string {
	return fmt.Sprintf("killed, as it did not come back within %v", e.After)
}

// Run runs this program with the same arguments in a child; and again, if it breaks down or tells nothing for longer than longest, as long as
// broken has no error. The first is handed how far things have come, if that is not nil; broken says from where the next one is to go on. Each child reads its standard input from its beginning. The results are how
// far the last has come, and its exit status: a child that has told nothing has ended of its own accord. If the first is killed before it tells anything, the second has a
// try; the error is a *LateError if another is.
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

// Keep copies an input to where children can read it from its beginning: a file without a name.
func Keep(in io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "muster-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where that is refused, the file stays
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

// mostKept is how much of an input is kept: one without end must not fill the disk.
const mostKept = 1 << 32

// patience is how long a child has to end when it is told to.
const patience = 10 * time.Second

// child runs one to its end: what it has told last, nil for nothing, and what exec.Cmd.Wait says, or a *LateError.
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
	case <-time.After(patience): // a process whose call of a driver does not return outlives even this
	}
	return last, &LateError{longest}, nil
}

// lines are those that come from a child, to its end or until they are enough.
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

// follow waits for the end of a child: what it has told last, nil if nothing; or until it is late, since it tells nothing for too long or
// does not end when it is told to.
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
			stop, limit = nil, time.After(2*patience) // it is killed after half of this
		case <-limit:
			return last, true
		}
	}
}
