package gpu

import "testing"

// TestKept: the oldest entry is dropped, and returned so that it can be closed.
func TestKept(t *testing.T) {
	k := kept[int]{most: 2}
	for i, key := range []string{"a", "b", "c"} {
		old, full := k.add(key, i)
		if full != (i == 2) || old != 0 {
			t.Errorf("%s: %d %t", key, old, full)
		}
	}
	if _, ok := k.of["a"]; ok || k.of["b"] != 1 || k.of["c"] != 2 {
		t.Errorf("%v are kept", k.of)
	}
}
