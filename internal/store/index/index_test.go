package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/index"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
)

func outcome(count int64, value string) litmus.Outcome {
	o, err := litmus.NewOutcome(map[string]string{"1:r0": value})
	if err != nil {
		panic(err)
	}
	o.Count = count
	return o
}

// record returns the answer of a model about a test.
func record(test, model, verdict string, states ...string) *results.Record {
	r := &results.Record{
		Format: results.Format,
		Subject: results.Subject{
			Test:      test,
			Hash:      fmt.Sprintf("%032x", test),
			Model:     model,
			ModelHash: "hash of " + model,
			Options:   results.Options{Unroll: 2},
			Muster:    "v1",
		},
		Kind: "Allowed", Condition: "exists (1:r0=1)", Verdict: "Ok", Outcome: verdict, Observation: "Sometimes",
	}
	for _, s := range states {
		r.Histogram = append(r.Histogram, outcome(1, s))
	}
	return r
}

// campaign writes results of two models and of a chip.
func campaign(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "results.jsonl")
	f, err := results.Open(file, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 7, 3, 0, 0, 0, 0, time.UTC)
	for i, r := range []*results.Record{
		record("MP", "strong", "forbidden", "0"),
		record("MP", "weak", "allowed", "0", "1"),
		record("MP+fences", "strong", "forbidden", "0"),
		record("MP+fences", "weak", "forbidden", "0"),
		record("SB", "strong", "forbidden", "0"),
		record("SB", "weak", "forbidden", "0", "2"), // another state, the same outcome
		record("LB", "strong", "unknown", "0"),      // of one model only
	} {
		if err := f.Add(r.Timed(day.AddDate(0, 0, i/4), time.Duration(i+1)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// chip adds runs of MP on a chip.
func chip(t *testing.T, file string, counts map[string]int64) {
	t.Helper()
	to, err := observe.Append(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &observe.Record{
		Test:    "MP",
		Hash:    record("MP", "", "").Hash,
		Device:  observe.Device{Name: "H100"},
		Time:    time.Unix(1, 0),
		Seconds: 1,
	}
	for state, n := range counts {
		r.Histogram = append(r.Histogram, observe.NewBar(outcome(n, state)))
		r.Instances += n
	}
	if err := to.Write(r); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func load(t *testing.T, x *index.Index, file string) index.Imported {
	t.Helper()
	found, err := x.Import(t.Context(), []string{file}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ask asks a question: "slowest", or "differences strong weak".
func ask(t *testing.T, x *index.Index, question string) string {
	t.Helper()
	words := strings.Fields(question)
	q, err := index.Find(words[0])
	if err != nil {
		t.Fatal(err)
	}
	table, err := x.Ask(t.Context(), q, words[1:], 100)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, row := range table.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	file := campaign(t, dir)
	chip(t, file, map[string]int64{"0": 90, "1": 10})
	chip(t, file, map[string]int64{"0": 5, "3": 1})
	x := open(t, filepath.Join(dir, "results.sqlite"))
	if found := load(t, x, file); found != (index.Imported{Records: 9}) {
		t.Errorf("imported %+v", found)
	}
	for question, want := range map[string]string{
		"campaigns": `1 model strong v1 {"unroll":2} 4 <nil> 3 1 <nil> 16
2 model weak v1 {"unroll":2} 3 1 2 <nil> <nil> 12
3 hardware H100   1 <nil> <nil> <nil> <nil> 2
`,
		"families": `LB 1 strong 1 <nil> <nil> 1 <nil> 7
MP 1 strong 2 <nil> 2 <nil> <nil> 4
MP 2 weak 2 1 1 <nil> <nil> 6
MP 3 H100 1 <nil> <nil> <nil> <nil> 2
SB 1 strong 1 <nil> 1 <nil> <nil> 5
SB 2 weak 1 <nil> 1 <nil> <nil> 6
`,
		"differences strong weak": `MP forbidden allowed outcome
LB unknown absent outcome
SB forbidden forbidden states
`,
		"summary 1 2": `forbidden allowed outcome 1
forbidden forbidden states 1
unknown absent outcome 1
`,
		"unsound strong H100": "MP 1:r0=1; 10 forbidden \nMP 1:r0=3; 1 forbidden \n",
		"unsound weak H100":   "MP 1:r0=3; 1 allowed \n",
		"unseen weak H100":    "",
		"names":               "",
		"history": `1 strong 2026-07-03 forbidden 2
1 strong 2026-07-04 forbidden 1
1 strong 2026-07-04 unknown 1
2 weak 2026-07-03 allowed 1
2 weak 2026-07-03 forbidden 1
2 weak 2026-07-04 forbidden 1
3 H100 1970-01-01 observed 1
`,
		"times": "1 strong 1 1\n1 strong 4 1\n1 strong 8 2\n2 weak 2 1\n2 weak 4 1\n2 weak 8 1\n3 H100 2 1\n",
	} {
		if diff := cmp.Diff(want, ask(t, x, question)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", question, diff)
		}
	}
	if got := ask(t, x, "slowest"); !strings.HasPrefix(got, "LB 1 strong 7 unknown \nSB 2 weak 6 forbidden \n") {
		t.Errorf("slowest:\n%s", got)
	}
}

// TestNumbersOfJSON: JSON readers that use doubles do not round the numbers of a result, except
// huge counts. The digest, whose bits are random, is text.
func TestNumbersOfJSON(t *testing.T) {
	dir := t.TempDir()
	x := open(t, filepath.Join(dir, "results.sqlite"))
	load(t, x, campaign(t, dir))
	table, err := x.Query(t.Context(), "SELECT * FROM result")
	if err != nil {
		t.Fatal(err)
	}
	digest := regexp.MustCompile("^[0-9a-f]{16}$")
	for _, row := range table.Objects() {
		if text, ok := row["digest"].(string); !ok || !digest.MatchString(text) {
			t.Errorf("digest %v", row["digest"])
		}
		for column, v := range row {
			if n, ok := v.(int64); ok && int64(float64(n)) != n {
				t.Errorf("%s is %d", column, n)
			}
		}
	}
}

// TestGrowing: an import reads what is new, whole lines only; an index that is rebuilt is equal.
func TestGrowing(t *testing.T) {
	dir := t.TempDir()
	file := campaign(t, dir)
	x := open(t, filepath.Join(dir, "a.sqlite"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for end := 0; end <= len(whole); end += 1 + len(whole)/11 {
		if err := os.WriteFile(file, whole[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		total += load(t, x, file).Records
	}
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if total += load(t, x, file).Records; total != 7 {
		t.Errorf("%d records were taken in, bit by bit", total)
	}
	anew := open(t, filepath.Join(dir, "b.sqlite"))
	load(t, anew, file)
	for _, question := range []string{
		"campaigns", "families", "slowest", "summary 1 2", "differences 1 2", "history", "times",
	} {
		if diff := cmp.Diff(ask(t, anew, question), ask(t, x, question)); diff != "" {
			t.Errorf("%s (-anew +grown)\n%s", question, diff)
		}
	}
	if found := load(t, x, file); found.Records != 0 {
		t.Errorf("what was there is taken in again: %+v", found)
	}
	if err := os.WriteFile(file, whole[:10], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Import(t.Context(), []string{file}, func(error) {}); err == nil ||
		!strings.Contains(err.Error(), "is shorter than when it was imported") {
		t.Errorf("of a file that has become shorter: %v", err)
	}
}

// TestNames: two tests of one name are listed; two names of one test are not.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	f, err := results.Open(file, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	other, alias := record("MP", "m", "allowed"), record("MP", "m", "allowed")
	other.Hash, alias.Test = "f"+other.Hash[1:], "MP again"
	for _, r := range []*results.Record{record("MP", "m", "allowed"), other, alias} {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	x := open(t, filepath.Join(dir, "r.sqlite"))
	load(t, x, file)
	if got := ask(t, x, "names"); got != "MP 2\n" {
		t.Errorf("got %q", got)
	}
}

// TestAskOnly: questions change nothing, and a question that cannot be answered is an error.
func TestAskOnly(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "r.sqlite")
	if _, err := index.Ask(t.Context(), name); err == nil || !strings.Contains(err.Error(), "there is no index yet") {
		t.Errorf("got %v", err)
	}
	x := open(t, name)
	load(t, x, campaign(t, dir))
	reader, err := index.Ask(t.Context(), name) // while the other is open
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for query, ok := range map[string]bool{
		"SELECT 1; SELECT 2":          false,
		"SELECT 1;SELECT 2;":          false,
		"SELECT 1 -- one\n;":          true,
		"SELECT 'a;b' ; ":             true,
		"SELECT 1 AS \"a;b\" /* ; */": true,
	} {
		if _, err := reader.Query(t.Context(), query); (err == nil) != ok {
			t.Errorf("%s: %v", query, err)
		}
	}
	if _, err := reader.Query(t.Context(), "DELETE FROM result"); err == nil {
		t.Error("a question deleted results")
	}
	if got := ask(t, reader, "summary 1 2"); got == "" {
		t.Error("no answer")
	}
	q, _ := index.Find("differences")
	for _, about := range [][]string{{"strong"}, {"strong", "nosuch"}} {
		if _, err := reader.Ask(t.Context(), q, about, 1); err == nil {
			t.Errorf("%q was answered", about)
		}
	}
	if _, err := index.Find("slowst"); err == nil || !strings.Contains(err.Error(), "did you mean slowest?") {
		t.Errorf("got %v", err)
	}
}

// TestUnreadableFile: a file that cannot be read does not prevent questions about other files.
func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	file, later := campaign(t, dir), filepath.Join(dir, "later.jsonl")
	if err := os.WriteFile(later, []byte(`{"results":99,"test":"MP"}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	x := open(t, filepath.Join(dir, "r.sqlite"))
	found, err := x.Import(t.Context(), []string{file, later}, func(err error) { t.Error(err) })
	if err == nil || !strings.Contains(err.Error(), "later.jsonl:1: a record of format 99") || found.Records != 7 {
		t.Errorf("%d records, error %v", found.Records, err)
	}
	if got := ask(t, x, "summary 1 2"); got == "" {
		t.Error("what was taken in is not summarized")
	}
}
