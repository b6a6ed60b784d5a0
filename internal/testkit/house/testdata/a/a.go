// Package a has an example of each finding.
package a

// nobody calls f.
func f() {}

// g returns the nearest of the events, of which there are so many.
func g() {}

// h has a comment that goes on and on until it is wider than the hundred columns that fit in a window.
func h() {}

// k calls f, g and h, all of which return nothing.
func k() {}

type inner struct{ n int }

func (inner) run()  {}
func (inner) stop() {}

type outer struct {
	inner
}

func (outer) run() {}

type named struct{ in inner }

func (named) run() {}

type large struct {
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p int
}
