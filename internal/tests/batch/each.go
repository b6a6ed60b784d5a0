// Package batch runs work on many inputs in parallel, with results in order and bounded memory.
//
//	Each           a pool of workers that emits results in the order of the inputs
//	Simulator      models that answer about tests
//	DefaultMemory  the default bound on the memory of all simulations
//	CollectBy      collects garbage before a bound is reached
//	CollectBeside  adjusts collection to memory that a run keeps
//	CollectSeldom  collects garbage rarely while the heap is small
package batch

import (
	"context"
	"iter"
	"sync"
	"time"
)

// Each calls work on every input, several at a time, and emit on the results, one at a time, in the
// order of the inputs. It returns when all are done; or when the context is done and the work that
// had begun has ended, even if the next input never comes, as from a terminal without a user.
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

// numberedInput is an input with its position.
type numberedInput[I any] struct {
	input  I
	number int
}

// inputsAhead bounds the inputs that wait for a worker. Handing over each input on demand would
// make two threads wait for each other.
const inputsAhead = 32

// numbered sends the inputs, some ahead of demand, until the context is done.
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

// aheadPerWorker bounds the results per worker that wait for an earlier one.
const aheadPerWorker = 16

// queue hands out inputs and puts the results back in order. The worker that completes the result
// that is due emits it together with the results behind it that are ready. A worker waits for
// others only if it is far ahead.
type queue[I, T any] struct {
	inputs <-chan numberedInput[I]

	mu    sync.Mutex
	room  sync.Cond
	taken int
	due   int // the first input whose result has not been emitted
	ready map[int]T
	ahead int
}

// A worker whose inputs take little time takes several at once: workers then contend less, and
// neighbouring inputs are often alike.
const (
	mostAtOnce = 8
	quickly    = 50 * time.Microsecond // per input
)

// take waits for space and then for an input, and returns it with up to most-1 others that are
// ready. It returns none when there are no more inputs or the context is done.
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

// waiting returns an input if one is ready.
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

// Map yields f applied to each thing, on demand.
func Map[T, U any](things []T, f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for _, t := range things {
			if !yield(f(t)) {
				return
			}
		}
	}
}
