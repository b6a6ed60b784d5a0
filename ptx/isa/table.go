package isa

// row is an instruction in some dialects. Later rows of the same code are other names for it in
// litmus tests.
type row struct {
	code     Code
	names    string  // as PTX writes it; several names if the code stands for a chapter
	in       Dialect // the dialects that have it; 0 for current
	class    Class
	takes    Group          // modifiers it may have; in tests of 2015, those of groups2015
	modules  Group          // modifiers that it may have in modules only
	only     string         // in tests, if modifiers of a group are listed here, no others of the group may be written; the default cache operator is first
	needs    Group          // modifiers it must have; where it needs .lo, .hi or .wide, tests may leave .lo out
	either   Group          // modifiers; in tests it must have one of them
	types    string         // the types that its first type must be one of; if empty, any
	second   string         // the types that its second type must be one of
	tests    string         // its types in tests; if empty, the integers of at most 64 bits among types and second
	operands string         // in tests, a letter each (see Opcode.Operands)
	order    Order          // of an access or a fence in tests, unless a modifier says otherwise
	scope    Scope          // likewise
	proxy    Proxy          // of an access in tests
	compares Comparison     // of a branch of tests that compares
	formula  func(*builder) // what it computes
}

const (
	computes = TypeMod
	rounded  = roundMod | FtzMod | unitMod // of modules
	floats   = rounded | approxMod
	spaces   = SpaceMod | unsharedMod
	accesses = spaces | volatileMod | mmioMod | OrderMod | ScopeMod | TypeMod | VectorMod | hintMod
	atomics  = SpaceMod | OrderMod | ScopeMod | TypeMod | AtomMod | VectorMod | hintMod | FtzMod
	barriers = barrierMod | AtomMod | TypeMod | alignedMod | ScopeMod
	fences   = proxyMod | proxyKindMod
	syncing  = syncMod | TypeMod
)

// Modifiers and types of loads, stores, atomics and barriers in tests. The first cache operator is
// the default (PTX ISA, "Cache Operators").
const (
	scopeWords   = " cta cluster gpu sys "
	loadCaches   = "ca cg cv cs lu "
	storeCaches  = "wb cg wt cs "
	loadWords    = "weak relaxed acquire" + scopeWords
	storeWords   = "weak relaxed release local" + scopeWords
	atomicWords  = "relaxed acquire release acq_rel cas exch add sub and or xor min max inc dec" + scopeWords
	reduceWords  = " popc and or"
	barTypes     = "u32 pred"
	surfaceTypes = bitTypes + integerTypes
)

// Types that many instructions have; each list ends in a blank.
const (
	bitTypes     = "b16 b32 b64 "
	narrowTypes  = "u8 s8 "
	signedTypes  = "s16 s32 s64 "
	wideTypes    = "u32 s32 u64 s64 "
	integerTypes = "u16 s16 " + wideTypes
	floatTypes   = "f16 f16x2 bf16 bf16x2 f32 f64 "
	memoryTypes  = "b8 b128 f32 f64 " + narrowTypes + bitTypes + integerTypes
	atomicTypes  = "b128 " + bitTypes + wideTypes + floatTypes
)

