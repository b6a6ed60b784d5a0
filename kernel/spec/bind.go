package spec

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// binder binds the names of a contract.
type binder struct {
	module    *kernel.Module
	kernel    *kernel.Function
	text      *Text
	contract  *Contract
	names     map[string]*kernel.Variable // the contract's names of parameters
	typed     map[*kernel.Variable]arith.Type
	functions map[string]*Function
	bound     []*Bound
	placed    bool // the clause being bound holds at an instruction, where registers have values
	diags     src.Diagnostics
}

// Bind returns the contract of a kernel in the given texts, or nil if they have none. Texts may be
// nil. The error is a src.Diagnostics.
func Bind(m *kernel.Module, k *kernel.Function, texts ...*Text) (*Contract, error) {
	b := &binder{
		module: m, kernel: k, contract: &Contract{}, names: map[string]*kernel.Variable{},
		typed: map[*kernel.Variable]arith.Type{}, functions: map[string]*Function{},
	}
	for _, t := range texts {
		if t != nil {
			b.text = t
			b.items(t.items)
		}
	}
	if c := b.contract; len(c.Clauses)+len(c.Arrays)+len(c.Lemmas) == 0 {
		return nil, b.diags.Err()
	}
	return b.contract, b.diags.Err()
}

// Kernels returns the kernels that a text names, and the positions of these names.
func (t *Text) Kernels() (names []string, at []src.Span) {
	for _, i := range t.items {
		if i.Kernel != nil {
			names, at = append(names, i.Kernel.Name), append(at, i.Kernel.at(t.src))
		}
	}
	return names, at
}

// items binds the items of a text. Functions and lemmas are for all kernels. Clauses without a
// kernel are for the kernel that owns the comment, or for all kernels if the text is a sidecar.
func (b *binder) items(items []*item) {
	for _, i := range items {
		if i.Function != nil {
			b.function(i.Function)
		}
	}
	var mine []*clause
	for _, i := range items {
		switch {
		case i.Kernel != nil && b.kernel.Called(i.Kernel.Name):
			b.params(i.Kernel)
			mine = append(mine, i.Kernel.Clauses...)
		case i.Clause != nil && (!b.text.next || b.owner(i.Clause.Pos.Offset) == b.kernel):
			mine = append(mine, i.Clause)
		}
	}
	for _, i := range items {
		if i.Lemma != nil {
			b.lemma(i.Lemma)
		}
	}
	for _, c := range mine {
		if c.Array != nil {
			b.array(c.Array)
		}
	}
	for _, c := range mine {
		b.clause(c)
	}
}

// owner returns the kernel that a comment is about: the one that contains it, or the next one.
func (b *binder) owner(offset int) *kernel.Function {
	for _, f := range b.module.Funcs {
		if !f.Declared && offset < f.End {
			return f
		}
	}
	return nil
}

func (b *binder) function(f *function) {
	if b.functions[f.Name] != nil {
		b.wrong(f.Tree, "%s is declared twice", f.Name)
	}
	b.functions[f.Name] = &Function{f.Name, types[f.Type], len(f.Params)}
}

// params gives the parameters of the kernel the names in the header.
func (b *binder) params(h *header) {
	if len(h.Params) > 0 && len(h.Params) != len(b.kernel.Params) {
		b.wrong(h.Tree, "%s has %d parameters here, and %d in the module", h.Name, len(h.Params), len(b.kernel.Params))
		return
	}
	for i, p := range h.Params {
		v := b.kernel.Params[i]
		if size := v.Size(); p.Dim == nil && size != types[p.Type].Bits/8 || p.Dim != nil && size != 8 {
			b.wrong(p.Tree, "the parameter has %d bytes in the module", size).
				WithHint("a pointer has 8 bytes, and is declared like %s %s[]", p.Type, p.Name)
			continue
		}
		if b.names[p.Name] != nil {
			b.wrong(p.Tree, "two parameters are called %s", p.Name)
		}
		b.names[p.Name], b.typed[v] = v, types[p.Type]
	}
	for i, p := range h.Params { // sizes may refer to parameters
		if v := b.kernel.Params[i]; p.Dim != nil && b.names[p.Name] == v {
			b.declare(&Array{At: p.at(b.text.src), Name: p.Name, Variable: v, Pointer: true, Type: types[p.Type]},
				p.Dim)
		}
	}
}

func (b *binder) declare(a *Array, d *dim) {
	if d.Size != nil {
		a.Size = b.number(d.Size)
	}
	b.contract.Arrays = append(b.contract.Arrays, a)
}

