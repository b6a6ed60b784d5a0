// Package harness turns litmus tests into GPU kernels that run many instances of a test at a time,
// and provoke weak behaviour (ASPLOS 2015, Sec. 4; Levine et al., "MC Mutants: Evaluating and
// Improving Testing for Memory Consistency Specifications", ASPLOS 2023, parallel test
// environments).
//
//	Plan     which threads of the GPU play which threads of the test
//	Target   a compute capability to make code for
//	Kernels  PTX text: the test, and kernels that count its outcomes
//	Unable   the error that a test cannot be run
//
// A thread of the test is a role. A launch has many instances of the test, each with memory of its
// own. Each thread of the GPU plays every role once, each time in another instance, so that all
// threads are busy (plan.go). The code of a role stands between markers with which the machine code
// can be compared with the test (instr.go, kernel.go).
//
// The package only makes text. Package harness/cuda runs it.
package harness

import (
	"errors"
	"fmt"
	"time"
)

// Unfit reports that settings cannot be used with a test or on a machine.
type Unfit struct{ Err error }

func (e *Unfit) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *Unfit) Unwrap() error { return e.Err }

func unfit(format string, args ...any) error {
	return &Unfit{fmt.Errorf("settings: "+format, args...)}
}

// LateError reports that a machine abandoned a kernel because it ran for too long. The machine can
// still run others.
type LateError struct {
	Kernel string
	After  time.Duration
}

func (e *LateError) Error() string {
	return fmt.Sprintf("%s still ran after %v, and was given up (see --kernel-timeout)", e.Kernel, e.After)
}

// IsLate reports whether an error is a LateError.
func IsLate(err error) bool {
	var late *LateError
	return errors.As(err, &late)
}

// Unable reports why this package cannot run a test on a GPU.
type Unable struct {
	Test string
	Why  string
}

func (u *Unable) Error() string { return fmt.Sprintf("%s cannot be run: %s", u.Test, u.Why) }