// table is the instruction set.
var table = []row{
	{code: None, in: Modules, class: ClassOther},
	{
		code: Ld, names: "ld", in: anywhere, class: ClassAccess, takes: accesses | cacheMod | constMod, only: loadCaches + loadWords, types: memoryTypes, tests: memoryTypes,
		operands: "dm", order: Weak,
	},
	{code: Ldu, names: "ldu", in: Modules, class: ClassAccess, takes: spaces | TypeMod | VectorMod, types: memoryTypes},
	{
		code: St, names: "st", in: anywhere, class: ClassAccess, takes: accesses | cacheMod, only: storeCaches + storeWords, types: memoryTypes, tests: memoryTypes,
		operands: "as", order: Weak,
	},
	{
		code: Atom, names: "atom", in: anywhere, class: ClassAtomic, takes: atomics, modules: unsharedMod, only: atomicWords, needs: AtomMod,
		types: atomicTypes, tests: "b128 " + bitTypes + integerTypes + floatTypes, operands: "das?s?", order: Relaxed, scope: ScopeGPU, formula: update,
	},
	{
		code: Red, names: "red", in: anywhere, class: ClassAtomic, takes: atomics, modules: unsharedMod, only: atomicWords, needs: AtomMod,
		types: atomicTypes, tests: bitTypes + integerTypes + floatTypes, operands: "as?s?", order: Relaxed, scope: ScopeGPU, formula: update,
	},
	{code: Membar, names: "membar", in: anywhere, class: ClassFence, takes: levelMod | fences, modules: ScopeMod, order: SC},
	{
		code: Fence, names: "fence", class: ClassFence, takes: OrderMod | ScopeMod | fences, only: "sc acq_rel acquire release" + scopeWords, order: AcqRel,
	},
	{
		code: Bar, names: "bar", class: ClassBarrier, takes: barriers | warpMod, modules: OrderMod, only: "cta sync arrive red" + reduceWords,
		needs: barrierMod, tests: barTypes, operands: "s?s?s?",
	},
	{
		code: Barrier, names: "barrier", class: ClassBarrier, takes: barriers | OrderMod, modules: warpMod,
		only: "cta cluster release acquire relaxed" + reduceWords, needs: barrierMod, tests: barTypes, operands: "s?s?",
	},

	// Accesses of litmus tests through other proxies.
	{code: Ld, names: "suld", in: Litmus, takes: accesses, only: loadWords, tests: memoryTypes, operands: "dm", order: Weak, proxy: ProxySurface},
	{code: St, names: "sust", in: Litmus, takes: accesses, only: storeWords, tests: memoryTypes, operands: "as", order: Weak, proxy: ProxySurface},
	{
		code: Atom, names: "suatom", in: Litmus, takes: atomics, only: atomicWords, needs: AtomMod, tests: surfaceTypes, operands: "das?s?",
		order: Relaxed, scope: ScopeGPU, proxy: ProxySurface,
	},
	{
		code: Red, names: "sured", in: Litmus, takes: atomics, only: atomicWords, needs: AtomMod, tests: surfaceTypes, operands: "as?s?",
		order: Relaxed, scope: ScopeGPU, proxy: ProxySurface,
	},
	{code: Ld, names: "tld", in: Litmus, takes: accesses, only: loadWords, tests: memoryTypes, operands: "dm", order: Weak, proxy: ProxyTexture},
	{code: Ld, names: "cold", in: Litmus, takes: accesses, only: loadWords, tests: memoryTypes, operands: "dm", order: Weak, proxy: ProxyConstant},

	{code: Shfl, names: "shfl", in: Modules, class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "b32"},
	{code: Vote, names: "vote", in: Modules, class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "pred b32"},
	{code: Match, names: "match", in: Modules, class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "b32 b64"},
	{code: Redux, names: "redux", in: Modules, class: ClassWarp, takes: syncing | AtomMod, needs: AtomMod, types: "u32 s32 b32 f32"},
	{code: Activemask, names: "activemask", in: Modules, class: ClassWarp, takes: TypeMod, types: "b32"},
	{code: Elect, names: "elect", in: Modules, class: ClassWarp, takes: syncMod},

	{code: Bra, names: "bra", in: anywhere, class: ClassBranch, takes: uniMod, operands: "l"},
	{code: Bra, names: "goto", in: Litmus, operands: "l"},
	{code: Bra, names: "beq", in: Litmus, operands: "ssl", compares: Eq},
	{code: Bra, names: "bne", in: Litmus, operands: "ssl", compares: Ne},
	{code: Bra, names: "blt", in: Litmus, operands: "ssl", compares: Lt},
	{code: Bra, names: "ble", in: Litmus, operands: "ssl", compares: Le},
	{code: Bra, names: "bgt", in: Litmus, operands: "ssl", compares: Gt},
	{code: Bra, names: "bge", in: Litmus, operands: "ssl", compares: Ge},
	{code: Brx, names: "brx", in: Modules, class: ClassBranch, takes: uniMod | indexMod, needs: indexMod},
	{code: Call, names: "call", in: Modules, class: ClassCall, takes: uniMod},
	{code: Ret, names: "ret", class: ClassReturn, takes: uniMod},
	{code: Exit, names: "exit", class: ClassExit},
	{code: Trap, names: "trap", in: Modules, class: ClassTrap},
	{code: Brkpt, names: "brkpt", in: Modules, class: ClassTrap},

	{
		code: Mov, names: "mov", in: anywhere, class: ClassMove, takes: computes, types: bitTypes + integerTypes + "b128 pred f32 f64",
		tests: bitTypes + integerTypes + "pred f32 f64", operands: "ds", formula: move,
	},
	{
		code: Cvt, names: "cvt", in: anywhere, class: ClassConvert, takes: computes | SatMod, modules: floats, types: narrowTypes + integerTypes + floatTypes + "tf32",
		second: narrowTypes + integerTypes + floatTypes, operands: "ds", formula: convert,
	},
	{
		code: Cvta, names: "cvta", class: ClassAddress, takes: toMod | spaces | TypeMod, either: spaces, types: "u32 u64", tests: "u64",
		operands: "ds", formula: move,
	},
	{code: Isspacep, names: "isspacep", in: Modules, class: ClassAddress, takes: spaces, needs: SpaceMod},

	{code: Add, names: "add", in: anywhere, class: ClassArithmetic, takes: computes | SatMod | carryMod, modules: rounded, types: integerTypes + floatTypes + "u16x2 s16x2", operands: "dss", formula: sum},
	{code: Addc, names: "addc", class: ClassArithmetic, takes: computes | carryMod, types: wideTypes, operands: "dss", formula: sum},
	{code: Sub, names: "sub", in: anywhere, class: ClassArithmetic, takes: computes | SatMod | carryMod, modules: rounded, types: integerTypes + floatTypes + "u16x2 s16x2", operands: "dss", formula: difference},
	{code: Subc, names: "subc", class: ClassArithmetic, takes: computes | carryMod, types: wideTypes, operands: "dss", formula: difference},
	{code: Mul, names: "mul", class: ClassArithmetic, takes: computes | HalfMod, modules: rounded, types: integerTypes + floatTypes, operands: "dss", formula: mul},
	{code: Mad, names: "mad", class: ClassArithmetic, takes: computes | HalfMod | SatMod | carryMod, modules: rounded, types: integerTypes + "f32 f64", operands: "dsss", formula: mad},
	{code: Madc, names: "madc", class: ClassArithmetic, takes: computes | HalfMod | carryMod, types: wideTypes, operands: "dsss", formula: mad},
	{code: Mul24, names: "mul24", class: ClassArithmetic, takes: computes | HalfMod, only: "lo hi", needs: HalfMod, types: "u32 s32", operands: "dss", formula: mul24},
	{code: Mad24, names: "mad24", class: ClassArithmetic, takes: computes | HalfMod | SatMod, only: "lo hi", needs: HalfMod, types: "u32 s32", operands: "dsss", formula: mad24},
	{code: Dp4a, names: "dp4a", class: ClassArithmetic, takes: computes, types: "u32 s32", second: "u32 s32", operands: "dsss", formula: dot(8)},
	{code: Dp2a, names: "dp2a", class: ClassArithmetic, takes: computes | HalfMod, only: "lo hi", needs: HalfMod, types: "u32 s32", second: "u32 s32", operands: "dsss", formula: dot(16)},
	{code: Div, names: "div", class: ClassArithmetic, takes: computes, modules: floats, types: integerTypes + "f32 f64", operands: "dss", formula: quotient},
	{code: Rem, names: "rem", class: ClassArithmetic, takes: computes, types: integerTypes, operands: "dss", formula: remainder},
	{code: Min, names: "min", in: anywhere, class: ClassArithmetic, takes: computes | reluMod, modules: FtzMod | approxMod, types: integerTypes + floatTypes + "u16x2 s16x2", operands: "dss", formula: least},
	{code: Max, names: "max", in: anywhere, class: ClassArithmetic, takes: computes | reluMod, modules: FtzMod | approxMod, types: integerTypes + floatTypes + "u16x2 s16x2", operands: "dss", formula: greatest},
	{code: Abs, names: "abs", class: ClassArithmetic, takes: computes, modules: FtzMod, types: signedTypes + floatTypes, operands: "ds", formula: abs},
	{code: Neg, names: "neg", class: ClassArithmetic, takes: computes, modules: FtzMod, types: signedTypes + floatTypes, operands: "ds", formula: neg},
	{code: Sad, names: "sad", class: ClassArithmetic, takes: computes, types: integerTypes, operands: "dsss", formula: sad},
	{code: And, names: "and", in: anywhere, class: ClassArithmetic, takes: computes, types: bitTypes + "pred", operands: "dss", formula: and},
	{code: Or, names: "or", in: anywhere, class: ClassArithmetic, takes: computes, types: bitTypes + "pred", operands: "dss", formula: or},
	{code: Xor, names: "xor", in: anywhere, class: ClassArithmetic, takes: computes, types: bitTypes + "pred", operands: "dss", formula: xor},
	{code: Not, names: "not", class: ClassArithmetic, takes: computes, types: bitTypes + "pred", operands: "ds", formula: not},
	{code: Cnot, names: "cnot", class: ClassArithmetic, takes: computes, types: bitTypes, operands: "ds", formula: cnot},
	{code: Lop3, names: "lop3", operands: "dsssi", class: ClassArithmetic, takes: computes, types: "b32", formula: lop3},
	{code: Shl, names: "shl", class: ClassArithmetic, takes: computes, types: bitTypes, operands: "dss", formula: shl},
	{code: Shr, names: "shr", class: ClassArithmetic, takes: computes, types: bitTypes + integerTypes, operands: "dss", formula: shr},
	{code: Shf, names: "shf", class: ClassArithmetic, takes: computes | sideMod | clampMod, needs: sideMod | clampMod, types: "b32", operands: "dsss", formula: shf},
	{code: Prmt, names: "prmt", class: ClassArithmetic, takes: computes | permuteMod, types: "b32", operands: "dsss", formula: prmt},
	{code: Bfe, names: "bfe", class: ClassArithmetic, takes: computes, types: wideTypes, operands: "dsss", formula: bfe},
	{code: Bfi, names: "bfi", class: ClassArithmetic, takes: computes, types: "b32 b64", operands: "dssss", formula: bfi},
	{code: Bfind, names: "bfind", class: ClassArithmetic, takes: computes | amountMod, types: wideTypes, operands: "ds", formula: bfind},
	{code: Brev, names: "brev", class: ClassArithmetic, takes: computes, types: "b32 b64", operands: "ds", formula: brev},
	{code: Clz, names: "clz", class: ClassArithmetic, takes: computes, types: "b32 b64", operands: "ds", formula: clz},
	{code: Fns, names: "fns", class: ClassArithmetic, takes: computes, types: "b32", operands: "dsss", formula: fns},
	{code: Popc, names: "popc", class: ClassArithmetic, takes: computes, types: "b32 b64", operands: "ds", formula: popc},
	{code: Bmsk, names: "bmsk", class: ClassArithmetic, takes: computes | clampMod, needs: clampMod, types: "b32", operands: "dss", formula: bmsk},
	{code: Szext, names: "szext", class: ClassArithmetic, takes: computes | clampMod, needs: clampMod, types: "u32 s32", operands: "dss", formula: szext},
	{code: Setp, names: "setp", in: anywhere, class: ClassArithmetic, takes: computes | CmpMod | boolMod, modules: FtzMod, needs: CmpMod, types: bitTypes + integerTypes + floatTypes, operands: "dss", formula: setp},
	{code: Set, names: "set", class: ClassArithmetic, takes: computes | CmpMod | boolMod, modules: FtzMod, needs: CmpMod, types: "u32 s32 u16 s16 " + floatTypes, second: bitTypes + integerTypes + floatTypes, operands: "dss", formula: set},
	{code: Selp, names: "selp", in: anywhere, class: ClassArithmetic, takes: computes, types: bitTypes + integerTypes + "f32 f64", tests: bitTypes + integerTypes + "f32 f64", operands: "dsss", formula: selp},
	{code: Slct, names: "slct", class: ClassArithmetic, takes: computes, modules: FtzMod, types: bitTypes + integerTypes + "f32 f64", second: "s32 f32", operands: "dsss", formula: slct},

	{code: Fma, names: "fma", in: Modules, class: ClassFloat, takes: computes | floats, types: floatTypes, formula: opaque(3)},
	{code: Rcp, names: "rcp", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32 f64", formula: opaque(1)},
	{code: Sqrt, names: "sqrt", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32 f64", formula: opaque(1)},
	{code: Rsqrt, names: "rsqrt", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32 f64", formula: opaque(1)},
	{code: Sin, names: "sin", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32", formula: opaque(1)},
	{code: Cos, names: "cos", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32", formula: opaque(1)},
	{code: Lg2, names: "lg2", in: Modules, class: ClassFloat, takes: computes | floats, types: "f32", formula: opaque(1)},
	{code: Ex2, names: "ex2", in: Modules, class: ClassFloat, takes: computes | floats, types: floatTypes, formula: opaque(1)},
	{code: Tanh, names: "tanh", in: Modules, class: ClassFloat, takes: computes | floats, types: floatTypes, formula: opaque(1)},
	{code: Testp, names: "testp", in: Modules, class: ClassFloat, takes: TypeMod | testMod, needs: testMod, types: "f32 f64", formula: testp},
	{code: Copysign, names: "copysign", in: Modules, class: ClassFloat, takes: TypeMod, types: "f32 f64", formula: opaque(2)},

	{code: Prefetch, names: "prefetch", class: ClassHint, takes: spaces | hintMod, only: "global local", either: hintMod, operands: "a"},
	{code: Prefetchu, names: "prefetchu", class: ClassHint, takes: hintMod, either: hintMod, operands: "a"},
	{code: Applypriority, names: "applypriority", class: ClassHint, takes: spaces | hintMod, only: "global local", either: hintMod, operands: "as"},
	{code: Nanosleep, names: "nanosleep", class: ClassHint, takes: TypeMod, types: "u32", operands: "s"},
	{code: Pmevent, names: "pmevent", in: Modules, class: ClassHint, takes: laneMod},

	{code: Discard, names: "discard", in: Modules, class: ClassOther, takes: anyMod},
	{code: Texture, names: "tex tld4 txq istypep", in: Modules, class: ClassOther, takes: anyMod},
	{code: Surface, names: "suld sust sured suq", in: Modules, class: ClassOther, takes: anyMod},
	{code: Async, names: "cp mbarrier tensormap multimem", in: Modules, class: ClassOther, takes: anyMod},
	{code: Matrix, names: "wmma wgmma mma tcgen05 ldmatrix stmatrix movmatrix", in: Modules, class: ClassOther, takes: anyMod},
	{
		code: Packed,
		names: "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 " +
			"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
		in: Modules, class: ClassOther, takes: anyMod,
	},
	{code: Stack, names: "alloca stacksave stackrestore", in: Modules, class: ClassOther, takes: anyMod},
	{code: Launch, names: "griddepcontrol setmaxnreg clusterlaunchcontrol", in: Modules, class: ClassOther, takes: anyMod},
	{code: Cluster, names: "mapa getctarank", in: Modules, class: ClassOther, takes: anyMod},
	{code: Createpolicy, names: "createpolicy", in: Modules, class: ClassOther, takes: anyMod},
}
