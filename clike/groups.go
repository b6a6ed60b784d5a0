package clike

import (
	"strings"

	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
)

// This file has the cooperative groups of CUDA (Programming Guide, "Cooperative Groups"). Supported
// are the groups of all threads of a block, of a cluster or of a grid, with their barriers, which
// order the memory accesses of the threads, and their numbers of threads and blocks (seats.go). The
// value of a group only identifies the group.

// groupTypes are the types of groups.
var groupTypes = map[string]event.Scope{
	"thread_block": event.ScopeCTA, "cluster_group": event.ScopeCluster, "grid_group": event.ScopeGPU,
}

// groupFunctions are the functions of the namespace.
var groupFunctions = map[string]function{
	"this_thread_block": {lower: thisGroup(event.ScopeCTA)},
	"this_cluster":      {lower: thisGroup(event.ScopeCluster)},
	"this_grid":         {lower: thisGroup(event.ScopeGPU)},
	"sync":              {params: "k", lower: (*call).syncGroup},
}

// groupMembers are the member functions of groups.
var groupMembers = map[string]function{
	"sync":        {lower: (*call).syncGroup},
	"thread_rank": rank("thread_rank"), "num_threads": rank("num_threads"), "size": rank("num_threads"),
	"block_rank": rank("block_rank"), "num_blocks": rank("num_blocks"),
}

// inGroups returns a name without the namespace of cooperative groups or its customary alias cg,
// and reports whether the name has one of them.
func inGroups(name string) (bare string, ok bool) {
	if bare, ok = strings.CutPrefix(name, "cooperative_groups::"); !ok {
		bare, ok = strings.CutPrefix(name, "cg::")
	}
	return bare, ok
}

func groupType(scope event.Scope) Type { return Type{Int: intType.Int, Object: CxxGroup, Scope: scope} }

func thisGroup(scope event.Scope) func(*call) value {
	return func(*call) value {
		g := zero()
		g.Type = groupType(scope)
		return g
	}
}

// group evaluates an argument that is a group.
func (c *call) group(e *syntax.Expr) bool {
	g, ok := c.lvalue(e)
	if ok && g.Object != CxxGroup {
		c.errorf(e, "this is no group").WithHint("write cooperative_groups::sync(cooperative_groups::this_thread_block())")
		return false
	}
	c.target = g
	return ok
}

// syncGroup returns the barrier of a group. The barrier of a block is __syncthreads.
func (c *call) syncGroup() value {
	c.room, c.scope, c.label = Room{Unit: c.target.Scope}, c.target.Scope, ""
	return c.barrier()
}
