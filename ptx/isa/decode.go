package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is an error in an opcode.
type Error struct {
	Start, End int // the part of the opcode that it is about, in bytes; of a modifier, without its dot
	What       string
	Hint       string
	Takes      []string // the accepted modifiers, if the error is about one that the instruction does not take
	Unknown    bool     // the dialect has no such instruction
}

func (e *Error) Error() string { return e.What }

// Decode takes an opcode of a module apart: "mad.wide.u32". An error is an *Error.
func Decode(text string) (*Opcode, error) { return Modules.Decode(text) }

// Decode takes an opcode apart as a dialect has it. An error is an *Error.
func (d Dialect) Decode(text string) (*Opcode, error) {
	if f := d.formOf(text); f != nil {
		return f.decode(text)
	}
	name, _, _ := strings.Cut(text, ".")
	r := d.rows()[name]
	if r == nil {
		return nil, &Error{End: len(name), What: fmt.Sprintf("PTX has no instruction %s", name), Unknown: true}
	}
	o := &Opcode{Text: text, Code: r.code, Dialect: d, Cmp: r.compares, Proxy: r.proxy, row: r}
	if r.takes == anyMod && r.class == ClassOther {
		return o, nil
	}
	for at := len(name) + 1; at <= len(text); {
		word, _, _ := strings.Cut(text[at:], ".")
		if err := o.modify(name, written{start: at, end: at + len(word)}); err != nil {
			err.Start, err.End = at, at+len(word)
			return nil, err
		}
		at += len(word) + 1
	}
	if err := o.complete(name); err != nil {
		return o, err
	}
	return o, nil
}

// modify applies a suffix.
func (o *Opcode) modify(name string, s written) *Error {
	word := o.Text[s.start:s.end]
	for _, m := range bySuffix()[word] {
		if !o.row.allows(o.Dialect, word, &m) {
			continue
		}
		if o.repeats(m.group) {
			return &Error{What: fmt.Sprintf("%s has too many modifiers of the kind of .%s", name, word)}
		}
		m.apply(o)
		s.group = m.group
		o.written, o.have = append(o.written, s), o.have|m.group
		return nil
	}
	const anyGroup = ^Group(0)
	return &Error{
		What:  fmt.Sprintf("unknown modifier .%s of %s", clip(word), name),
		Hint:  fmt.Sprintf("%s takes %s", name, o.row.suffixes(o.Dialect, anyGroup&^hintMod)) + o.Dialect.longer(o.Text[:s.start-1]),
		Takes: o.row.modifiers(o.Dialect, anyGroup),
	}
}

// clip shortens a word for a message.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// single are the groups that have at most one modifier in an instruction of a module. In tests, all
// groups are single except hints and types.
const single = SpaceMod | unsharedMod | cacheMod | OrderMod | ScopeMod | VectorMod | AtomMod | barrierMod | HalfMod | roundMod | CmpMod | boolMod | sideMod | clampMod

// repeats reports whether the opcode has all modifiers of a group that it may have.
func (o *Opcode) repeats(g Group) bool {
	switch {
	case o.Dialect == Modules && g&(SpaceMod|unsharedMod) != 0:
		return o.have&(SpaceMod|unsharedMod) != 0
	case o.Dialect == Modules:
		return o.have&g&single != 0
	case g == TypeMod:
		return len(o.Types) == o.row.typeCount()
	}
	return g != hintMod && o.have&g != 0
}

// complete checks that no required modifier is missing and that the modifiers agree. In tests, it
// sets the default order and scope.
func (o *Opcode) complete(name string) *Error {
	if missing := o.missing(); missing != 0 {
		return o.wrong("", "%s needs one of %s", name, o.row.suffixes(o.Dialect, missing))
	}
	if o.Dialect == Modules || o.Dialect == Litmus && len(o.Types) == 2 {
		if err := o.checkTypes(); err != nil || o.Dialect == Modules {
			return err
		}
	}
	for _, x := range exclusive {
		if o.Says(x.has) && o.Says(x.not) {
			start, end, _ := o.Where(x.has)
			return o.wrong("", "%s.%s takes no %s", name, o.Text[start:end], groupNames[x.not])
		}
	}
	switch {
	case o.Volatile || o.MMIO: // relaxed.sys (PTX ISA, "Volatile Operations", "MMIO Operations")
		if o.Order != NoOrder && o.Order != Relaxed || o.Scope != NoScope && o.Scope != ScopeSys {
			return o.wrong("", "%s.mmio is always .relaxed.sys", name)
		}
		o.Order, o.Scope = Relaxed, ScopeSys
		return nil
	case o.ProxyFence && !o.Says(proxyKindMod):
		return o.wrong("", "%s.proxy needs one of %s", name, o.row.suffixes(o.Dialect, proxyKindMod))
	case o.ProxyFence:
		return nil
	case o.Says(proxyKindMod):
		return o.wrong("", "%s needs .proxy before the kind of proxy", name)
	}
	o.Order, o.Scope = cmp.Or(o.Order, o.row.order), cmp.Or(o.Scope, o.row.scope)
	return o.checkScope()
}

