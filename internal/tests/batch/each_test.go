package batch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestResultsDoNotWaitForInput: a result is printed while the next test is still being typed.
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

// TestOrder: every result comes once and in the order of the inputs, even for quick inputs, which
// are taken several at a time.
func TestOrder(t *testing.T) {
	inputs := make([]int, 3000)
	for i := range inputs {
		inputs[i] = i
	}
	work := func(i int) int {
		if i%1000 < 20 {
			time.Sleep(time.Duration(i%7) * 100 * time.Microsecond)
		}
		return i
	}
	for _, workers := range []int{1, 3} {
		var emitted []int
		if err := Each(t.Context(), workers, slices.Values(inputs), work, func(i int) {
			emitted = append(emitted, i)
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(emitted, inputs) {
			t.Errorf("%d workers give %v", workers, emitted)
		}
	}
}

// TestInterruptDoesNotWaitForInput: an interrupt ends muster although standard input has not ended.
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
