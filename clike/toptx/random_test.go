package toptx_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/clike/toptx"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// randomTest is a test in CUDA C++ with two threads of a few statements: plain and atomic accesses
// of all kinds, arithmetic on all widths, branches, loops, arrays and pointers. With races it says
// little under a source model, so atomics are frequent.
type randomTest struct {
	*rand.Rand
	text      strings.Builder
	variables []string // of the thread
	plain     bool     // plain accesses are wanted
}

func (r *randomTest) pick(words ...string) string { return words[r.IntN(len(words))] }

// newRandomTest returns the text of a test.
func newRandomTest(seed uint64, plain bool) string {
	r := &randomTest{Rand: rand.New(rand.NewPCG(seed, 1)), plain: plain}
	r.text.WriteString("CUDA random\n{ x=0; y=1; u=2; l=3; int a[2]={0,1}; }\n")
	var observed []string
	for t := range 2 {
		cta := 0
		if t == 1 {
			cta = r.IntN(2)
		}
		fmt.Fprintf(&r.text, "P%d@cta %d,gpu 0 (cuda::atomic<int, cuda::thread_scope_device>* x, int* y, "+
			"cuda::atomic<unsigned, cuda::thread_scope_device>* u, cuda::atomic<long long, cuda::thread_scope_device>* l, int* a) {\n", t, cta)
		r.variables = nil
		for range 2 + r.IntN(2) {
			r.statement(1)
		}
		r.text.WriteString("}\n")
		for _, v := range r.variables {
			observed = append(observed, fmt.Sprintf("%d:%s", t, v))
		}
	}
	fmt.Fprintf(&r.text, "locations [x; y; u; l; a[0]; a[1]; %s]\nexists (x=0)\n", strings.Join(append(observed, ""), "; "))
	return r.text.String()
}

// variable declares one that is initialised to an expression.
func (r *randomTest) variable(typ, format string, args ...any) {
	name := fmt.Sprintf("v%d", len(r.variables))
	fmt.Fprintf(&r.text, "%s %s = %s;\n", typ, name, fmt.Sprintf(format, args...))
	r.variables = append(r.variables, name)
}

func (r *randomTest) statement(depth int) {
	load, store := r.pick("relaxed", "acquire", "seq_cst"), r.pick("relaxed", "release", "seq_cst")
	any := r.pick("relaxed", "acquire", "release", "acq_rel", "seq_cst")
	switch n := r.IntN(14); {
	case n < 2:
		object := r.pick("x", "u", "l")
		r.variable(r.pick("int", "unsigned", "long", "short", "unsigned char"), "%s->load(cuda::memory_order_%s)", object, load)
	case n < 4:
		fmt.Fprintf(&r.text, "%s->store(%s, cuda::memory_order_%s);\n", r.pick("x", "u", "l"), r.expression(2), store)
	case n == 4:
		r.variable("long", "%s->%s(%s, cuda::memory_order_%s)", r.pick("x", "u", "l"),
			r.pick("exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_max", "fetch_min"), r.expression(1), any)
	case n == 5:
		r.variable("int", "%s", r.expression(0))
		old := r.variables[len(r.variables)-1]
		fmt.Fprintf(&r.text, "x->compare_exchange_strong(%s, %s, cuda::memory_order_%s);\n", old, r.expression(1), any)
	case n == 6:
		r.variable("int", "%s(y, %s)", r.pick("atomicAdd", "atomicExch", "atomicMax"), r.expression(1))
	case (n == 7 || n > 11) && depth > 0:
		fmt.Fprintf(&r.text, "if (%s %s %s) {\n", r.expression(1), r.pick("<", "<=", ">", ">=", "==", "!="), r.expression(1))
		r.statement(depth - 1)
		r.text.WriteString("} else {\n")
		r.statement(depth - 1)
		r.text.WriteString("}\n")
	case n == 8 && depth > 0:
		i := fmt.Sprintf("i%d", len(r.variables))
		fmt.Fprintf(&r.text, "for (int %s = 0; %s < 2; ++%s) {\n", i, i, i)
		r.statement(depth - 1)
		r.text.WriteString("}\n")
	case n == 9:
		fmt.Fprintf(&r.text, "cuda::atomic_ref<int, cuda::thread_scope_device>(a[%s & 1]).store(%s, cuda::memory_order_%s);\n", r.expression(1), r.expression(1), store)
	case n == 10 && r.plain:
		r.variable("int", "%s", r.pick("*y", "a[1]", "*(a + (*y & 1))"))
	default:
		fmt.Fprintf(&r.text, "cuda::atomic_thread_fence(cuda::memory_order_%s, cuda::thread_scope_device);\n", r.pick("acquire", "release", "acq_rel", "seq_cst"))
	}
}

// expression is one over variables of the thread, without accesses.
func (r *randomTest) expression(depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		if len(r.variables) == 0 || r.IntN(2) == 0 {
			return r.pick("1", "2", "-1", "3u", "5L")
		}
		return r.variables[r.IntN(len(r.variables))]
	}
	x, y := r.expression(depth-1), r.expression(depth-1)
	switch r.IntN(5) {
	case 0:
		return "(" + x + r.pick(" ? ", " == 1 ? ") + y + " : 4)"
	case 1:
		return "(" + r.pick("-", "~", "!", "(unsigned char)", "(long)") + x + ")"
	}
	return "(" + x + " " + r.pick("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "<<", ">>", "&&", "||") + " " + y + ")"
}

// TestComputesTheSame: where nothing is reordered, a program and its translation end in the same
// states.
func TestComputesTheSame(t *testing.T) {
	some := 0
	for seed := range uint64(sample.Of(2000, 150)) {
		text := newRandomTest(seed, true)
		source := load(t, text)
		want, r := states(t, source, "sc")
		if r.Limit != nil {
			continue
		}
		ptx, translation := translated(t, source.Test, toptx.Editions[seed%3])
		if got, _ := states(t, translation, "sc"); strings.Join(want, "\n") != strings.Join(got, "\n") {
			t.Fatalf("seed %d: under sc the source ends in %d states, its translation in %d:\n%s\n%s", seed, len(want), len(got), text, ptx)
		}
		some++
	}
	if some < 100 {
		t.Errorf("only %d tests", some)
	}
}

// TestRandomProgramsAreSound: whatever the translation of a race-free program can do under ptx, the
// program can do under rc11-scoped (Lustig, Sahasrabuddhe, Giroux, ASPLOS 2019), but for load
// buffering without dependencies: RC11 forbids it lest values come out of thin air, and PTX only
// where there are dependencies.
func TestRandomProgramsAreSound(t *testing.T) {
	defined := 0
	for seed := range uint64(sample.Of(3000, 150)) {
		text := newRandomTest(seed, false)
		source := load(t, text)
		may, r := states(t, source, "rc11-scoped:load-buffering")
		if r.Limit != nil || len(r.Undefined) > 0 {
			continue
		}
		defined++
		for _, e := range toptx.Editions[:2] {
			ptx, translation := translated(t, source.Test, e)
			does, _ := states(t, translation, "ptx")
			if more := beyond(does, may); len(more) > 0 {
				t.Fatalf("seed %d, %s: the translation ends in %v, which rc11-scoped forbids:\n%s\n%s", seed, e.Name, more, text, ptx)
			}
		}
	}
	if defined < 50 {
		t.Errorf("only %d programs without races", defined)
	}
}

// load reads a test.
func load(t *testing.T, text string) *sim.Test {
	t.Helper()
	test, err := sim.Load(src.NewFile("random", text), sim.Defaults())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return test
}
