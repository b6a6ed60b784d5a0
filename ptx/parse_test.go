package ptx

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// parseCell parses a text that stands in the middle of a file, as cells do, in a
// GPU_PTX test.
func parseCell(text string) ([]src.Span, *Instr, error) { return parseCellOf("GPU_PTX", text) }

func parseCellOf(arch, text string) ([]src.Span, *Instr, error) {
	const before, after = " mov r0,1 |", "; P1:"
	f := src.NewFile("test.litmus", before+text+after)
	return Parse(litmus.Cell{Span: f.Span(len(before), len(before)+len(text))}, arch)
}

// show writes an instruction one field after the other: "ld .global .cg .s32 d:r1 a:x+4".
func show(labels []src.Span, in *Instr) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	for _, l := range labels {
		add("%s:", l.Text())
	}
	if in == nil {
		return strings.Join(words, " ")
	}
	if g := in.Guard; g != nil {
		add("@%s%s", map[bool]string{true: "!"}[g.Negated], g.Reg.Text)
	}
	add("%s", in.name)
	for _, m := range showMods(in) {
		add(".%s", m)
	}
	if in.Dst != nil {
		add("d:%s", in.Dst.Text)
	}
	if in.Addr != nil {
		add("a:%s%+d", in.Addr.Text, in.Addr.Offset)
	}
	for _, s := range in.Srcs {
		if s.Kind == Immediate {
			add("#%d", s.Int)
		} else {
			add("s:%s", s.Text)
		}
	}
	for _, e := range in.Vector {
		add("v:%s", e.Text)
	}
	if in.Target != nil {
		add("l:%s", in.Target.Text)
	}
	return strings.Join(words, " ")
}

// defaults are the orders and scopes that are not shown.
var defaults = map[isa.Code]struct {
	order event.Order
	scope event.Scope
}{
	isa.Ld: {order: event.Weak}, isa.St: {order: event.Weak}, isa.Atom: {event.Relaxed, event.ScopeGPU}, isa.Red: {event.Relaxed, event.ScopeGPU},
	isa.Membar: {order: event.SC}, isa.Fence: {order: event.AcqRel},
}

func showMods(in *Instr) []string {
	var mods []string
	add := func(s string) {
		if s != "" {
			mods = append(mods, s)
		}
	}
	add(map[isa.Space]string{isa.Global: "global", isa.Shared: "shared", isa.SharedCluster: "shared"}[in.Op.Space])
	if in.Op.Volatile {
		add("volatile")
	}
	add(in.Cache().String())
	if in.Op.Code == isa.Setp {
		add(in.Op.Cmp.String())
	}
	add(in.Op.Update.String())
	if in.Op.MMIO {
		add("mmio")
	}
	if strongest := in.Op.Volatile || in.Op.MMIO; !strongest && in.Order() != defaults[in.Op.Code].order {
		add(in.Order().String())
	}
	add(in.Op.Meeting.String())
	if strongest := in.Op.Volatile || in.Op.MMIO; !strongest && in.Scope() != defaults[in.Op.Code].scope {
		add(in.Scope().String())
	}
	if in.Op.ProxyFence {
		add("proxy")
		add(in.Op.Proxy.String())
	}
	if in.Op.Vector > 0 {
		add(fmt.Sprintf("v%d", in.Op.Vector))
	}
	for i := range in.Op.Types {
		t := in.Type(i)
		add(fmt.Sprintf("%s%d", map[bool]string{true: "s", false: "u"}[t.Signed], t.Bits))
	}
	return mods
}

// readings are texts and what they are read as.
type readings []struct{ text, want string }

func (rs readings) check(t *testing.T, arch string) {
	t.Helper()
	for _, r := range rs {
		labels, in, err := parseCellOf(arch, r.text)
		if err != nil {
			t.Errorf("%s: %v", r.text, err)
		} else if got := show(labels, in); got != r.want {
			t.Errorf("%s is read as %s, want %s", r.text, got, r.want)
		}
	}
}

