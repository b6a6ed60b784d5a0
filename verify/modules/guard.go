package modules

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// guarded does something about an input. A panic is an error: one kernel keeps no other.
func guarded(about string, do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{about, r, debug.Stack()}
		}
	}()
	do()
	return nil
}

// InternalError is a mistake of muster that an input has shown.
type InternalError struct {
	About string // the input
	Value any    // of the panic
	Stack []byte // where it was
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: internal error, please report it with this input: %v\n%s", e.About, e.Value, e.where())
}

// where is the innermost functions of muster on the stack.
func (e *InternalError) where() string {
	const most = 4
	var all []string
	lines := strings.Split(string(e.Stack), "\n")
	after := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic(") })
	for _, line := range lines[after+1:] {
		if strings.Contains(line, "/muster/") && strings.Contains(line, ".go:") && len(all) < most {
			place, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			all = append(all, "    at "+place)
		}
	}
	return strings.Join(all, "\n")
}
