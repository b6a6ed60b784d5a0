package clike

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// What the initial state may say by name: integers, and addresses of locations that there are.

// constant is an integer that has a name.
type constant struct {
	n int64
	arith.Type
}

// constants are the names of integers (C11, 5.2.4.2.1, 7.17.8, 7.18, 7.20.2), and the values of
// locks that are free.
var constants = map[string]constant{
	"true": {1, arith.S32}, "false": {0, arith.S32}, "NULL": {0, arith.S64}, "nullptr": {0, arith.S64},
	"INT_MAX": {1<<31 - 1, arith.S32}, "INT_MIN": {-1 << 31, arith.S32}, "UINT_MAX": {1<<32 - 1, arith.U32},
	"INT32_MAX": {1<<31 - 1, arith.S32}, "INT32_MIN": {-1 << 31, arith.S32}, "UINT32_MAX": {1<<32 - 1, arith.U32},
	"LONG_MAX": {1<<63 - 1, arith.S64}, "LONG_MIN": {-1 << 63, arith.S64}, "ULONG_MAX": {-1, arith.U64},
	"INT64_MAX": {1<<63 - 1, arith.S64}, "INT64_MIN": {-1 << 63, arith.S64}, "UINT64_MAX": {-1, arith.U64},
	"ATOMIC_FLAG_INIT": {0, arith.S32}, "PTHREAD_MUTEX_INITIALIZER": {0, arith.S32},
}

// numbers are the constants as initial states and conditions know them.
var numbers = numbersOf(constants)

func numbersOf(constants map[string]constant) map[string]int64 {
	numbers := make(map[string]int64, len(constants))
	for name, c := range constants {
		numbers[name] = c.n
	}
	return numbers
}

// checkUndeclared checks that each name in the initial state also occurs elsewhere in the test as a
// location: as a parameter, in a body, or in the condition. By herd's convention {x=y} stores the
// address of y in x, so that a misspelt constant looks like a location. Without this check it would
// go unnoticed.
func (b *builder) checkUndeclared(params []*syntax.Params, refs []litmus.Ref) {
	if len(b.diags) > 0 { // what is not read may have the name
		return
	}
	var used map[string]bool
	for _, l := range b.Test.Locations {
		if !l.Undeclared {
			continue
		}
		if used == nil {
			used = b.usedNames(params, refs)
		}
		if !used[l.Name.Text] {
			b.unknownName(l.Name.Text, l.Name.Span, used)
		}
	}
}

// checkShared reports locations in shared memory that threads of two blocks access: each block has
// a shared memory of its own. In tests of OpenCL C, as for Dartagnan, they are one location all the
// same, and the models flag such tests.
func (b *builder) checkShared(params []*syntax.Params) {
	if b.dialect.tags != inCUDA || len(b.diags) > 0 {
		return
	}
	first := map[event.Loc]int{} // threads
	for i, code := range b.Code {
		for r, v := range code.Initial[:code.params] {
			if !v.IsAddress() || b.Locs[v.Base].Region != litmus.Shared || !mentions(code.Source, code.Names[r]) {
				continue
			}
			if other, met := first[v.Base]; !met {
				first[v.Base] = i
			} else if b.Threads[other].At[litmus.CTA] != b.Threads[i].At[litmus.CTA] {
				p := params[i].List[slices.IndexFunc(params[i].List, func(p *syntax.Param) bool { return p.Name == code.Names[r] })]
				b.diags.Errorf(p.At(params[i].Source), "%s is in shared memory, but %s and %s, which both reach it, are in different blocks",
					p.Name, b.Threads[other].Name, code.Name).WithHint("put them into one block, with one number behind cta, or leave out __shared__")
			}
		}
	}
}

// mentions reports whether a name stands in the body of a thread.
func mentions(body src.Span, name string) bool {
	words := strings.FieldsFunc(litmus.BlankComments(body.Text()), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	return slices.Contains(words, name)
}

// checkAddresses checks that the addresses in conditions are those of locations of the test. The
// address of a misspelt location is equal to no other value.
func (b *builder) checkAddresses(params []*syntax.Params, refs []litmus.Ref) {
	if len(b.diags) > 0 {
		return
	}
	var known map[string]bool
	for _, prop := range []litmus.Prop{b.Test.Cond.Prop, b.Test.Filter} {
		litmus.EachOperand(prop, func(o litmus.Operand) {
			if o.Ref != nil || o.Const.Loc == "" {
				return
			}
			if known == nil {
				known = b.threadNames(params, refs)
				for _, l := range b.Test.Locations {
					known[l.Name.Text] = true
				}
			}
			if !known[o.Const.Loc] {
				b.unknownName(o.Const.Loc, o.At, known)
			}
		})
	}
}

// unknownName reports a name in the initial state or the condition that nothing has.
func (b *builder) unknownName(name string, at src.Span, used map[string]bool) {
	d := b.diags.Errorf(at, "%s is neither a location of the test nor a constant", name)
	known := slices.Concat(slices.Sorted(maps.Keys(used)), sortedKeys(constants))
	for _, k := range b.Test.Locations {
		if !k.Undeclared {
			known = append(known, k.Name.Text)
		}
	}
	if meant := src.Nearest(name, known); meant != "" {
		d.WithHint("did you mean %s?", meant)
		return
	}
	d.WithHint("if it is a location, declare it: { %s = 0; }; constants are true, false, NULL, INT_MAX and their kin (docs/c.md)", name)
}

// usedNames returns the names of the locations that threads and conditions mention.
func (b *builder) usedNames(params []*syntax.Params, refs []litmus.Ref) map[string]bool {
	used := b.threadNames(params, refs)
	for _, prop := range []litmus.Prop{b.Test.Cond.Prop, b.Test.Filter} {
		litmus.EachConst(prop, func(c litmus.Value) { used[c.Loc] = true })
	}
	delete(used, "") // of integers
	return used
}

// threadNames returns the names of the locations that threads mention, and of those whose contents
// the conditions mention.
func (b *builder) threadNames(params []*syntax.Params, refs []litmus.Ref) map[string]bool {
	used := map[string]bool{}
	for _, list := range params {
		for _, p := range list.List {
			used[p.Name] = true
		}
	}
	for _, r := range refs {
		if r.Thread < 0 {
			used[r.Name] = true
		}
	}
	b.eachConstant(func(v event.Value) {
		if v.IsAddress() {
			used[b.Value(v).Loc] = true
		}
	})
	return used
}
