package muster_test

import (
	"context"
	"testing"
	"time"

	"github.com/muster-gpu/muster"
)

// TestRunWhenDone: when the context is done, Run returns what is known by then, and says that it is
// incomplete.
func TestRunWhenDone(t *testing.T) {
	model, err := muster.Load("sc")
	if err != nil {
		t.Fatal(err)
	}
	test, err := muster.Shipped("mp-inter-cta")
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	for want, ctx := range map[string]context.Context{
		"stopped after its context ended: context canceled":          canceled,
		"stopped after its context ended: context deadline exceeded": late,
	} {
		r, err := muster.Run(ctx, test, model)
		if err != nil || r.Incomplete != want || r.Outcome != "unknown" {
			t.Errorf("%v, %+v, want %s", err, r, want)
		}
	}
	if r, err := muster.Run(t.Context(), test, model); err != nil || r.Incomplete != "" || r.Outcome != "forbidden" {
		t.Errorf("%v, %+v", err, r)
	}
}
