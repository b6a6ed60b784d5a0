package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
)

// TestResultsDoNotWaitForInput: what is known is printed while the next test is still being
// typed.
func TestResultsDoNotWaitForInput(t *testing.T) {
	emitted := make(chan struct{})
	inputs := func(yield func(input) bool) {
		if yield(input{}) {
			<-emitted
		}
	}
	err := each(t.Context(), 4, inputs, func(input) int { return 1 }, func(int) { close(emitted) })
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptDoesNotWaitForInput: an interrupt ends muster although standard input has no end.
func TestInterruptDoesNotWaitForInput(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	inputs := func(yield func(input) bool) {
		for range 3 {
			if !yield(input{}) {
				return
			}
		}
		interrupt()
		<-never
	}
	var emitted []int
	err := each(ctx, 2, inputs, func(input) int { return 1 }, func(n int) { emitted = append(emitted, n) })
	if !errors.Is(err, context.Canceled) || !slices.Equal(emitted, []int{1, 1, 1}) {
		t.Errorf("%v, after %v", err, emitted)
	}
}

// TestStreamsAreNotReadToCountThem: that nobody knows how many tests a stream has is known before a byte
// of it is read, so counting waits for no one.
func TestStreamsAreNotReadToCountThem(t *testing.T) {
	wasRead := false
	a := &app{in: readerFunc(func([]byte) (int, error) {
		wasRead = true
		return 0, io.EOF
	})}
	inputs, total := counted(a.arguments([]string{"sb-inter-cta", "-"}))
	if total != unknownTotal || wasRead {
		t.Errorf("%d tests, the stream was read: %v", total, wasRead)
	}
	if n := len(slices.Collect(inputs)); n != 2 || !wasRead {
		t.Errorf("%d inputs, the stream was read: %v", n, wasRead)
	}
	if _, total := counted(a.arguments([]string{"sb-inter-cta", "asplos15"})); total != 99 {
		t.Errorf("%d tests without a stream, want 99", total)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
