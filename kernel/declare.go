package kernel

import (
	"github.com/muster-gpu/muster/ptx/isa"
)

// variables reads a declaration of variables of one type, with its semicolon.
func (p *parser) variables() []*Variable {
	var like Variable
	p.attributes(&like)
	p.typed(&like)
	var all []*Variable
	for more := true; more; more = p.accept(",") {
		v := like
		p.declarator(&v)
		if p.accept("=") {
			p.initial(&v)
		}
		all = append(all, &v)
	}
	p.expect(";", "a declaration")
	return all
}

// attributes reads the attributes before the name of a variable: space, alignment, type.
func (p *parser) attributes(v *Variable) {
	for p.tok.kind == directive {
		t := p.tok
		name := p.textOf(t)
		p.advance()
		switch space := spaces[name]; {
		case name == ".align":
			n := p.number(anAlignment)
			if v.Pointer {
				v.PtrAlign = n
			} else {
				v.Align = n
			}
		case name == ".ptr":
			v.Pointer = true
		case v.Pointer && space != isa.Generic:
			v.Points = space
		case space != isa.Generic:
			v.Space = space
		case name == ".v2":
			v.Vector = 2
		case name == ".v4":
			v.Vector = 4
		case name == ".attribute":
			p.parenthesis()
		case sizes[name[1:]] > 0 || opaque[name[1:]]:
			v.Type = name[1:]
		default:
			p.fail(t, "%s is not known in a declaration", name)
		}
	}
}

// parenthesis skips a parenthesized list.
func (p *parser) parenthesis() {
	p.expect("(", "the directive")
	for !p.accept(")") {
		if p.tok.kind == eof {
			p.fail(p.tok, "this parenthesis never closes")
		}
		p.advance()
	}
}

// sizes are the types of variables and their sizes in bits.
var sizes = map[string]int{
	"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16,
	"b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32,
	"b64": 64, "u64": 64, "s64": 64, "f64": 64, "b128": 128,
}

// opaque are types that only specific instructions use.
var opaque = map[string]bool{"texref": true, "surfref": true, "samplerref": true}

// Size returns the size of the variable in bytes, or 0 if the number of its elements is not given.
func (v *Variable) Size() int {
	n := max(1, v.Vector) * (sizes[v.Type] + 7) / 8
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// declarator reads a name and its dimensions.
func (p *parser) declarator(v *Variable) {
	t := p.word("a name")
	v.At, v.Name = p.span(p.file, t), p.textOf(t)
	elements := 1
	for p.accept("[") {
		n := 0
		if !p.at("]") {
			n = p.elements()
		}
		if elements *= max(1, n); elements > maxElements {
			p.fail(t, "%s has too many elements", v.Name)
		}
		v.Dims = append(v.Dims, n)
		p.expect("]", "the number of elements")
	}
	p.extent(t, v)
}

// typed reports an error if a declaration has no type.
func (p *parser) typed(v *Variable) {
	if v.Type == "" {
		p.failHint(p.tok, "a declaration has a type before its names, such as .u32", "expected a type, found %s",
			p.describe(p.tok))
	}
}

// elements reads the number of elements of an array.
func (p *parser) elements() int {
	if n, predefined := isa.Constants[p.textOf(p.tok)]; predefined {
		p.advance()
		return int(n)
	}
	return p.number(elementCount)
}

// initial reads initial values; nested braces enclose the rows of an array.
func (p *parser) initial(v *Variable) {
	if p.accept("{") {
		p.nested(func() {
			for !p.accept("}") {
				p.initial(v)
				if !p.at("}") {
					p.expect(",", "a value")
				}
			}
		})
		return
	}
	t := p.tok
	if t.kind != word || p.isNumber(t) {
		o := p.constant()
		v.Init = append(v.Init, Init{Bits: o.as(v.Type)})
		return
	}
	p.advance()
	name := p.textOf(t)
	if name == "generic" && p.accept("(") {
		name = p.textOf(p.word("a name"))
		p.expect(")", "the name")
	}
	at := Init{Name: name}
	if p.accept("+") {
		at.Bits = p.expression(offsets).bits
	}
	v.Init = append(v.Init, at)
	p.module.taken[name] = true
}

// function reads a function after .entry or .func.
func (p *parser) function(entry bool, linkage Linkage) {
	f := &Function{Entry: entry, Linkage: linkage}
	params := newScope(p.globals)
	if p.at("(") {
		f.Returns = p.params(params)
	}
	t := p.word("the name of a function")
	f.At, f.Name = p.span(p.file, t), p.textOf(t)
	if p.at("(") {
		f.Params = p.params(params)
	}
	if bytes := f.paramBytes(); entry && bytes > maxParams {
		p.fail(t, "the parameters of %s have %d bytes: kernels have at most %d", f.Name, bytes, maxParams)
	}
	p.launch(f)
	if p.accept(";") {
		f.Declared = true
	}
	p.declare(f)
	if !f.Declared {
		p.body(f, params)
	}
	if p.module.reader != nil {
		f.Instrs, f.Vars, f.Registers = nil, nil, nil
	}
}

// paramBytes returns the size of the parameters in bytes.
func (f *Function) paramBytes() (n int) {
	for _, v := range f.Params {
		n += v.Size()
	}
	return n
}

// declare adds a function to the module. A function that was only declared before gets its body.
func (p *parser) declare(f *Function) {
	old := p.funcs[f.Name]
	switch {
	case old == nil:
		p.module.Funcs = append(p.module.Funcs, f)
	case f.Declared:
		return
	case !old.Declared:
		p.diags.Errorf(f.At, "%s is defined twice", f.Name)
		return
	default:
		for i, g := range p.module.Funcs {
			if g == old {
				p.module.Funcs[i] = f
			}
		}
	}
	p.funcs[f.Name] = f
}

// params reads parameters in parentheses.
func (p *parser) params(s *scope) []*Variable {
	p.expect("(", "the name")
	var all []*Variable
	for !p.accept(")") {
		if p.at(".reg") {
			p.failHint(p.tok, "declare it as .param, as functions with a stack do",
				"parameters in registers are not modelled")
		}
		v := &Variable{Space: isa.Param}
		p.attributes(v)
		p.typed(v)
		p.declarator(v)
		s.names[v.Name] = v
		all = append(all, v)
		if !p.at(")") {
			p.expect(",", "a parameter")
		}
	}
	return all
}

// launch reads the performance directives.
func (p *parser) launch(f *Function) {
	for p.tok.kind == directive {
		t := p.tok
		name := p.textOf(t)
		p.advance()
		switch name {
		case ".reqntid":
			f.Launch.Required = p.dims()
		case ".maxntid":
			f.Launch.Most = p.dims()
		case ".reqnctapercluster":
			f.Launch.Cluster = p.dims()
		case ".minnctapersm", ".maxnctapersm", ".maxnreg", ".maxclusterrank":
			p.number(tuning)
		case ".noreturn", ".explicitcluster", ".blocksareclusters":
		case ".pragma":
			p.pragma()
		case ".abi_preserve", ".abi_preserve_control":
			p.number(tuning)
		default:
			p.fail(t, "unknown directive %s of a function", name)
		}
	}
}

func (p *parser) dims() [3]int {
	d := [3]int{1, 1, 1}
	all := 1
	for i := range d {
		t := p.tok
		d[i] = p.number(threads)
		if all *= d[i]; all > maxThreads {
			p.fail(t, "more than %d threads or CTAs", maxThreads)
		}
		if !p.accept(",") {
			break
		}
	}
	return d
}