// wrong returns an error about all of the opcode.
func (o *Opcode) wrong(hint, format string, args ...any) *Error {
	return &Error{End: len(o.Text), What: fmt.Sprintf(format, args...), Hint: hint}
}

// checkScope checks that an instruction of a test with an order has a scope, too. Weak accesses
// have no scope, nor do instructions that take none.
func (o *Opcode) checkScope() *Error {
	scopes := (ScopeMod | levelMod) & o.row.groups(o.Dialect)
	switch {
	case scopes == 0 || o.row.takes&barrierMod != 0:
	case o.Order == Weak && o.Scope != NoScope:
		orders := strings.TrimSpace(strings.ReplaceAll(o.row.suffixes(o.Dialect, OrderMod), ".weak", ""))
		return o.wrong("weak accesses have no scope; scoped ones are "+orders, "%s has a scope but no order", o.Text)
	case o.Order != Weak && o.Scope == NoScope:
		return o.wrong("add one of "+o.row.suffixes(o.Dialect, scopes), "%s needs a scope", o.Text)
	case o.Order != Weak && o.Says(cacheMod):
		return o.wrong("only weak accesses have cache operators", "%s takes no cache operator", o.Text)
	}
	return nil
}

// missing returns the groups that require a modifier and have none.
func (o *Opcode) missing() Group {
	have := o.have
	if have&unsharedMod != 0 {
		have |= SpaceMod
	}
	if o.Dialect == Modules {
		return o.row.needs &^ have
	}
	missing := o.row.needs &^ have &^ HalfMod
	if o.row.either&have == 0 {
		missing |= o.row.either
	}
	return missing
}

// exclusive lists modifiers of tests that others rule out (PTX ISA, "ld", "st", "fence").
var exclusive = []struct{ has, not Group }{
	{volatileMod, cacheMod},
	{volatileMod, OrderMod},
	{volatileMod, ScopeMod},
	{volatileMod, mmioMod},
	{mmioMod, cacheMod},
	{mmioMod, VectorMod},
	{unsharedMod, SpaceMod},
	{unsharedMod, volatileMod},
	{unsharedMod, mmioMod},
	{unsharedMod, ScopeMod},
	{constMod, OrderMod},
	{constMod, ScopeMod},
	{constMod, volatileMod},
	{constMod, mmioMod},
	{constMod, unsharedMod},
	{proxyMod, OrderMod},
	{proxyMod, ScopeMod | levelMod},
}

// groupNames say what a modifier of a group is.
var groupNames = map[Group]string{
	cacheMod: "cache operator", OrderMod: "order", ScopeMod: "scope", ScopeMod | levelMod: "scope", VectorMod: "vector",
	constMod: ".nc", mmioMod: ".mmio", volatileMod: ".volatile", SpaceMod: "other state space", unsharedMod: "other state space",
}

// checkTypes checks the number of types, and each type.
func (o *Opcode) checkTypes() *Error {
	lists := []string{o.row.types, o.row.second}[:o.row.typeCount()]
	if o.row.types != "" && len(o.Types) != len(lists) || len(o.Types) > len(lists) {
		return &Error{End: len(o.Text), What: fmt.Sprintf("%s has %d types, %s takes %d", o.Text, len(o.Types), o.Code, len(lists))}
	}
	for i, t := range o.Types {
		if list := strings.Fields(lists[i]); len(list) > 0 && !slices.Contains(list, t.name) {
			at := strings.LastIndex(o.Text, "."+t.name) + 1
			return &Error{
				Start: at, End: at + len(t.name), What: fmt.Sprintf("PTX has no %s of .%s", o.Code, t),
				Hint: fmt.Sprintf("it takes .%s", strings.Join(list, " .")),
			}
		}
	}
	return nil
}
