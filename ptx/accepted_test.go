package ptx

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

var dump = flag.String("dump", "", "write the answer to each spelling of TestAccepted to this `file`")

// suffixes are what opcodes are followed by: all that some instruction takes, and some that none
// does.
const suffixes = `global shared shared::cluster shared::cta const param::entry param::func param local volatile mmio uni aligned lo hi wide l r clamp wrap sat
	relu cc shiftamt nc to proxy v2 v4 v8 noftz ftz ca cg cv wb wt cs lu weak relaxed acquire release acq_rel sc cta cluster gl gpu sys
	generic surface texture constant async alias async::global s32 u32 b32 s64 u64 b64 pred s8 u8 b8 s16 u16 b16 f32 f64 b128 f16 bf16 f16x2 bf16x2
	tf32 u16x2 eq ne lt le gt ge equ nan ls hs and or xor warp f4e rc16 cas exch add sub min max inc dec popc sync arrive red wait
	L1::evict_first L2::cache_hint L1 rn rz rni approx full abs satfinite idx up ballot mask finite device block`

// operandLists are what instructions are tried with.
var operandLists = []string{
	"", "0", "r1", "0,64", "L", "r1,r2,L", "r0,r1", "r0,0,p", "p,0,p", "r0,[x]", "r0,x", "r0,[s]", "r0,[a],pol", "[x],r1", "x,r1", "[s],r1", "r0,[x],r1", "r0,x,r1", "r0,[x],r1,r2",
	"[x],r1,r2", "r0,r1,r2", "r0|r4,r1,r2,p", "r0,r1,r2,r3", "r0,r1,r2,7", "r0,r1,r2,r3,7", "{r1,r2},[a]", "[a],{r1,r2}", "r0,{r1,r2}", "{r0,r4},[a],{r1,r2}",
}

// TestAccepted compares which opcodes with which suffixes are instructions, and what they do, with
// a golden file. Each line of the file is an instruction of a dialect: the suffixes that may follow
// it at once, and a number for the answers to all pairs of suffixes. Where that differs, -dump
// writes the answers themselves.
func TestAccepted(t *testing.T) {
	var out io.Writer = io.Discard
	if *dump != "" {
		f, err := os.Create(*dump)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // a test
		out = f
	}
	var b strings.Builder
	for _, name := range isa.Names() {
		a := asked{out: out, dialect: "module", opcode: name, answer: decoded}
		fmt.Fprintln(&b, a.all())
	}
	for _, dialect := range []string{"GPU_PTX", "PTX"} {
		for _, name := range Opcodes() {
			a := asked{out: out, dialect: dialect, opcode: name}
			a.answer = a.inTest
			fmt.Fprintln(&b, a.all())
		}
	}
	const golden = "testdata/accepted.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", golden, diff)
	}
}

// asked is an instruction of a dialect that is tried with suffixes.
type asked struct {
	out             io.Writer
	dialect, opcode string
	answer          func(opcode string) (answer string, accepted, hopeless bool)
	fitting         []string // of operands, those that some spelling of one suffix had
}

// all tries the instruction with no suffix, with each, and with each pair. It returns a line of the
// golden file.
func (a *asked) all() string {
	var single []string
	hash := fnv.New32a()
	known := strings.Fields(suffixes)
	try := func(opcode string) (accepted, hopeless bool) {
		answer, accepted, hopeless := a.answer(opcode)
		fmt.Fprintf(a.out, "%s %s: %s\n", a.dialect, opcode, answer)
		if accepted {
			fmt.Fprintf(hash, "%s: %s\n", opcode, answer)
		}
		return accepted, hopeless
	}
	var usable []string
	_, never := try(a.opcode)
	for _, s := range known {
		if never {
			break
		}
		accepted, hopeless := try(a.opcode + "." + s)
		if accepted {
			single = append(single, s)
		}
		if !hopeless {
			usable = append(usable, s)
		}
	}
	for i, s := range usable {
		for _, second := range usable[i:] {
			try(a.opcode + "." + s + "." + second)
		}
	}
	return fmt.Sprintf("%s %s: %s %08x", a.dialect, a.opcode, strings.Join(single, " "), hash.Sum32())
}

// decoded returns how modules are read.
func decoded(opcode string) (answer string, accepted, hopeless bool) {
	o, err := isa.Decode(opcode)
	if err != nil {
		return "", false, strings.Contains(err.Error(), "unknown modifier")
	}
	return fmt.Sprint(o.Code, o.Types, o.Space, o.Order, o.Scope, o.Volatile, o.MMIO, o.Constant, o.Cache, o.Vector, o.Update, o.Meeting, o.Warp, o.ProxyFence, o.Half,
		o.Saturate, o.Relu, o.SetsCarry, o.Rounding, o.Cmp, o.Combine, o.Pair, o.Left, o.Clamp, o.Amount, o.To, o.Mode, o.Class()), true, false
}

// inTest returns what an instruction does in a litmus test, with all operands that it may have.
func (a *asked) inTest(opcode string) (answer string, accepted, hopeless bool) {
	var b strings.Builder
	tried := operandLists
	if strings.Count(opcode, ".") > 1 {
		tried = a.fitting
	}
	for _, o := range tried {
		p, err := newTest(a.dialect, opcode+" "+o)
		if err != nil {
			message := err.Error()
			if strings.Contains(message, "unknown modifier") || strings.Contains(message, "unknown instruction") {
				return "", false, true
			}
			continue
		}
		accepted = true
		if !slices.Contains(a.fitting, o) {
			a.fitting = append(a.fitting, o)
		}
		fmt.Fprintf(&b, "(%s)", o)
		for _, path := range p.Paths[0] {
			writeEvents(&b, p, path.Path)
			for _, e := range path.Events {
				fmt.Fprint(&b, e.Addr, e.Data, e.Tags, e.Vector, e.Part)
			}
			for _, r := range []string{"r0", "r4", "p"} {
				fmt.Fprint(&b, " ", path.Finals[r])
			}
		}
	}
	return strings.ReplaceAll(b.String(), "\n", ";"), accepted, false
}

// newTest makes a program of one instruction and a label behind it.
func newTest(dialect, instruction string) (*Program, error) {
	text := dialect + " t\n{ x=1; a[4]={1,2,3,4}; shared s; 0:r0=5; 0:r1=1; 0:r2=2; 0:r3=3; 0:r4=4; 0:p=1; 0:pol=0; }\nP0@cta 0 ;\n" + instruction + " ;\nL: ;\nforall (true)\n"
	test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
	if err != nil {
		return nil, err
	}
	return New(test, frontend.Options{})
}
