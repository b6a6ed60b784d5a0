package ptx

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// A form is an instruction as its page of the manual has it, for instructions whose suffixes and operands
// are of no common pattern: they name two state spaces, or have several addresses.
type form struct {
	page
	slots    []slot
	operands []parameter
	op       *opcode // what the rest of the package asks of an instruction
}

// page is a row of a table of forms.
type page struct {
	code    isa.Code
	head    string // the words that it begins with: "cp.async"
	words   string // those that follow, as slots: "level=ca|cg"; ? before one that may be left out, * after one that may come again
	takes   string // operands: [place], source, =destination; ? before one that may be left out
	perform func(*walk, *Instr) error
	check   func(*Instr) *src.Diagnostic // what else the page asks for; may be nil
}

// slot is a place for a suffix.
type slot struct {
	name             string
	words            []string
	optional, repeat bool
}

// parameter is a place for an operand.
type parameter struct {
	name     string
	kind     byte // '[' of an address, '=' of a destination, ' ' of a source
	optional bool
}

// hintWords are suffixes that are taken and ignored.
const hintWords = "hint=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate|" +
	"L2::evict_normal|L2::evict_first|L2::evict_last|L2::cache_hint|L2::64B|L2::128B|L2::256B"

// formsOf reads the rows of tables.
func formsOf(tables ...[]page) map[string]*form {
	all := map[string]*form{}
	for _, table := range tables {
		for _, p := range table {
			all[p.head] = p.read()
		}
	}
	return all
}

func (p page) read() *form {
	f := &form{page: p, op: &opcode{code: p.code}}
	for _, word := range strings.Fields(strings.ReplaceAll(p.words, "HINTS", "?"+hintWords+"*")) {
		var s slot
		word, s.optional = strings.CutPrefix(word, "?")
		word, s.repeat = strings.CutSuffix(word, "*")
		name, words, _ := strings.Cut(word, "=")
		s.name, s.words = name, strings.Split(words, "|")
		f.slots = append(f.slots, s)
	}
	for _, word := range strings.Fields(p.takes) {
		var o parameter
		word, o.optional = strings.CutPrefix(word, "?")
		o.kind, o.name = ' ', word
		if strings.ContainsRune("[=", rune(word[0])) {
			o.kind, o.name = word[0], strings.Trim(word, "[=]")
		}
		f.operands = append(f.operands, o)
	}
	return f
}

// accepts reports that a suffix can stand in a slot.
func (s *slot) accepts(word string) bool { return slices.Contains(s.words, word) }

func (s *slot) String() string { return "." + strings.Join(s.words, " .") }

// formOf finds the form of an opcode: the one with the longest head; nil if there is none.
func (d *dialect) formOf(text string) *form {
	for head := text; head != ""; {
		if f := d.forms[head]; f != nil {
			return f
		}
		head = head[:max(0, strings.LastIndexByte(head, '.'))]
	}
	return nil
}

// formed reads the suffixes of an opcode with a form.
func (p *parser) formed(in *Instr, f *form, t token) {
	in.form, in.op, in.words = f, f.op, map[string]string{}
	in.Op = isa.Opcode{Text: t.text, Code: f.code}
	offset := len(f.head)
	for _, word := range strings.Split(t.text[offset:], ".")[1:] {
		at := t.at.Sub(offset, offset+1+len(word))
		offset += 1 + len(word)
		in.written = append(in.written, at)
		s := in.slotFor(word)
		if s == nil {
			failure{src.Errorf(at, "unknown modifier .%s of %s", clip(word), f.head)}.WithHint("%s", f.hint(word))
		}
		in.words[s.name] = word
		in.Mods.Policy = in.Mods.Policy || word == "L2::cache_hint"
	}
	for i := range f.slots {
		if s := &f.slots[i]; !s.optional && in.words[s.name] == "" {
			failure{src.Errorf(t.at, "%s needs one of %s", f.head, s)}.stop()
		}
	}
	p.formOperands(in)
	if f.check != nil {
		if err := f.check(in); err != nil {
			failure{err}.stop()
		}
	}
}

