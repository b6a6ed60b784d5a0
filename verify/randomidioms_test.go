package verify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// author writes random kernels of idioms: counters, elections, masters, leaders of warps, votes,
// flags, tiles, in loops and branches. Each idiom is mostly right, so that the code around it
// decides the verdict.
type author struct {
	*rand.Rand
	depth, loops int
}

func (w *author) one(of ...string) string { return of[w.IntN(len(of))] }

// mostly returns the first but for one time in n.
func (w *author) mostly(n int, first string, of ...string) string {
	if w.IntN(n) > 0 {
		return first
	}
	return w.one(of...)
}

// sync returns a barrier most often.
func (w *author) sync() string {
	return w.mostly(7, "__syncthreads();\n", "__syncwarp();\n", "", "if (__syncthreads_or(x)) k++;\n")
}

// reset has one thread set a cell of shared memory.
func (w *author) reset(cell string) string {
	return "if (t == " + w.mostly(6, "0", "33", "n", "(int)blockIdx.x") + ") " + cell + " = " + w.mostly(5, "0", "1", "n", "x") + ";\n" + w.sync()
}

// counted has threads count, and use what they get.
func (w *author) counted() string {
	text, by, use := "", "", w.one("a[k] = t;\n", "a[k] = t;\n", "s[k & 63] = t;\n", "a[k & 127] = t;\n", "a[B * 64 + k] = t;\n", "a[k + t] = 1;\n")
	switch w.IntN(5) {
	case 0:
		by = "k = atomicAdd(c, " + w.mostly(5, "1", "2", "x & 3", "-1", "n") + ");\n"
	case 1, 2:
		text, by = w.reset("q[0]"), "k = atomicAdd(q, "+w.mostly(5, "1", "2", "x & 3")+");\n"
	case 3:
		by = "if (L == 0) k = atomicAdd(c, 32);\nk = __shfl_sync(ALL, k, 0) + L;\n"
	case 4:
		by = w.reset("q[0]") + "if (t == 0) q[1] = atomicAdd(c, " + w.mostly(5, "64", "63", "q[0]", "n", "65") + ");\n" + w.sync() + "k = q[1] + t;\n"
	}
	if w.IntN(4) == 0 {
		by, use = "if ("+w.one("x & 1", "t < 40", "n > 1")+") {\n"+by, use+"}\n"
	}
	return text + by + use
}

// elected has an atomic elect a thread.
func (w *author) elected() string {
	cell := w.one("q[2]", "q[2]", "c[1]")
	text := ""
	if cell == "q[2]" {
		text = w.reset(cell)
	}
	who := w.one("atomicCAS(&%s, 0, 1) == 0", "atomicExch(&%s, t + 1) == 0", "atomicCAS(&%s, 0, t) == 0", "(atomicOr(&%s, 1) & 1) == 0", "(atomicOr(&%s, x) & 2) == 0", "atomicMax(&%s, 3) < 3", "atomicMin(&%s, -1) > -1",
		"atomicMax(&%s, x) < x", "(atomicAnd(&%s, ~2) & 2) != 0", "atomicXor(&%s, 1) == 0", "atomicInc((unsigned *)&%s, 5) == 5")
	return text + "if (" + fmt.Sprintf(who, cell) + ") " + w.one("a[B] = t;\n", "q[3] = t;\n", "a[B * 64] = t;\n", "a[0] = 1;\n", cell+" = 0;\n", "atomicExch(&"+cell+", 0);\n")
}

// passed has threads exchange what they have by shared memory.
func (w *author) passed() string {
	from := w.mostly(3, "63 - t", "t ^ 1", "(t + 1) & 63", "t ^ 32", "0", "k & 63", "q[0] & 63")
	return "s[t] = x;\n" + w.mostly(6, "__syncthreads();\n", "__syncwarp();\n", "") + "x += s[" + from + "];\n" + w.mostly(6, "__syncthreads();\n", "__syncwarp();\n", "")
}

