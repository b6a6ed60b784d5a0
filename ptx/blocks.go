package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// column is the code of a thread while it is read, with its blocks of inline assembly. Labels, and
// registers that a block declares, are visible in their own { } and hide the same names outside
// (PTX ISA, "Labels"). A brace without its partner has no effect.
type column struct {
	*block
	builder *builder
	thread  *litmus.Thread
	code    *thread
	outside map[string]bool // the words that are used where no block declares them as registers
	blocks  int             // so far
}

// block is a { }, or the whole column.
type block struct {
	outer     *block
	labels    map[string]int
	registers []declaredRegister
	open      []*Instr // branches whose labels are not bound yet
}

// declaredRegister is a declaration in a block: one register, or several that are numbered below a
// bound. Its name in the code of the thread is renamed.
type declaredRegister struct {
	name, renamed string
	bound         int // 0 for one register
}

// is reports whether d declares name, and returns the number in the name, or "" if the register has
// no number.
func (d *declaredRegister) is(name string) (number string, ok bool) {
	if d.bound == 0 {
		return "", name == d.name
	}
	number, ok = strings.CutPrefix(name, d.name)
	n, err := strconv.Atoi(number)
	return number, ok && err == nil && n < d.bound
}

func newBlock(outer *block) *block { return &block{outer: outer, labels: map[string]int{}} }

// newColumn prepares to read the code of a thread, whose registers in the initial state are known.
func (b *builder) newColumn(t *litmus.Thread, code *thread) *column {
	c := &column{block: newBlock(nil), builder: b, thread: t, code: code}
	if slices.ContainsFunc(t.Cells, func(cell litmus.Cell) bool { return strings.Contains(cell.Span.Text(), declares) }) {
		c.findOutside()
	}
	return c
}

// declares is the directive that declares registers.
const declares = ".reg"

// findOutside finds the words that stand outside all blocks that declare them.
func (c *column) findOutside() {
	all := &column{block: newBlock(nil), outside: map[string]bool{}}
	for name := range c.code.initial {
		all.outside[name] = true
	}
	for _, cell := range c.thread.Cells {
		p := &parser{cell: cell.Span, text: cell.Masked()}
		for p.next(); p.tok.kind != end; p.next() {
			switch {
			case p.tok.is("{"):
				all.enter()
			case p.tok.is("}"):
				all.leave()
			case p.tok.text == declares:
				all.declare(p.text[p.pos:])
				p.pos = len(p.text)
			case p.tok.kind == word && all.declared(p.tok.text) == nil:
				all.outside[p.tok.text] = true
			}
		}
	}
	c.outside = all.outside
}

func (c *column) enter() {
	if c != nil {
		c.block = newBlock(c.block)
	}
}

// leave ends a block and binds its branches: to labels of the block, or to labels that outer blocks
// have declared so far. Other branches stay open in the outer block, which may declare their labels
// further on.
func (c *column) leave() {
	if c == nil || c.outer == nil {
		return
	}
	inner := c.block
	c.block = inner.outer
	for _, in := range inner.open {
		if !inner.bind(in) {
			c.open = append(c.open, in)
		}
	}
}

func (b *block) bind(in *Instr) bool {
	for ; b != nil; b = b.outer {
		if pc, ok := b.labels[in.Target.Text]; ok {
			in.TargetPC = pc
			return true
		}
	}
	return false
}

// label declares a label of the next instruction.
func (c *column) label(name token) {
	if c == nil {
		return
	}
	if _, twice := c.labels[name.text]; twice {
		c.builder.diags.Errorf(name.at, "label %s is defined twice in %s", name.text, c.thread.Name.Text)
	}
	c.labels[name.text] = len(c.code.code)
}

// declare reads the operands of .reg: a type, and the registers. A register of a block is renamed
// in the code if its name also has a meaning outside the block.
func (c *column) declare(text string) {
	if c == nil || c.outer == nil {
		return
	}
	c.blocks++
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t", r) }) {
		name, number, numbered := strings.Cut(name, "<")
		d := declaredRegister{name: name, renamed: name}
		if numbered {
			d.bound, _ = strconv.Atoi(strings.TrimSuffix(number, ">"))
		}
		if strings.HasPrefix(name, ".") || numbered && d.bound == 0 {
			continue
		}
		hides := func(word string) bool { _, is := d.is(word); return is && c.outside[word] }
		if c.declared(name) != nil || slices.ContainsFunc(slices.Collect(maps.Keys(c.outside)), hides) {
			d.renamed = fmt.Sprintf("%s$%d_", name, c.blocks)
		}
		c.registers = append(c.registers, d)
	}
}

// declared returns the register of a block that a name means, or nil.
func (c *column) declared(name string) *declaredRegister {
	for b := c.block; b != nil; b = b.outer {
		for i := range b.registers {
			if _, is := b.registers[i].is(name); is {
				return &b.registers[i]
			}
		}
	}
	return nil
}

// register returns the name of a register in the code of the thread.
func (c *column) register(name string) string {
	if c == nil {
		return name
	}
	d := c.declared(name)
	if d == nil || d.renamed == d.name {
		return name
	}
	number, _ := d.is(name)
	return d.renamed + number
}

// end binds the branches that no block has bound.
func (c *column) end() {
	for c.outer != nil {
		c.leave()
	}
	for _, in := range c.open {
		if !c.bind(in) {
			d := c.builder.diags.Errorf(in.Target.At, "unknown label %s", in.Target.Text)
			d.Hint = src.DidYouMean(in.Target.Text, slices.Sorted(maps.Keys(c.labels)))
		}
	}
}