func TestParse(t *testing.T) {
	tests := readings{
		// Loads and stores.
		{"ld r1,[x]", "ld d:r1 a:x+0"},
		{"ld.cg r1,[x]", "ld .cg d:r1 a:x+0"},
		{"ld.global.cg.s32 r1,[r2]", "ld .global .cg .s32 d:r1 a:r2+0"},
		{"ld.shared.ca.u32 r1,[x]", "ld .shared .ca .u32 d:r1 a:x+0"},
		{"ld.cv.b32 r1,[x]", "ld .cv .u32 d:r1 a:x+0"},
		{"ld.volatile.s64 r1,[x]", "ld .volatile .s64 d:r1 a:x+0"},
		{"ld.volatile.global.u64 r1,[x]", "ld .global .volatile .u64 d:r1 a:x+0"},
		{"ld.b64 r1,[x]", "ld .u64 d:r1 a:x+0"},
		{"st [x],1", "st a:x+0 #1"},
		{"st.cg [x],1", "st .cg a:x+0 #1"},
		{"st.global.wb.s32 [r1],r0", "st .global .wb .s32 a:r1+0 s:r0"},
		{"st.shared.wt.u32 [x],r0", "st .shared .wt .u32 a:x+0 s:r0"},
		{"st.volatile [x],r0", "st .volatile a:x+0 s:r0"},
		{"ld r1,[x+4]", "ld d:r1 a:x+4"},
		{"ld r1, [ r2 + 0x10 ]", "ld d:r1 a:r2+16"},
		{"ld r1,[x-4]", "ld d:r1 a:x-4"},
		{"ld r1,[x + -4]", "ld d:r1 a:x-4"},

		// Arithmetic.
		{"mov r0,1", "mov d:r0 #1"},
		{"mov.s32 r0,r1", "mov .s32 d:r0 s:r1"},
		{"mov.u64 rd1,x", "mov .u64 d:rd1 s:x"},
		{"mov.pred p1,1", "mov .u1 d:p1 #1"},
		{"add r2,r2,1", "add d:r2 s:r2 #1"},
		{"add.s32 r2,r1,r0", "add .s32 d:r2 s:r1 s:r0"},
		{"sub.u32 r2,1,r0", "sub .u32 d:r2 #1 s:r0"},
		{"and.b32 r2,r1,0x80000000", "and .u32 d:r2 s:r1 #2147483648"},
		{"or.b64 r2,r1,r0", "or .u64 d:r2 s:r1 s:r0"},
		{"xor.b32 r2,r1,r1", "xor .u32 d:r2 s:r1 s:r1"},
		{"min.s32 r2,r1,-1", "min .s32 d:r2 s:r1 #-1"},
		{"max.u32 r2,r1,r0", "max .u32 d:r2 s:r1 s:r0"},
		{"cvt.u64.u32 r3,r2", "cvt .u64 .u32 d:r3 s:r2"},
		{"cvt.s64.s32 r3,r2", "cvt .s64 .s32 d:r3 s:r2"},
		{"selp.s32 r1,r2,3,p", "selp .s32 d:r1 s:r2 #3 s:p"},
		{"setp.eq p4,r0,0", "setp .eq d:p4 s:r0 #0"},
		{"setp.ne.s32 p,r0,r1", "setp .ne .s32 d:p s:r0 s:r1"},
		{"setp.lt.u32 r7,r0,r1", "setp .lt .u32 d:r7 s:r0 s:r1"},
		{"setp.le.s64 %p1,r0,r1", "setp .le .s64 d:%p1 s:r0 s:r1"},
		{"setp.gt.b32 $p,r0,r1", "setp .gt .u32 d:$p s:r0 s:r1"},
		{"setp.ge p_1,r0,r1", "setp .ge d:p_1 s:r0 s:r1"},

		// Fences.
		{"membar.cta", "membar .cta"},
		{"membar.gl", "membar .gpu"},
		{"membar.sys", "membar .sys"},

		// Atomics.
		{"atom.cas.b32 r1,[m],0,1", "atom .cas .u32 d:r1 a:m+0 #0 #1"},
		{"atom.exch.b32 r1,[m],0", "atom .exch .u32 d:r1 a:m+0 #0"},
		{"atom.global.add.s32 r1,[r2],r3", "atom .global .add .s32 d:r1 a:r2+0 s:r3"},
		{"atom.shared.inc.u32 r1,[m],7", "atom .shared .inc .u32 d:r1 a:m+0 #7"},
		{"atom.inc r0,[x]", "atom .inc d:r0 a:x+0"},
		{"atom.dec.u32 r0,[x]", "atom .dec .u32 d:r0 a:x+0"},
		{"atom.and.b32 r0,[x],1", "atom .and .u32 d:r0 a:x+0 #1"},
		{"atom.or.b32 r0,[x],1", "atom .or .u32 d:r0 a:x+0 #1"},
		{"atom.xor.b32 r0,[x],1", "atom .xor .u32 d:r0 a:x+0 #1"},
		{"atom.min.s32 r0,[x],1", "atom .min .s32 d:r0 a:x+0 #1"},
		{"atom.max.u32 r0,[x+4],1", "atom .max .u32 d:r0 a:x+4 #1"},
		{"red.add.u32 [x],r1", "red .add .u32 a:x+0 s:r1"},
		{"red.global.inc [x]", "red .global .inc a:x+0"},

		// Branches, guards and labels.
		{"bra DONE", "bra l:DONE"},
		{"bra.uni $L__BB0_2", "bra l:$L__BB0_2"},
		{"@p bra L", "@p bra l:L"},
		{"@!p4 membar.gl", "@!p4 membar .gpu"},
		{"@ ! r2 ld.cg r1,[x]", "@!r2 ld .cg d:r1 a:x+0"},
		{"DONE:", "DONE:"},
		{"A: B : C:", "A: B: C:"},
		{"LOOP: @p bra LOOP", "LOOP: @p bra l:LOOP"},
		{"A: B: mov r0,1", "A: B: mov d:r0 #1"},
		{"mov: mov mov,ld", "mov: mov d:mov s:ld"},

		// Constants.
		{"mov r0,-1", "mov d:r0 #-1"},
		{"mov r0,0x7fffffff", "mov d:r0 #2147483647"},
		{"mov r0,0XFF", "mov d:r0 #255"},
		{"mov r0,017", "mov d:r0 #15"},
		{"mov r0,0b101", "mov d:r0 #5"},
		{"mov r0,1U", "mov d:r0 #1"},
		{"mov.u64 r0,18446744073709551615", "mov .u64 d:r0 #-1"},
		{"mov.u64 r0,0xffffffffffffffffU", "mov .u64 d:r0 #-1"},
		{"mov.s64 r0,-9223372036854775808", "mov .s64 d:r0 #-9223372036854775808"},

		// Blanks.
		{"", ""},
		{" \t\r\n", ""},
		{"\tld.cg.s32\tr1 , [ x ] ", "ld .cg .s32 d:r1 a:x+0"},
	}
	tests.check(t, "GPU_PTX")
}