// places are the operands in brackets.
func (f *form) places() (all []parameter) {
	if f == nil {
		return nil
	}
	for _, o := range f.operands {
		if o.kind == '[' {
			all = append(all, o)
		}
	}
	return all
}

// slotFor is the first slot that is free for a suffix; nil if there is none.
func (in *Instr) slotFor(word string) *slot {
	for i := range in.form.slots {
		if s := &in.form.slots[i]; s.accepts(word) && (s.repeat || in.words[s.name] == "") {
			return s
		}
	}
	return nil
}

// hint says which suffixes there are, or why muster does not have one.
func (f *form) hint(word string) string {
	var all []string
	for i := range f.slots {
		if s := &f.slots[i]; s.name != "hint" {
			all = append(all, s.String())
		}
	}
	takes := f.head + " takes " + strings.Join(all, ", ")
	if len(all) == 0 {
		takes = f.head + " takes no modifiers"
	}
	if about, known := refused[word]; known {
		return about + "; " + takes
	}
	return takes
}

// formOperands reads the operands of an instruction with a form.
func (p *parser) formOperands(in *Instr) {
	first := true
	for _, o := range in.form.operands {
		switch {
		case o.optional && o.kind == '=' && p.tok.is("["):
			continue
		case o.optional && (p.tok.kind == end || in.Mods.Policy && p.last()):
			continue
		case !first:
			p.expect(",", "before "+o.String())
		}
		first = false
		switch o.kind {
		case '[':
			in.Places = append(in.Places, *p.place())
		case '=':
			in.Dst = p.destination()
		default:
			in.Srcs = append(in.Srcs, p.source())
		}
	}
	if in.Mods.Policy {
		p.expect(",", "before a cache policy")
		p.name("a cache policy")
	}
}

// last reports that the next operand, after a comma, is the last.
func (p *parser) last() bool { return !strings.Contains(p.text[p.pos:], ",") }

func (o *parameter) String() string {
	role := map[byte]byte{'[': 'a', '=': 'd', ' ': 's'}[o.kind]
	return operandRole[role] + " (" + o.name + ")"
}

// destination reads a destination register; _ is none.
func (p *parser) destination() *Operand {
	o := p.name(operandRole['d'])
	if o.Text == "_" {
		return nil
	}
	return &o
}

// place reads [r], [x] or [x-4].
func (p *parser) place() *Operand {
	open := p.tok
	if !open.is("[") {
		p.fail(open, "expected an address in brackets").WithHint("write [x] or [r1]")
	}
	p.next()
	o := p.name("a register or location in brackets")
	p.offset(&o)
	o.At = open.at.To(p.tok.at)
	p.expect("]", "after the address")
	return &o
}

// place is the address of that name of an instruction with a form.
func (in *Instr) place(name string) *Operand { return in.named('[', name, in.Places) }

// source is the source of that name; nil if it is left out.
func (in *Instr) source(name string) *Operand { return in.named(' ', name, in.Srcs) }

func (in *Instr) named(kind byte, name string, among []Operand) *Operand {
	n := 0
	for _, o := range in.form.operands {
		switch {
		case o.kind != kind:
		case o.name == name && n < len(among):
			return &among[n]
		default:
			n++
		}
	}
	return nil
}

// space is the state space that an instruction with a form gives an address; Generic if it gives none.
func (in *Instr) space(place string) Space {
	switch word := in.words[place]; {
	case word == "global":
		return Global
	case strings.HasPrefix(word, "shared"):
		return Shared
	}
	return Generic
}

// has reports that a word is among those that the instruction begins with.
func (in *Instr) has(word string) bool {
	return slices.Contains(strings.Split(in.form.head, "."), word)
}

// region is where a location is that only an instruction of a form mentions.
func (in *Instr) region(place string) event.Region {
	if in.space(place) == Shared || place == "bar" {
		return event.Shared
	}
	return event.Global
}
