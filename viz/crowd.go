package viz

import (
	"math"
	"slices"
)

// crowd is a spatial index of obstacles for labels. A picture of hundreds of lines tries a hundred
// thousand positions, each with few obstacles nearby.
type crowd struct {
	obstacles []Box // boxes that labels must not cover
	routes    []*route
	boxes     squares // of the obstacles
	lines     squares // of the routes
}

func newCrowd(obstacles []Box, routes []*route) *crowd {
	c := &crowd{routes: routes, boxes: squares{}, lines: squares{}}
	for _, b := range obstacles {
		c.add(b)
	}
	for i, r := range routes {
		for k := 1; k < len(r.points); k++ {
			c.lines.add(r.points[k-1:k+1].bounds(), i)
		}
	}
	return c
}

// add adds an obstacle.
func (c *crowd) add(b Box) {
	c.boxes.add(b, len(c.obstacles))
	c.obstacles = append(c.obstacles, b)
}

// isTaken reports whether an obstacle overlaps b.
func (c *crowd) isTaken(b Box) bool {
	return slices.ContainsFunc(c.boxes.near(b), func(i int) bool { return c.obstacles[i].overlaps(b) })
}

// near returns the routes that may pass through b, in order.
func (c *crowd) near(b Box) []*route {
	var list []*route
	for _, i := range c.lines.near(b) {
		list = append(list, c.routes[i])
	}
	return list
}

// squares maps the squares of a grid to the indices of the items that touch them.
type squares map[square][]int

type square struct{ column, row int }

// squareSide is the side of a square, about the width of a label.
const squareSide = 64.0

func (s squares) add(b Box, thing int) {
	for at := range b.squares {
		s[at] = append(s[at], thing)
	}
}

// near returns the items that touch a square which b touches, each once and in order.
func (s squares) near(b Box) []int {
	var list []int
	for at := range b.squares {
		list = append(list, s[at]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// squares yields the squares that b touches.
func (b Box) squares(yield func(square) bool) {
	at := func(x float64) int { return int(math.Floor(x / squareSide)) }
	for column := at(b.X0); column <= at(b.X1); column++ {
		for row := at(b.Y0); row <= at(b.Y1); row++ {
			if !yield(square{column, row}) {
				return
			}
		}
	}
}
