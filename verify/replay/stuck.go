package replay

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// stuck is a thread at the barrier of a divergence alarm that other threads do not reach.
type stuck struct {
	launch.Wait
	again bool         // it arrived before, and the barrier has not completed
	other int          // a thread that does not arrive, or the same thread if none is known
	waits *launch.Wait // where that thread waits; nil if it has ended
}

// stuck returns the thread that waits at the barrier of an alarm: its first thread, or another one
// of the block. It returns nil if no thread of the launch waits there.
func (r *Replay) stuck(a *verify.Alarm, threads []int) *stuck {
	for i, p := range a.Points {
		if i > 0 && a.What == "" {
			break // the second thread misses the barrier
		}
		for _, d := range r.Report.Divergences {
			if d.Again && d.At == p.Instr {
				return &stuck{Wait: launch.Wait{Thread: d.Thread, At: d.At}, again: true}
			}
			here := slices.DeleteFunc(slices.Clone(d.Waits), func(w launch.Wait) bool { return w.At != p.Instr })
			if len(here) == 0 {
				continue
			}
			s := &stuck{Wait: here[0], other: d.Other}
			if own := slices.IndexFunc(here, func(w launch.Wait) bool { return w.Thread == threads[i] }); own >= 0 {
				s.Wait = here[own]
			}
			s.meets(d, threads)
			return s
		}
	}
	return nil
}

// meets determines what the other thread of the alarm does meanwhile, or else a thread that does
// not arrive.
func (s *stuck) meets(d launch.Divergence, threads []int) {
	where := func(thread int) *launch.Wait {
		if i := slices.IndexFunc(d.Waits, func(w launch.Wait) bool {
			return w.Thread == thread && !w.Arrived
		}); i >= 0 {
			return &d.Waits[i]
		}
		return nil
	}
	apart := func(thread int) bool {
		w := where(thread)
		return thread != s.Thread && (w == nil || w.At != s.At || w.Number != s.Number || s.Count == 0 && s.Number >= 0)
	}
	candidates := append(slices.Clone(threads), d.Other, d.Thread)
	if i := slices.IndexFunc(candidates, apart); i >= 0 {
		s.other = candidates[i]
	}
	s.waits = where(s.other)
}

// waits describes the divergence in a launch.
func (r *Replay) waits(s *stuck) string {
	if s.again {
		return fmt.Sprintf("thread %v arrives again at %s, before the barrier is complete", r.thread(s.Thread),
			r.at(s.At))
	}
	does := "waits"
	if s.Arrived {
		does = "has arrived"
	}
	text := fmt.Sprintf("thread %v %s at %s", r.thread(s.Thread), does, r.at(s.At))
	if s.Count > 0 {
		text += fmt.Sprintf(" for %d threads, of which %d come", s.Count, s.Come)
	}
	switch w := s.waits; {
	case s.other == s.Thread:
		return text
	case w == nil:
		return fmt.Sprintf("%s, thread %v has ended", text, r.thread(s.other))
	case w.At == s.At && w.Number != s.Number:
		return fmt.Sprintf("%s at barrier %d, thread %v there at barrier %d", text, s.Number, r.thread(s.other),
			w.Number)
	case w.At == s.At:
		return fmt.Sprintf("%s, thread %v there in another round of a loop", text, r.thread(s.other))
	default:
		return fmt.Sprintf("%s, thread %v waits at %s", text, r.thread(s.other), r.at(w.At))
	}
}