// TestSpans checks that every part of an instruction knows where it stands.
func TestSpans(t *testing.T) {
	labels, in, err := parseCell(" L1 : L2: @!p  atom.global.cas.b32 r1, [ r2 + 4 ],0x1,r3 ")
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]src.Span{
		"L1": labels[0], "L2": labels[1], "p": in.Guard.Reg.At,
		"atom.global.cas.b32 r1, [ r2 + 4 ],0x1,r3 ": in.At,
		"r1": in.Dst.At, "[ r2 + 4 ]": in.Addr.At, "0x1": in.Srcs[0].At, "r3": in.Srcs[1].At,
	} {
		if at.Text() != want {
			t.Errorf("%q is said to stand at %q", want, at.Text())
		}
	}
	if in.Opcode != "atom.global.cas.b32" {
		t.Errorf("the opcode is %q", in.Opcode)
	}
}

// TestErrorSpans checks where errors point.
func TestErrorSpans(t *testing.T) {
	for text, want := range map[string]string{
		"L: @p lds.cg r1,[x]":          "lds",
		"@!p ld.cg.foo.s32 r1,[x]":     ".foo",
		"ld.global.s32.u32 r1,[x]":     ".u32",
		"ld.cg. r1,[x]":                ".",
		"L: ld.volatile.cg r1,[x]":     "ld.volatile.cg",
		"setp.s32 p,r1,0":              "setp.s32",
		"add r1, r2 r3":                "r3",
		"ld r1,[x+ r2]":                "r2",
		"mov r0, 99999999999999999999": "99999999999999999999",
		"add r1,r2":                    "",
		"@ 1 mov r0,1":                 "1",
	} {
		_, _, err := parseCell(text)
		diags, ok := err.(src.Diagnostics)
		if !ok || len(diags) != 1 || diags[0].Span.Text() != want {
			t.Errorf("the error of %s points at %q, want %q", text, diags[0].Span.Text(), want)
		}
	}
}

