package modules

import (
	"fmt"
	"path"
	"runtime/debug"
	"strings"
)

// guarded runs do and turns a panic into an error, so that one kernel does not affect others.
func guarded(about string, do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{about, r, debug.Stack()}
		}
	}()
	do()
	return nil
}

// InternalError is a panic of muster on an input.
type InternalError struct {
	About string // the input
	Value any    // value of the panic
	Stack []byte // stack of the panic
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: internal error, please report it with this input: %v\n%s", e.About, e.Value, e.where())
}

// where lists the innermost functions of muster on the stack.
func (e *InternalError) where() string {
	const most = 4
	var all []string
	lines := strings.Split(string(e.Stack), "\n")
	for i, line := range lines { // in pairs: a function with its arguments, and its position
		function, own := strings.CutPrefix(line, "github.com/muster-gpu/muster/")
		switch {
		case strings.HasPrefix(line, "panic("):
			all = nil // the functions that follow have panicked
		case own && i+1 < len(lines) && len(all) < most:
			place, _, _ := strings.Cut(path.Base(strings.TrimSpace(lines[i+1])), " ")
			all = append(all, fmt.Sprintf("    at %s (%s)", function[:max(0, strings.LastIndex(function, "("))], place))
		}
	}
	return strings.Join(all, "\n")
}
