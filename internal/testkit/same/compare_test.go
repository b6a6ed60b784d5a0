package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// TestCompareRecords: differences are named by path, and times do not count.
func TestCompareRecords(t *testing.T) {
	const was = `{"test":"mp","states":[{"count":1},{"count":2}],"flags":["race"],"seconds":1,"stats":{"candidates":3}}`
	for _, tt := range []struct{ is, want string }{
		{was, ""},
		{strings.Replace(was, `"seconds":1,"stats":{"candidates":3}`, `"seconds":2`, 1), ""},
		{strings.Replace(was, `"count":2`, `"count":3`, 1), "mp: .states[1].count: 2 before, 3 after"},
		{strings.Replace(was, `,"flags":["race"]`, ``, 1), `mp: .flags: ["race"] before, null after`},
		{
			strings.Replace(was, `{"count":1},`, ``, 1),
			`mp: .states: [{"count":1},{"count":2}] before, [{"count":2}] after`,
		},
		{strings.Replace(was, `{"test"`, `{"hang":true,"test"`, 1), "mp: .hang: null before, true after"},
		{"Test mp", `"` + strings.ReplaceAll(was, `"`, `\"`) + `" before, "Test mp" after`},
	} {
		if got := exactly().compareRecords(was, tt.is); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.is, got, tt.want)
		}
	}
}

// TestWork: the prover's work is compared, record by record or in sum.
func TestWork(t *testing.T) {
	record := func(conflicts ...int) *answer {
		a := new(answer)
		for _, n := range conflicts {
			a.records = append(a.records,
				fmt.Sprintf(`{"verdict":"verified","statistics":{"conflicts":%d,"terms":7},"seconds":%d}`, n, n))
		}
		return a
	}
	for _, tt := range []struct {
		old, fresh      *answer
		exactly, drifts int
	}{
		{record(100, 0), record(100, 0), 0, 0},
		{record(100, 0), record(51, 50), 2, 0},
		{record(100, 0), record(103, 0), 1, 1},
		{record(0), record(1), 1, 1},
	} {
		if got := exactly().differences(tt.old, tt.fresh); len(got) != tt.exactly {
			t.Errorf("exactly: %q, want %d", got, tt.exactly)
		}
		how := inSum()
		if got := how.differences(tt.old, tt.fresh); len(got) > 0 {
			t.Errorf("in sum, record by record: %q", got)
		}
		if got := how.drifted(); len(got) != tt.drifts {
			t.Errorf("in sum: %q, want %d", got, tt.drifts)
		}
	}
}

// TestDifferences: exit status, messages except for times, and the number of records count.
func TestDifferences(t *testing.T) {
	old := &answer{records: []string{"{}"}, errors: "stopped after 1.5s\n"}
	for _, tt := range []struct {
		fresh *answer
		want  int
	}{
		{&answer{records: []string{"{}"}, errors: "stopped after 20ms\n"}, 0},
		{&answer{records: []string{"{}"}, errors: "stopped\n"}, 1},
		{&answer{errors: old.errors}, 1},
		{&answer{records: old.records, exit: 3}, 2},
	} {
		if got := exactly().differences(old, tt.fresh); len(got) != tt.want {
			t.Errorf("%+v: %q, want %d", tt.fresh, got, tt.want)
		}
	}
}

// TestSuites: each suite has command lines, and unknown names are rejected.
func TestSuites(t *testing.T) {
	t.Chdir("../../..")
	for _, s := range suites {
		commands, err := s.cases(t.TempDir())
		if s.name == "kernels-peers" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(commands) == 0 {
			t.Errorf("%s: %d command lines, %v", s.name, len(commands), err)
		}
	}
	if _, err := suitesNamed([]string{"shipped", "grwon"}); err == nil || !strings.Contains(err.Error(), "grown") {
		t.Errorf("an unknown suite: %v", err)
	}
}
