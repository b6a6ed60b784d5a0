package harness_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// form is a family of instructions of the manual, without extensions of litmus tests: all ways to
// take one alternative of each list, and the operands. In operands, d a b c are registers of the
// last type, w one of twice its width, n one of 32 bits, p a predicate, m an address, i a number.
// ptxas must assemble each of those that muster parses in the spelling of the manual.
type form struct {
	opcode    string
	modifiers []string // alternatives, separated by spaces; - stands for no modifier
	operands  string
}

const (
	everyType  = ".pred .b8 .u8 .s8 .b16 .u16 .s16 .b32 .u32 .s32 .f32 .b64 .u64 .s64 .f64 .b128"
	everyScope = ".cta .cluster .gpu .sys"
	everySpace = "- .global .shared .shared::cta .local .const .param"
	everyHint  = "- .L1::evict_last .L1::no_allocate"
	operations = ".cas .exch .add .sub .inc .dec .and .or .xor .min .max"
)

var forms = []form{
	{"ld", []string{"- .weak", "- .global .shared", "- .ca .cg .cv", everyType}, "d, m"},
	{"ld", []string{"- .volatile", everySpace, everyType}, "d, m"},
	{"ld", []string{".relaxed .acquire", everyScope, everySpace, everyType}, "d, m"},
	{"ld", []string{".mmio.relaxed.sys", everySpace, everyType}, "d, m"},
	{"ld", []string{"- .weak", "- .global", everyHint, everyType}, "d, m"},
	{"st", []string{"- .weak", "- .global .shared", "- .wb .cg .wt", everyType}, "m, a"},
	{"st", []string{"- .volatile", everySpace, everyType}, "m, a"},
	{"st", []string{".relaxed .release", everyScope, everySpace, everyType}, "m, a"},
	{"st", []string{".mmio.relaxed.sys", everySpace, everyType}, "m, a"},
	{"st", []string{"- .weak", "- .global", everyHint, everyType}, "m, a"},
	{
		"atom", []string{
			"- .relaxed .acquire .release .acq_rel", "- " + everyScope, "- .global .shared", operations, everyType,
		}, "d, m, a",
	},
	{
		"atom", []string{
			"- .relaxed .acquire .release .acq_rel", "- " + everyScope, "- .global .shared", operations, everyType,
		}, "d, m, a, b",
	},
	{
		"red", []string{
			"- .relaxed .acquire .release .acq_rel", "- " + everyScope, "- .global .shared", operations, everyType,
		}, "m, a",
	},
	{"fence", []string{"- .sc .acq_rel .acquire .release", everyScope}, ""},
	{"fence", []string{".proxy", ".alias .async"}, ""},
	{"membar", []string{".cta .gl .sys"}, ""},
	{"bar", []string{".sync"}, "1"},
	{"bar", []string{".sync .arrive .red"}, "1, 64"},
	{"bar", []string{".red", ".and .or .popc", everyType}, "d, 1, p"},
	{"barrier", []string{"- .cta", ".red", ".and .or .popc", "- .aligned", everyType}, "d, 1, 64, !p"},
	{"bar", []string{".warp", ".sync .arrive"}, "0xffffffff"},
	{"barrier", []string{"- .cta", ".sync .arrive .red", "- .aligned"}, "1, 64"},
	{"barrier.cluster", []string{".arrive .wait", "- .release .acquire .relaxed", "- .aligned"}, ""},
	{"mov", []string{everyType}, "d, a"},
	{"cvt", []string{everyType, everyType}, "d, a"},
	{"cvta", []string{"- .to", everySpace, everyType}, "d, a"},
	{"setp", []string{".eq .ne .lt .le .gt .ge", everyType}, "p, a, b"},
	{"selp", []string{everyType}, "d, a, b, p"},
	{"add", []string{everyType}, "d, a, b"},
	{"sub", []string{everyType}, "d, a, b"},
	{"mul", []string{"- .lo", everyType}, "d, a, b"},
	{"div", []string{everyType}, "d, a, b"},
	{"rem", []string{everyType}, "d, a, b"},
	{"min", []string{everyType}, "d, a, b"},
	{"max", []string{everyType}, "d, a, b"},
	{"and", []string{everyType}, "d, a, b"},
	{"or", []string{everyType}, "d, a, b"},
	{"xor", []string{everyType}, "d, a, b"},
	{"shl", []string{everyType}, "d, a, i"},
	{"shr", []string{everyType}, "d, a, i"},
	{"neg", []string{everyType}, "d, a"},
	{"abs", []string{everyType}, "d, a"},
	{"not", []string{everyType}, "d, a"},
	{"cnot", []string{everyType}, "d, a"},
	{"mul", []string{"- .hi", everyType}, "d, a, b"},
	{"mul", []string{".wide", everyType}, "w, a, b"},
	{"mad", []string{"- .lo .hi", everyType}, "d, a, b, c"},
	{"mad", []string{".wide", everyType}, "w, a, b, w"},
	{"bfe", []string{everyType}, "d, a, i, i"},
	{"bfi", []string{everyType}, "d, a, b, i, i"},
	{"lop3", []string{everyType}, "d, a, b, c, 0x96"},
	{"popc", []string{everyType}, "n, a"},
	{"clz", []string{everyType}, "n, a"},
	{"brev", []string{everyType}, "d, a"},
	{"shf", []string{"- .l .r", "- .wrap .clamp", everyType}, "d, a, b, c"},
	{"nanosleep", []string{everyType}, "a"},
	{"prefetch", []string{"- .global .local", ".L1 .L2"}, "m"},
	{"applypriority", []string{".global", ".L2::evict_normal"}, "m, 128"},
}

