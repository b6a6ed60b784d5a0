package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // package being built, instead of Package
	Test       string // "" if the event is about the package
	Output     string
}

// log follows the running tests.
type log struct {
	w         io.Writer
	output    map[test][]string // of tests in progress, and of packages
	skipped   map[string][]test // by reason
	ran, fell int               // number of packages, and of failed ones
}

// test identifies a test, or with an empty name a package.
type test struct{ pkg, name string }

func (t test) compare(u test) int {
	return cmp.Or(strings.Compare(t.pkg, u.pkg), strings.Compare(t.name, u.name))
}

func newLog(w io.Writer) *log {
	return &log{w: w, output: map[test][]string{}, skipped: map[string][]test{}}
}

// read prints a line for each package that ends, and the output of failures. Lines that are not
// events, such as messages of go itself, are printed unchanged.
func (l *log) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				l.event(e)
			} else {
				fmt.Fprintf(l.w, "%s\n", bytes.TrimRight(line, "\n"))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (l *log) event(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		l.output[t] = append(l.output[t], e.Output)
	case "build-output":
		fmt.Fprint(l.w, e.Output)
	case "fail":
		l.failed(t)
	case "skip":
		if t.name != "" {
			reason := reasonOf(l.output[t])
			l.skipped[reason] = append(l.skipped[reason], t)
		}
		l.ended(t)
	case "pass":
		l.ended(t)
	}
}

// ended drops the output of a test. For a package it prints the last line, which has its time.
func (l *log) ended(t test) {
	if out := l.output[t]; t.name == "" && len(out) > 0 {
		l.ran++
		fmt.Fprint(l.w, out[len(out)-1])
	}
	delete(l.output, t)
}

// failed prints the output of a failed test. For a package it also prints the output of tests that
// did not end.
func (l *log) failed(t test) {
	if t.name == "" {
		l.ran++
		l.fell++
		for _, running := range slices.SortedFunc(maps.Keys(l.output), test.compare) {
			if running.pkg == t.pkg && running != t {
				l.failed(running)
			}
		}
	}
	said := slices.DeleteFunc(l.output[t], func(line string) bool { return strings.HasPrefix(line, "=== ") })
	fmt.Fprint(l.w, withoutStacks(strings.Join(said, "")))
	delete(l.output, t)
}

// goroutine matches the beginning of the stack of a goroutine.
var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)

// withoutStacks removes the stacks after the message that a test ran out of time, because none of
// the hundreds of goroutines is the cause.
func withoutStacks(out string) string {
	limit := strings.Index(out, "panic: test timed out after")
	if limit < 0 {
		return out
	}
	at := goroutine.FindStringIndex(out[limit:])
	if at == nil {
		return out
	}
	return out[:limit+at[0]] + "(the stacks of all goroutines are left out; go test on this package prints them)\n"
}

// position matches what t.Skip puts in front of its reason.
var position = regexp.MustCompile(`^\s+\S+\.go:\d+: `)

// reasonOf returns the message with which a test was skipped.
func reasonOf(output []string) string {
	for i, line := range output {
		if at := position.FindString(line); at != "" {
			reason := []string{strings.TrimSpace(line[len(at):])}
			for _, more := range output[i+1:] {
				if !strings.HasPrefix(more, "        ") {
					break // another message of the test
				}
				reason = append(reason, strings.TrimSpace(more))
			}
			return strings.Join(reason, " ")
		}
	}
	return "no reason given"
}

// skips lists the skipped tests, grouped by reason.
func (l *log) skips() {
	var reasons []string
	n := 0
	for reason, tests := range l.skipped {
		reasons = append(reasons, reason)
		n += len(tests)
	}
	if n == 0 {
		return
	}
	slices.Sort(reasons)
	fmt.Fprintf(l.w, "\n%s skipped:\n", counted(n, "test was", "tests were"))
	for _, reason := range reasons {
		tests := l.skipped[reason]
		others := ""
		if len(tests) > 1 {
			others = " and " + counted(len(tests)-1, "other", "others")
		}
		fmt.Fprintf(l.w, "  %s in %s%s: %s\n", tests[0].name, tests[0].pkg, others, reason)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// passed reports whether something was tested and nothing failed.
func (l *log) passed() bool { return l.ran > 0 && l.fell == 0 }
