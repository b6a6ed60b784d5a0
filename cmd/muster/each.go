package main

import (
	"context"
	"iter"
	"sync"
)

// each runs work on every input, several at a time, and emit on the results one after
// the other, in the order of the inputs. It returns when all are done, or when the context
// is and what was begun has ended.
func each[T any](ctx context.Context, workers int, inputs iter.Seq[input], work func(input) T, emit func(T)) error {
	next, stop := iter.Pull(inputs)
	defer stop()
	q := &queue[T]{next: next, ready: map[int]T{}, ahead: aheadPerWorker * workers}
	q.room.L = &q.mu
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				in, i, ok := q.take()
				if !ok {
					return
				}
				q.done(i, work(in), emit)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// aheadPerWorker is how many results may wait for an earlier one that takes long.
const aheadPerWorker = 64

// queue hands out inputs and puts the results back in order. Whoever brings the result that
// is due emits it, and those after it that are there: no worker waits for another unless it
// is far ahead.
type queue[T any] struct {
	mu    sync.Mutex
	room  sync.Cond
	next  func() (input, bool)
	taken int
	due   int // the first input whose result has not been emitted
	ready map[int]T
	ahead int
}

func (q *queue[T]) take() (in input, i int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.taken >= q.due+q.ahead {
		q.room.Wait()
	}
	in, ok = q.next()
	i = q.taken
	q.taken++
	return in, i, ok
}

func (q *queue[T]) done(i int, result T, emit func(T)) {
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
