package observe_test

import (
	"testing"

	"github.com/muster-gpu/muster/observe"
)

// TestLaunches: launches add up over the records of a test, and are unknown if one record lacks
// them or is inconsistent.
func TestLaunches(t *testing.T) {
	says := line(`"seconds"`, `"launches":10,"seconds"`, `"count":3`, `"count":3,"launches":2`, `"count":90`,
		`"count":90,"launches":10`)
	tests := []struct {
		name    string
		records []string
		want    observe.Launches // of the first state
	}{
		{"one", []string{says}, observe.Launches{Seen: 2, Of: 10}},
		{"two", []string{says, says}, observe.Launches{Seen: 4, Of: 20}},
		{"one does not say", []string{says, line()}, observe.Launches{}},
		{"one is void", []string{says, line(`"passed"`, `"failed"`)}, observe.Launches{Seen: 2, Of: 10}},
		{
			"one has come to no end",
			[]string{says, line(`"count":3`, `"count":0`, `"count":90`, `"count":0`)},
			observe.Launches{Seen: 2, Of: 10},
		},
		{
			"beside a table",
			[]string{says, "test,device,runs,observed\nMP,H100,10,3\n"},
			observe.Launches{Seen: 2, Of: 10},
		},
		{
			"not of each state",
			[]string{line(`"seconds"`, `"launches":10,"seconds"`, `"count":90`, `"count":90,"launches":10`)},
			observe.Launches{},
		},
		{
			"more than of all",
			[]string{
				line(`"seconds"`, `"launches":1,"seconds"`, `"count":3`, `"count":3,"launches":2`, `"count":90`,
					`"count":90,"launches":1`),
			},
			observe.Launches{},
		},
		{
			"more than instances",
			[]string{
				line(`"seconds"`, `"launches":9223372036854775807,"seconds"`, `"count":3`, `"count":3,"launches":2`,
					`"count":90`, `"count":90,"launches":10`),
			},
			observe.Launches{},
		},
	}
	for _, tt := range tests {
		l, errs := read(tt.records...)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		s := l.Tests[0].Shown[0]
		if got := s.Launched.Seen(s.Came[0]); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestFaultIsNoVoidRun: a run that did not end says nothing, whatever is known about its machine
// code.
func TestFaultIsNoVoidRun(t *testing.T) {
	l, errs := read(
		line(`"count":3`, `"count":0`, `"count":90`, `"count":0`, `"passed"}`, `"failed"},"fault":"it hangs"`))
	if s := l.Tests[0].Shown[0]; len(errs) > 0 || s.NotRun != 1 || len(s.Void) > 0 {
		t.Errorf("%v, %+v", errs, s)
	}
}
