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
}

// page is a row of a table of forms.
type page struct {
	code    isa.Code
	head    string // the words that it begins with: "cp.async"
	words   string // those that follow, as slots: "level=ca|cg"; ? before one that may be left out, * after one that may come again
	takes   string // operands, by their kinds (see parameter); ? before one that may be left out, /suffix behind one that goes with that
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
	kind     kind
	optional bool
	with     string // a suffix; without that the instruction has no such operand
}

// kind is what an operand of a form looks like.
type kind byte

const (
	aPlace       kind = '[' // an address in brackets
	aTensor      kind = '<' // a tensor map and coordinates in brackets
	aMatrix      kind = '@' // a source, sources in braces, or an address in brackets
	aDestination kind = '='
	aPair        kind = '|' // two destinations with a bar between; Dst is the second
	destinations kind = '}' // in braces, or one without
	sources      kind = '{' // in braces, or one without
	aHint        kind = '~' // taken and ignored: as sources
	noLanes      kind = '-' // a list of zeros in braces, if there is a list: the lanes for which nothing is done
	aSource      kind = ' ' // perhaps with an offset
)

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
	f := &form{page: p}
	for _, word := range strings.Fields(strings.ReplaceAll(p.words, "HINTS", "?"+hintWords+"*")) {
		var s slot
		word, s.optional = strings.CutPrefix(word, "?")
		word, s.repeat = strings.CutSuffix(word, "*")
		name, words, _ := strings.Cut(word, "=")
		s.name, s.words = name, strings.Split(words, "|")
		f.slots = append(f.slots, s)
	}
	takes := p.takes
	if strings.Contains(p.words, "HINTS") && !strings.Contains(takes, "policy") {
		takes += cachePolicy
	}
	for _, word := range strings.Fields(takes) {
		o := parameter{kind: aSource}
		word, o.optional = strings.CutPrefix(word, "?")
		word, o.with, _ = strings.Cut(word, "/")
		if strings.ContainsRune("[<@={}~|-", rune(word[0])) {
			o.kind, word = kind(word[0]), word[1:]
		}
		o.name = strings.Trim(word, "]>}")
		f.operands = append(f.operands, o)
	}
	return f
}

// cachePolicy is the operand of .L2::cache_hint.
const cachePolicy = " ~policy/L2::cache_hint"

// accepts reports that a suffix can stand in a slot.
func (s *slot) accepts(word string) bool { return slices.Contains(s.words, word) }

// String lists the suffixes; of many, the first.
func (s *slot) String() string {
	const most = 16
	if len(s.words) > most {
		return "." + strings.Join(s.words[:most/4], " .") + " …"
	}
	return "." + strings.Join(s.words, " .")
}

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

