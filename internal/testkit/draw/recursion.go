package draw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Recursion draws a let rec of several names, in any order. Each is another name, or
// starts from something and extends another name. The first is r0; a set is the identity on its
// elements.
func Recursion(t *rapid.T, from, on string) string {
	n := rapid.IntRange(2, 5).Draw(t, "names")
	var bodies []string
	for i := range n {
		next := fmt.Sprintf("r%d", (i+1)%n)
		if i < n-1 && rapid.IntRange(0, 3).Draw(t, "alone") > 0 {
			bodies = append(bodies, fmt.Sprintf("r%d = %s", i, next))
			continue
		}
		bodies = append(bodies,
			fmt.Sprintf("r%d = %s | %s", i, from,
				fmt.Sprintf(on, next, fmt.Sprintf("r%d", rapid.IntRange(0, n-1).Draw(t, "other")))))
	}
	order := rapid.Permutation(bodies).Draw(t, "order")
	return "let rec " + strings.Join(order, " and ") + "\n"
}
