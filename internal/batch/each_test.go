package batch

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestResultsDoNotWaitForInput: what is known is printed while the next test is still being
// typed.
func TestResultsDoNotWaitForInput(t *testing.T) {
	emitted := make(chan struct{})
	inputs := func(yield func(int) bool) {
		if yield(0) {
			<-emitted
		}
	}
	err := Each(t.Context(), 4, inputs, func(int) int { return 1 }, func(int) { close(emitted) })
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptDoesNotWaitForInput: an interrupt ends muster although standard input has no end.
func TestInterruptDoesNotWaitForInput(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	inputs := func(yield func(int) bool) {
		for range 3 {
			if !yield(0) {
				return
			}
		}
		<-never
	}
	var emitted []int
	err := Each(ctx, 2, inputs, func(int) int { return 1 }, func(n int) {
		if emitted = append(emitted, n); len(emitted) == 3 {
			interrupt()
		}
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(emitted, []int{1, 1, 1}) {
		t.Errorf("%v, after %v", err, emitted)
	}
}
