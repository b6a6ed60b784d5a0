package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Error is what is wrong with an opcode.
type Error struct {
	Start, End int // the part of the opcode that it is about, in bytes
	What       string
	Hint       string
}

func (e *Error) Error() string { return e.What }

// Decode takes an opcode apart: "mad.wide.u32". An error is an *Error.
func Decode(text string) (*Opcode, error) {
	name, _, _ := strings.Cut(text, ".")
	code, known := codes[name]
	if !known {
		return nil, &Error{0, len(name), fmt.Sprintf("PTX has no instruction %s", name), ""}
	}
	o := &Opcode{Text: text, Code: code}
	if table[code].takes == anyMod && table[code].class == ClassOther {
		return o, nil
	}
	have := group(0)
	for at := len(name) + 1; at <= len(text); {
		suffix, _, _ := strings.Cut(text[at:], ".")
		g, err := o.modify(suffix, have)
		if err != nil {
			err.Start, err.End = at, at+len(suffix)
			return nil, err
		}
		have |= g
		at += len(suffix) + 1
	}
	return o, o.complete(have)
}

// modify applies a suffix.
func (o *Opcode) modify(suffix string, have group) (group, *Error) {
	takes := table[o.Code].takes
	for _, m := range bySuffix()[suffix] {
		if takes&m.group == 0 {
			continue
		}
		if have&m.group&single != 0 {
			return 0, &Error{What: fmt.Sprintf("%s has a modifier too many: .%s", o.Text, suffix)}
		}
		m.apply(o)
		return m.group, nil
	}
	e := &Error{What: fmt.Sprintf("%s does not take .%s", o.Code, suffix)}
	if accepted := o.Code.modifiers(); accepted != "" {
		e.Hint = "it takes " + accepted
	}
	return 0, e
}

// single is the groups of which an instruction has one modifier at most.
const single = spaceMod | cacheMod | orderMod | scopeMod | vectorMod | atomMod | barrierMod | halfMod | roundMod | cmpMod | boolMod | sideMod | clampMod

// complete checks that nothing is missing.
func (o *Opcode) complete(have group) error {
	r := table[o.Code]
	if missing := r.needs &^ have; missing != 0 {
		return &Error{0, len(o.Text), o.Text + " lacks a modifier", "it needs one of " + suffixes(missing)}
	}
	lists := []string{r.types, r.second}
	if r.second == "" {
		lists = lists[:1]
	}
	if r.types != "" && len(o.Types) != len(lists) || len(o.Types) > len(lists) {
		return &Error{0, len(o.Text), fmt.Sprintf("%s has %d types, %s takes %d", o.Text, len(o.Types), o.Code, len(lists)), ""}
	}
	for i, t := range o.Types {
		if list := strings.Fields(lists[i]); len(list) > 0 && !slices.Contains(list, t.name) {
			at := strings.LastIndex(o.Text, "."+t.name) + 1
			return &Error{
				at, at + len(t.name), fmt.Sprintf("PTX has no %s of .%s", o.Code, t),
				fmt.Sprintf("it takes .%s", strings.Join(list, " .")),
			}
		}
	}
	return nil
}

// modifiers lists the suffixes that an instruction takes.
func (c Code) modifiers() string { return suffixes(table[c].takes) }

// suffixes lists those of some groups.
func suffixes(groups group) string {
	var names []string
	for name, ms := range bySuffix() {
		if slices.ContainsFunc(ms, func(m modifier) bool { return m.group&groups != 0 }) {
			names = append(names, "."+name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
