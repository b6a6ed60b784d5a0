package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// mutations change a line of PTX like a small mistake of a programmer or a compiler. They return ""
// if they do not apply.
var mutations = []func(*rand.Rand, string) string{
	func(_ *rand.Rand, line string) string { // a statement is forgotten
		if forgettable.MatchString(line) {
			return "\t// " + line
		}
		return ""
	},
	func(r *rand.Rand, line string) string { // a number is another
		return replaceOne(r, line, number, func(n string) string {
			return n[:1] + []string{"0", "1", "2", "4", "31", "33"}[r.IntN(6)]
		})
	},
	func(r *rand.Rand, line string) string { // a register is another
		return replaceOne(r, line, register, func(name string) string { return strings.TrimRight(name, "0123456789") + fmt.Sprint(1+r.IntN(6)) })
	},
	func(_ *rand.Rand, line string) string { // a condition is turned round, or does not matter
		return turned.Replace(line)
	},
	func(_ *rand.Rand, line string) string { // a comparison or an operation is another
		return slips.Replace(line)
	},
}

var (
	forgettable = regexp.MustCompile(`^\s*(bar|st|add|sub|mul|mad|shl|@%p\d+ bra)[. ]`)
	number      = regexp.MustCompile(`[ ,+]\d+`)
	register    = regexp.MustCompile(`%r\d+`)
	turned      = strings.NewReplacer("@%p", "@!%p", "@!%p", "@%p")
	slips       = strings.NewReplacer(".lt.", ".le.", ".gt.", ".ge.", ".eq.", ".ne.", ".ne.", ".eq.", "\tadd.", "\tsub.", "\tshl.", "\tshr.", "\tor.", "\txor.")
)

// replaceOne replaces one of the matches in a line.
func replaceOne(r *rand.Rand, line string, of *regexp.Regexp, by func(string) string) string {
	all := of.FindAllStringIndex(line, -1)
	if len(all) == 0 || strings.Contains(line, ".loc") || strings.Contains(line, ".reg") || strings.Contains(line, ".param") {
		return ""
	}
	at := all[r.IntN(len(all))]
	return line[:at[0]] + by(line[at[0]:at[1]]) + line[at[1]:]
}

// mutant returns a module with one changed line, or nil if the text is not a module then.
func mutant(seed uint64, text string) *kernel.Module {
	r := rand.New(rand.NewPCG(seed, 1))
	lines := strings.Split(text, "\n")
	for range 50 {
		at := r.IntN(len(lines))
		if strings.HasPrefix(lines[at], ".") { // a directive of the module
			continue
		}
		line := mutations[r.IntN(len(mutations))](r, lines[at])
		if line == "" || line == lines[at] {
			continue
		}
		lines[at] = line
		m, err := kernel.Parse(src.NewFile("mutant.ptx", strings.Join(lines, "\n")))
		if err != nil {
			return nil
		}
		return m
	}
	return nil
}

// goesWrong reports whether a launch of a mutant races, or diverges.
func goesWrong(t testing.TB, m *kernel.Module, e *examples.Example) bool {
	t.Helper()
	program := launch.New(m)
	for _, l := range e.Launches {
		l.MaxSteps = 50_000
		r, err := program.Run(t.Context(), l)
		if err == nil && r.Excluded == nil && (len(r.Races) > 0 || len(r.Divergences) > 0) {
			return true
		}
	}
	return false
}

// TestMutants: right kernels with one mistake each. No mutant that a launch shows to race or to
// diverge is verified.
func TestMutants(t *testing.T) {
	wrong, found := mutate(t, "testdata/kernels", sample.Rounds(100, 40, 2))
	if wrong < sample.Of(400, 20) || 100*found < 90*wrong {
		t.Errorf("%d of %d mutants that go wrong are alarms", found, wrong)
	}
	wrong, found = mutate(t, "testdata/opencl", sample.Rounds(200, 80, 3))
	if wrong < sample.Of(200, 5) || 100*found < 80*wrong {
		t.Errorf("%d of %d mutants in OpenCL that go wrong are alarms", found, wrong)
	}
	if !sample.All() {
		return // a mutant with masters takes a second
	}
	wrong, found = mutate(t, "testdata/master", sample.Rounds(400, 80, 0))
	if wrong < 100 || 100*found < 80*wrong {
		t.Errorf("%d of %d mutants with masters that go wrong are alarms", found, wrong)
	}
}

// mutate makes each mutants of each right kernel of a folder. It returns the number that a launch
// shows to go wrong, and the number of these with an alarm.
func mutate(t *testing.T, folder string, each int) (wrong, found int) {
	t.Helper()
	eachWrong(t, folder, each, func(name string, m *kernel.Module, c verify.Config) {
		wrong++
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], c)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Verdict == verify.Verified:
			t.Errorf("%s: verified, and goes wrong\n%s", name, m.Text)
		case r.Verdict == verify.Alarmed:
			found++
		}
	})
	t.Logf("%s: %d mutants go wrong, of which %d are alarms", folder, wrong, found)
	return wrong, found
}

// eachWrong makes each mutants of each right kernel of a folder, and visits those that a launch
// shows to go wrong.
func eachWrong(t testing.TB, folder string, each int, visit func(name string, m *kernel.Module, c verify.Config)) {
	t.Helper()
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if e.Verdict() != "verified" {
			continue
		}
		text, err := os.ReadFile(e.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(each) {
			m := mutant(uint64(i)<<32|seed, string(text))
			if m == nil || !goesWrong(t, m, &e) {
				continue
			}
			l := e.Launches[0]
			visit(fmt.Sprintf("%s, seed %d", filepath.Base(e.Files[0]), seed), m, verify.Config{Budget: 1000, Alarms: 1, Launch: verify.Launch{
				Grid: verify.Dim{l.Grid.X, max(1, l.Grid.Y), max(1, l.Grid.Z)}, Block: verify.Dim{l.Block.X, max(1, l.Block.Y), max(1, l.Block.Z)},
			}})
		}
	}
}
