package cat

import (
	"strings"

	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/src"
)

// given returns a name that all candidates define.
func (c *compiler) given(name string, at src.Span) operand {
	return operand{nodeValue{c.baseNode(name)}, at}
}

// builtin applies a predefined function.
func (c *compiler) builtin(f *builtin, arg value, at src.Span) value {
	if f.define != nil {
		return f.define(c, operand{arg, at})
	}
	args := []value{arg}
	if len(f.params) > 1 {
		t, ok := asTuple(arg)
		if !ok || len(t) != len(f.params) {
			uncompiled(at, "%s takes %d arguments", f.name, len(f.params))
		}
		args = t
	}
	make, ok := compiledBuiltins[f.name]
	if !ok {
		uncompiled(at, "%s is not compiled", f.name)
	}
	return make(c, args, at)
}

// compiledBuiltins compiles the builtins without define: families of orders, and functions of tags.
var compiledBuiltins map[string]func(c *compiler, args []value, at src.Span) value

// An init function fills the table because the table and the compiler refer to each other.
func init() {
	compiledBuiltins = map[string]func(c *compiler, args []value, at src.Span) value{
		"completions":    compileOrders(plan.Completions),
		"partial-orders": compileOrders(plan.PartialOrders),
		"orientations": func(c *compiler, args []value, at src.Span) value {
			return ordersValue{plan.Orientations, [2]plan.Node{c.rel(args[0], at), c.build.Empty(false)}}
		},
		"linearisations": func(c *compiler, args []value, at src.Span) value {
			return ordersValue{plan.Linearisations, [2]plan.Node{c.rel(args[1], at), c.set(args[0], at)}}
		},
		"tag2scope": func(c *compiler, args []value, at src.Span) value {
			return nodeValue{c.baseNode(c.tag(args[0], at))}
		},
		"tag2events": compileTagged, "tag2instrs": compileTagged,
	}
}

func compileOrders(f plan.Family) func(*compiler, []value, src.Span) value {
	return func(c *compiler, args []value, at src.Span) value {
		return ordersValue{f, [2]plan.Node{c.rel(args[0], at), c.rel(args[1], at)}}
	}
}

func compileTagged(c *compiler, args []value, at src.Span) value {
	tag := c.tag(args[0], at)
	for _, name := range tagNames(tag) {
		if v := c.baseValue(name); v != nil && c.isSet(v) {
			return v
		}
	}
	uncompiled(at, "tests define no set of events for the tag '%s", tag)
	return nil
}

// tagNames returns the names of sets that a tag may stand for.
func tagNames(tag string) []string {
	return []string{tag, strings.ToUpper(tag), strings.ToUpper(tag[:1]) + tag[1:]}
}
