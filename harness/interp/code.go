package interp

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// entry is a decoded kernel.
type entry struct {
	*kernel.Function
	code []instr
}

// line returns the line of an instruction in the module, counted from 1; after the last
// instruction, that of the last.
func (e *entry) line(pc int) int { return e.code[min(pc, len(e.code)-1)].At.Pos().Line }

// instr is a decoded instruction.
type instr struct {
	*kernel.Instr
	op        *isa.Opcode
	class     isa.Class
	perform   func(*thread, *instr) error // its effect; nil if it only computes
	formula   *isa.Formula                // what it computes; for an atomic, what it writes
	operands  []operand
	addressAt int // the index of the first operand that is an address in brackets, or -1
	aligned   int // for the first element of a vector, the alignment of its address; else 0
	target    int // for a branch, an index of entry.code
}

// operand is a register, a number, or a value that depends on the thread.
type operand struct {
	register int // or -1
	number   uint64
	ask      func(*thread) uint64 // nil for registers and numbers
}

// specials are the special registers that kernels of the harness read.
var specials = map[string]func(*thread) uint64{
	"%tid.x":   func(t *thread) uint64 { return uint64(t.tid) },
	"%ntid.x":  func(t *thread) uint64 { return uint64(t.launch.Block) },
	"%ctaid.x": func(t *thread) uint64 { return uint64(t.cta) },
}

// read parses a module and decodes its kernels. The error is a src.Diagnostics.
func read(text string) (map[string]*entry, error) {
	m, err := kernel.Parse(src.NewFile("module.ptx", text))
	if err != nil {
		return nil, err
	}
	entries := map[string]*entry{}
	var diags src.Diagnostics
	for _, f := range m.Funcs {
		e := &entry{Function: f}
		diags.Add(e.decode())
		entries[f.Name] = e
	}
	return entries, diags.Err()
}

// decode decodes the instructions, and resolves the targets of branches.
func (e *entry) decode() error {
	starts := make([]int, len(e.Instrs)+1) // by instruction: the index of its first element in e.code
	for i, k := range e.Instrs {
		in, err := e.instruction(k)
		if err != nil {
			return err
		}
		e.code = append(e.code, in.elements()...)
		starts[i+1] = len(e.code)
	}
	for i := range e.code {
		if in := &e.code[i]; in.class == isa.ClassBranch {
			in.target = starts[in.Ops[0].Target]
		}
	}
	return nil
}

// instruction decodes an instruction. The error is a *src.Diagnostic.
func (e *entry) instruction(k *kernel.Instr) (in instr, err error) {
	in = instr{Instr: k, addressAt: -1}
	if in.op, err = decode(k.Opcode); err != nil {
		return in, located(k.At, err)
	}
	in.class = in.op.Class()
	if in.class == isa.ClassBranch {
		return in, nil
	}
	for i := range k.Ops {
		if k.Ops[i].Kind == kernel.Address && in.addressAt < 0 {
			in.addressAt = len(in.operands)
		}
		all, err := e.operand(in.op.Code, &k.Ops[i])
		if err != nil {
			return in, err
		}
		in.operands = append(in.operands, all...)
	}
	if in.op.Form != nil {
		in.perform = forms[in.op.Form.Head]
		return in, nil
	}
	in.perform = performances[in.op.Code]
	if in.perform == nil && in.class != isa.ClassReturn || in.class == isa.ClassAtomic {
		if in.formula, err = in.op.Formula(); err != nil {
			return in, located(k.At, err)
		}
	}
	return in, nil
}

// located returns an error about an opcode with its place in the module.
func located(at src.Span, err error) *src.Diagnostic {
	if bad := (*isa.Error)(nil); errors.As(err, &bad) {
		return src.Errorf(at.Sub(bad.Start, bad.End), "%s", bad.What).WithHint("%s", bad.Hint)
	}
	return src.Errorf(at, "%v", err)
}

