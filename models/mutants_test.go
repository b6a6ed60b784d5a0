package models_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// equivalent are the mutants of ptx.cat and its includes that mean the same as the original, by the
// reason: what the mutant leaves out follows from the rest of the model.
var equivalent = byMutant(map[string][]string{
	bothStrong: {
		"ptx.cat: without the operand atomically of & in atomically & fr",
		"ptx.cat: without the operand atomically of & in atomically & co",
	},
	communication: {
		"ptx.cat: without the operand co of | in co | fr | po-loc",
	},
	fenceOrder: {
		"ptx.cat: without the operand sc-fences of & in po & sc-fences",
	},
	fewerOrders: {
		"ptx.cat: without the operand ms & po of | in ms & po | cause \\ ms",
		"ptx.cat: without the operand ms of \\ in cause \\ ms",
	},
	initialised: {
		"ptx-async.cat: without the operand [MBINIT] of ; in [MBINIT]; (po; awaited)",
	},
	weakInit: {
		"ptx-async.cat: without the operand WEAK of \\ in M \\ WEAK",
	},
	ofCluster: {
		"ptx-async.cat: without the operand scluster of & in scluster & vloc & (LANDED * strong)",
		"ptx-async.cat: with sgpu in place of scluster in scluster",
	},
	observed: {
		"ptx-async.cat: without the operand vloc of & in vloc & (LANDED * strong)",
	},
	ofOneLocation: {
		"ptx-async.cat: without the operand id of \\ in loc & (MBAR * MBAR) \\ id",
	},
	throughCompletion: {
		"ptx-async.cat: without the operand [LANDED & W] of ; in [LANDED & W]; bc",
		"ptx-async.cat: without the operand ended of ; in ended; bc",
		"ptx-async.cat: without the operand [LANDED & W] of ; in within; [LANDED & W]",
		"ptx-async.cat: without the operand W of & in LANDED & W",
		"ptx-async.cat: without the operand LANDED of & in LANDED & W",
		"ptx-async.cat: with behind-async empty in [ASYNC]; (issuing(bc) & suits^-1); bc",
		"ptx-async.cat: without the operand behind-async(bc) of | in behind-async(bc) | landed(bc)",
		"ptx-async.cat: without the operand [ASYNC] of ; in [ASYNC]; (issuing(bc) & suits^-1); bc",
		"ptx-async.cat: without the operand issuing(bc) & suits^-1; bc of ; in [ASYNC]; (issuing(bc) & suits^-1); bc",
		"ptx-async.cat: without the operand issuing(bc) & suits^-1 of ; in (issuing(bc) & suits^-1); bc",
		"ptx-async.cat: without the operand bc of ; in (issuing(bc) & suits^-1); bc",
		"ptx-async.cat: without the ^-1 in suits^-1",
	},
	nothing: {
		"ptx-async.cat: with refilled empty in 0",
		"ptx-async.cat: without the operand refilled(bc) of | in linked(bc, landed(bc), [ASYNC]) | refilled(bc)",
		"ptx-async.cat: with found empty in 0",
		"ptx.cat: without the operand found(obs) of | in sent | found(obs)",
	},
	transitive: {
		"ptx-async.cat: without the operand [AGENT] of ; in [AGENT]; order",
	},
	oneThread: {
		"ptx-patterns.cat: without the operand po of | in po | po^-1 | sr",
		"ptx-patterns.cat: without the operand po^-1 of | in po^-1 | sr",
		"ptx-patterns.cat: without the ^-1 in po^-1",
	},
})

// byMutant returns the reason for each mutant.
func byMutant(reasons map[string][]string) map[string]string {
	all := map[string]string{}
	for why, mutants := range reasons {
		for _, m := range mutants {
			all[m] = why
		}
	}
	return all
}

const (
	communication = "a cycle with coherence is one in co itself, which Coherence forbids, or has a read of a " +
		"write that an earlier write overwrote, which Causality forbids"
	fenceOrder  = "the order of fences may contain program order, because base causality does"
	initialised = "without the fence a thread may reach something that is no mbarrier yet, which is an error and " +
		"no verdict"
	weakInit   = "only the initialisation of an mbarrier is weak, and it comes first"
	observed   = "an operation that synchronizes with it observes it, at its location"
	bothStrong = "the read and the write of an atomic have one scope, address and proxy, so a write is " +
		"morally strong with both or neither"
	fewerOrders = "the check coherence rejects orders that contradict causality; the choice only yields " +
		"more or fewer of them"
	ofOneLocation     = "coherence and from-read relate different accesses of one location"
	ofCluster         = "every thread that reaches an mbarrier is in its cluster"
	throughCompletion = "an event after an access of a copy comes after its completion"
	nothing           = "it is empty by default"
	transitive        = "causality of accesses that are in program order is transitive as it is"
	oneThread         = "causality orders the accesses of a thread to a location; between threads, only strong " +
		"operations are morally strong"
)