// told has one thread tell the others something by a cell.
func (w *author) told() string {
	return w.reset("q[3]") + w.one("if (x == 3) q[3] = 1;\n", "if (t == 5) q[3] = x;\n", "if (x == 3) *(volatile int *)&q[3] = 1;\n", "if (x > 3) atomicOr(&q[3], 1);\n", "if (x == 3) atomicAdd(&q[3], 1);\n") + w.sync() +
		w.mostly(3, "k = q[3];\n", "k = *(volatile int *)&q[3];\n") + w.one("", w.sync()) + w.branch("k > 0")
}

// branch returns what happens if something holds, if it is not left out.
func (w *author) branch(when string) string {
	return "if (" + when + ") {\n" + w.block() + "}\n"
}

// voted has lanes of a warp decide something.
func (w *author) voted() string {
	return w.one("m = __ballot_sync(ALL, x & 1);\n", "m = __match_any_sync(ALL, x);\n", "m = __any_sync(ALL, x > 2);\n") +
		w.one("if (m && L == __ffs(m) - 1) a[B * 2 + W] = 1;\n", "if (L == __ffs(m) - 1) atomicAdd(&a[x], 1);\n", "if (m) s[t] = 1;\n", w.branch("m"), "if (L == 31 - __clz(m)) k = atomicAdd(c, __popc(m));\nk = __shfl_sync(ALL, k, 31 - __clz(m));\nif (x & 1) a[k + __popc(m & ((1u << L) - 1))] = 1;\n")
}

// loop goes round as often as something says.
func (w *author) loop() string {
	if w.loops++; w.loops > 2 {
		w.loops--
		return w.passed()
	}
	defer func() { w.loops-- }()
	i := fmt.Sprintf("i%d", w.loops)
	switch w.IntN(6) {
	case 0, 1:
		return "for (int " + i + " = 0; " + i + " < " + w.mostly(4, "n", "3", "q[0] & 3", "x & 3") + "; " + i + "++) {\n" + w.block() + w.block() + "}\n"
	case 2:
		return "for (int " + i + " = 0; " + i + " < 4; " + i + "++) {\n" + w.block() + w.sync() + "if (" + w.mostly(3, "q[3] > "+i, "x > 4", "*(volatile int *)&q[3] > 0", "n == "+i) + ") break;\n" + w.sync() + w.block() + "}\n"
	case 3:
		return "do {\n" + w.block() + "} while (" + w.mostly(4, "__syncthreads_or(x-- > 2)", "!__syncthreads_and(x++ > 2)", "__any_sync(ALL, x-- > 2)", "x-- > 2") + ");\n"
	case 4:
		return "for (;;) {\nif (t == 0) q[1] = atomicAdd(c, 64);\n" + w.sync() + "k = q[1];\n" + w.mostly(4, "__syncthreads();\n", "") + "if (k > " + w.mostly(3, "200", "200 + t", "100 + n") + ") break;\na[k + " + w.mostly(4, "t", "63 - t", "x") + "] = t;\n" + w.block() + "}\n"
	}
	return "for (int " + i + " = g; " + i + " < 256 + n; " + i + " += " + w.mostly(4, "128", "64", "127") + ") {\na[" + i + "] += 1;\n" + w.block() + "}\n"
}

// statement is one of all of that.
func (w *author) statement() string {
	if w.depth++; w.depth > 3 {
		w.depth--
		return w.passed()
	}
	defer func() { w.depth-- }()
	switch w.IntN(9) {
	case 0, 1:
		return w.counted()
	case 2:
		return w.elected()
	case 3:
		return w.passed()
	case 4:
		return w.told()
	case 5:
		return w.voted()
	case 6:
		return w.loop()
	case 7:
		return w.branch(w.mostly(3, "n > 1", "t < 32", "B == 0", "x > 2", "__syncthreads_or(x > 5)"))
	}
	return w.one("b[g] = x;\n", "x = b[g];\n", "b[g ^ 1] = x;\n", "x = in[g + n];\n", "__syncthreads();\n", "k = q[0];\nif (t < k) b[g] = k;\n", "q[0] = 0;\n")
}

