// Package batch runs work on many inputs: several at a time, with results in order and memory bounded.
//
//	Each           a pool of workers whose results come in the order of the inputs
//	Simulator      models that are asked about tests
//	DefaultMemory  how much memory all of them may have, unless somebody says otherwise
//	CollectBy      has garbage collected before there is more
//	CollectBeside  the same, beside what a run keeps
//	CollectSeldom  lets garbage lie while the heap is small
package batch

import (
	"context"
	"iter"
	"sync"
	"time"
)

// Each runs work on every input, several at a time, and emit on the results one after
// the other, in the order of the inputs. It returns when all are done, or when the context
// is and what was begun has ended: not even an input that never comes, as from a terminal where
// nobody types, holds it up.
func Each[I, T any](ctx context.Context, workers int, inputs iter.Seq[I], work func(I) T, emit func(T)) error {
	q := &queue[I, T]{inputs: numbered(ctx, inputs), ready: map[int]T{}, ahead: aheadPerWorker * workers}
	q.room.L = &q.mu
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for most := 1; ctx.Err() == nil; {
				inputs := q.take(ctx, most)
				if len(inputs) == 0 {
					return
				}
				began := time.Now()
				for _, in := range inputs {
					if ctx.Err() == nil {
						q.done(in.number, work(in.input), emit)
					}
				}
				if most = min(2*most, mostAtOnce); time.Since(began) > time.Duration(len(inputs))*quickly {
					most = 1
				}
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// numberedInput is an input with its place in the order of all.
type numberedInput[I any] struct {
	input  I
	number int
}

// inputsAhead is how many inputs may wait for a worker. To hand each one over when it is wanted makes two threads wait for each other.
const inputsAhead = 32

// numbered sends the inputs, and some ahead, until the context is done.
func numbered[I any](ctx context.Context, inputs iter.Seq[I]) <-chan numberedInput[I] {
	all := make(chan numberedInput[I], inputsAhead)
	go func() {
		defer close(all)
		n := 0
		for in := range inputs {
			select {
			case all <- numberedInput[I]{in, n}:
				n++
			case <-ctx.Done():
				return
			}
		}
	}()
	return all
}

// aheadPerWorker is how many results may wait for an earlier one that takes long.
const aheadPerWorker = 16

// queue hands out inputs and puts the results back in order. Whoever brings the result that
// is due emits it, and those after it that are there: no worker waits for another unless it
// is far ahead.
type queue[I, T any] struct {
	inputs <-chan numberedInput[I]

	mu    sync.Mutex
	room  sync.Cond
	taken int
	due   int // the first input whose result has not been emitted
	ready map[int]T
	ahead int
}

// A worker whose inputs are done quickly takes several of those that are there at a time: they meet less, and inputs in a row are often alike.
const (
	mostAtOnce = 8
	quickly    = 50 * time.Microsecond // for each
)

// take waits for room, and then for an input, and takes with it what else has come, up to some; there is none when all have come, or when
// the context is done.
func (q *queue[I, T]) take(ctx context.Context, most int) (all []numberedInput[I]) {
	q.mu.Lock()
	for q.taken >= q.due+q.ahead {
		q.room.Wait()
	}
	q.taken++
	q.mu.Unlock()
	select {
	case next, ok := <-q.inputs:
		if ok {
			all = append(make([]numberedInput[I], 0, most), next)
		}
	case <-ctx.Done():
		return nil
	}
	for len(all) > 0 && len(all) < most {
		next, ok := q.waiting()
		if !ok {
			break
		}
		all = append(all, next)
	}
	q.mu.Lock()
	q.taken += max(len(all)-1, 0)
	q.mu.Unlock()
	return all
}

// waiting takes an input if one has come.
func (q *queue[I, T]) waiting() (next numberedInput[I], ok bool) {
	select {
	case next, ok = <-q.inputs:
	default:
	}
	return next, ok
}

func (q *queue[I, T]) done(i int, result T, emit func(T)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready[i] = result
	if i != q.due {
		return
	}
	for {
		r, ok := q.ready[q.due]
		if !ok {
			return
		}
		delete(q.ready, q.due)
		q.mu.Unlock()
		emit(r)
		q.mu.Lock()
		q.due++
		q.room.Broadcast()
	}
}

// Map is what a function makes of things, one after the other, when it is asked for.
func Map[T, U any](things []T, f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for _, t := range things {
			if !yield(f(t)) {
				return
			}
		}
	}
}
