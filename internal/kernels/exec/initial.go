package exec

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// initial returns the value of a variable that has its initial value: of a constant one, if only
// this module knows it, and of a table of functions, as C++ has one for each class; nil if it is
// not known.
func (m *addresses) initial(r *trace.Region, offset *term.Term, size int) *term.Term {
	b := m.terms
	v := r.Variable
	switch {
	case v == nil || v.Linkage == kernel.Extern || 8*size%trace.Width(v.Type) != 0:
		return nil
	case r.Space == isa.Const && (len(v.Init) > 0 || m.run.code.openCL()):
		m.run.note(assume.ConstantInitial.Of())
	case r.Space == isa.Global && v.Linkage == kernel.Internal && literal(v.Name):
		m.run.note(assume.Literals.Of())
	case r.Space == isa.Global && m.run.code.table(v):
		m.run.note(assume.FunctionTables.Of())
	default:
		return nil
	}
	if at, ok := offset.Value(); ok {
		if at%uint64(size) == 0 && at < uint64(v.Size()) {
			return m.element(v, int(at)/size, size)
		}
		return nil
	}
	n := v.Size() / size
	if n > maxChoices || !aligned(offset, size) {
		return nil
	}
	value := m.run.fresh("outside", 8*size)
	for i := range n {
		e := m.element(v, i, size)
		if e == nil {
			return nil
		}
		value = b.Ite(b.Eq(offset, b.Const(uint64(i*size), 64)), e, value)
	}
	return value
}

// literal reports whether clang keeps strings under a name, or numbers that variables have or begin
// with: ".str", "x.const", "__const.f.x", as the back end for PTX spells them.
func literal(name string) bool {
	return strings.HasPrefix(name, "_$_str") || strings.HasSuffix(name, "_$_const") || strings.HasPrefix(name, "__const_$_")
}

// openCL reports whether the module is one of OpenCL, whose constant variables no host can set:
// those without initial values are 0 (PTX ISA, "Initializers"; "texmode_independent", in
// ".target").
func (m *code) openCL() bool { return slices.Contains(m.module.Target, "texmode_independent") }

// table reports whether initial values of a variable are addresses of functions. Nothing that is
// modelled writes to it.
func (m *code) table(v *kernel.Variable) bool {
	return v != nil && slices.ContainsFunc(v.Init, func(i kernel.Init) bool { return i.Name != "" && m.module.Func(i.Name) != nil })
}

// element returns the i-th initial value of size bytes; nil if it is the address of a variable.
func (m *addresses) element(v *kernel.Variable, i, size int) *term.Term {
	bits := uint64(0)
	each := trace.Width(v.Type) / 8
	for j := range size / each {
		if k := i*size/each + j; k < len(v.Init) {
			if name := v.Init[k].Name; name != "" && size == each && each == 8 && m.run.code.module.Func(name) != nil {
				return m.addressOf(name)
			} else if name != "" {
				return nil
			}
			bits |= v.Init[k].Bits & term.Mask(8*each) << (8 * j * each)
		}
	}
	return m.terms.Const(bits, 8*size)
}