// longer tells, at the end of a hint, which pages begin with those words.
func (d *dialect) longer(words string) string {
	var all []string
	for head := range d.forms {
		if strings.HasPrefix(head, words+".") {
			all = append(all, head)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return "; there are " + strings.Join(all, ", ")
}

// formed reads the suffixes of an opcode with a form.
func (p *parser) formed(in *Instr, f *form, t token) {
	in.form, in.words = f, map[string]string{}
	in.Op = isa.Opcode{Text: t.text, Code: f.code}
	offset := len(f.head)
	for _, word := range strings.Split(t.text[offset:], ".")[1:] {
		at := t.at.Sub(offset, offset+1+len(word))
		offset += 1 + len(word)
		in.written = append(in.written, at)
		s := in.slotFor(word)
		if s == nil {
			failure{src.Errorf(at, "unknown modifier .%s of %s", clip(word), f.head)}.
				WithHint("%s%s", f.hint(word), p.longer(f.head))
		}
		in.words[s.name] = word
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
		case o.with != "" && !in.said(o.with):
			continue
		case o.optional && o.kind == aDestination && p.tok.is("["), o.kind == noLanes && !p.listNext():
			continue
		case o.optional && (p.tok.kind == end || in.said("L2::cache_hint") && p.last()):
			continue
		case !first:
			p.expect(",", "before "+o.String())
		}
		first = false
		p.formOperand(in, &o)
	}
}

// formOperand reads an operand.
func (p *parser) formOperand(in *Instr, o *parameter) {
	switch o.kind {
	case aPlace:
		in.addPlace(o, p.place())
	case aTensor:
		in.addPlace(o, p.tensor(in))
	case aMatrix:
		if p.tok.is("[") {
			in.addPlace(o, p.place())
			return
		}
		in.addSources(o, p.list(p.source))
	case aDestination:
		in.Dst = p.destination()
	case aPair:
		if first := p.destination(); first != nil {
			in.More = []Operand{*first}
		}
		p.expect("|", "before the predicate")
		in.Dst = p.destination()
	case destinations:
		all := p.list(func() Operand { return p.name(operandRole['d']) })
		in.Dst, in.More = &all[0], all[1:]
	case aHint:
		p.list(p.ignored)
	case noLanes:
		p.list(p.zero)
	case sources:
		in.addSources(o, p.list(p.source))
	default:
		s := p.source()
		p.offset(&s)
		in.addSources(o, []Operand{s})
	}
}

func (in *Instr) addPlace(o *parameter, place *Operand) {
	place.Role = o.name
	in.Places = append(in.Places, *place)
}

func (in *Instr) addSources(o *parameter, all []Operand) {
	for i := range all {
		all[i].Role = o.name
	}
	in.Srcs = append(in.Srcs, all...)
}

// Page is how the page of the manual begins that the instruction is of: "cp.async"; "" for one of a common pattern.
func (in *Instr) Page() string {
	if in.form == nil {
		return ""
	}
	return in.form.head
}

// Says reports that a suffix is written behind that.
func (in *Instr) Says(suffix string) bool { return in.said(suffix) }

// said reports that a suffix is written.
func (in *Instr) said(suffix string) bool {
	return slices.ContainsFunc(in.written, func(at src.Span) bool { return at.Text() == "."+suffix })
}

// listNext reports that the next operand, after a comma, is a list in braces.
func (p *parser) listNext() bool {
	return strings.HasPrefix(strings.TrimLeft(p.text[p.pos:], " \t"), "{")
}

// last reports that the next operand, after a comma, is the last.
func (p *parser) last() bool { return !strings.Contains(p.text[p.pos:], ",") }

func (o *parameter) String() string {
	role := map[kind]byte{aPlace: 'a', aTensor: 'a', aDestination: 'd', aPair: 'd', destinations: 'd'}[o.kind]
	if role == 0 {
		role = 's'
	}
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

// list reads {r1,r2,…}, or one operand without braces.
func (p *parser) list(one func() Operand) []Operand {
	if !p.tok.is("{") {
		return []Operand{one()}
	}
	p.next()
	all := []Operand{one()}
	for p.tok.is(",") {
		p.next()
		all = append(all, one())
	}
	p.expect("}", "after the list")
	return all
}

// ignored reads a register or a number of any kind, of which nothing is kept.
func (p *parser) ignored() (o Operand) {
	if p.tok.kind == number {
		p.next()
		return o
	}
	return p.source()
}

// zero reads a register, which is taken to hold 0, or a number that is.
func (p *parser) zero() Operand {
	if p.tok.kind == number && strings.Trim(p.tok.text, "0xX") != "" {
		failure{src.Errorf(p.tok.at, "a matrix is one number here: no part of it is left as it was").WithHint("write 0")}.stop()
	}
	return p.ignored()
}

// place reads [r], [x] or [x-4].
func (p *parser) place() *Operand {
	open := p.tok
	o := p.opened()
	o.At = open.at.To(p.tok.at)
	p.expect("]", "after the address")
	return o
}

// opened reads [x and perhaps an offset, up to what follows.
func (p *parser) opened() *Operand {
	if !p.tok.is("[") {
		p.fail(p.tok, "expected an address in brackets").WithHint("write [x] or [r1]")
	}
	p.next()
	o := p.name("a register or location in brackets")
	p.offset(&o)
	return &o
}

// place is the address of that name of an instruction with a form; nil if it is left out.
func (in *Instr) place(name string) *Operand { return named(name, in.Places) }

// source is the source of that name, of a list the first; nil if it is left out.
func (in *Instr) source(name string) *Operand { return named(name, in.Srcs) }

func named(name string, among []Operand) *Operand {
	for i := range among {
		if among[i].Role == name {
			return &among[i]
		}
	}
	return nil
}

// sources are the list of that name.
func (in *Instr) sources(name string) (all []*Operand) {
	for i := range in.Srcs {
		if in.Srcs[i].Role == name {
			all = append(all, &in.Srcs[i])
		}
	}
	return all
}

// space is the state space that an instruction with a form gives an address; Generic if it gives none.
func (in *Instr) space(place string) isa.Space {
	switch word := in.words[place]; {
	case word == "global":
		return isa.Global
	case strings.HasPrefix(word, "shared"):
		return isa.Shared
	}
	return isa.Generic
}

// has reports that a word is among those that the instruction begins with.
func (in *Instr) has(word string) bool {
	return slices.Contains(strings.Split(in.form.head, "."), word)
}

// region is where a location is that only an instruction of a form mentions.
func (in *Instr) region(place string) event.Region {
	if in.space(place) == isa.Shared || place == "bar" || in.has("tcgen05") {
		return event.Shared
	}
	return event.Global
}