// elements splits an access to a vector into accesses to its elements, which are not ordered (PTX
// ISA, "Vector Data-types").
func (in instr) elements() []instr {
	n := in.op.Vector
	if n == 0 {
		return []instr{in}
	}
	base, offset := in.operands[in.addressAt], in.operands[in.addressAt+1]
	moved := slices.Delete(slices.Clone(in.operands), in.addressAt, in.addressAt+2)
	all := make([]instr, n)
	for i := range all {
		element := in
		element.addressAt, element.operands = 0, []operand{base, offset, moved[i]}
		element.operands[1].number += uint64(i * in.bytes())
		if in.op.Code == isa.Ld {
			element.addressAt, element.operands = 1, []operand{moved[i], base, element.operands[1]}
		}
		if i == 0 {
			element.aligned = n * in.bytes()
		}
		all[i] = element
	}
	return all
}

// fenceWords match the suffixes that restrict a fence to some memory or some proxy.
var fenceWords = regexp.MustCompile(`\.(?:mbarrier_init|sync_restrict::[a-z:]+|global|shared::\w+)|::generic.*`)

// decode decodes an opcode. A fence for some memory or some proxy is treated as one for all. Other
// instructions that have a form in litmus tests are decoded as that form.
func decode(opcode string) (*isa.Opcode, error) {
	switch {
	case strings.HasPrefix(opcode, "fence.proxy.tensormap::generic"):
		return isa.Decode("fence.proxy.async")
	case strings.HasPrefix(opcode, "fence."):
		return isa.Decode(fenceWords.ReplaceAllString(opcode, ""))
	}
	if o, err := isa.Litmus.Decode(opcode); err == nil && o.Form != nil {
		return o, nil
	}
	return isa.Decode(opcode)
}

// operand decodes an operand of an instruction. An address in brackets becomes two operands, its
// base and its offset, followed by the coordinates of an image. A list in braces becomes its
// elements.
func (e *entry) operand(of isa.Code, o *kernel.Operand) ([]operand, error) {
	number := operand{register: -1, number: o.Bits}
	switch {
	case o.Negated && o.Kind != kernel.Float || o.Second != nil:
	case o.Kind == kernel.Reg:
		return []operand{{register: o.Register.Index}}, nil
	// only cache policies have a Float, and they are ignored
	case o.Kind == kernel.Integer, o.Kind == kernel.Float, o.Kind == kernel.Sink:
		return []operand{number}, nil
	case o.Kind == kernel.Special && specials[o.Name] != nil:
		return []operand{{register: -1, ask: specials[o.Name]}}, nil
	case o.Kind == kernel.Var && o.Variable.Space == isa.Param:
		return []operand{parameter(slices.Index(e.Params, o.Variable))}, nil
	// the one array of a module, which begins at 0
	case o.Kind == kernel.Var && o.Variable.Space == isa.Shared:
		return []operand{{register: -1, number: uint64(o.Offset)}}, nil
	case o.Kind == kernel.Vector:
		return e.list(of, o.List)
	case o.Kind == kernel.Address && of == isa.Async && len(o.List) > 1:
		return e.tensor(o)
	case o.Kind == kernel.Address:
		all, err := e.list(of, o.List)
		if err != nil {
			return nil, err
		}
		return slices.Insert(all, 1, operand{register: -1, number: uint64(o.Offset)}), nil
	}
	return nil, src.Errorf(o.At, "this machine has no operand %s", o.At.Text())
}

// list decodes operands.
func (e *entry) list(of isa.Code, list []kernel.Operand) (all []operand, err error) {
	for i := range list {
		some, err := e.operand(of, &list[i])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// tensor decodes a tensor map with coordinates, [map, {0, 0}], as the address of the map. Kernels
// have tensors of one box, whose coordinates are all 0.
func (e *entry) tensor(o *kernel.Operand) ([]operand, error) {
	for _, at := range o.List[1].List {
		if at.Kind != kernel.Integer || at.Bits != 0 {
			return nil, src.Errorf(at.At, "this machine has tensors of one box alone, whose coordinates are 0")
		}
	}
	all, err := e.list(isa.Async, o.List[:1])
	return append(all, operand{register: -1, number: uint64(o.Offset)}), err
}

// parameter returns the value of the i-th parameter of a kernel.
func parameter(i int) operand {
	return operand{register: -1, ask: func(t *thread) uint64 {
		if !t.launch.Wide[i] {
			return uint64(uint32(t.launch.Params[i]))
		}
		return t.launch.Params[i]
	}}
}
