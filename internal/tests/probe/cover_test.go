package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// quickly returns a configuration without counts.
func quickly() sim.Config {
	c := sim.Defaults()
	c.Want = sim.States
	return c
}

func loadTest(t *testing.T, name, text string, c sim.Config) *sim.Test {
	t.Helper()
	test, err := sim.Load(src.NewFile(name, text), c)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// shipped loads tests of the corpus.
func shipped(t *testing.T, c sim.Config, names ...string) []*sim.Test {
	t.Helper()
	var tests []*sim.Test
	for _, name := range names {
		text, err := litmustests.FS.ReadFile(name + ".litmus")
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, loadTest(t, name, string(text), c))
	}
	return tests
}

// corpus loads a folder of the corpus.
func corpus(t *testing.T, dir string) []*sim.Test {
	t.Helper()
	files, err := fs.Glob(litmustests.FS, dir+"/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".litmus")
	}
	return shipped(t, quickly(), files...)
}

// cover runs tests one after the other.
func cover(t *testing.T, m *Mutation, states bool, tests []*sim.Test) *Coverage {
	t.Helper()
	c := NewCoverage(m, states)
	for _, test := range tests {
		done := 0
		trial, err := c.Try(context.Background(), test, func() { done++ })
		if done != len(m.Mutants) {
			t.Errorf("%s: told of %d mutants, there are %d", test.Name.Text, done, len(m.Mutants))
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Add(trial)
	}
	return c
}

// table returns the counts by mutant, one line each.
func table(c *Coverage, parts ...Part) []string {
	var lines []string
	for i, m := range c.Mutants {
		if len(parts) > 0 && !slices.Contains(parts, m.Part) {
			continue
		}
		what := m.Name
		if what == "" {
			what = m.What
		}
		e := c.Entries[i]
		line := fmt.Sprintf("%s %s: %s", m.Part, what, c.Standing(i))
		if e.Killed > 0 {
			line += fmt.Sprintf(" %d (%s)", e.Killed, strings.Join(e.By, " "))
		}
		if e.Unknown > 0 {
			line += fmt.Sprintf(" %d unknown", e.Unknown)
		}
		lines = append(lines, line)
	}
	return lines
}

// classics are store buffering, message passing, load buffering and coherence of two reads, all
// without fences.
var classics = []string{
	"asplos15/sb-inter-cta", "asplos15/mp-inter-cta", "asplos15/lb-inter-cta", "asplos15/coRR-inter-cta",
}

// TestCoverByHand: the check coherence says nothing that sc does not, so the model does not depend
// on it and its parts. Of the four tests, sb has no cycle with rf, lb none with fr, and no test has
// one with co; both checks forbid coRR.
func TestCoverByHand(t *testing.T) {
	inFolder(t, map[string]string{
		"model.cat": `
		let com = rf | co | fr
		acyclic po | com as sc
		acyclic po-loc | com as coherence
		let unused = rf`,
	})
	c := cover(t, mutate(t, "model.cat", models.Config{}), false, shipped(t, quickly(), classics...))
	want := []string{
		"definition com: killed 4 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand co | fr of |: killed 3 (sb-inter-cta mp-inter-cta coRR-inter-cta)",
		"operand without the operand rf of |: killed 3 (mp-inter-cta lb-inter-cta coRR-inter-cta)",
		"operand without the operand fr of |: killed 3 (sb-inter-cta mp-inter-cta coRR-inter-cta)",
		"operand without the operand co of |: survives",
		"check sc: killed 3 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand com of |: killed 3 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand po of |: killed 3 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"check coherence: survives",
		"operand without the operand com of |: survives",
		"operand without the operand po-loc of |: survives",
		"definition unused: same",
		"base name rf: killed 3 (mp-inter-cta lb-inter-cta coRR-inter-cta)",
		"base name co: survives",
		"base name fr: killed 3 (sb-inter-cta mp-inter-cta coRR-inter-cta)",
		"base name po: killed 3 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"base name po-loc: survives",
	}
	if diff := cmp.Diff(want, table(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Tests != len(classics) {
		t.Errorf("%d tests", c.Tests)
	}
}

// TestNoEffect: parts of a definition that no check needs have no effect, whatever they mention
// first. Included files of the library are not parts of a model.
func TestNoEffect(t *testing.T) {
	const text = "let nothing = po & rf\nlet com = rf | co | fr\nacyclic po | com as sc\n"
	want := []string{
		"definition nothing: same",
		"operand without the operand rf of &: same",
		"operand without the operand po of &: same",
		"definition com: killed 4 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand co | fr of |: killed 3 (sb-inter-cta mp-inter-cta coRR-inter-cta)",
		"operand without the operand rf of |: killed 3 (mp-inter-cta lb-inter-cta coRR-inter-cta)",
		"operand without the operand fr of |: killed 3 (sb-inter-cta mp-inter-cta coRR-inter-cta)",
		"operand without the operand co of |: survives",
		"check sc: killed 4 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand com of |: killed 4 (sb-inter-cta mp-inter-cta lb-inter-cta)",
		"operand without the operand po of |: killed 4 (sb-inter-cta mp-inter-cta lb-inter-cta)",
	}
	for _, include := range []string{"", "include \"cos.cat\"\n"} {
		inFolder(t, map[string]string{"model.cat": include + text})
		c := cover(t, mutate(t, "model.cat", models.Config{}), false, shipped(t, quickly(), classics...))
		if diff := cmp.Diff(want, table(c, Definition, Operand, Check)); diff != "" {
			t.Errorf("%q: (-want +got):\n%s", include, diff)
		}
		for _, m := range c.Mutants {
			if m.At.File.Name != "model.cat" {
				t.Errorf("%q: a mutant of %s", include, m.At.File.Name)
			}
		}
	}
	// A file of the model's author is a part of the model, whatever it is called.
	inFolder(t,
		map[string]string{
			"model.cat": "include \"cos.cat\"\nacyclic own | co | fr as sc",
			"cos.cat":   "let own = po | rf",
		})
	m := mutate(t, "model.cat", models.Config{})
	if !slices.ContainsFunc(m.Mutants, func(m *Mutant) bool { return m.At.File.Name == "cos.cat" }) {
		t.Error("no mutant of a file cos.cat beside the model")
	}
}

// TestDroppedAxioms drops the axioms of models one by one. Names of tests tell which of them need
// an axiom.
func TestDroppedAxioms(t *testing.T) {
	tests := corpus(t, "asplos15")
	all, none := func(string) bool { return true }, func(string) bool { return false }
	for _, tt := range []struct {
		model, check string
		needs        func(test string) bool
	}{
		// Only the constraint of the CTA concerns fences of CTAs, between threads of one CTA.
		{"ptx-asplos15", "cta-constraint", func(test string) bool {
			return strings.Contains(test, "+membar.cta") &&
				(strings.HasSuffix(test, "-intra-cta") || strings.HasPrefix(test, "coRR-L2-L1"))
		}},
		// Only the constraint of the system concerns threads on different devices.
		{"ptx-asplos15", "sys-constraint", func(test string) bool {
			return strings.Contains(test, "+membar.sys") && strings.Contains(test, "-inter-device")
		}},
		// Each of these tests asks about an outcome that is not sequentially consistent.
		{"sc", "sc", all},
		// No test has two atomics that race for one location.
		{"sc", "atomicity", none},
		{"tso", "atomicity", none},
	} {
		c := NewCoverage(mutate(t, tt.model, models.Config{}), false)
		i := slices.IndexFunc(c.Mutants, func(m *Mutant) bool { return m.Part == Check && m.Name == tt.check })
		for j, test := range tests {
			if j%sample.Of(1, 4) != 0 {
				continue
			}
			trial, err := c.Try(context.Background(), test, func() {})
			if err != nil {
				t.Fatal(err)
			}
			if got := trial.effects[i].differs; got != tt.needs(test.Name.Text) {
				t.Errorf("%s of %s: a difference to %s is %v", tt.check, tt.model, test.Name.Text, got)
			}
		}
	}
}

// TestStates: the outcome (x=2) is impossible, but the final states tell sc from the model without
// its check. What the condition asks for counts in either case.
func TestStates(t *testing.T) {
	const text = `GPU_PTX third
{ x; y; }
 P0          | P1          ;
 st.cg [x],1 | st.cg [y],1 ;
 ld.cg r0,[y]| ld.cg r0,[x];
(cta P0 P1)
locations [0:r0; 1:r0;]
exists (x=2)
`
	test := loadTest(t, "third.litmus", text, quickly())
	m := mutate(t, "sc", models.Config{})
	for states, want := range map[bool]string{false: "check sc: survives", true: "check sc: killed 1 (third)"} {
		if got := table(cover(t, m, states, []*sim.Test{test}), Check)[0]; got != want {
			t.Errorf("with states %v: %s, want %s", states, got, want)
		}
	}
}

// TestFlagsAndUndefined: a test also depends on what raises its flags, and on what makes its
// behaviour undefined.
func TestFlagsAndUndefined(t *testing.T) {
	inFolder(t, map[string]string{"model.cat": `flag ~empty po as some undefined_unless empty rf as none`})
	c := cover(t, mutate(t, "model.cat", models.Config{}), false, shipped(t, quickly(), classics[0]))
	want := []string{
		"check some: killed 1 (sb-inter-cta)", "check none: killed 1 (sb-inter-cta)",
		"base name po: killed 1 (sb-inter-cta)", "base name rf: killed 1 (sb-inter-cta)",
	}
	if diff := cmp.Diff(want, table(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnknown: an answer that is cut short, or an error of the mutant, kills nothing; but what was
// found before is certain.
func TestUnknown(t *testing.T) {
	inFolder(t,
		map[string]string{"model.cat": `let all = po assert empty po \ all as sane acyclic po | rf | co | fr as sc`})
	c := cover(t, mutate(t, "model.cat", models.Config{}), false, shipped(t, quickly(), classics...))
	if got, want := table(c, Definition)[0], "definition all: unknown 4 unknown"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if why := c.Entries[0].Why; !strings.Contains(why, "sb-inter-cta: model.cat:1:23: this assertion fails") {
		t.Errorf("unknown because of %s", why)
	}

	// The engine need not visit all candidates in which the check fails: it needs 8 of 16. It knows
	// after 12 that the mutant allows the outcome.
	inFolder(t, map[string]string{"model.cat": `empty rf \ (IW * R) as initial acyclic po | rf as other`})
	m := mutate(t, "model.cat", models.Config{})
	for limit, want := range map[int]string{
		8:  "unknown 1 unknown",
		12: "killed 1 (IRIW+rlx.gpus)",
		16: "killed 1 (IRIW+rlx.gpus)",
	} {
		c := cover(t, m, false, shipped(t, limited(limit), "ptx/IRIW+rlx.gpus"))
		if got := table(c, Check)[0]; got != "check initial: "+want {
			t.Errorf("with %d candidates: %s, want %s", limit, got, want)
		}
	}
}

// limited bounds the candidates.
func limited(candidates int) sim.Config {
	c := quickly()
	c.Limits.MaxCandidates = candidates
	return c
}

// TestIncomplete: if the answer of the model itself is cut short, the test does not count.
func TestIncomplete(t *testing.T) {
	c := NewCoverage(mutate(t, "sc", models.Config{}), false)
	trial, err := c.Try(context.Background(), shipped(t, limited(2), classics[0])[0], func() {})
	if err != nil {
		t.Fatal(err)
	}
	if trial.Limit == nil || !strings.Contains(trial.Limit.Error(), "2 candidate") {
		t.Errorf("incomplete because of %v", trial.Limit)
	}
	c.Add(trial)
	if c.Tests != 0 || c.Standing(0) != Survives {
		t.Errorf("%d tests count, and a mutant is %s", c.Tests, c.Standing(0))
	}
}

// TestModelError: a model that fails on a test has no coverage.
func TestModelError(t *testing.T) {
	inFolder(t, map[string]string{"model.cat": `assert empty po as never`})
	c := NewCoverage(mutate(t, "model.cat", models.Config{}), false)
	trial, err := c.Try(context.Background(), shipped(t, quickly(), classics[0])[0], func() {})
	var d *src.Diagnostic
	if trial != nil || !errors.As(err, &d) {
		t.Errorf("got %v, error %v", trial, err)
	}
}

// TestTryConcurrently: trials may overlap; added in order, they give the same result.
func TestTryConcurrently(t *testing.T) {
	tests := corpus(t, "asplos15")
	m := mutate(t, "tso", models.Config{})
	want := cover(t, m, true, tests)
	got := NewCoverage(m, true)
	trials := make([]*Trial, len(tests))
	var all sync.WaitGroup
	for i, test := range tests {
		all.Go(func() {
			trial, err := got.Try(context.Background(), test, func() {})
			if err != nil {
				t.Error(err)
				return
			}
			trials[i] = trial
		})
	}
	all.Wait()
	for _, trial := range trials {
		got.Add(trial)
	}
	if diff := cmp.Diff(want.Entries, got.Entries); diff != "" {
		t.Errorf("(-one by one +at once):\n%s", diff)
	}
}

// TestCoverSlowly computes the numbers in another way: it loads the text of each mutant separately,
// runs it on the naive engine, and compares outcomes and flags one by one. It empties a base name
// wherever it occurs.
func TestCoverSlowly(t *testing.T) {
	for _, tt := range []struct {
		model string
		tests []string
	}{
		{
			"tso", append(slices.Clone(classics), "asplos15/sb+membar.gls-inter-cta", "asplos15/cas-sl",
				"cuda/atomic-ref-sb-fetch-add", "ptx/RMWs+ands"),
		},
		{"ptx-asplos15", append(slices.Clone(classics),
			"asplos15/coRR-L2-L1+membar.gl", "asplos15/coRR+membar.sys-inter-device", "asplos15/lb+data+po-inter-cta",
			"asplos15/mp+membar.gl+bra-inter-cta", "asplos15/s+membar.gl+data-inter-cta")},
		{
			"ptx-6.0",
			[]string{
				"ptx/MP+rel.gpu+weak", "ptx/CoRR+rlx.gpus", "ptx/SB+bar.syncs", "ptx/RMWs+ands",
				"ptx/LB+datas-exch", "ptx/S+rel+dep",
			},
		},
	} {
		t.Run(tt.model, func(t *testing.T) {
			if tt.model == "ptx-6.0" {
				sample.Long(t) // its naive engine chooses coherence
			}
			t.Parallel()
			tests := shipped(t, quickly(), tt.tests...)
			c := cover(t, mutate(t, tt.model, models.Config{}), false, tests)
			quickly := map[string]int{}
			for i, m := range c.Mutants {
				quickly[key(m.At, m.What)] = c.Entries[i].Killed
			}
			if diff := cmp.Diff(readFiles(t, tt.model).counts(tests), quickly); diff != "" {
				t.Errorf("(-slowly +quickly):\n%s", diff)
			}
		})
	}
}

// key identifies a mutant by place and words.
func key(at src.Span, what string) string {
	return fmt.Sprintf("%s:%d: %s", at.File.Name, at.Start, what)
}

// modelFiles are the files of a model, by the names by which they are included.
type modelFiles struct {
	*testing.T
	model string
	order []string
	files map[string]*syntax.File
}

func readFiles(t *testing.T, model string) *modelFiles {
	x := &modelFiles{t, model, nil, map[string]*syntax.File{}}
	if _, err := x.load(nil); err != nil {
		t.Fatal(err)
	}
	return x
}

// load loads the model with some files changed, and records its files.
func (x *modelFiles) load(changed map[string]string) (*cat.Model, error) {
	find := func(_ *src.File, name string) (*src.File, error) {
		f, err := models.Open(strings.TrimSuffix(name, ".cat"))
		if err != nil {
			return nil, err
		}
		if x.files[name] == nil {
			tree, err := syntax.Parse(f)
			if err != nil {
				return nil, err
			}
			x.order, x.files[name] = append(x.order, name), tree
		}
		if text, ok := changed[name]; ok {
			f = src.NewFile(f.Name, text)
		}
		return f, nil
	}
	f, err := find(nil, x.model+".cat")
	if err != nil {
		return nil, err
	}
	m, err := cat.Load(f, cat.Config{Find: find})
	if err != nil {
		return nil, err
	}
	_, err = m.Check(sim.Vocabulary())
	return m, err
}

// counts returns the number of tests that tell each mutant from the model.
func (x *modelFiles) counts(tests []*sim.Test) map[string]int {
	original, err := x.load(nil)
	if err != nil {
		x.Fatal(err)
	}
	var naive []*sim.Test
	for _, test := range tests {
		config := sim.Defaults()
		config.Engine = sim.Naive
		naive = append(naive, loadTest(x.T, test.File.Name, test.File.Text, config))
	}
	counts := map[string]int{}
	count := func(at src.Span, what string, changed map[string]string) {
		mutant, err := x.load(changed)
		if err != nil {
			return
		}
		n := 0
		for _, test := range naive {
			if !equal(x.T, test, original, mutant) {
				n++
			}
		}
		counts[key(at, what)] = n
	}
	for _, name := range x.order {
		f := x.files[name]
		for _, mutants := range []iter.Seq[syntax.Mutant]{
			syntax.Mutants(f), syntax.Emptied(f), syntax.Renamed(f, sim.Vocabulary().Scopes()),
		} {
			for m := range mutants {
				count(m.Part, m.What, map[string]string{name: m.Text})
			}
		}
	}
	for _, name := range x.baseNames() {
		count(name.Span(), "with "+name.Text+" empty wherever the model uses it", x.emptied(name.Text))
	}
	return counts
}

// baseNames returns the first uses of the names that the models here do not bind.
func (x *modelFiles) baseNames() []syntax.Name {
	own := map[string]bool{}
	x.each(func(f *syntax.File, s syntax.Stmt) { syntax.EachBound(s, func(n syntax.Name) { own[n.Text] = true }) })
	var names []syntax.Name
	x.each(func(f *syntax.File, s syntax.Stmt) {
		syntax.EachName(s, func(n syntax.Name) {
			vocabulary := sim.Vocabulary()
			base := vocabulary.Find(n.Text)
			known := base != nil && !base.Chosen
			if known && !own[n.Text] {
				own[n.Text] = true
				names = append(names, n)
			}
		})
	})
	return names
}

// emptied returns the files with each occurrence of a name replaced by nothing.
func (x *modelFiles) emptied(name string) map[string]string {
	changed := map[string]string{}
	x.each(func(f *syntax.File, s syntax.Stmt) {
		syntax.EachName(s, func(n syntax.Name) {
			if n.Text != name {
				return
			}
			file := strings.TrimPrefix(f.Source.Name, "models/")
			if changed[file] == "" {
				changed[file] = f.Source.Text
			}
			// The text behind it is where it was, counted from the end.
			end := len(f.Source.Text) - n.Span().End
			at := len(changed[file]) - end - len(name)
			changed[file] = changed[file][:at] + "(" + name + " & {})" + changed[file][len(changed[file])-end:]
		})
	})
	return changed
}

func (x *modelFiles) each(visit func(*syntax.File, syntax.Stmt)) {
	for _, name := range x.order {
		for s := range syntax.AllStmts(x.files[name].Stmts) {
			visit(x.files[name], s)
		}
	}
}

// equal reports whether two models agree on a test.
func equal(t *testing.T, test *sim.Test, a, b *cat.Model) bool {
	t.Helper()
	r, err := test.Run(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	s, err := test.Run(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	if why := r.Incomplete() + s.Incomplete(); why != "" {
		t.Fatal(why)
	}
	return r.Outcome() == s.Outcome() && slices.Equal(r.Flags, s.Flags) && slices.Equal(r.Undefined, s.Undefined)
}

// TestInterruptedCoverage: an interrupt ends a trial before the next mutant, so that hundreds need
// not be compiled.
func TestInterruptedCoverage(t *testing.T) {
	c := NewCoverage(mutate(t, "sc", models.Config{}), false)
	ctx, cancel := context.WithCancel(t.Context())
	trial, err := c.Try(ctx, shipped(t, quickly(), classics[0])[0], cancel)
	if err != nil {
		t.Fatal(err)
	}
	if c.Add(trial); c.Tests != 0 {
		t.Errorf("a trial that was interrupted counts: %+v", trial.effects)
	}
}

// TestInterruptedMutate: an interrupt ends the loading of mutants, which takes seconds for a large
// model.
func TestInterruptedMutate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := Mutate(ctx, "ptx", models.Config{}); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, error %v", m, err)
	}
}