// each calls visit with every instruction of the form.
func (f form) each(visit func(text string)) {
	texts := []string{f.opcode}
	for _, alternatives := range f.modifiers {
		var longer []string
		for _, text := range texts {
			for _, m := range strings.Fields(alternatives) {
				longer = append(longer, text+strings.TrimPrefix(m, "-"))
			}
		}
		texts = longer
	}
	for _, text := range texts {
		visit(strings.TrimSpace(text + " " + f.registers(text)))
	}
}

// registers returns the operands of an opcode as registers of its types.
func (f form) registers(opcode string) string {
	parts := strings.Split(opcode, ".")
	width := func(of string) string {
		if of == "pred" {
			return "p"
		}
		return strings.TrimLeft(of, "usbf")
	}
	last := width(parts[len(parts)-1])
	first := last
	if f.opcode == "cvt" {
		first = width(parts[1])
	}
	twice := map[string]string{"8": "16", "16": "32", "32": "64", "64": "128"}[last]
	return strings.NewReplacer("w", "%a"+twice, "n", "%d32", "d", "%d"+first, "a", "%a"+last, "b", "%b"+last, "c",
		"%c"+last, "p", "%pp", "m", "[%m]", "i", "3").Replace(f.operands)
}

// TestAcceptsWhatThePTXAssemblerDoes: ptxas assembles what muster parses in the spelling of the
// manual.
func TestAcceptsWhatThePTXAssemblerDoes(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" {
		t.Skip("no ptxas: the instructions that muster reads are not assembled; `pip download nvidia-cuda-nvcc-cu12` " +
			"has one, for PATH or $MUSTER_CUDA_BIN")
	}
	for _, f := range forms {
		t.Run(f.opcode, func(t *testing.T) {
			var accepted []string
			f.each(func(text string) {
				if reads(text) {
					accepted = append(accepted, text)
				}
			})
			if len(accepted) == 0 {
				t.Fatalf("muster reads none of %s with %v", f.opcode, f.modifiers)
			}
			if _, err := tools.Assemble(t.Context(), kernelOf(accepted), harness.SM90, 0); err != nil {
				t.Error(strings.Join(refusals(err, accepted), "\n"))
			}
		})
	}
}

// reads reports whether muster parses an instruction.
func reads(text string) bool {
	test, err := frontends.Shipped().Parse(
		src.NewFile("test", "PTX test\n{ x=0; 0:%m=x; "+declared+" }\nP0 ;\n"+text+" ;\nforall (true)\n"))
	if err != nil {
		return false
	}
	_, err = ptx.New(test, frontend.Options{})
	return err == nil
}

// kernelOf returns a kernel with the instructions.
func kernelOf(instructions []string) string {
	return ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n" + registers() +
		strings.Join(instructions, ";\n") + ";\n}\n"
}

// widths are the widths of the registers %d8, %a8, …; p is a predicate.
var widths = []string{"8", "16", "32", "64", "128", "p"}

// declared is the declaration of the registers in a test.
var declared = eachRegister("0:%s%s=1; ")

// registers returns the declarations of the registers in a kernel, which cannot have registers of 8
// bits.
func registers() string {
	var b strings.Builder
	for _, w := range widths {
		typ := map[string]string{"8": ".b16", "p": ".pred"}[w]
		if typ == "" {
			typ = ".b" + w
		}
		fmt.Fprintf(&b, ".reg %s %%d%s, %%a%s, %%b%s, %%c%s;\n", typ, w, w, w, w)
	}
	return b.String() + ".reg .pred %pp;\n.reg .b64 %m;\n"
}

func eachRegister(format string) string {
	var b strings.Builder
	for _, w := range widths {
		for _, name := range []string{"%d", "%a", "%b", "%c"} {
			fmt.Fprintf(&b, format, name, w)
		}
	}
	return b.String() + "0:%pp=0; "
}

var refusal = regexp.MustCompile(`line (\d+); error +: (.*)`)

// refusals returns the errors of the assembler, each once, with an instruction that causes it.
func refusals(err error, instructions []string) (all []string) {
	seen := map[string]bool{}
	first := strings.Count(kernelOf([]string{""}), "\n") - 1 // the line of the first instruction
	for _, m := range refusal.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(m[1])
		if i := line - first; !seen[m[2]] && 0 <= i && i < len(instructions) {
			seen[m[2]] = true
			all = append(all, instructions[i]+": "+m[2])
		}
	}
	if all == nil {
		all = []string{err.Error()}
	}
	return all
}