// TestDefaultType: .s32 stands for a type that is left out.
func TestDefaultType(t *testing.T) {
	_, in, err := parseCell("cvt.u64 r1,r2")
	if err != nil {
		t.Fatal(err)
	}
	if in.Type(0) != arith.U64 || in.Type(1) != arith.S32 {
		t.Errorf("cvt.u64 converts %v to %v", in.Type(1), in.Type(0))
	}
}

// FuzzParse looks for cells that make the parser panic or lose its place.
func FuzzParse(f *testing.F) {
	for _, text := range corpusCells(f) {
		f.Add(text)
	}
	for _, text := range []string{"@", "@!", "ld.", ".", "L::", "ld r,[x+", "[", "{r1,r2}", "add r0,,", "mov r0,é", "mov r0,-", "-1:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for arch := range dialects {
			parsesInPlace(t, arch, text)
		}
	})
}

// parsesInPlace parses a cell and demands that all that comes of it stands in the cell.
func parsesInPlace(t *testing.T, arch, text string) {
	labels, in, err := parseCellOf(arch, text)
	inside := func(what string, at src.Span) {
		start := at.Start - len(" mov r0,1 |")
		if !at.Valid() || start < 0 || at.End < at.Start || start+at.End-at.Start > len(text) {
			t.Errorf("%s: %s of %q stands at [%d, %d)", arch, what, text, start, start+at.End-at.Start)
		}
	}
	for _, l := range labels {
		inside("a label", l)
	}
	diags, ok := err.(src.Diagnostics)
	if err != nil && (!ok || len(diags) == 0 || in != nil) {
		t.Fatalf("%s: %T with %d errors and %v", arch, err, len(diags), in)
	}
	for _, d := range diags {
		inside("an error", d.Span)
	}
	if in != nil {
		checkInstr(t, in, inside)
	}
}

// checkInstr checks what the steps rely on.
func checkInstr(t *testing.T, in *Instr, inside func(string, src.Span)) {
	inside("the instruction", in.At)
	operands := append([]Operand(nil), in.Srcs...)
	for _, o := range []*Operand{in.Dst, in.Addr, in.Target} {
		if o != nil {
			operands = append(operands, *o)
		}
	}
	if in.Guard != nil {
		operands = append(operands, in.Guard.Reg)
	}
	for _, o := range operands {
		inside("an operand", o.At)
		if o.Text == "" {
			t.Errorf("an operand of %q has no text", in.At.Text())
		}
	}
	if in.Op.Code == isa.None || in.Cache() != CacheNone && in.Op.Volatile {
		t.Errorf("%q has no meaning", in.At.Text())
	}
}

// FuzzNew looks for tests that make the checks or the walk along the paths panic.
func FuzzNew(f *testing.F) {
	for _, test := range corpus(f) {
		f.Add(test.File.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
		if err != nil {
			return
		}
		p, err := New(test, frontend.Options{Unroll: 1})
		switch err := err.(type) {
		case nil:
			for s := range p.Structures(t.Context()) {
				_ = s.Names()
				break
			}
			_ = p.Domain()
		case src.Diagnostics:
			for _, d := range err {
				if !d.Span.Valid() {
					t.Errorf("an error stands nowhere: %v", d)
				}
			}
		case *frontend.PathLimitError:
		default:
			t.Errorf("%T: %v", err, err)
		}
	})
}

// corpusCells returns every instruction of the corpus, once.
func corpusCells(t testing.TB) []string {
	var cells []string
	for _, test := range corpus(t) {
		for _, thread := range test.Threads {
			for _, c := range thread.Cells {
				cells = append(cells, c.Text())
			}
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// corpus reads the tests of the corpus.
func corpus(t testing.TB) []*litmus.Test {
	var tests []*litmus.Test
	err := fs.WalkDir(litmustests.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".litmus") {
			return err
		}
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			return err
		}
		if header, _, _ := strings.Cut(string(text), " "); header != "PTX" && header != "GPU_PTX" {
			return nil
		}
		test, err := litmus.Parse(src.NewFile(name, string(text)), Formats())
		tests = append(tests, test)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
