package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
)

// Any is a size that is left open: the verdict is about all that the limits allow.
const Any = -1

// Dim is a size in x, y and z; 0 if it is not given.
type Dim [3]int

// Launch is the size of a launch: the number of blocks, and of threads in each.
type Launch struct{ Grid, Block Dim }

// The limits of a launch (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
var (
	gridLimit  = Dim{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}
	blockLimit = Dim{1024, 1024, 64}
)

const threadLimit = 1024 // of a block

// ParseDim reads a size as on a command line: "64", "8,8", "*,2", "[16,16]", "8x8".
func ParseDim(s string) (Dim, error) {
	d, inner := Dim{1, 1, 1}, s
	if text, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(s, "]") {
		inner = strings.TrimSuffix(text, "]")
	}
	parts := strings.Split(strings.ReplaceAll(inner, "x", ","), ",")
	if len(parts) > len(d) {
		return Dim{}, fmt.Errorf("%q is no size: one to three numbers or *, separated by commas, are", s)
	}
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "*" {
			d[i] = Any
			continue
		}
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || strings.HasPrefix(p, "+") {
			return Dim{}, fmt.Errorf("%q is no size: numbers from 1 on, or * for any, are (64; 8,8; *,2)", s)
		}
		d[i] = n
	}
	return d, nil
}

func (d Dim) String() string {
	parts := make([]string, 0, 3)
	for i, n := range d {
		if i > 0 && n == 1 && (i == 2 || d[2] == 1) {
			break
		}
		if n == Any {
			parts = append(parts, "*")
		} else {
			parts = append(parts, strconv.Itoa(n))
		}
	}
	return strings.Join(parts, ",")
}

// fixed returns the number of elements, and whether no size is open.
func (d Dim) fixed() (n int, ok bool) {
	n = 1
	for _, size := range d {
		if size == Any {
			return 0, false
		}
		n *= size
	}
	return n, true
}

func (l Launch) String() string { return fmt.Sprintf("grid %s, block %s", l.Grid, l.Block) }

// least returns the number of elements if open dimensions are 1.
func (d Dim) least() int {
	n := 1
	for _, size := range d {
		n *= max(size, 1)
	}
	return n
}

// anySize is the meaning of "*" alone.
var anySize = Dim{Any, 1, 1}

// admits reports whether a size is another, where it is not open: "*" alone is any.
func (d Dim) admits(other Dim) bool {
	for i, n := range d {
		if n != Any && n != other[i] && d != anySize {
			return false
		}
	}
	return true
}

// Resolve returns the launch of a kernel: what is asked for, else what the kernel requires, else
// any size in x. It is an error if there is no such launch of the kernel; of large blocks, there
// may be.
func (l Launch) Resolve(f *kernel.Function, large bool) (Launch, error) {
	if required := Dim(f.Launch.Required); required != (Dim{}) {
		if l.Block != (Dim{}) && !l.Block.admits(required) {
			return l, fmt.Errorf("%s requires blocks of %s threads (.reqntid), not %s", f.Name, required, l.Block)
		}
		l.Block = required
	}
	if l.Grid == (Dim{}) {
		l.Grid = anySize
	}
	if l.Block == (Dim{}) {
		l.Block = anySize
	}
	return l, l.check(f, large)
}

func (l Launch) check(f *kernel.Function, large bool) error {
	for i, n := range l.Grid {
		if n > gridLimit[i] {
			return fmt.Errorf("a grid of %s is beyond the limit of %s blocks", l.Grid, gridLimit)
		}
		if l.Block[i] >= 1<<16 {
			return fmt.Errorf("a block of %s is beyond all limits", l.Block)
		}
		if c := f.Launch.Cluster[i]; c > 0 && n != Any && n%c != 0 {
			return fmt.Errorf("%s has clusters of %s blocks (.reqnctapercluster), into which a grid of %s cannot be divided", f.Name, Dim(f.Launch.Cluster), l.Grid)
		}
	}
	if l.large() && !large {
		return fmt.Errorf("a block of %s is beyond the limit of %d threads, of which %d in z", l.Block, threadLimit, blockLimit[2])
	}
	if bound := threadsOf(f, true); bound != Any && l.Block.least() > bound {
		return fmt.Errorf("%s has at most %d threads a block (.maxntid), not %s", f.Name, bound, l.Block)
	}
	return nil
}

// large reports whether no GPU runs blocks of that size.
func (l Launch) large() bool { return l.Block.least() > threadLimit || l.Block[2] > blockLimit[2] }

// threadsOf returns the largest number of threads in a block of a kernel: the product of its
// declared dimensions (PTX ISA, ".maxntid"), and at most what a GPU runs; Any if that is open.
func threadsOf(f *kernel.Function, large bool) int {
	n := threadLimit
	if large {
		n = Any
	}
	if most := Dim(f.Launch.Most); most != (Dim{}) && (large || most.least() < n) {
		n = most.least()
	}
	return n
}

// blocksOf returns the bounds of the sizes of a block that are open, if it has at most a number of
// threads.
func (l Launch) blocksOf(threads int) Dim {
	limit := blockLimit
	for i := range limit {
		if threads != Any {
			limit[i] = min(limit[i], threads/l.Block.least())
		}
	}
	return limit
}
