package sim

import (
	"fmt"
	"sync"
	"time"
)

// memory watches the live heap of the process during one test. It considers only garbage
// collections that began and ended during the test, so that garbage of earlier tests does not
// count.
type memory struct {
	bound Bytes // 0 for none

	mu    sync.Mutex
	next  time.Duration // the earliest time to look again
	stale uint64        // the number of collections to ignore; 0 before the first look
	over  bool
}

// lookEvery is the interval between two looks at the heap. Reading the metrics takes microseconds.
const lookEvery = 10 * time.Millisecond

// exceeded reports whether the live heap exceeds the bound. now is the time since the test began.
func (m *memory) exceeded(now time.Duration) bool {
	if m.bound == 0 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over || now < m.next {
		return m.over
	}
	begins := m.next == 0
	m.next = now + lookEvery
	if begins {
		return false
	}
	live, collections := heap()
	if m.stale == 0 {
		m.stale = collections + 1 // a collection may be under way
	}
	m.over = live > uint64(m.bound) && collections > m.stale
	return m.over
}

// String is the error message: the bound that was exceeded, and what to do.
func (m *memory) String() string {
	return fmt.Sprintf("%s of memory, which all tests that run share; a larger bound, or fewer tests at a time, may help", m.bound)
}

// Bytes is an amount of memory. It prints with a binary unit: 1.5GiB.
type Bytes int64

func (b Bytes) String() string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	n := float64(b)
	for ; n >= 1024 && len(units) > 1; n /= 1024 {
		units = units[1:]
	}
	return fmt.Sprintf("%.4g%s", n, units[0])
}
