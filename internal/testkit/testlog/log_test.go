package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// logOf returns the log of events, given as PACKAGE TEST ACTION OUTPUT, "-" for no test.
func logOf(t *testing.T, events ...string) (string, bool) {
	t.Helper()
	var in, out strings.Builder
	for _, e := range events {
		f := strings.SplitN(e, " ", 4)
		name := strings.TrimPrefix(f[1], "-")
		in.WriteString(`{"Package":"` + f[0] + `","Test":"` + name + `","Action":"` + f[2] + `"`)
		if len(f) > 3 {
			in.WriteString(`,"Output":"` + f[3] + `\n"`)
		}
		in.WriteString("}\n")
	}
	l := newLog(&out)
	if err := l.read(strings.NewReader(in.String())); err != nil {
		t.Fatal(err)
	}
	l.skips()
	return out.String(), l.passed()
}

func TestLog(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   string
		passed bool
	}{
		{
			"a package that passes is a line",
			[]string{
				"p T output === RUN   T", "p T output said", "p T pass", "p - output PASS", "p - output ok p 0.1s",
				"p - pass",
			},
			"ok p 0.1s\n", true,
		},
		{
			"skipped tests are told at the end, those with one reason together",
			[]string{
				`p T output \u0020   t_test.go:7: no herd:`, `p T output \u0020       get one`,
				"p T output --- SKIP: T (0.00s)", "p T skip",
				"p - output ok p 0.1s", "p - pass",
				`q U/s output \u0020   u_test.go:8: no herd:`, `q U/s output \u0020       get one`,
				`q U/s output \u0020   script.go:9: WORK=here`, `q U/s output \u0020       PATH=there`, "q U/s skip",
				"q U pass",
				"q V skip", "q - output ok q 0.2s", "q - pass",
			},
			"ok p 0.1s\nok q 0.2s\n\n3 tests were skipped:\n  T in p and 1 other: no herd: get one\n" +
				"  V in q: no reason given\n", true,
		},
		{
			"a test that fails is told in full",
			[]string{
				"p T output === RUN   T", "p T output bad", "p T output --- FAIL: T", "p T fail",
				"p - output FAIL p 0.1s", "p - fail",
			},
			"bad\n--- FAIL: T\nFAIL p 0.1s\n", false,
		},
		{
			"a test that runs out of time leaves its name, and no stacks",
			[]string{
				"p T output panic: test timed out after 1s", "p T output running tests: T",
				"p T output goroutine 4 [running]:",
				"p T output main.main()", "p - output FAIL p 1.0s", "p - fail",
			},
			"panic: test timed out after 1s\nrunning tests: T\n" +
				"(the stacks of all goroutines are left out; go test on this package prints them)\nFAIL p 1.0s\n",
			false,
		},
		{
			"the stack of a panic is told",
			[]string{
				"p T output panic: oops", "p T output goroutine 4 [running]:", "p T fail",
				"p - output FAIL p 1.0s", "p - fail",
			},
			"panic: oops\ngoroutine 4 [running]:\nFAIL p 1.0s\n", false,
		},
		{
			"a package without tests",
			[]string{"p - output ? p [no test files]", "p - skip"},
			"? p [no test files]\n",
			true,
		},
		{"nothing was tested", nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, passed := logOf(t, tt.events...)
			if diff := cmp.Diff(tt.want, got); diff != "" || passed != tt.passed {
				t.Errorf("passed: %v\n%s", passed, diff)
			}
		})
	}
}

// TestNotJSON: messages of go itself are passed on.
func TestNotJSON(t *testing.T) {
	var out strings.Builder
	l := newLog(&out)
	if err := l.read(strings.NewReader("go: no such tool\n{}")); err != nil || l.passed() ||
		out.String() != "go: no such tool\n{}\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}
