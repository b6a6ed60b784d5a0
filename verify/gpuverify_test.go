package verify_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// suite is the folder of GPUVerify's test suite: for each test a folder with its source and its
// PTX, and a table of expected results. It is no part of this repository.
const suite = "../../shared/peer-tests/gpuverify"

// suiteTest is a test of the suite.
type suiteTest struct {
	name    string
	passes  bool
	options []string
	ptx     string // or ""
	source  string // "" if the PTX says all that the source does
}

// readSuite reads the table. It skips the test if there is no table.
func readSuite(t testing.TB) []suiteTest {
	t.Helper()
	f, err := os.Open(filepath.Join(suite, "expected.csv"))
	if err != nil {
		t.Skipf("GPUVerify's test suite is not here: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []suiteTest
	for _, row := range rows[1:] {
		test := suiteTest{name: row[0], passes: row[2] == "pass", options: strings.Fields(row[3])}
		if ptx := filepath.Join(suite, row[0], "kernel.ptx"); row[4] == "yes" {
			test.ptx = ptx
		}
		if source := filepath.Join(suite, row[0], "kernel.cl"); sample.All() && saysMore(source) {
			test.source = source
		}
		all = append(all, test)
	}
	return all
}

// moreThanPTX is what PTX of the suite does not say.
var moreThanPTX = regexp.MustCompile(`\bbarrier *\(|\basync_work_group_|\bwait_group_events\b`)

// saysMore reports whether a source contains facts that its PTX lost, because other headers were
// compiled in: the memory that a barrier orders, and asynchronous copies.
func saysMore(source string) bool {
	text, err := os.ReadFile(source)
	return err == nil && moreThanPTX.Match(text)
}

// module returns the test as PTX. It is compiled from the source if that says more, and a compiler
// accepts it without GPUVerify's headers.
func (s *suiteTest) module(t *testing.T) *kernel.Module {
	t.Helper()
	if s.source != "" {
		if made, err := compile.By(t.Context(), compile.Clang, s.source); err == nil {
			m, err := kernel.Parse(src.NewFile(s.source, made.PTX))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	return readModule(t, s.ptx)
}

// narrower are options under which GPUVerify knows more than is known here, or is asked about
// something else: an alarm says nothing then.
var narrower = strings.Fields("--warp-sync --boogie-file --vcgen-opt")

// weaker are options that make GPUVerify prove less than it could. With them, it says nothing about
// a kernel that is verified.
var weaker = strings.Fields("--no-infer --k-induction-depth --asymmetric-asserts")

// config returns the configuration that the options of a test mean. GPUVerify tolerates stores of
// equal values, and assumes that functions without a body do nothing.
func (s *suiteTest) config(m *kernel.Module) (c verify.Config, narrow, weak bool, err error) {
	c = verify.Config{BarriersOnly: true, SameValue: true, PureExterns: true, LargeBlocks: true, Alarms: 1, Values: map[string]uint64{}}
	var global verify.Dim
	for _, option := range s.options {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "--local_size", "--blockDim":
			c.Launch.Block, err = verify.ParseDim(value)
		case "--num_groups", "--gridDim":
			c.Launch.Grid, err = verify.ParseDim(value)
		case "--global_size":
			global, err = verify.ParseDim(value)
		case "--warp-sync":
			c.Lockstep, err = strconv.Atoi(value)
		case "--no-benign-tolerance":
			c.SameValue = false
		case "--check-array-bounds":
			c.Bounds = true
		case "--no-annotations":
			c.Annotations = verify.NoAnnotations
		case "--only-requires":
			c.Annotations = verify.OnlyRequires
		case "--invariants-as-candidates":
			c.Annotations = verify.Candidates
		case "--adversarial-abstraction":
			c.Adversarial = true
		case "--only-divergence":
			c.Only = verify.OnlyDivergence
		case "--only-intra-group":
			c.Only = verify.OnlyBlock
		case "--kernel-args":
			err = setArguments(c.Values, m, value)
		default:
			narrow, weak = narrow || slices.Contains(narrower, name), weak || slices.Contains(weaker, name)
		}
		if err != nil {
			return c, narrow, weak, err
		}
	}
	for i, n := range global {
		switch {
		case n > 0 && c.Launch.Block[i] > 0:
			c.Launch.Grid[i] = n / c.Launch.Block[i]
		case n != 0:
			c.Launch.Grid[i] = n
		}
	}
	return c, narrow, weak, nil
}

// setArguments reads "kernel,0x1,0x2": values of the parameters that are no pointers.
func setArguments(values map[string]uint64, m *kernel.Module, text string) error {
	parts := strings.Split(text, ",")[1:]
	for _, f := range m.Funcs {
		for _, p := range f.Params {
			if !f.Entry || p.Pointer || len(parts) == 0 {
				continue
			}
			v, err := strconv.ParseUint(parts[0], 0, 64)
			if err != nil {
				return err
			}
			values[p.Name], parts = v, parts[1:]
		}
	}
	return nil
}

// verify verifies all kernels of the test, and adds up their verdicts.
func (s *suiteTest) verify(t *testing.T) (verify.Verdict, []*verify.Result, error) {
	m := s.module(t)
	c, narrow, weak, err := s.config(m)
	if err != nil {
		return 0, nil, err
	}
	verdict := verify.Verified
	var all []*verify.Result
	for _, f := range s.functions(m) {
		r, err := verify.Verify(context.Background(), m, f, c)
		if err != nil {
			return 0, nil, err
		}
		all = append(all, r)
		switch {
		case r.Verdict == verify.Alarmed && !narrow:
			verdict = verify.Alarmed
		case (r.Verdict != verify.Verified || weak) && verdict == verify.Verified:
			verdict = verify.Undecided
		}
	}
	return verdict, all, nil
}

// functions returns the functions to verify: the kernels, and functions on their own if GPUVerify
// inlines no calls.
func (s *suiteTest) functions(m *kernel.Module) (all []*kernel.Function) {
	for _, f := range m.Funcs {
		if f.Entry {
			all = append(all, f)
		}
	}
	if slices.Contains(s.options, "--no-inline") {
		all = append(all, verify.Apart(m)...)
	}
	return all
}

// tally is what came out of the suite.
type tally struct {
	tests, agree, missed, alarms, undecided, without int
	lines                                            []string // what does not agree
}

func (c *tally) String() string {
	decided := c.agree + c.missed + c.alarms
	return fmt.Sprintf("%d tests, %d without PTX, %d undecided, %d decided (%.1f %%): %d agree (%.1f %%), %d missed, %d false alarms",
		c.tests, c.without, c.undecided, decided, 100*float64(decided)/float64(c.tests), c.agree, 100*float64(c.agree)/float64(decided), c.missed, c.alarms)
}

// add adds a test.
func (c *tally) add(test *suiteTest, verdict verify.Verdict, results []*verify.Result) {
	say := func(format string, args ...any) {
		c.lines = append(c.lines, test.name+": "+fmt.Sprintf(format, args...))
	}
	switch {
	case verdict == verify.Undecided:
		c.undecided++
		said := len(c.lines)
		for _, r := range results {
			for _, o := range r.Open {
				say("undecided: %s", o.Why)
			}
		}
		if len(c.lines) == said {
			say("undecided: what GPUVerify says under %v is no answer to what is asked here", test.options)
		}
	case (verdict == verify.Verified) == test.passes:
		c.agree++
	case test.passes:
		c.alarms++
		for _, r := range results {
			for _, a := range r.Alarms {
				say("false alarm: %v %s", a.Kind, a.What)
			}
		}
	default:
		c.missed++
		say("missed")
	}
}

// TestGPUVerify compares with what GPUVerify expects of its own test suite. testdata/gpuverify.csv
// has the reason for each test that is undecided or does not agree.
func TestGPUVerify(t *testing.T) {
	var c tally
	reasons, err := os.ReadFile("testdata/gpuverify.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range readSuite(t) {
		if i%sample.Of(1, 5) != 0 {
			continue
		}
		c.tests++
		if test.ptx == "" {
			c.without++
			continue
		}
		verdict, results, err := test.verify(t)
		if err != nil {
			c.undecided++
			c.lines = append(c.lines, fmt.Sprintf("%s: %v", test.name, err))
			continue
		}
		c.add(&test, verdict, results)
	}
	unexplained := 0
	for _, l := range c.lines {
		t.Log(l)
		if name, _, _ := strings.Cut(l, ": "); !strings.Contains(string(reasons), "\n"+name+",") {
			t.Logf("%s is undecided or does not agree, and gpuverify.csv does not say why", name)
			unexplained++
		}
	}
	t.Log(&c)
	decided := c.agree + c.missed + c.alarms
	if 100*decided < 60*c.tests || 100*c.agree < sample.Of(95, 90)*decided || unexplained > 0 {
		t.Errorf("too few tests are decided, too few agree, or %d have no reason: %v", unexplained, &c)
	}
}
