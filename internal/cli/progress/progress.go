// Package progress measures the progress of long work.
//
//	Meter  counts finished pieces of work
//	State  the progress at one moment, which bars and programs show
//	Write  writes states as lines of JSON, repeatedly
package progress

import (
	"encoding/json"
	"io"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// Unknown is the total of work whose amount is unknown.
const Unknown = -1

// Meter counts finished pieces of work. Its methods may be called concurrently.
type Meter struct {
	now   func() time.Time
	total int

	mu                    sync.Mutex
	began                 time.Time
	done, skipped, failed int
	parts                 []*part // pieces of work under way, the oldest first
}

// part is a piece of work under way.
type part struct {
	name  string
	began time.Time
	far   func() Part
}

// Begin notes that a piece of work begins; far reports its progress. Call the returned function
// when the piece has ended.
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

// NewMeter returns a meter for the given total. now returns the current time: time.Now.
func NewMeter(total int, now func() time.Time) *Meter {
	return &Meter{now: now, total: total, began: now()}
}

// Step is the outcome of one piece of work.
type Step uint8

// The steps.
const (
	Done    Step = iota
	Skipped      // it was done before
	Failed
)

// Step counts a finished piece of work.
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

// State is the progress of the work at one moment.
type State struct {
	// finished pieces, with those that were done before and those that failed
	Done    int     `json:"done"`
	Total   int     `json:"total,omitempty"`   // absent if unknown
	Skipped int     `json:"skipped,omitempty"` // the part of Done that was done before
	Failed  int     `json:"failed"`
	Rate    float64 `json:"rate"`          // finished per second, without those done before
	Seconds float64 `json:"seconds"`       // since the start
	ETA     float64 `json:"eta,omitempty"` // seconds left at this rate; absent if unknown
	Memory  uint64  `json:"memory"`        // bytes that the process has from the system
	// Running are the pieces of work that take long, the oldest first.
	Running []Part `json:"running,omitempty"`
}

// Part is the progress of one piece of work.
type Part struct {
	Name      string  `json:"name"`
	Seconds   float64 `json:"seconds"`             // since it began
	Done      int     `json:"done"`                // combinations of control paths that have been looked at
	Total     int     `json:"total"`               // combinations there are
	States    int     `json:"states,omitempty"`    // final states that were found
	Conflicts int     `json:"conflicts,omitempty"` // that the learning engine has met
}

// long is the number of seconds after which a piece of work counts as long.
const long = 0.5

// State returns the current state.
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

// memory returns the bytes that the process has from the system and has not returned.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// Write writes the state as a line of JSON for each value of the channel, and once more when the
// channel is closed.
func (m *Meter) Write(to io.Writer, when <-chan time.Time) error {
	e := json.NewEncoder(to)
	for range when {
		if err := e.Encode(m.State()); err != nil {
			return err
		}
	}
	return e.Encode(m.State())
}
