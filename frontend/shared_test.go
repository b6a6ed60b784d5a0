package frontend_test

import (
	"strconv"
	"testing"

	"github.com/muster-gpu/muster/frontend"
)

// TestShared: what is kept is found, by its key alone; when there is no room, what was kept before
// goes.
func TestShared(t *testing.T) {
	var s frontend.Shared
	s.Keep([]byte("a"), 1, 1)
	s.Keep([]byte("b"), 2, 1)
	if part, found := s.Find([]byte("a")); !found || part != 1 {
		t.Errorf("a is %v, %v", part, found)
	}
	if part, found := s.Find([]byte("c")); found {
		t.Errorf("c is %v", part)
	}
	kept := func() (n int) {
		for i := range 1000 {
			if _, found := s.Find([]byte(strconv.Itoa(i))); found {
				n++
			}
		}
		return n
	}
	for i := range 1000 {
		s.Keep([]byte(strconv.Itoa(i)), i, 1000)
		if _, found := s.Find([]byte(strconv.Itoa(i))); !found {
			t.Fatalf("%d has just been kept", i)
		}
	}
	if n := kept(); n == 0 || n > 100 {
		t.Errorf("%d parts of size 1000 are kept", n)
	}
}

// TestSharedByNobody: without a Shared nothing is kept, nor is what is too big.
func TestSharedByNobody(t *testing.T) {
	var none *frontend.Shared
	none.Keep([]byte("a"), 1, 1)
	if _, found := none.Find([]byte("a")); found {
		t.Error("nothing keeps a")
	}
	var s frontend.Shared
	s.Keep([]byte("a"), 1, 1<<30)
	if _, found := s.Find([]byte("a")); found {
		t.Error("a is too big")
	}
}
