package compile_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
)

// builtin is a function of OpenCL C and its specification in terms of the bits of numbers.
type builtin struct {
	call   string // with arguments x, y and z
	result string // type of the result
	takes  []string
	is     func(in []uint64, vector bool) (result uint64, defined bool)
}

// bytes are the sizes of types.
var bytes = map[string]int{
	"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8,
}

// threads is the number of threads of each kernel, and widest the maximal width of their vectors.
const threads, widest = 8, 16

// widths returns the vector widths that a test covers, besides scalars.
func widths(r *rand.Rand) []int {
	if sample.All() {
		return []int{1, 2, 3, 4, 8, 16}
	}
	return []int{1, []int{2, 3, 4}[r.IntN(3)]}
}

// source returns a kernel in which each thread calls a function.
func (f *builtin) source(name string, width int) string {
	n := ""
	if width > 1 {
		n = strconv.Itoa(width)
	}
	var params, loads strings.Builder
	for i, typ := range f.takes {
		p := "xyz"[i : i+1]
		fmt.Fprintf(&params, ", global %s *%s_", typ, p)
		value := fmt.Sprintf("vload%s(i, %s_)", n, p)
		if n == "" {
			value = p + "_[i]"
		}
		fmt.Fprintf(&loads, "  %s%s %s = %s;\n", typ, n, p, value)
	}
	call := strings.ReplaceAll(f.call, "#", n)
	store := fmt.Sprintf("vstore%s(%s, i, r)", n, call)
	if n == "" {
		store = "r[i] = " + call
	}
	return fmt.Sprintf("kernel void %s(global %s *r%s) {\n  int i = get_global_id(0);\n%s  %s;\n}\n", name, f.result,
		params.String(), loads.String(), store)
}

