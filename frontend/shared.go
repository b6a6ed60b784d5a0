package frontend

import "sync"

// Shared is what tests of one run have in common. Generated tests have few different columns: each
// is read and unrolled once. Several goroutines may use it; a nil Shared keeps nothing.
type Shared struct {
	mu    sync.Mutex
	parts map[string]any
	size  int
}

// maxShared bounds the sizes of the parts together.
const maxShared = 1 << 14

// Find finds a part by its key: all that the part depends on. Nothing is kept without a key.
func (s *Shared) Find(key []byte) (part any, found bool) {
	if s == nil || len(key) == 0 {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	part, found = s.parts[string(key)]
	return part, found
}

// Keep keeps a part, which must not change any more. If there is no room, it drops all others;
// parts that are needed are read again.
func (s *Shared) Keep(key []byte, part any, size int) {
	if s == nil || len(key) == 0 || size > maxShared/4 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += size; s.parts == nil || s.size > maxShared {
		s.parts, s.size = map[string]any{}, size
	}
	s.parts[string(key)] = part
}
