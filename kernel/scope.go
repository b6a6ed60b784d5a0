package kernel

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// scope is the declarations of a block. Registers, variables and labels share one name space, and a
// name hides the same name of outer blocks (PTX ISA, "Identifiers" and "Labels").
type scope struct {
	outer  *scope
	names  map[string]any
	ranges []registerRange // .reg .b32 %r<10>
	open   []*Operand      // labels that the block mentions and that are not bound yet
}

// What a name may denote, besides a *Register or a *Variable.
type (
	label int     // index of the instruction that follows it
	table []token // labels of a .branchtargets
)

// registerRange declares registers by a prefix and numbers below a bound.
type registerRange struct {
	name, typ     string
	vector, bound int
}

func newScope(outer *scope) *scope { return &scope{outer: outer, names: map[string]any{}} }

// own returns the declaration of a name in this block, or nil.
func (s *scope) own(name string) any {
	if what := s.names[name]; what != nil {
		return what
	}
	if r := s.numbered(name); r != nil {
		s.names[name] = r
		return r
	}
	return nil
}

// find returns the declaration of a name in the innermost block that has one, and the scope of that
// block, or nil.
func (s *scope) find(name string) (any, *scope) {
	for ; s != nil; s = s.outer {
		if what := s.own(name); what != nil {
			return what, s
		}
	}
	return nil, nil
}

// numbered returns a new register of a matching range, or nil.
func (s *scope) numbered(name string) *Register {
	digits := strings.TrimRight(name, "0123456789")
	for _, r := range s.ranges {
		if !strings.HasPrefix(name, r.name) || len(digits) > len(r.name) {
			continue
		}
		if n, err := strconv.Atoi(name[len(r.name):]); err == nil && n < r.bound {
			return &Register{Name: name, Type: r.typ, Vector: r.vector, Index: -1}
		}
	}
	return nil
}

// declare adds a name to the current block. A second declaration is an error and is ignored.
func (b *body) declare(name token, what any) {
	text := b.textOf(name)
	if _, predefined := isa.Constants[text]; predefined {
		b.fail(name, "%s is a name of PTX, which cannot be declared", text)
	}
	old := b.scope.own(text)
	if old == nil {
		b.scope.names[text] = what
		if kindOf(what) == aLabel {
			b.labels = append(b.labels, name)
		}
		return
	}
	at := b.span(b.file, name)
	if kindOf(old) == aLabel && kindOf(what) == aLabel {
		b.diags.Errorf(at, "label %s is defined twice in %s", text,
			b.f.Name).WithHint("labels of one { } have different names")
		return
	}
	b.diags.Errorf(at, "%s is declared twice in one block, first as %s", text, kindOf(old))
}

const aLabel = "a label"

func kindOf(what any) string {
	switch what.(type) {
	case *Register:
		return "a register"
	case *Variable:
		return "a variable"
	case table:
		return "a table of labels"
	}
	return aLabel
}

// register returns the register that a name denotes, or nil.
func (b *body) register(name string) *Register {
	what, _ := b.scope.find(name)
	r, _ := what.(*Register)
	if r != nil {
		b.use(r)
	}
	return r
}

// use assigns an index to a register on its first use.
func (b *body) use(r *Register) {
	if r.Index < 0 || r.Index >= len(b.f.Registers) || b.f.Registers[r.Index] != r {
		r.Index = len(b.f.Registers)
		b.f.Registers = append(b.f.Registers, r)
	}
}

// mention records the labels among operands, which may be declared further on. The labels of a
// table are bound where the table is declared.
func (b *body) mention(ops []Operand, in *scope) {
	for i := range ops {
		o := &ops[i]
		switch o.Kind {
		case Label:
			in.open = append(in.open, o)
		case Table:
			_, declared := in.find(o.Name)
			b.mention(o.List, declared)
		default:
			b.mention(o.List, in)
		}
	}
}

// leave ends a block and binds the labels that it mentions. A label of the block itself comes
// first, wherever it is; then one that an outer block has declared so far. Otherwise, the outer
// block may declare it further on. ptxas does the same.
func (b *body) leave() {
	s := b.scope
	b.scope = s.outer
	for _, o := range s.open {
		what, _ := s.find(o.Name)
		if at, ok := what.(label); ok {
			o.Target = int(at)
			b.furthest = max(b.furthest, o.Target)
		} else {
			s.outer.open = append(s.outer.open, o)
		}
	}
}

// unbound reports that a name has no declaration.
func (b *body) unbound(o *Operand) {
	var names []string
	for _, l := range b.labels {
		if b.textOf(l) == o.Name {
			b.diags.Errorf(o.At, "the label %s is not known here", o.Name).
				WithHint("a label is known in its own { } alone; this one is in the block around line %d",
					b.span(b.file, l).Pos().Line)
			return
		}
		names = append(names, b.textOf(l))
	}
	for name := range b.globals.names {
		names = append(names, name)
	}
	d := b.diags.Errorf(o.At, "%s is not declared: no register, variable, function or label has this name", o.Name)
	names = slices.AppendSeq(names, maps.Keys(isa.Constants))
	if hint := src.DidYouMean(o.Name, names); hint != "" {
		d.WithHint("%s", hint)
	}
}