// program returns a source, compiled.
func program(t *testing.T, text string) *launch.Program {
	t.Helper()
	source := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := compile.File(t.Context(), source)
	if err != nil && strings.Contains(err.Error(), "there is no ") {
		t.Skipf("nothing is compiled: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile("k.ptx", r.PTX))
	if err != nil {
		t.Fatal(err)
	}
	return launch.New(m)
}

// compare launches functions and compares their results with the expected ones. Arguments are drawn
// by type.
func compare(t *testing.T, r *rand.Rand, functions []builtin, draw func(typ string) uint64) {
	t.Helper()
	var text strings.Builder
	all := widths(r)
	for i, f := range functions {
		for _, width := range all {
			text.WriteString(f.source(fmt.Sprintf("k%d_%d", i, width), width))
		}
	}
	compiled := program(t, text.String())
	for i, f := range functions {
		for _, width := range all {
			f.launch(t, compiled, fmt.Sprintf("k%d_%d", i, width), width, draw)
		}
	}
}

func (f *builtin) launch(t *testing.T, compiled *launch.Program, name string, width int, draw func(typ string) uint64) {
	t.Helper()
	size := bytes[f.result]
	out := &launch.Buffer{Name: "r", Size: threads * widest * 8}
	args, in := []launch.Arg{{Buffer: out}}, make([][]uint64, threads*width)
	for _, typ := range f.takes {
		b := &launch.Buffer{Name: typ}
		for j := range in {
			x := draw(typ)
			in[j] = append(in[j], x)
			b.Bytes = append(b.Bytes, binary.LittleEndian.AppendUint64(nil, x)[:bytes[typ]]...)
		}
		b.Size = int64(len(b.Bytes))
		args = append(args, launch.Arg{Buffer: b})
	}
	report, err := compiled.Run(t.Context(), launch.Launch{Kernel: name, Block: launch.Dim{X: threads}, Args: args})
	if err != nil {
		t.Fatalf("%s of %d: %v", f.call, width, err)
	}
	for j, x := range in {
		want, defined := f.is(x, width > 1)
		if got := report.Read(out, int64(j*size), size); defined && got != want&(1<<(8*size)-1) {
			t.Errorf("%s of %d %v, %#x: %#x, want %#x", f.call, width, f.takes, x, got, want)
		}
	}
}

// whole is an integer type.
type whole struct {
	name   string
	bits   uint
	signed bool
}

var wholes = []whole{
	{"char", 8, true},
	{"uchar", 8, false},
	{"short", 16, true},
	{"ushort", 16, false},
	{"int", 32, true},
	{"uint", 32, false},
	{"long", 64, true},
	{"ulong", 64, false},
}

// unsigned returns the unsigned type of the same size.
func (t whole) unsigned() whole {
	return whole{"u" + strings.TrimPrefix(t.name, "u"), t.bits, false}
}

// half returns the type of half the size.
func (t whole) half() whole {
	for _, h := range wholes {
		if h.bits == t.bits/2 && h.signed == t.signed {
			return h
		}
	}
	return whole{}
}

func (t whole) least() *big.Int {
	if !t.signed {
		return number(0)
	}
	return new(big.Int).Neg(power(t.bits - 1))
}

func (t whole) most() *big.Int {
	if t.signed {
		return sub(power(t.bits-1), number(1))
	}
	return sub(power(t.bits), number(1))
}

// of returns the number with the given bits.
func (t whole) of(x uint64) *big.Int { return t.wrap(new(big.Int).SetUint64(x)) }

// wrap returns the number of the type with the lowest bits of another number.
func (t whole) wrap(x *big.Int) *big.Int {
	if x = new(big.Int).And(x, sub(power(t.bits), number(1))); x.Cmp(t.most()) > 0 {
		return sub(x, power(t.bits))
	}
	return x
}

// saturate returns the number of the type that is nearest to another number.
func (t whole) saturate(x *big.Int) *big.Int { return least(most(x, t.least()), t.most()) }

// some returns a number of the type, half of the time near a limit of the type.
func (t whole) some(r *rand.Rand) uint64 {
	n := int64(t.bits)
	edges := []*big.Int{
		t.least(), t.most(), add(t.least(), number(1)), sub(t.most(), number(1)), new(big.Int).Rsh(t.most(), 1),
		power(t.bits / 2),
		number(0), number(1), number(-1), number(n), number(n - 1), number(n + 1),
	}
	if i := r.IntN(2 * len(edges)); i < len(edges) {
		return bits(edges[i])
	}
	return r.Uint64() >> r.UintN(64)
}

// bits returns the lowest 64 of a number.
func bits(x *big.Int) uint64 { return new(big.Int).And(x, sub(power(64), number(1))).Uint64() }

func number(n int64) *big.Int    { return big.NewInt(n) }
func power(n uint) *big.Int      { return new(big.Int).Lsh(number(1), n) }
func half(x *big.Int) *big.Int   { return new(big.Int).Rsh(x, 1) }
func add(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
func sub(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
func mul(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

func least(x, y *big.Int) *big.Int {
	if y.Cmp(x) < 0 {
		return y
	}
	return x
}

func most(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

// integers are functions of three numbers of one type (The OpenCL C Specification, 6.15.3 and
// 6.15.6). The results of some are unsigned.
var integers = []struct {
	call     string
	unsigned bool
	is       func(t whole, x, y, z *big.Int) *big.Int
}{
	{"abs(x)", true, func(_ whole, x, _, _ *big.Int) *big.Int { return new(big.Int).Abs(x) }},
	{"abs_diff(x, y)", true, func(_ whole, x, y, _ *big.Int) *big.Int { return new(big.Int).Abs(sub(x, y)) }},
	{"add_sat(x, y)", false, func(t whole, x, y, _ *big.Int) *big.Int { return t.saturate(add(x, y)) }},
	{"sub_sat(x, y)", false, func(t whole, x, y, _ *big.Int) *big.Int { return t.saturate(sub(x, y)) }},
	{"hadd(x, y)", false, func(_ whole, x, y, _ *big.Int) *big.Int { return half(add(x, y)) }},
	{"rhadd(x, y)", false, func(_ whole, x, y, _ *big.Int) *big.Int { return half(add(add(x, y), number(1))) }},
	{
		"clamp(x, min(y, z), max(y, z))", false,
		func(_ whole, x, y, z *big.Int) *big.Int { return least(most(x, least(y, z)), most(y, z)) },
	},
	{"clz(x)", false, func(t whole, x, _, _ *big.Int) *big.Int {
		return number(int64(t.bits) - int64(t.unsigned().wrap(x).BitLen()))
	}},
	{"ctz(x)", false, func(t whole, x, _, _ *big.Int) *big.Int {
		return number(int64(add(t.unsigned().wrap(x), power(t.bits)).TrailingZeroBits()))
	}},
	{"popcount(x)", false, func(t whole, x, _, _ *big.Int) *big.Int {
		return number(int64(strings.Count(t.unsigned().wrap(x).Text(2), "1")))
	}},
	{"mul_hi(x, y)", false, func(t whole, x, y, _ *big.Int) *big.Int { return new(big.Int).Rsh(mul(x, y), t.bits) }},
	{
		"mad_hi(x, y, z)", false,
		func(t whole, x, y, z *big.Int) *big.Int { return add(new(big.Int).Rsh(mul(x, y), t.bits), z) },
	},
	{"mad_sat(x, y, z)", false, func(t whole, x, y, z *big.Int) *big.Int { return t.saturate(add(mul(x, y), z)) }},
	{"rotate(x, y)", false, func(t whole, x, y, _ *big.Int) *big.Int {
		shifted := new(big.Int).Lsh(t.unsigned().wrap(x), uint(bits(y))%t.bits)
		return new(big.Int).Or(shifted, new(big.Int).Rsh(shifted, t.bits))
	}},
	{"bitselect(x, y, z)", false, func(_ whole, x, y, z *big.Int) *big.Int {
		return new(big.Int).Or(new(big.Int).AndNot(x, z), new(big.Int).And(y, z))
	}},
}

// functions returns all functions on integers whose first argument has the type.
func (t whole) functions() (all []builtin) {
	for _, f := range integers {
		result := t
		if f.unsigned {
			result = t.unsigned()
		}
		all = append(all,
			builtin{f.call, result.name, []string{t.name, t.name, t.name}, func(in []uint64, _ bool) (uint64, bool) {
				return bits(f.is(t, t.of(in[0]), t.of(in[1]), t.of(in[2]))), true
			}})
	}
	all = append(all, t.selects(t.name)...)
	if h := t.half(); h.name != "" {
		all = append(all,
			builtin{
				"upsample(x, y)", t.name,
				[]string{h.name, h.unsigned().name},
				func(in []uint64, _ bool) (uint64, bool) {
					return in[0]<<h.bits | bits(h.unsigned().of(in[1])), true
				},
			})
	}
	if t.bits == 32 {
		small := whole{t.name, 24, t.signed}
		all = append(all,
			builtin{
				"mad24(x, y, z)", t.name,
				[]string{t.name, t.name, t.name},
				func(in []uint64, _ bool) (uint64, bool) {
					x, y := t.of(in[0]), t.of(in[1])
					return bits(add(mul(x, y), t.of(in[2]))), small.wrap(x).Cmp(x) == 0 && small.wrap(y).Cmp(y) == 0
				},
			})
	}
	for _, to := range wholes {
		all = append(all,
			builtin{
				"convert_" + to.name + "#(x)", to.name,
				[]string{t.name},
				func(in []uint64, _ bool) (uint64, bool) { return bits(t.of(in[0])), true },
			},
			builtin{
				"convert_" + to.name + "#_sat(x)", to.name,
				[]string{t.name},
				func(in []uint64, _ bool) (uint64, bool) {
					return bits(to.saturate(t.of(in[0]))), true
				},
			})
	}
	return all
}

// selects returns select with a last argument of either sign: for scalars it tests for zero, for
// vectors the highest bits.
func (t whole) selects(of string) (all []builtin) {
	for _, last := range []string{t.unsigned().name, strings.TrimPrefix(t.name, "u")} {
		all = append(all,
			builtin{"select(x, y, z)", of, []string{of, of, last}, func(in []uint64, vector bool) (uint64, bool) {
				z := t.unsigned().of(in[2])
				if vector && z.Bit(int(t.bits)-1) == 1 || !vector && z.Sign() != 0 {
					return in[1], true
				}
				return in[0], true
			}})
	}
	return all
}

// TestIntegers compares functions on integers with the specification.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range wholes {
		if !sample.All() && typ.bits != 64 && typ.name != "char" {
			continue
		}
		compare(t, r, typ.functions(), func(name string) uint64 {
			for _, of := range wholes {
				if of.name == name {
					return of.some(r)
				}
			}
			panic(name)
		})
	}
}
