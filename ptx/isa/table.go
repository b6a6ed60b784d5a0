package isa

// row is what the table knows of a code.
type row struct {
	names   string // as PTX writes it; several of a code that stands for a chapter
	class   Class
	takes   group          // modifiers it may have
	needs   group          // modifiers it must have
	types   string         // of which it must have one; if empty, it may have any
	second  string         // of which it must have one more
	formula func(*builder) // what it computes
}

const (
	computes = typeMod
	rounded  = typeMod | roundMod | ftzMod | satMod
	loads    = spaceMod | cacheMod | volatileMod | mmioMod | orderMod | scopeMod | typeMod | vectorMod | hintMod
	atomics  = spaceMod | orderMod | scopeMod | typeMod | atomMod | vectorMod | hintMod | ftzMod
	barriers = barrierMod | atomMod | typeMod | alignedMod | scopeMod | orderMod | warpMod
	syncing  = syncMod | typeMod
	floats   = rounded | approxMod
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
var table = [numCodes]row{
	None:       {class: ClassOther},
	Ld:         {names: "ld", class: ClassAccess, takes: loads | constMod, types: memoryTypes},
	Ldu:        {names: "ldu", class: ClassAccess, takes: spaceMod | typeMod | vectorMod, types: memoryTypes},
	St:         {names: "st", class: ClassAccess, takes: loads, types: memoryTypes},
	Atom:       {names: "atom", class: ClassAtomic, takes: atomics, needs: atomMod, types: atomicTypes, formula: update},
	Red:        {names: "red", class: ClassAtomic, takes: atomics, needs: atomMod, types: atomicTypes, formula: update},
	Membar:     {names: "membar", class: ClassFence, takes: scopeMod | proxyMod},
	Fence:      {names: "fence", class: ClassFence, takes: orderMod | scopeMod | proxyMod},
	Bar:        {names: "bar", class: ClassBarrier, takes: barriers, needs: barrierMod},
	Barrier:    {names: "barrier", class: ClassBarrier, takes: barriers, needs: barrierMod},
	Shfl:       {names: "shfl", class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "b32"},
	Vote:       {names: "vote", class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "pred b32"},
	Match:      {names: "match", class: ClassWarp, takes: syncing | laneMod, needs: laneMod, types: "b32 b64"},
	Redux:      {names: "redux", class: ClassWarp, takes: syncing | atomMod, needs: atomMod, types: "u32 s32 b32 f32"},
	Activemask: {names: "activemask", class: ClassWarp, takes: typeMod, types: "b32"},
	Elect:      {names: "elect", class: ClassWarp, takes: syncMod},
	Bra:        {names: "bra", class: ClassBranch, takes: uniMod},
	Brx:        {names: "brx", class: ClassBranch, takes: uniMod | indexMod, needs: indexMod},
	Call:       {names: "call", class: ClassCall, takes: uniMod},
	Ret:        {names: "ret", class: ClassReturn, takes: uniMod},
	Exit:       {names: "exit", class: ClassExit},
	Trap:       {names: "trap", class: ClassTrap},
	Brkpt:      {names: "brkpt", class: ClassTrap},

	Mov:      {names: "mov", class: ClassMove, takes: computes, types: bitTypes + integerTypes + "b128 pred f32 f64", formula: move},
	Cvt:      {names: "cvt", class: ClassConvert, takes: floats, types: narrowTypes + integerTypes + floatTypes + "tf32", second: narrowTypes + integerTypes + floatTypes, formula: convert},
	Cvta:     {names: "cvta", class: ClassAddress, takes: toMod | spaceMod | typeMod, types: "u32 u64", formula: move},
	Isspacep: {names: "isspacep", class: ClassAddress, takes: spaceMod, needs: spaceMod},

	Add:   {names: "add", class: ClassArithmetic, takes: rounded | carryMod, types: integerTypes + floatTypes + "u16x2 s16x2", formula: sum},
	Addc:  {names: "addc", class: ClassArithmetic, takes: computes | carryMod, types: wideTypes, formula: sum},
	Sub:   {names: "sub", class: ClassArithmetic, takes: rounded | carryMod, types: integerTypes + floatTypes + "u16x2 s16x2", formula: difference},
	Subc:  {names: "subc", class: ClassArithmetic, takes: computes | carryMod, types: wideTypes, formula: difference},
	Mul:   {names: "mul", class: ClassArithmetic, takes: rounded | halfMod, types: integerTypes + floatTypes, formula: mul},
	Mad:   {names: "mad", class: ClassArithmetic, takes: rounded | halfMod | carryMod, types: integerTypes + "f32 f64", formula: mad},
	Madc:  {names: "madc", class: ClassArithmetic, takes: computes | halfMod | carryMod, types: wideTypes, formula: mad},
	Mul24: {names: "mul24", class: ClassArithmetic, takes: computes | halfMod, needs: halfMod, types: "u32 s32", formula: mul24},
	Mad24: {names: "mad24", class: ClassArithmetic, takes: computes | halfMod | satMod, needs: halfMod, types: "u32 s32", formula: mad24},
	Dp4a:  {names: "dp4a", class: ClassArithmetic, takes: computes, types: "u32 s32", second: "u32 s32", formula: dot(8)},
	Dp2a:  {names: "dp2a", class: ClassArithmetic, takes: computes | halfMod, needs: halfMod, types: "u32 s32", second: "u32 s32", formula: dot(16)},
	Div:   {names: "div", class: ClassArithmetic, takes: floats, types: integerTypes + "f32 f64", formula: quotient},
	Rem:   {names: "rem", class: ClassArithmetic, takes: computes, types: integerTypes, formula: remainder},
	Min:   {names: "min", class: ClassArithmetic, takes: computes | ftzMod | approxMod, types: integerTypes + floatTypes + "u16x2 s16x2", formula: least},
	Max:   {names: "max", class: ClassArithmetic, takes: computes | ftzMod | approxMod, types: integerTypes + floatTypes + "u16x2 s16x2", formula: greatest},
	Abs:   {names: "abs", class: ClassArithmetic, takes: computes | ftzMod, types: signedTypes + floatTypes, formula: abs},
	Neg:   {names: "neg", class: ClassArithmetic, takes: computes | ftzMod, types: signedTypes + floatTypes, formula: neg},
	Sad:   {names: "sad", class: ClassArithmetic, takes: computes, types: integerTypes, formula: sad},
	And:   {names: "and", class: ClassArithmetic, takes: computes, types: bitTypes + "pred", formula: and},
	Or:    {names: "or", class: ClassArithmetic, takes: computes, types: bitTypes + "pred", formula: or},
	Xor:   {names: "xor", class: ClassArithmetic, takes: computes, types: bitTypes + "pred", formula: xor},
	Not:   {names: "not", class: ClassArithmetic, takes: computes, types: bitTypes + "pred", formula: not},
	Cnot:  {names: "cnot", class: ClassArithmetic, takes: computes, types: bitTypes, formula: cnot},
	Lop3:  {names: "lop3", class: ClassArithmetic, takes: computes, types: "b32", formula: lop3},
	Shl:   {names: "shl", class: ClassArithmetic, takes: computes, types: bitTypes, formula: shl},
	Shr:   {names: "shr", class: ClassArithmetic, takes: computes, types: bitTypes + integerTypes, formula: shr},
	Shf:   {names: "shf", class: ClassArithmetic, takes: computes | sideMod | clampMod, needs: sideMod | clampMod, types: "b32", formula: shf},
	Prmt:  {names: "prmt", class: ClassArithmetic, takes: computes | permuteMod, types: "b32", formula: prmt},
	Bfe:   {names: "bfe", class: ClassArithmetic, takes: computes, types: wideTypes, formula: bfe},
	Bfi:   {names: "bfi", class: ClassArithmetic, takes: computes, types: "b32 b64", formula: bfi},
	Bfind: {names: "bfind", class: ClassArithmetic, takes: computes | amountMod, types: wideTypes, formula: bfind},
	Brev:  {names: "brev", class: ClassArithmetic, takes: computes, types: "b32 b64", formula: brev},
	Clz:   {names: "clz", class: ClassArithmetic, takes: computes, types: "b32 b64", formula: clz},
	Fns:   {names: "fns", class: ClassArithmetic, takes: computes, types: "b32", formula: fns},
	Popc:  {names: "popc", class: ClassArithmetic, takes: computes, types: "b32 b64", formula: popc},
	Bmsk:  {names: "bmsk", class: ClassArithmetic, takes: computes | clampMod, needs: clampMod, types: "b32", formula: bmsk},
	Szext: {names: "szext", class: ClassArithmetic, takes: computes | clampMod, needs: clampMod, types: "u32 s32", formula: szext},
	Setp:  {names: "setp", class: ClassArithmetic, takes: computes | cmpMod | boolMod | ftzMod, needs: cmpMod, types: bitTypes + integerTypes + floatTypes, formula: setp},
	Set:   {names: "set", class: ClassArithmetic, takes: computes | cmpMod | boolMod | ftzMod, needs: cmpMod, types: "u32 s32 u16 s16 " + floatTypes, second: bitTypes + integerTypes + floatTypes, formula: set},
	Selp:  {names: "selp", class: ClassArithmetic, takes: computes, types: bitTypes + integerTypes + "f32 f64", formula: selp},
	Slct:  {names: "slct", class: ClassArithmetic, takes: computes | ftzMod, types: bitTypes + integerTypes + "f32 f64", second: "s32 f32", formula: slct},

	Fma:      {names: "fma", class: ClassFloat, takes: floats, types: floatTypes, formula: opaque(3)},
	Rcp:      {names: "rcp", class: ClassFloat, takes: floats, types: "f32 f64", formula: opaque(1)},
	Sqrt:     {names: "sqrt", class: ClassFloat, takes: floats, types: "f32 f64", formula: opaque(1)},
	Rsqrt:    {names: "rsqrt", class: ClassFloat, takes: floats, types: "f32 f64", formula: opaque(1)},
	Sin:      {names: "sin", class: ClassFloat, takes: floats, types: "f32", formula: opaque(1)},
	Cos:      {names: "cos", class: ClassFloat, takes: floats, types: "f32", formula: opaque(1)},
	Lg2:      {names: "lg2", class: ClassFloat, takes: floats, types: "f32", formula: opaque(1)},
	Ex2:      {names: "ex2", class: ClassFloat, takes: floats, types: floatTypes, formula: opaque(1)},
	Tanh:     {names: "tanh", class: ClassFloat, takes: floats, types: floatTypes, formula: opaque(1)},
	Testp:    {names: "testp", class: ClassFloat, takes: typeMod | testMod, needs: testMod, types: "f32 f64", formula: testp},
	Copysign: {names: "copysign", class: ClassFloat, takes: typeMod, types: "f32 f64", formula: opaque(2)},

	Prefetch:      {names: "prefetch", class: ClassHint, takes: spaceMod | hintMod},
	Prefetchu:     {names: "prefetchu", class: ClassHint, takes: hintMod},
	Applypriority: {names: "applypriority", class: ClassHint, takes: spaceMod | hintMod},
	Nanosleep:     {names: "nanosleep", class: ClassHint, takes: typeMod, types: "u32"},
	Pmevent:       {names: "pmevent", class: ClassHint, takes: laneMod},

	Discard: {names: "discard", class: ClassOther, takes: anyMod},
	Texture: {names: "tex tld4 txq istypep", class: ClassOther, takes: anyMod},
	Surface: {names: "suld sust sured suq", class: ClassOther, takes: anyMod},
	Async:   {names: "cp mbarrier tensormap multimem", class: ClassOther, takes: anyMod},
	Matrix:  {names: "wmma wgmma mma tcgen05 ldmatrix stmatrix movmatrix", class: ClassOther, takes: anyMod},
	Packed: {
		names: "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 " +
			"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
		class: ClassOther, takes: anyMod,
	},
	Stack:        {names: "alloca stacksave stackrestore", class: ClassOther, takes: anyMod},
	Launch:       {names: "griddepcontrol setmaxnreg clusterlaunchcontrol", class: ClassOther, takes: anyMod},
	Cluster:      {names: "mapa getctarank", class: ClassOther, takes: anyMod},
	Createpolicy: {names: "createpolicy", class: ClassOther, takes: anyMod},
}
