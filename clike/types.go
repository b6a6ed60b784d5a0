package clike

import (
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// Object is the kind of object that an address leads to.
type Object uint8

// The objects.
const (
	Plain      Object = iota // its accesses are not atomic
	C11Atomic                // atomic_int: atomic through functions, plain through *
	CxxAtomic                // cuda::atomic, std::atomic: every access is atomic
	CxxBarrier               // cuda::barrier
	CxxGroup                 // a cooperative group: no object in memory
)

// Type is the type of a value: an integer, or a pointer to an object.
type Type struct {
	Int       arith.Type // of the integer at the end of all pointers
	Pointers  int        // the number of pointer levels
	Inner     int        // the number of these that a CxxAtomic holds: cuda::atomic<int*>
	Object    Object
	Scope     event.Scope // of a CxxAtomic or a CxxBarrier; of a CxxGroup, whose threads it has
	Volatile  bool        // the object is
	Spaces    event.Tags
	Reference bool // the variable stands for the object: atomic_ref
}

var intType = Type{Int: arith.S32}

// pointee returns the type of what an address of type t leads to.
func (t Type) pointee() Type {
	t.Pointers--
	return t
}

// pointer returns the type of an address of an object of type t.
func (t Type) pointer() Type {
	t.Pointers++
	t.Reference = false
	return t
}

// isObject reports whether a type is an object of the C++ library itself rather than its address.
func (t Type) isObject() bool { return t.Object >= CxxAtomic && t.Pointers == t.Inner }

// Holds returns the type of what a location holds, or a register.
func (t Type) Holds() arith.Type {
	if t.Pointers > 0 {
		return arith.U64
	}
	return t.Int
}

// integers are the machine integers that the words of types name. specify handles long, short, and
// words that are no type of their own.
var integers = map[string]arith.Type{
	"bool": arith.Bool, "_Bool": arith.Bool, "char": {Signed: true, Bits: 8}, "short": {Signed: true, Bits: 16},
	"int": arith.S32, "long": arith.S64, "uchar": {Bits: 8}, "ushort": {Bits: 16}, "uint": arith.U32, "ulong": arith.U64,
	"signed": arith.S32, "unsigned": arith.U32, "auto": arith.S32, "void": arith.S32,
	"size_t": arith.U64, "ssize_t": arith.S64, "ptrdiff_t": arith.S64, "intptr_t": arith.S64, "uintptr_t": arith.U64,
	"int8_t": {Signed: true, Bits: 8}, "int16_t": {Signed: true, Bits: 16}, "int32_t": arith.S32, "int64_t": arith.S64,
	"uint8_t": {Bits: 8}, "uint16_t": {Bits: 16}, "uint32_t": arith.U32, "uint64_t": arith.U64,
	"schar": {Signed: true, Bits: 8}, "llong": arith.S64, "ullong": arith.U64, "flag": arith.Bool, "t": arith.S32,
	"mutex": arith.S32, "mtx_t": arith.S32, "pthread_mutex_t": arith.S32, "spinlock_t": arith.S32,
}

// spaces are the words of address spaces of OpenCL (OpenCL C, 6.7) and of CUDA (Programming Guide,
// "Variable Memory Space Specifiers").
var spaces = map[string]event.Tags{
	"global": inGlobal, "__global": inGlobal, "global_fga": inGlobal, "__global_fga": inGlobal,
	"local": inLocal, "__local": inLocal, "__shared__": inLocal,
	"__device__": inGlobal, "__managed__": inGlobal,
	"constant": inGlobal, "__constant": inGlobal, "__constant__": inGlobal,
}

// threadScopes are the scopes of CUDA's objects (libcu++, "Thread Scopes").
var threadScopes = map[string]event.Scope{
	"thread_scope_thread": event.ScopeThread, "thread_scope_block": event.ScopeCTA, "thread_scope_cluster": event.ScopeCluster,
	"thread_scope_device": event.ScopeGPU, "thread_scope_system": event.ScopeSys,
}

// resolveType gives a type of the tree its meaning.
func (l *lowerer) resolveType(t *syntax.Type) Type {
	typ := l.resolveSpecifiers(t.Specifiers)
	for _, p := range t.Pointers {
		l.addPointer(&typ, p)
	}
	return typ
}

func (l *lowerer) addPointer(t *Type, p *syntax.Pointer) {
	if p.Star == "*" {
		t.Pointers++
	} else {
		t.Reference = true
	}
}

// resolveSpecifiers gives the words of a type their meaning.
func (l *lowerer) resolveSpecifiers(words []*syntax.Specifier) Type {
	t, unsigned, base := Type{}, false, ""
	for _, s := range words {
		word := s.Word
		switch {
		case s.Member != "": // cuda::barrier<…>::arrival_token, cuda::atomic<…>::value_type
			base, t = word, intType
		case s.Of != nil, len(s.Args) > 0:
			t = l.resolveTemplate(s, t)
			base = word
		case word == "volatile" || word == "__volatile__":
			t.Volatile = true
		case spaces[word] != 0:
			t.Spaces |= spaces[word]
		case word == "unsigned":
			unsigned = true
		case word == "_Atomic":
			t.Object = C11Atomic
		case word == "float" || word == "double" || word == "half":
			l.errorf(s, "%s is outside of the C of litmus tests", word).WithHint("muster computes with integers")
		case word == "long" || word == "short" || word == "char" || base == "" && typeName(word) != "":
			base = word
			t = l.named(t, word)
		}
	}
	if base == "" {
		t.Int = arith.S32
	}
	if unsigned {
		t.Int.Signed = false
	}
	return t
}

// typeName returns the integer type that a C type name abbreviates, or "".
func typeName(word string) string {
	if bare, ok := inGroups(word); ok && groupTypes[bare] != event.ScopeNone {
		return bare
	}
	word = strings.TrimPrefix(strings.TrimPrefix(word, "cuda::"), "std::")
	word = strings.TrimPrefix(word, "atomic_")
	if cxxObjects[word] != Plain {
		return word
	}
	if _, ok := integers[word]; ok {
		return word
	}
	return ""
}

var cxxObjects = map[string]Object{"atomic": CxxAtomic, "atomic_ref": CxxAtomic, "ref": CxxAtomic, "barrier": CxxBarrier}

// named returns a type with a word that names one.
func (l *lowerer) named(t Type, word string) Type {
	if g, ok := inGroups(word); ok {
		return groupType(groupTypes[g])
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(word, "cuda::"), "std::")
	if o := cxxObjects[bare]; o != Plain {
		t.Object, t.Int, t.Scope, t.Reference = o, arith.S32, event.ScopeSys, bare == "atomic_ref"
		return t
	}
	if name, ok := strings.CutPrefix(bare, "atomic_"); ok {
		bare, t.Object = name, C11Atomic
		if strings.Contains(word, "std::") {
			t.Object, t.Scope = CxxAtomic, event.ScopeSys
		}
	}
	t.Int = integers[bare]
	return t
}

// resolveTemplate is cuda::atomic<T, Scope> and its kin, and _Atomic(T).
func (l *lowerer) resolveTemplate(s *syntax.Specifier, t Type) Type {
	if s.Of != nil {
		of := l.resolveType(s.Of)
		of.Spaces |= t.Spaces
		of.Volatile = of.Volatile || t.Volatile
		of.Object = C11Atomic
		return of
	}
	t = l.named(t, s.Word)
	for _, a := range s.Args {
		switch scope, ok := threadScopes[bareName(a.Name)]; {
		case a.Type != nil:
			of := l.resolveType(a.Type)
			t.Int, t.Pointers, t.Inner = of.Int, of.Pointers, of.Pointers
		case ok:
			t.Scope = scope
		default:
			l.errorf(a, "unknown scope %s", a.Name).Hint = src.DidYouMean(a.Name, sortedKeys(threadScopes))
		}
	}
	return t
}

// bareName returns a name without the namespaces of the standard library: "std::move" is move, and
// "cuda::memory_order::relaxed" memory_order_relaxed.
func bareName(name string) string {
	for _, space := range []string{"cuda::std::", "cuda::", "std::"} {
		if bare, ok := strings.CutPrefix(name, space); ok {
			name = bare
			break
		}
	}
	return strings.ReplaceAll(name, "::", "_")
}

// promoted returns the type in which an integer takes part in arithmetic (C11, 6.3.1.1).
func promoted(t arith.Type) arith.Type {
	if t.Bits < 32 {
		return arith.S32
	}
	return t
}

// common returns the type in which two integers are computed with (C11, 6.3.1.8).
func common(a, b arith.Type) arith.Type {
	a, b = promoted(a), promoted(b)
	switch {
	case a.Bits > b.Bits:
		return a
	case b.Bits > a.Bits:
		return b
	case !a.Signed:
		return a
	}
	return b
}
