package cat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
)

// typeKind is the kind of a type.
type typeKind uint8

const (
	kindAny typeKind = iota // unknown: the parameter of a function that is never called
	kindEvent
	kindPair
	kindSet // of events
	kindRel
	kindTag
	kindSetOf // of other things
	kindTuple
	kindEmpty    // {}
	kindUniverse // _
	kindClassRel
	kindFun
	kindProc
)

var kindNames = [...]string{
	"anything", "an event", "a pair of events", "a set of events", "a relation", "a tag", "a set of values",
	"a tuple", "the empty set", "_", "a relation between classes", "a function", "a procedure",
}

func (k typeKind) String() string { return kindNames[k] }

// typ is the type of an expression.
type typ struct {
	kind  typeKind
	elems []typ // of a tuple; one for a set of values
	parts int   // number of components, nested ones included
	fun   *funType
}

// funType is a function or procedure as the checker knows it. Its body is checked anew for each
// application.
type funType struct {
	builtin *builtin
	name    string
	param   syntax.Pat
	body    syntax.Expr      // of a function
	proc    *syntax.ProcStmt // of a procedure
	scope   *scope
}

var (
	anyType   = typ{kind: kindAny}
	setType   = typ{kind: kindSet}
	relType   = typ{kind: kindRel}
	tagType   = typ{kind: kindTag}
	eventType = typ{kind: kindEvent}
	pairType  = typ{kind: kindPair}
)

func setOf(elem typ) typ { return typ{kind: kindSetOf, elems: []typ{elem}, parts: 1 + elem.parts} }

// maxParts bounds the size of types: a function can double a tuple at each call.
const maxParts = 1000

// tupleOf returns the type of a tuple; a very large one counts as unknown.
func tupleOf(elems []typ) typ {
	t := typ{kind: kindTuple, elems: elems}
	for _, e := range elems {
		t.parts += 1 + e.parts
	}
	if t.parts > maxParts {
		return anyType
	}
	return t
}

// String returns the type as messages name it.
func (t typ) String() string {
	switch t.kind {
	case kindSetOf:
		if t.elems[0].kind != kindAny {
			return "a set of " + plural[t.elems[0].kind]
		}
	case kindTuple:
		return fmt.Sprintf("a tuple of %d", len(t.elems))
	}
	return t.kind.String()
}

var plural = map[typeKind]string{
	kindEvent: "events", kindPair: "pairs", kindSet: "sets", kindRel: "relations", kindTag: "tags",
	kindSetOf: "sets", kindTuple: "tuples", kindEmpty: "sets", kindUniverse: "sets", kindFun: "functions",
	kindClassRel: "relations",
}

// key returns text that identifies a type, to recognise calls that are being checked.
func (t typ) key() string {
	var b strings.Builder
	fmt.Fprint(&b, t.kind)
	for _, e := range t.elems {
		b.WriteString("(" + e.key() + ")")
	}
	if t.fun != nil {
		fmt.Fprintf(&b, "%p", t.fun)
	}
	return b.String()
}

// is reports whether a value of type t can stand where one of kind k is expected.
func (t typ) is(k typeKind) bool {
	if k == kindAny {
		return true
	}
	switch t.kind {
	case kindAny, k:
		return true
	case kindEmpty:
		return k == kindSet || k == kindRel || k == kindSetOf
	case kindUniverse:
		return k == kindSet || k == kindRel
	case kindEvent:
		return k == kindSet
	case kindPair:
		return k == kindRel || k == kindTuple
	case kindTuple:
		return (k == kindRel || k == kindPair) && len(t.elems) == 2 && t.elems[0].is(kindEvent) &&
			t.elems[1].is(kindEvent)
	case kindSet, kindRel:
		return k == kindSetOf
	}
	return false
}

// polymorphic reports whether the type is that of {} or _, a set or relation by context.
func (t typ) polymorphic() bool { return t.kind == kindEmpty || t.kind == kindUniverse }

// elem returns the type of the elements of a set.
func (t typ) elem() (typ, bool) {
	switch t.kind {
	case kindSet, kindEvent, kindUniverse:
		return eventType, true
	case kindRel, kindPair:
		return pairType, true
	case kindSetOf:
		return t.elems[0], true
	case kindEmpty, kindAny:
		return anyType, true
	}
	return anyType, false
}

// setWith returns the type of a set with elements of type t.
func setWith(t typ) typ {
	switch {
	case t.kind == kindEvent:
		return setType
	case t.kind == kindAny:
		return anyType // it may be a set of events or a relation
	case t.is(kindPair):
		return relType
	}
	return setOf(t)
}

// common returns the type of two values that must have one type. If one is unknown, it is the type
// of the other.
func common(a, b typ) (typ, bool) {
	if a.kind == kindAny {
		a, b = b, a
	}
	if b.kind == kindAny && !a.polymorphic() {
		return a, true
	}
	return join(a, b)
}

// join returns the type of a value that has one of two types; false if no type fits both.
func join(a, b typ) (typ, bool) {
	switch {
	case a.kind == kindAny || b.kind == kindAny:
		return anyType, true
	case a.kind == kindTuple && b.kind == kindTuple && len(a.elems) == len(b.elems):
		elems := make([]typ, len(a.elems))
		for i := range elems {
			var ok bool
			if elems[i], ok = join(a.elems[i], b.elems[i]); !ok {
				return anyType, false
			}
		}
		return tupleOf(elems), true
	case a.kind == kindSetOf && b.kind == kindSetOf:
		e, ok := join(a.elems[0], b.elems[0])
		return setOf(e), ok
	case a.kind == b.kind:
		return a, true
	case a.polymorphic() && b.polymorphic():
		return typ{kind: kindUniverse}, true
	}
	for _, k := range []typeKind{kindSet, kindRel} {
		if a.is(k) && b.is(k) {
			return typ{kind: k}, true
		}
	}
	for _, p := range [][2]typ{{a, b}, {b, a}} {
		if p[0].kind == kindSetOf && p[1].kind == kindEmpty {
			return p[0], true
		}
	}
	return anyType, false
}

// scope is a chain of bound names as the checker sees them, innermost first.
type scope struct {
	name  string
	typ   typ
	base  bool        // executions define it
	group *group      // the recursion that is being checked and defines it, or nil
	arg   syntax.Expr // argument that a parameter stands for; polarity is that of the argument
	argIn *scope
	outer *scope
}

// group is a let rec whose bodies are being checked.
type group struct {
	names          map[string]bool
	flips, opaques int // the checker's counts where the recursion begins
}

// merge returns the scope after alternative branches from s, with the names that all of them bind.
func merge(s *scope, branches []*scope) *scope {
	var bound []*scope // by the first branch, innermost first
	for b := branches[0]; b != s; b = b.outer {
		bound = append(bound, b)
	}
	after := s
	for _, b := range slices.Backward(bound) {
		next := *b
		next.outer = after
		if next.boundByAll(s, branches[1:]) {
			after = &next
		}
	}
	return after
}

// boundByAll reports whether all branches from s bind the name, and widens its type to fit all.
func (b *scope) boundByAll(s *scope, branches []*scope) bool {
	for _, other := range branches {
		for other != s && other.name != b.name {
			other = other.outer
		}
		if other == s {
			return false
		}
		b.typ, _ = join(b.typ, other.typ)
	}
	return true
}

func (s *scope) lookup(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}
