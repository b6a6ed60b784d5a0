package isa

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Form is the syntax of an instruction with a page of its own.
type Form struct {
	Head     string // the words that it begins with: "cp.async"
	Operands []Parameter

	code  Code
	slots []slot
}

// slot is a place for a suffix.
type slot struct {
	name             string
	words            []string
	optional, repeat bool
}

// Parameter is a place for an operand.
type Parameter struct {
	Name     string
	Kind     ParameterKind
	Optional bool
	With     string // a suffix; without that the instruction has no such operand
}

// ParameterKind is the syntactic kind of an operand of a form.
type ParameterKind byte

// The kinds of parameter, as pages write them.
const (
	APlace       ParameterKind = '[' // an address in brackets
	ATensor      ParameterKind = '<' // a tensor map and coordinates in brackets
	AMatrix      ParameterKind = '@' // a source, sources in braces, or an address in brackets
	ADestination ParameterKind = '='
	APair        ParameterKind = '|' // two destinations with a bar between
	Destinations ParameterKind = '}' // in braces, or one without
	Sources      ParameterKind = '{' // in braces, or one without
	AHint        ParameterKind = '~' // taken and ignored: as sources
	NoLanes      ParameterKind = '-' // a list of zeros in braces, if there is a list: the lanes for which nothing is done
	ASource      ParameterKind = ' ' // perhaps with an offset
)

// forms finds the forms by the words that they begin with.
var forms = sync.OnceValue(func() map[string]*Form {
	all := map[string]*Form{}
	for i := range pages {
		all[pages[i].head] = pages[i].read()
	}
	return all
})

// Forms lists the words with which instructions begin that have a form, sorted.
func Forms() []string { return slices.Sorted(maps.Keys(forms())) }

// read reads a row of the table.
func (p *page) read() *Form {
	f := &Form{Head: p.head, code: p.code}
	for word := range words(strings.ReplaceAll(p.words, "HINTS", "?"+hintWords+"*")) {
		var s slot
		word, s.optional = strings.CutPrefix(word, "?")
		word, s.repeat = strings.CutSuffix(word, "*")
		name, all, _ := strings.Cut(word, "=")
		s.name, s.words = name, strings.Split(all, "|")
		f.slots = append(f.slots, s)
	}
	takes := p.takes
	if strings.Contains(p.words, "HINTS") && !strings.Contains(takes, "policy") {
		takes += cachePolicy
	}
	for word := range words(takes) {
		o := Parameter{Kind: ASource}
		word, o.Optional = strings.CutPrefix(word, "?")
		word, o.With, _ = strings.Cut(word, "/")
		if strings.ContainsRune("[<@={}~|-", rune(word[0])) {
			o.Kind, word = ParameterKind(word[0]), word[1:]
		}
		o.Name = strings.Trim(word, "]>}")
		f.Operands = append(f.Operands, o)
	}
	return f
}

// formOf returns the form of an opcode in a dialect, or nil. If several match, it is the one with
// the longest head.
func (d Dialect) formOf(text string) *Form {
	for head := text; head != "" && d == Litmus; head = head[:max(0, strings.LastIndexByte(head, '.'))] {
		if f := forms()[head]; f != nil {
			return f
		}
	}
	return nil
}

// decode takes an opcode with the form apart.
func (f *Form) decode(text string) (*Opcode, error) {
	o := &Opcode{Text: text, Code: f.code, Dialect: Litmus, Form: f, Words: map[string]string{}}
	for at := len(f.Head) + 1; at <= len(text); {
		word, _, _ := strings.Cut(text[at:], ".")
		end := at + len(word)
		s := o.slotFor(word)
		if s == nil {
			return nil, &Error{
				Start: at, End: end, What: fmt.Sprintf("unknown modifier .%s of %s", clip(word), f.Head),
				Hint: f.hint() + Litmus.longer(f.Head), Takes: f.words(),
			}
		}
		o.Words[s.name] = word
		o.written = append(o.written, written{start: at, end: end})
		at = end + 1
	}
	for i := range f.slots {
		if s := &f.slots[i]; !s.optional && o.Words[s.name] == "" {
			return nil, o.wrong("", "%s needs one of %s", f.Head, s)
		}
	}
	return o, nil
}

// slotFor returns the first slot that is free for a suffix, or nil.
func (o *Opcode) slotFor(word string) *slot {
	for i := range o.Form.slots {
		if s := &o.Form.slots[i]; slices.Contains(s.words, word) && (s.repeat || o.Words[s.name] == "") {
			return s
		}
	}
	return nil
}

// String lists the suffixes; of many, the first.
func (s *slot) String() string {
	const most = 16
	if len(s.words) > most {
		return "." + strings.Join(s.words[:most/4], " .") + " …"
	}
	return "." + strings.Join(s.words, " .")
}

// hint returns a list of the suffixes of the form.
func (f *Form) hint() string {
	var all []string
	for i := range f.slots {
		if s := &f.slots[i]; s.name != "hint" {
			all = append(all, s.String())
		}
	}
	if len(all) == 0 {
		return f.Head + " takes no modifiers"
	}
	return f.Head + " takes " + strings.Join(all, ", ")
}

// words lists the suffixes.
func (f *Form) words() []string {
	all := []string{}
	for _, s := range f.slots {
		all = append(all, s.words...)
	}
	return all
}

// longer returns the end of a hint that lists the pages beginning with certain words.
func (d Dialect) longer(head string) string {
	var all []string
	for _, other := range Forms() {
		if d == Litmus && strings.HasPrefix(other, head+".") {
			all = append(all, other)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; there are " + strings.Join(all, ", ")
}