// TestEachClauseCounts changes one part of the model ptx after the other, a sample of them in make
// test: it leaves out checks and operands, empties definitions, and makes scopes narrower or wider.
// Some verdict or flag of the corpus has to change each time.
func TestEachClauseCounts(t *testing.T) {
	tests := append(expectedTests(t), packedTests(t)...)
	for _, name := range []string{"ptx.cat", "ptx-patterns.cat", "ptx-proxies.cat", "ptx-async.cat"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			survivors(t, name, slices.Clone(tests))
		})
	}
}

// survivors reports the mutants of one file of the model that no test tells from the
// original, unless they are equivalent.
func survivors(t *testing.T, name string, tests []*expectedTest) {
	stale := map[string]bool{}
	for what := range equivalent {
		if strings.HasPrefix(what, name+":") {
			stale[what] = true
		}
	}
	every, at := sample.Of(1, 24), 0
	for m := range mutants(parseModel(t, name)) {
		what := fmt.Sprintf("%s: %s in %s", name, m.What, strings.Join(strings.Fields(m.At.Text()), " "))
		_, known := equivalent[what]
		delete(stale, what)
		if at++; at%every != 0 || known && every > 1 { // one that is equivalent takes the whole corpus
			continue
		}
		mutant, err := loadMutant(name, m)
		if err != nil {
			continue // it is not well typed
		}
		i := slices.IndexFunc(tests, func(e *expectedTest) bool { return !e.holds(mutant) })
		switch {
		case i < 0 && !known:
			t.Errorf("line %d of %s: no test of the corpus tells the difference", m.At.Pos().Line, what)
		case i >= 0 && known:
			t.Errorf("%s: %s tells the difference; it is not equivalent", what, tests[i].Name.Text)
		}
		if i >= 0 {
			// What tells one mutant often tells the next.
			tests[0], tests[i] = tests[i], tests[0]
		}
	}
	for what := range stale {
		t.Errorf("%s: no such mutant", what)
	}
}

// mutants returns the changes of a file that muster cover makes, too, but for those of base names,
// and those of variants that are off.
func mutants(f *syntax.File) iter.Seq[syntax.Mutant] {
	off := variants(f)
	return func(yield func(syntax.Mutant) bool) {
		for _, some := range []iter.Seq[syntax.Mutant]{
			syntax.Mutants(f), syntax.Emptied(f), syntax.Renamed(f, sim.Vocabulary().Scopes()),
		} {
			for m := range some {
				within := func(s src.Span) bool { return s.Start <= m.At.Start && m.At.End <= s.End }
				if !slices.ContainsFunc(off, within) && !yield(m) {
					return
				}
			}
		}
	}
}

// variants returns the places of what a file says if variants are on.
func variants(f *syntax.File) (off []src.Span) {
	for s := range syntax.AllStmts(f.Stmts) {
		choice, ok := s.(*syntax.IfStmt)
		if !ok {
			continue
		}
		if _, ok := choice.Cond.(*syntax.VariantCond); ok {
			off = append(off, choice.Then[0].Span().To(choice.Then[len(choice.Then)-1].Span()))
		}
	}
	return off
}

// expectedTest is a test of the corpus with what a model must say of it.
type expectedTest struct {
	*sim.Test
	verdict, flags string
}

// holds reports whether a model says what is expected.
func (e *expectedTest) holds(m *cat.Model) bool {
	r, err := e.Run(context.Background(), m)
	return err == nil && r.Outcome().String() == e.verdict && strings.Join(r.Flags, " ") == e.flags
}

// expectedTests reads the tests of scoped PTX, and what the model ptx must say of each.
func expectedTests(t *testing.T) []*expectedTest {
	t.Helper()
	var tests []*expectedTest
	for _, dir := range []string{"ptx", "cuda", "async"} {
		text, err := fs.ReadFile(litmustests.FS, dir+"/expected.csv")
		if err != nil {
			t.Fatal(err)
		}
		err = src.ReadTable(src.NewFile(dir, string(text)), []string{"test", "model", "verdict", "flags"},
			func(row src.Row) error {
				if row.Get("model") != "ptx" {
					return nil
				}
				text, err := fs.ReadFile(litmustests.FS, dir+"/"+row.Get("test")+".litmus")
				tests = append(tests,
					&expectedTest{simtest.Load(t, string(text), sim.Defaults()), row.Get("verdict"), row.Get("flags")})
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tests
}

func parseModel(t *testing.T, name string) *syntax.File {
	t.Helper()
	f, err := models.Open(strings.TrimSuffix(name, ".cat"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := syntax.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// loadMutant loads the model ptx with one of its files changed.
func loadMutant(name string, m syntax.Mutant) (*cat.Model, error) {
	find := func(_ *src.File, file string) (*src.File, error) {
		if file == name {
			return src.NewFile(file, m.Text), nil
		}
		return models.Open(strings.TrimSuffix(file, ".cat"))
	}
	f, err := find(nil, "ptx.cat")
	if err != nil {
		return nil, err
	}
	model, err := cat.Load(f, cat.Config{Find: find})
	if err != nil {
		return nil, err
	}
	_, err = model.Check(sim.Vocabulary())
	return model, err
}
