package results_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/results"
)

// numbered returns a record of test number n, in shard n%3+1 of 3.
func numbered(n int) *results.Record {
	r := sample(fmt.Sprint("test", n))
	r.Hash = fmt.Sprintf("%015x%017x", n, n)
	return r
}

// shards writes the files of three shards of twelve tests.
func shards(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	for i := 1; i <= 3; i++ {
		shard := results.Shard{I: i, N: 3}
		name := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		write(t, name, shard, func(n int) *results.Record { return numbered(n) })
		files = append(files, name)
	}
	return dir, files
}

// write makes a run write a shard of twelve tests.
func write(t *testing.T, name string, shard results.Shard, find func(int) *results.Record) {
	t.Helper()
	f := open(t, name)
	for n := range 12 {
		if r := find(n); shard.Has(numbered(n).Hash) && r != nil && !f.Has(r.Key()) {
			add(t, f, r)
		}
	}
	s := sample("").Subject
	s.Hash = ""
	if err := f.End(results.End{Shard: shard.String(), Models: []results.Subject{s}}); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func sorted(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.Lines(string(text)))
}

// TestMerge: merged shards equal what one run finds, byte for byte after sorting; so do merges of
// merges.
func TestMerge(t *testing.T) {
	dir, files := shards(t)
	whole, out, again := filepath.Join(dir, "whole"), filepath.Join(dir, "merged"), filepath.Join(dir, "again")
	write(t, whole, results.Shard{I: 1, N: 1}, numbered)
	slices.Reverse(files)
	found, err := results.Merge(out, files, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&results.Merged{Files: 3, Shards: 3, Records: 12}, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(sorted(t, whole), sorted(t, out)); diff != "" {
		t.Errorf("(-whole +merged)\n%s", diff)
	}
	found, err = results.Merge(again, []string{out, whole}, func(err error) { t.Error(err) })
	if err != nil || found.Duplicates != 12 {
		t.Fatalf("%+v, %v", found, err)
	}
	if diff := cmp.Diff(sorted(t, whole), sorted(t, again)); diff != "" {
		t.Errorf("(-whole +merged again)\n%s", diff)
	}
}

// TestMergeTimes: two records that differ only in their times agree; a complete record is preferred
// to one that a limit cut short.
func TestMergeTimes(t *testing.T) {
	dir, files := shards(t)
	out, again := filepath.Join(dir, "merged"), filepath.Join(dir, "1-again.jsonl")
	write(t, again, results.Shard{I: 1, N: 3}, func(n int) *results.Record {
		r := numbered(n).Timed(time.Unix(1, 0), time.Second)
		if n == 3 {
			r.Incomplete, r.Verdict, r.Outcome = "1s", "Undef", "unknown"
		}
		return r
	})
	found, err := results.Merge(out, append([]string{again}, files...), func(err error) { t.Error(err) })
	if err != nil || found.Records != 12 || found.Duplicates != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	if text, _ := os.ReadFile(out); strings.Contains(string(text), "Undef") {
		t.Error("the record that was cut short was kept")
	}
}

// TestMergeWrong: everything missing or contradictory is reported, and nothing is written.
func TestMergeWrong(t *testing.T) {
	tests := []struct {
		name string
		edit func(t *testing.T, dir string, files []string) []string
		want []string
	}{
		{
			"a shard is missing", func(t *testing.T, _ string, files []string) []string { return files[:2] },
			[]string{"missing of ptx (ff, muster v1): shard 3/3"},
		},
		{"a run has not ended", func(t *testing.T, _ string, files []string) []string {
			cut(t, files[1], func(text string) string { return text[:strings.Index(text, `{"results":1,"end"`)] })
			return files
		}, []string{
			"DIR/2.jsonl: the run that writes this file has not ended: start it again, and it goes on",
			"missing of ptx (ff, muster v1): shard 2/3",
		}},
		{"a record is torn", func(t *testing.T, _ string, files []string) []string {
			cut(t, files[1], func(text string) string {
				return text[:20] + text[21+strings.IndexByte(text[20:], '\n')-1:]
			})
			return files
		}, []string{"DIR/2.jsonl: shard 2/3 has 3 of its 4 records: start its run again, and it finds the others"}},
		{"a verdict contradicts", func(t *testing.T, dir string, files []string) []string {
			name := filepath.Join(dir, "other.jsonl")
			write(t, name, results.Shard{I: 2, N: 3}, func(n int) *results.Record {
				r := numbered(n)
				if n == 4 {
					r.Verdict = "No"
				}
				return r
			})
			return append(files, name)
		}, []string{"DIR/other.jsonl:2: test test4 under ptx: this contradicts DIR/2.jsonl:2"}},
		{"a test is in the wrong shard", func(t *testing.T, dir string, files []string) []string {
			f := open(t, files[2])
			add(t, f, numbered(0))
			f.Close()
			return files
		}, []string{"DIR/3.jsonl:6: test test0 is not of shard 3/3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, files := shards(t)
			files = tt.edit(t, dir, files)
			out := filepath.Join(dir, "merged")
			_, err := results.Merge(out, files, func(error) {})
			var wrong *results.MergeError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(tt.want, strings.Split(strings.ReplaceAll(err.Error(), dir, "DIR"), "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if left, _ := filepath.Glob(out + "*"); left != nil {
				t.Errorf("%q were written", left)
			}
		})
	}
}

// cut edits a file.
func cut(t *testing.T, name string, edit func(string) string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(edit(string(text))), 0o666); err != nil {
		t.Fatal(err)
	}
}

// twoRuns makes two runs under one model write into one file: of nine tests and of five others,
// with the given numbers of failures.
func twoRuns(t *testing.T, failed ...int) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "two.jsonl")
	for i, tests := range [][2]int{{0, 9}, {9, 14}} {
		f := open(t, name)
		for n := tests[0]; n < tests[1]; n++ {
			add(t, f, numbered(n))
		}
		s := sample("").Subject
		s.Hash = ""
		if err := f.End(results.End{Shard: "1/1", Models: []results.Subject{s}, Failed: failed[i]}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return name
}

// TestMergeTwoRuns: a file to which several runs of different tests have written is complete only
// if it has the records of all of them.
func TestMergeTwoRuns(t *testing.T) {
	name := twoRuns(t, 1, 2)
	out := name + ".merged"
	found, err := results.Merge(out, []string{name}, func(err error) { t.Error(err) })
	if err != nil || found.Records != 14 || found.Failed != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(text), `"end":"1/1","records":14,"failed":3,"models"`) ||
		strings.Count(string(text), `"end"`) != 1 {
		t.Errorf("%v, the end is not of all:\n%s", err, text)
	}
	for _, lost := range []int{0, 3, 11} {
		name := twoRuns(t, 0, 0)
		cut(t, name, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			return strings.Join(slices.Delete(lines, lost, lost+1), "")
		})
		_, err := results.Merge(name+".merged", []string{name}, func(err error) { t.Error(err) })
		if want := name +
			": it has 13 of the 14 records that its runs have found: start them again, and they find the others"; err ==
			nil || err.Error() != want {
			t.Errorf("without line %d: got %v, want %s", lost+1, err, want)
		}
	}
}

// TestMergeFiles: a record that a file found and lost is missing, even if other files have it.
func TestMergeFiles(t *testing.T) {
	dir, files := shards(t)
	other := filepath.Join(dir, "other.jsonl")
	write(t, other, results.Shard{I: 2, N: 3}, func(n int) *results.Record {
		if n == 4 {
			return numbered(n)
		}
		return nil
	})
	if _, err := results.Merge(filepath.Join(dir, "out"), append(files, other), func(err error) {
		t.Error(err)
	}); err != nil {
		t.Error(err)
	}
	cut(t, other, func(text string) string { return text[strings.IndexByte(text, '\n')+1:] })
	_, err := results.Merge(filepath.Join(dir, "out"), append(files, other), func(err error) { t.Error(err) })
	if want := other + ": shard 2/3 has 0 of its 1 records: start its run again, and it finds the others"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