// array binds the type and size of a variable of the module.
func (b *binder) array(a *array) {
	of := a.Of
	if of == "" {
		of = a.Name
	}
	v := b.variable(of)
	if v == nil {
		var all []string
		for _, v := range b.variables() {
			all = append(all, kernel.OwnName(v.Name))
		}
		b.wrong(a.Tree, "%s is no variable of the module", of).WithHint("%s", nearest(of, all, "it has no variables"))
		return
	}
	b.declare(&Array{
		At:       a.at(b.text.src),
		Name:     a.Name,
		Variable: v,
		Pointer:  slices.Contains(b.kernel.Params, v),
		Type:     types[a.Type],
	}, a.Dim)
}

// variables returns the variables that a contract may name: those of the module, and the shared
// variables and parameters of the kernel.
func (b *binder) variables() []*kernel.Variable {
	all := slices.Concat(b.kernel.Params, b.module.Vars)
	for _, v := range b.kernel.Vars {
		if v.Space == isa.Shared || v.Space == isa.Global {
			all = append(all, v)
		}
	}
	return all
}

// variable returns the variable with a name, in the module or in the source, or nil.
func (b *binder) variable(name string) (found *kernel.Variable) {
	if v := b.names[name]; v != nil {
		return v
	}
	for _, v := range b.variables() {
		switch {
		case v.Name == name:
			return v
		case kernel.OwnName(v.Name) == name:
			found = v
		}
	}
	return found
}

// lemma binds a lemma.
func (b *binder) lemma(l *lemma) {
	made := &Lemma{At: l.at(b.text.src)}
	for _, p := range l.Params {
		made.Vars = append(made.Vars, &Bound{p.Name})
	}
	b.within(made.Vars, func() { made.Claim = b.condition(l.Claim) })
	if made.Claim != nil {
		b.contract.Lemmas = append(b.contract.Lemmas, made)
	}
}

// within binds with additional variables in scope.
func (b *binder) within(vars []*Bound, do func()) {
	n := len(b.bound)
	b.bound = append(b.bound, vars...)
	do()
	b.bound = b.bound[:n]
}

// clause binds a clause.
func (b *binder) clause(c *clause) {
	switch {
	case c.Placed != nil:
		if where, in := b.place(c.Placed); in != nil {
			for _, s := range c.Placed.List {
				b.statement(s, where, in)
			}
		}
	case c.State != nil && b.text.next && (c.State.Word == "assert" || c.State.Word == "invariant"):
		where := map[string]Where{"assert": Point, "invariant": Loop}[c.State.Word]
		if in := b.after(c.Pos.Offset); in != nil {
			b.statement(c.State, where, in)
		} else {
			b.wrong(c.Tree, "%s has no instruction", b.kernel.Name)
		}
	case c.State != nil:
		b.statement(c.State, Kernel, nil)
	}
}

// allowed are the words of clauses for each kind of place.
var allowed = map[Where][]Word{
	Kernel: {Requires, Ensures, Assume}, Point: {Assert, Assume}, Loop: {Invariant},
	Barrier: {Requires, Ensures, Invariant},
}

func (b *binder) statement(s *statement, where Where, in *kernel.Instr) {
	word := words[s.Word]
	if !slices.Contains(allowed[where], word) {
		d := b.wrong(s.Tree, "%s is not said of %s", word,
			[...]string{"a kernel", "an instruction", "a loop", "a barrier"}[where])
		if where == Kernel {
			d.WithHint("say where: at line 12 assert …; loop 1 invariant …;")
		}
		return
	}
	b.placed = where != Kernel
	what := b.condition(s.What)
	if b.placed = false; what != nil {
		b.permissions(what, true)
		b.contract.Clauses = append(b.contract.Clauses, &Clause{s.at(b.text.src), word, where, in, what})
	}
}

// permissions checks that permissions are neither negated nor compared.
func (b *binder) permissions(n *Node, may bool) {
	if n.Kind == Perm && !may {
		b.diags.Errorf(n.At,
			"a permission is no condition").WithHint("join permissions by **, and say when they are given by ==>")
	}
	for i, a := range n.Args {
		given := n.Kind == Operate && n.Op == arith.And && n.Bool || n.Kind == All && i == 0 ||
			n.Kind == Implies && i == 1
		b.permissions(a, may && given)
	}
}

// wrong records an error.
func (b *binder) wrong(t Tree, format string, args ...any) *src.Diagnostic {
	return b.diags.Errorf(t.at(b.text.src), format, args...)
}

// nearest returns a hint with similar names.
func nearest(name string, all []string, none string) string {
	if hint := src.DidYouMean(name, all); hint != "" {
		return hint
	}
	if len(all) == 0 {
		return none
	}
	all = slices.Clone(all)
	slices.Sort(all)
	return "there are " + strings.Join(slices.Compact(all), ", ")
}
