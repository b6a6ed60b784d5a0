package results_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// sample returns a record of a test with this name.
func sample(test string) *results.Record {
	o, err := litmus.NewOutcome(map[string]string{"0:r10": "1", "0:r2": "x", "[x]": "-3"})
	if err != nil {
		panic(err)
	}
	o.Count = 2
	return &results.Record{
		Format: results.Format,
		Subject: results.Subject{
			Test:      test,
			Hash:      "0123456789abcdef0123456789abcdef",
			Model:     "ptx",
			ModelHash: "ff",
			Options:   results.Options{Unroll: 2},
			Muster:    "v1",
		},
		Kind:        "Allowed",
		Condition:   `exists (0:r2=x /\ 0:r10=1)`,
		Verdict:     "Ok",
		Outcome:     "allowed",
		Observation: "Always",
		Positive:    2,
		Histogram:   results.Histogram{o}, Flags: []string{"race"},
	}
}

// open opens a file that must have no errors.
func open(t *testing.T, name string) *results.File {
	t.Helper()
	f, err := results.Open(name, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func add(t *testing.T, f *results.File, records ...*results.Record) {
	t.Helper()
	for _, r := range records {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

// lines reads a file; errs are the headers of its errors.
func lines(t *testing.T, name string) (all []*results.Line, errs []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for line, err := range results.Lines("r.jsonl", f) {
		if err != nil {
			header, _, _ := strings.Cut(err.Error(), "\n")
			errs = append(errs, header)
			continue
		}
		line.Text = nil
		all = append(all, line)
	}
	return all, errs
}

// TestLine: a record is read as it was written, with the names of docs/json.md.
func TestLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	f := open(t, name)
	r := sample("MP").Timed(time.Date(2026, 7, 3, 14, 5, 6, 7e6, time.UTC), 250*time.Millisecond)
	add(t, f, r)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, errs := lines(t, name)
	if diff := cmp.Diff([]*results.Line{{Record: r, Number: 1, Offset: got[0].Offset}}, got); diff != "" ||
		errs != nil {
		t.Errorf("errors %q (-want +got)\n%s", errs, diff)
	}
	text, _ := os.ReadFile(name)
	const want = `{"results":1,"test":"MP","hash":"0123456789abcdef0123456789abcdef","model":"ptx","modelHash":"ff","options":{"unroll":2},` +
		`"muster":"v1","kind":"Allowed","condition":"exists (0:r2=x /\\ 0:r10=1)","verdict":"Ok","outcome":"allowed","observation":"Always",` +
		`"positive":2,"negative":0,"histogram":[{"state":{"0:r2":"x","0:r10":"1","[x]":"-3"},"count":2}],"flags":["race"],` +
		`"time":"2026-07-03T14:05:06.007Z","seconds":0.25}` + "\n"
	if string(text) != want {
		t.Errorf("the line is\n%swant\n%s", text, want)
	}
	logged, err := r.Logged()
	if err != nil || logged.Verdict != litmus.OK || logged.Observation != litmus.Always || len(logged.States) != 1 {
		t.Errorf("a log would have %+v, %v", logged, err)
	}
}

// TestGoesOn cuts a file after most of its bytes, as a kill does, and continues: the incomplete
// record is reported and removed, and only its test is run again.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "r.jsonl")
	f := open(t, name)
	add(t, f, sample("a"), sample("b"))
	f.Close()
	whole, _ := os.ReadFile(name)
	first := strings.IndexByte(string(whole), '\n') + 1
	for end := 0; end <= len(whole); end += 1 + end%4 {
		if err := os.WriteFile(name, whole[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		var said []string
		f, err := results.Open(name, func(err error) { said = append(said, err.Error()) })
		if err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		cut := 0 < end && end < first-1 || first < end && end < len(whole)-1
		if (len(said) == 1) != cut || cut && !strings.Contains(said[0], "cut short") {
			t.Fatalf("cut at %d: said %q", end, said)
		}
		for _, r := range []*results.Record{sample("a"), sample("b")} {
			if !f.Has(r.Key()) {
				add(t, f, r)
			}
		}
		f.Close()
		if got, _ := os.ReadFile(name); string(got) != string(whole) {
			t.Fatalf("cut at %d: the file is\n%s", end, got)
		}
	}
}

// TestTwoWriters makes two runs of the same command write one file.
func TestTwoWriters(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "windows" {
		t.Skip("there are no locks here")
	}
	name := filepath.Join(t.TempDir(), "r.jsonl")
	var all sync.WaitGroup
	const many = 200
	for _, f := range []*results.File{open(t, name), open(t, name)} { // neither knows what the other writes
		all.Go(func() {
			defer f.Close()
			for i := range many {
				r := sample(fmt.Sprint("test", i))
				r.Condition = strings.Repeat("x", i*97)
				if err := f.Add(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, errs := lines(t, name)
	if len(got) != 2*many || errs != nil {
		t.Errorf("%d records, errors %q", len(got), errs)
	}
	f := open(t, name)
	if f.Len() != many {
		t.Errorf("of %d tests", f.Len())
	}
	f.Close()
}

// TestEnd: a complete run writes its end once, however often it is started again.
func TestEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	for range 3 {
		f := open(t, name)
		for _, test := range []string{"a", "b"} {
			if r := sample(test); !f.Has(r.Key()) {
				add(t, f, r)
			}
		}
		if err := f.End(results.End{Shard: "1/1", Models: []results.Subject{{Model: "ptx"}}}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	got, errs := lines(t, name)
	if len(got) != 3 || errs != nil || got[2].End == nil || got[2].End.Records != 2 {
		t.Errorf("%d lines, errors %q", len(got), errs)
	}
}

// TestBadFiles: files of other kinds are left unchanged.
func TestBadFiles(t *testing.T) {
	tests := []struct{ text, want string }{
		{"GPU_PTX mp\n", `r.jsonl: this is not a file of results: it begins with "GPU_PTX mp"`},
		{`{"test":"MP"}` + "\n", `r.jsonl: this is not a file of results: it begins with "{\"test\":\"MP\"}"`},
		{
			`{"results":2,"anything":[1]}` + "\n" + `{"resu`,
			"r.jsonl:1: a record of format 2; this muster reads and writes format 1",
		},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		name := filepath.Join(dir, "r.jsonl")
		if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := results.Open(name, func(err error) { t.Error(err) })
		if err == nil || strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)) != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if got, _ := os.ReadFile(name); string(got) != tt.text {
			t.Errorf("the file is %q, was %q", got, tt.text)
		}
	}
}

// TestBadLines: an invalid line is reported, and the others are read.
func TestBadLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	f := open(t, name)
	add(t, f, sample("a"))
	f.Close()
	good, _ := os.ReadFile(name)
	text := string(good) + "\x00\x00\x00\n" + `{"results":1,"test":"b"}` + "\n" +
		`{"results":1,"test":"c","histogram":[{"state":{"":"1"}}]}` + "\n" + string(good)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, errs := lines(t, name)
	want := []string{
		"r.jsonl:2:1: not a record: invalid character '\\x00' looking for beginning of value",
		`r.jsonl:3:1: expected "hash"`,
		`r.jsonl:4:1: histogram: expected a register or location such as 0:r1, [x] or a[0], found ""`,
	}
	if diff := cmp.Diff(want, errs); diff != "" || len(got) != 2 {
		t.Errorf("%d records, errors (-want +got)\n%s", len(got), diff)
	}
}

// TestKey: everything on which an answer may depend changes the key.
func TestKey(t *testing.T) {
	keys := map[results.Key]bool{}
	for i, edit := range []func(*results.Subject){
		func(s *results.Subject) {},
		func(s *results.Subject) { s.Test = "other" },
		func(s *results.Subject) { s.Hash = "other" },
		func(s *results.Subject) { s.Model = "other" },
		func(s *results.Subject) { s.ModelHash = "other" },
		func(s *results.Subject) { s.Muster = "other" },
		func(s *results.Subject) { s.Options.Unroll++ },
		func(s *results.Subject) { s.Options.CASFailWrites = true },
		func(s *results.Subject) { s.Options.Effort = "quick" },
		func(s *results.Subject) { s.Options.Engine = "naive" },
		func(s *results.Subject) { s.Options.MaxCandidates = 1 },
		func(s *results.Subject) { s.Options.Timeout = "1s" },
		func(s *results.Subject) { s.Test, s.Hash = s.Test+s.Hash[:1], s.Hash[1:] },
	} {
		s := sample("MP").Subject
		edit(&s)
		if keys[s.Key()] {
			t.Errorf("edit %d makes no other key", i)
		}
		keys[s.Key()] = true
	}
}

// TestModelHash: the hash depends on the text of a model, on files that it includes, and on
// variants.
func TestModelHash(t *testing.T) {
	dir := t.TempDir()
	model, part := filepath.Join(dir, "model.cat"), filepath.Join(dir, "part.cat")
	hash := func(modelText, partText string, variants ...string) string {
		t.Helper()
		for name, text := range map[string]string{model: modelText, part: partText} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m, err := models.Load(model, models.Config{Variants: variants})
		if err != nil {
			t.Fatal(err)
		}
		return results.ModelHash(m)
	}
	const text = `include "part.cat" let strong = if "strong" then po else 0 acyclic strong | rf as a`
	seen := map[string]string{}
	for name, h := range map[string]string{
		"the model":      hash(text, "let x = po"),
		"another":        hash(text+" acyclic co as b", "let x = po"),
		"another part":   hash(text, "let x = rf"),
		"with a variant": hash(text, "let x = po", "strong"),
	} {
		if seen[h] != "" {
			t.Errorf("%s and %s have the same hash", name, seen[h])
		}
		seen[h] = name
	}
	if again := hash(text, "let x = po"); seen[again] != "the model" {
		t.Error("a model has two hashes")
	}
}

// TestNewRecord: a record has what the log has.
func TestNewRecord(t *testing.T) {
	r := found(t, "mp-inter-cta")
	rec := results.NewRecord(
		results.Subject{Test: r.Test.Name.Text, Hash: r.Test.Hash(), Options: results.OptionsOf(sim.Defaults())}, r)
	got, err := rec.Logged()
	if err != nil {
		t.Fatal(err)
	}
	var a, b strings.Builder
	want := r.Record()
	want.Untimed, got.Untimed = true, true
	_, _ = want.WriteTo(&a)
	_, _ = got.WriteTo(&b)
	if diff := cmp.Diff(a.String(), b.String()); diff != "" {
		t.Errorf("(-log +record)\n%s", diff)
	}
}
