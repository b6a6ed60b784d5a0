package draw

import (
	"pgregory.net/rapid"
)

// Any draws a program of any kind: scoped, with pointers, on one location, or plain.
func Any(t *rapid.T) (text string, oneLocation bool) {
	switch rapid.SampledFrom([]string{"scoped", "plain", "pointers", "locks"}).Draw(t, "kind") {
	case "scoped":
		return Scoped(t), false
	case "pointers":
		return Pointers(t), false
	case "locks":
		return OneLocation(t), true
	}
	return Program(t).String(), false
}
