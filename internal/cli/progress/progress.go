// Package progress says how far long work is.
//
//	Meter  counts what is done
//	State  how far the work is at a moment: what bars and programs show
//	Write  states as lines of JSON, again and again
package progress

import (
	"encoding/json"
	"io"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// Unknown is the total of work of which nobody knows how much there is.
const Unknown = -1

// Meter counts what is done. Its methods may be called at the same time.
type Meter struct {
	now   func() time.Time
	total int

	mu                    sync.Mutex
	began                 time.Time
	done, skipped, failed int
	parts                 []*part // that are under way, the oldest first
}

// part is a piece of work that is under way.
type part struct {
	name  string
	began time.Time
	far   func() Part
}

// Begin notes that a piece of work begins, and how to find out how far it is. Call the result when it has ended.
func (m *Meter) Begin(name string, far func() Part) (end func()) {
	p := &part{name, m.now(), far}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts = append(m.parts, p)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.parts = slices.DeleteFunc(m.parts, func(q *part) bool { return p == q })
	}
}

// NewMeter is a meter of work of which there is so much in all. now says what time it is: time.Now.
func NewMeter(total int, now func() time.Time) *Meter {
	return &Meter{now: now, total: total, began: now()}
}

// Step is what became of one piece of work.
type Step uint8

// The steps.
const (
	Done    Step = iota
	Skipped      // it was done already
	Failed
)

// Step counts a piece of work.
func (m *Meter) Step(s Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	switch s {
	case Skipped:
		m.skipped++
	case Failed:
		m.failed++
	}
}

// State is how far the work is.
type State struct {
	Done    int     `json:"done"`              // with those that were done already, and those that failed
	Total   int     `json:"total,omitempty"`   // absent if nobody knows
	Skipped int     `json:"skipped,omitempty"` // of Done, those that were done already
	Failed  int     `json:"failed"`
	Rate    float64 `json:"rate"`          // a second, of those that had to be done
	Seconds float64 `json:"seconds"`       // since it began
	ETA     float64 `json:"eta,omitempty"` // the seconds that are left, if it goes on so; absent if nobody knows
	Memory  uint64  `json:"memory"`        // bytes that the process has from the system
	// Running are the pieces of work that take long, the one that began first comes first.
	Running []Part `json:"running,omitempty"`
}

// Part is how far a piece of work is.
type Part struct {
	Name      string  `json:"name"`
	Seconds   float64 `json:"seconds"`             // since it began
	Done      int     `json:"done"`                // combinations of control paths that have been looked at
	Total     int     `json:"total"`               // combinations there are
	States    int     `json:"states,omitempty"`    // final states that were found
	Conflicts int     `json:"conflicts,omitempty"` // that the learning engine has met
}

// long is after how many seconds a piece of work takes long.
const long = 0.5

// State is how far the work is now.
func (m *Meter) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := State{
		Done:    m.done,
		Skipped: m.skipped,
		Failed:  m.failed,
		Seconds: m.now().Sub(m.began).Seconds(),
		Memory:  memory(),
	}
	if s.Seconds > 0 {
		s.Rate = float64(m.done-m.skipped) / s.Seconds
	}
	if m.total != Unknown {
		s.Total = m.total
		if s.Rate > 0 {
			s.ETA = float64(m.total-m.done) / s.Rate
		}
	}
	for _, p := range m.parts {
		if took := m.now().Sub(p.began).Seconds(); took >= long {
			far := p.far()
			far.Name, far.Seconds = p.name, took
			s.Running = append(s.Running, far)
		}
	}
	return s
}

// memory is what the process has from the system, and has not given back.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// Write writes the state as a line of JSON whenever the channel says so, and when it is closed once more.
func (m *Meter) Write(to io.Writer, when <-chan time.Time) error {
	e := json.NewEncoder(to)
	for range when {
		if err := e.Encode(m.State()); err != nil {
			return err
		}
	}
	return e.Encode(m.State())
}
