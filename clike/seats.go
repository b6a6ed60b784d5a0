package clike

import (
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// Code can ask where its thread runs. The answers are constants of the thread: numbers of the
// test's placement.

// coordinate is a number of a thread or of its CTA along x; in y and z everything is one wide.
type coordinate struct {
	number func(*frontend.Seat) int
	beside int64 // what it is along y and z
}

func tid(s *frontend.Seat) int  { return s.Tid }
func tids(s *frontend.Seat) int { return s.Tids }

// builtInVariables are the built-in variables of kernels (CUDA C++ Programming Guide, "Built-in
// Variables").
var builtInVariables = map[string]coordinate{
	"threadIdx": {tid, 0}, "blockIdx": {(*frontend.Seat).Block, 0}, "blockDim": {tids, 1}, "gridDim": {(*frontend.Seat).Blocks, 1},
}

// workItems are the functions of work-items (OpenCL C, 6.13.1).
var workItems = sync.OnceValue(func() map[string]function {
	fs := map[string]function{}
	for name, c := range map[string]coordinate{
		"get_local_id": {tid, 0}, "get_group_id": {(*frontend.Seat).Block, 0}, "get_local_size": {tids, 1}, "get_num_groups": {(*frontend.Seat).Blocks, 1},
		"get_global_id":   {func(s *frontend.Seat) int { return s.Block()*s.Tids + s.Tid }, 0},
		"get_global_size": {func(s *frontend.Seat) int { return s.Blocks() * s.Tids }, 1},
	} {
		fs[name] = function{params: "v", lower: func(call *call) value { return call.along(c) }}
	}
	return fs
})

// along returns a coordinate in the dimension that the argument of a function names.
func (c *call) along(of coordinate) value {
	x, known := c.values[0].Expr.(Constant)
	switch {
	case !known || event.Value(x).IsAddress() || x.Int < 0 || x.Int > 2:
		c.errorf(c.tree, "%s takes the number of a dimension", c.name).WithHint("write 0, 1 or 2")
		return mistake()
	case x.Int > 0:
		return number(of.beside, arith.U64)
	}
	return number(int64(of.number(c.seat())), arith.U64)
}

// seat returns where the thread is. Its code is then not shared with threads that may be elsewhere.
func (l *lowerer) seat() *frontend.Seat {
	l.thread.seated = true
	return l.world.seat()
}

// builtIn returns a member of a built-in variable: threadIdx.x. It is false for all else.
func (l *lowerer) builtIn(p *syntax.Postfix) (object, bool) {
	c, ok := builtInVariables[p.Primary.Name]
	if !ok || !l.dialect.kernels || len(p.Suffixes) == 0 {
		return object{}, false
	}
	switch p.Suffixes[0].Member {
	case "x":
		return ofValue(number(int64(c.number(l.seat())), arith.U32)), true
	case "y", "z":
		return ofValue(number(c.beside, arith.U32)), true
	}
	return object{}, false
}

// ranks are the member functions of groups that return the position of a thread in a group, or the
// group's size (Programming Guide, "Cooperative Groups").
var ranks = map[string]map[event.Scope]func(*frontend.Seat) int{
	"thread_rank": {
		event.ScopeCTA: tid, event.ScopeCluster: func(s *frontend.Seat) int { return s.Rank*s.Tids + s.Tid },
		event.ScopeGPU: func(s *frontend.Seat) int { return s.Block()*s.Tids + s.Tid },
	},
	"num_threads": {
		event.ScopeCTA: tids, event.ScopeCluster: func(s *frontend.Seat) int { return s.Ranks * s.Tids },
		event.ScopeGPU: func(s *frontend.Seat) int { return s.Blocks() * s.Tids },
	},
	"block_rank": {event.ScopeCluster: func(s *frontend.Seat) int { return s.Rank }, event.ScopeGPU: (*frontend.Seat).Block},
	"num_blocks": {event.ScopeCluster: func(s *frontend.Seat) int { return s.Ranks }, event.ScopeGPU: (*frontend.Seat).Blocks},
}

// rank returns a member function of ranks.
func rank(name string) function {
	return function{lower: func(c *call) value {
		in, ok := ranks[name][c.target.Scope]
		if !ok {
			c.diags.Errorf(c.tree.At(c.source), "a block has no %s", name).WithHint("this_cluster() and this_grid() have")
			return mistake()
		}
		return number(int64(in(c.seat())), arith.U32)
	}}
}
