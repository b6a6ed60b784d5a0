package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// writer writes random kernels in CUDA C++: pointers that are moved and swapped, loops, branches,
// barriers, and results of warp functions and atomics.
type writer struct {
	*rand.Rand
	depth int
}

func (w *writer) one(of ...string) string { return of[w.IntN(len(of))] }

// index returns an expression.
func (w *writer) index() string {
	x := w.one("g", "g", "g", "g", "g", "g", "g", "g", "t", "k", "i + g", "n + g")
	for range max(0, w.IntN(5)-2) {
		x = "(" + x + " " + w.one("+ 1", "- 1", "^ 1", "* 2", "/ 2", "% 4", "& 3", "+ i", "+ 4 * i", "+ k", "* n", "% (n + 1)", "| 4", "<< 1", ">> 1", "- t", "+ 8", "* 3 % 8") + ")"
	}
	return x
}

// uniform returns a condition that all threads of a block agree on, most often.
func (w *writer) uniform() string {
	return w.one("n > 1", "i % 2 == 0", "n == i", "true", "blockIdx.x == 0", "i < 2 && n < 3", "__syncthreads_or(t == n)", "k == 1", "t < 8")
}

// statement is one; those within it are fewer the deeper it is.
func (w *writer) statement() string {
	if w.depth++; w.depth > 3 {
		w.depth--
		return "p[g] = t;\n"
	}
	defer func() { w.depth-- }()
	array := w.one("p", "q", "s", "a", "local")
	switch w.IntN(13) {
	case 0, 1, 2:
		return array + "[" + w.index() + "] " + w.one("=", "+=") + " " + w.one("1", "t", w.index()) + ";\n"
	case 3:
		return "k = " + w.index() + ";\n"
	case 4:
		return "x += " + array + "[" + w.index() + "];\n"
	case 5:
		return w.one("{ int *r = p; p = q; q = r; }\n", "p = s;\n", "q = p + 8;\n", "p = n > 1 ? a : b;\n", "q = t & 1 ? p : q;\n")
	case 6:
		return "__syncthreads();\n"
	case 7:
		return "if (" + w.uniform() + ") {\n" + w.block() + "}\n"
	case 8:
		return "if (" + w.one("t < 4", "t == n", "t % 2", "t > i", "k > 3", "g < 12") + ") {\n" + w.block() + w.one("} else {\n"+w.block(), "") + "}\n"
	case 9:
		return fmt.Sprintf("for (int i = 0; i < %s; i++) {\n%s}\n", w.one("2", "3", "n", "n + 1"), w.block())
	case 10:
		return w.one("k = atomicAdd(c, 1);\n", "k = atomicAdd(c + (t & 1), 2);\n", "if (atomicCAS(c, 0, 1) == 0) {\n"+w.block()+"}\n", "if (atomicExch(c, 5) == 0) {\n"+w.block()+"}\n")
	case 11:
		return w.one("k = __shfl_xor_sync(255, t, 1);\n", "__syncwarp(255);\n", "k = __popc(__ballot_sync(255, t & 1));\n", "k = (int)((float)t * 2.0f);\n", "k = min(t, 6);\n")
	}
	return "switch (" + w.index() + " & 3) {\ncase 0:\n" + w.block() + "break;\ncase 1:\n" + w.block() + w.one("break;\n", "") + "default:\n" + w.block() + "}\n"
}

// block is some of them, and a barrier behind one of three.
func (w *writer) block() (text string) {
	for range 1 + w.IntN(3) {
		text += w.statement()
	}
	return text + w.one("__syncthreads();\n", "", "")
}

// kernel is one of them.
func (w *writer) kernel(name string) string {
	return `extern "C" __global__ void ` + name + `(int *a, int *b, int *c, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, i = 0, k = 0, x = 0, local[64] = {}, *p = a, *q = b;
  if (n < 0 || n > 4) return;
` + w.block() + w.block() + "  local[0] = x;\n}\n"
}

// TestRandomSources: what is verified of random kernels in CUDA C++, no launch shows to go wrong.
func TestRandomSources(t *testing.T) {
	rounds := sample.Rounds(60, 6, 1)
	verified, wrong := 0, 0
	for round := range rounds {
		w := &writer{Rand: rand.New(rand.NewPCG(uint64(round), 91))}
		texts := map[string]string{}
		var all strings.Builder
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
			r, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{8, 1, 1}}, Alarms: 1})
			if err != nil {
				t.Fatal(err)
			}
			switch bad := inLaunches(t, m, f); {
			case r.Verdict == verify.Verified && bad:
				t.Errorf("round %d: verified, and a launch goes wrong\n%s", round, texts[f.Name])
			case r.Verdict == verify.Verified:
				verified++
			case bad:
				wrong++
			}
		}
	}
	t.Logf("%d kernels: %d verified, %d that go wrong", 25*rounds, verified, wrong)
	if verified < rounds || wrong < rounds {
		t.Errorf("too few of a kind")
	}
}

// compiledFrom returns the module of a source in CUDA C++, whose kernels have names of C.
func compiledFrom(t *testing.T, text string) *kernel.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	compiled, err := compile.By(t.Context(), compile.Clang, file)
	if err != nil && strings.Contains(err.Error(), "there is no ") {
		t.Skipf("sources are not compiled: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile("k.ptx", compiled.PTX))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inLaunches reports whether a launch of a kernel goes wrong, for some arguments and in two orders.
func inLaunches(t *testing.T, m *kernel.Module, f *kernel.Function) bool {
	t.Helper()
	program := launch.New(m)
	buffer := func(name string) launch.Arg { return launch.Arg{Buffer: &launch.Buffer{Name: name}} }
	for n := range uint64(5) {
		for _, s := range []launch.Schedule{launch.InOrder(), launch.Random(n)} {
			got, err := program.Run(t.Context(), launch.Launch{
				Kernel: f.Name, Grid: launch.Dim{X: 2}, Block: launch.Dim{X: 8}, Unbounded: true, Schedule: s,
				Args: []launch.Arg{buffer("a"), buffer("b"), buffer("c"), {Value: n}},
			})
			if err == nil && (len(got.Races) > 0 || len(got.Divergences) > 0) {
				return true
			}
		}
	}
	return false
}
