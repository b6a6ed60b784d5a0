package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// answer is the output of a binary for a command line.
type answer struct {
	records []string // lines of standard output
	errors  string   // standard error
	exit    int
	took    time.Duration // processor time
}

// runBoth runs a command line with both binaries at the same time, in the folder of the suite.
func runBoth(ctx context.Context, folder, before, after string, args []string) (old, fresh *answer, err error) {
	var errs [2]error
	var answers [2]*answer
	var wait sync.WaitGroup
	for i, binary := range []string{before, after} {
		wait.Go(func() { answers[i], errs[i] = run(ctx, folder, binary, args) })
	}
	wait.Wait()
	return answers[0], answers[1], errors.Join(errs[:]...)
}

func run(ctx context.Context, folder, binary string, args []string) (*answer, error) {
	var out, diagnostics bytes.Buffer
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Stdout, c.Stderr = folder, &out, &diagnostics
	err := c.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	a := &answer{errors: diagnostics.String(), exit: c.ProcessState.ExitCode(), took: c.ProcessState.UserTime()}
	if text := strings.TrimSuffix(out.String(), "\n"); text != "" {
		a.records = strings.Split(text, "\n")
	}
	return a, nil
}

// comparison names the fields of records that need not agree. Those in summed are compared in sum.
type comparison struct {
	ignored []string
	summed  map[string]*totals
}

// totals are the sums of a field over the records of both binaries.
type totals struct{ before, after float64 }

// exactly returns a comparison of everything except times and the statistics of a simulation.
func exactly() comparison { return comparison{ignored: []string{"seconds", "stats"}} }

// inSum returns a comparison that compares the prover's work only in sum.
func inSum() comparison {
	return comparison{ignored: []string{"seconds", "stats"}, summed: map[string]*totals{"terms": {}, "conflicts": {}}}
}

// tolerance bounds the relative difference of the sums of a field.
const tolerance = 0.02

// drifted lists the fields whose sums differ by more than the tolerance.
func (c comparison) drifted() (all []string) {
	for _, field := range slices.Sorted(maps.Keys(c.summed)) {
		if t := c.summed[field]; math.Abs(t.after-t.before) > tolerance*t.before {
			all = append(all, fmt.Sprintf("%s: %.0f before, %.0f after", field, t.before, t.after))
		}
	}
	return all
}

// differences lists the differences between two answers to one command line.
func (c comparison) differences(old, fresh *answer) (all []string) {
	if old.exit != fresh.exit {
		all = append(all, fmt.Sprintf("exit status: %d before, %d after", old.exit, fresh.exit))
	}
	if was, is := timeless(old.errors), timeless(fresh.errors); was != is {
		all = append(all, "standard error: "+firstLine(was, is))
	}
	if len(old.records) != len(fresh.records) {
		all = append(all, fmt.Sprintf("%d records before, %d after", len(old.records), len(fresh.records)))
	}
	for i := range min(len(old.records), len(fresh.records)) {
		if d := c.compareRecords(old.records[i], fresh.records[i]); d != "" {
			all = append(all, fmt.Sprintf("record %d: %s", i+1, d))
		}
	}
	return all
}

// times matches durations as messages print them.
var times = regexp.MustCompile(`\d+(\.\d+)?(s|ms|µs)\b`)

func timeless(text string) string { return times.ReplaceAllString(text, "TIME") }

// firstLine shows the first line in which two texts differ.
func firstLine(was, is string) string {
	old, fresh := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(old), len(fresh)) {
		if a, b := at(old, i), at(fresh, i); a != b {
			return fmt.Sprintf("%q before, %q after", a, b)
		}
	}
	return "equal"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// compareRecords describes the difference between two records, or returns "". Lines that are not
// JSON are compared as text.
func (c comparison) compareRecords(was, is string) string {
	var old, fresh any
	switch {
	case was == is && c.summed == nil:
		return ""
	case json.Unmarshal([]byte(was), &old) != nil || json.Unmarshal([]byte(is), &fresh) != nil:
		if was == is {
			return ""
		}
		return firstLine(was, is)
	}
	path := c.difference(old, fresh, "")
	if path == "" {
		return ""
	}
	return subject(old) + path
}

// subject returns the name of the test or kernel of a record.
func subject(record any) string {
	object, _ := record.(map[string]any)
	for _, key := range []string{"test", "kernel"} {
		if name, ok := object[key].(string); ok {
			return name + ": "
		}
	}
	return ""
}

// difference describes the first difference between two JSON values, by its path and both values,
// or returns "".
func (c comparison) difference(old, fresh any, path string) string {
	switch a := old.(type) {
	case map[string]any:
		b, ok := fresh.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(a))
		for k := range b {
			if _, both := a[k]; !both {
				keys = append(keys, k)
			}
		}
		for _, k := range keys {
			if slices.Contains(c.ignored, k) || c.sum(k, a[k], b[k]) {
				continue
			}
			if d := c.difference(a[k], b[k], path+"."+k); d != "" {
				return d
			}
		}
		return ""
	case []any:
		b, ok := fresh.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range a {
			if d := c.difference(a[i], b[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	}
	if reflect.DeepEqual(old, fresh) {
		return ""
	}
	return fmt.Sprintf("%s: %s before, %s after", path, short(old), short(fresh))
}

// sum adds the values of a field to its totals, and reports whether the field is summed.
func (c comparison) sum(field string, old, fresh any) bool {
	t := c.summed[field]
	if t == nil {
		return false
	}
	was, _ := old.(float64)
	is, _ := fresh.(float64)
	t.before, t.after = t.before+was, t.after+is
	return true
}

// short prints a JSON value, cut after 200 bytes.
func short(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 200 {
		return string(text[:200]) + "…"
	}
	return string(text)
}