// block is one or two of them.
func (w *author) block() (text string) {
	for range max(1, w.IntN(3)) {
		text += w.statement()
	}
	return text
}

// kernel is one of them.
func (w *author) kernel(name string) string {
	return `extern "C" __global__ void ` + name + `(int *a, int *b, int *c, const int *in, int n) {
  __shared__ int s[64], q[4];
  int t = threadIdx.x, B = blockIdx.x, L = t & 31, W = t / 32, g = B * 64 + t, k = 0, x = in[g];
  unsigned m = 0;
  (void)L, (void)W, (void)m, (void)k;
` + w.one("if (n < 0 || n > 4) return;\n", "") + w.block() + w.one("b[g] = x;\n", "", w.statement()) + "}\n"
}

// TestRandomIdioms: what is verified of random kernels of idioms, no launch shows to go wrong.
func TestRandomIdioms(t *testing.T) {
	rounds := sample.Rounds(200, 12, 1)
	verified, wrong := 0, 0
	for round := range rounds {
		w := &author{Rand: rand.New(rand.NewPCG(uint64(round), 137))}
		texts := map[string]string{}
		all := strings.Builder{}
		all.WriteString("#define ALL 0xffffffffu\n")
		for i := range 25 {
			name := fmt.Sprintf("k%d", i)
			texts[name] = w.kernel(name)
			all.WriteString(texts[name])
		}
		m := compiledFrom(t, all.String())
		for _, f := range m.Funcs {
			if !f.Entry {
				continue
			}
			r, err := within(t, m, f, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}, Alarms: 1, Budget: 500})
			if err != nil {
				t.Fatal(err)
			}
			switch bad := idiomatic(t, m, f, uint64(round)); {
			case r.Verdict == verify.Verified && bad != "":
				t.Errorf("round %d: verified, and a launch goes wrong: %s\n%s", round, bad, texts[f.Name])
			case r.Verdict == verify.Verified:
				verified++
			case bad != "":
				wrong++
			}
		}
	}
	t.Logf("%d kernels: %d verified, %d that go wrong", 25*rounds, verified, wrong)
	if verified < rounds || wrong < rounds {
		t.Errorf("too few of a kind")
	}
}

// within verifies a kernel, for no longer than a while: what is not decided then is of no interest.
func within(t *testing.T, m *kernel.Module, f *kernel.Function, c verify.Config) (*verify.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return verify.Verify(ctx, m, f, c)
}

// idiomatic describes what goes wrong in launches of a kernel, with several arguments, contents of
// memory, and orders.
func idiomatic(t *testing.T, m *kernel.Module, f *kernel.Function, seed uint64) string {
	t.Helper()
	program := launch.New(m)
	for n := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, n))
		small := func(name string) launch.Arg {
			data := make([]byte, 4*256)
			for i := 0; i < len(data); i += 4 {
				data[i] = byte(r.IntN(8))
			}
			return launch.Arg{Buffer: &launch.Buffer{Name: name, Bytes: data}}
		}
		got, err := program.Run(t.Context(), launch.Launch{
			Kernel: f.Name, Grid: launch.Dim{X: 2, Y: 1, Z: 1}, Block: launch.Dim{X: 64, Y: 1, Z: 1}, Unbounded: true, Schedule: launch.Random(seed + n), MaxSteps: 200_000,
			Args: []launch.Arg{small("a"), small("b"), small("c"), small("in"), {Value: n}},
		})
		if err == nil && got.Verdict() != (launch.Verdict{}) {
			return fmt.Sprint(got.Verdict(), got.Races, got.Divergences)
		}
	}
	return ""
}
