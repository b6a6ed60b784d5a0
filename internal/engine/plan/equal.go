package plan

import (
	"reflect"
	"slices"
)

// Equal reports that two plans do the same: inputs, choices, checks and code are the same,
// one by one. Models of equal plans mean the same; those of different plans may mean the
// same too.
func (p *Plan) Equal(q *Plan) bool {
	return slices.Equal(p.Inputs, q.Inputs) && slices.Equal(p.Choices, q.Choices) &&
		slices.Equal(p.Checks, q.Checks) && slices.Equal(p.Reports, q.Reports) &&
		reflect.DeepEqual(p.stages, q.stages) && reflect.DeepEqual(p.loops, q.loops) &&
		p.rels == q.rels && p.slots == q.slots
}
